"""What goes with a bundle finds whatever in its labels and posteriors is not what it says."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.agreement.consensus import SETTLED_ABOVE
from annotation.agreement.modelled import crowd
from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.models import MOST_SEED, Study
from annotation.protocols.registry import protocol
from annotation.release.bundle import write_bundle
from annotation.selectors.publishing import frozen
from annotation.services.items.released import released_import
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_create
from tests.agreement.modelled.needs import needs_crowdkit
from tests.bulk import fill_study
from tests.factories import make_study
from tests.house.sizes import ROOT
from tests.services.publishing.test_snapshots import judged_study
from tests.services.publishing.test_ties import ASKED, study
from tests.systems_study import fill_systems

# A bundle is made of files, whatever database the snapshot was taken from.
pytestmark = [pytest.mark.django_db, pytest.mark.once]

Row = dict[str, Any]
SCORE = "legal_meaning"


_made: dict[str, Path] = {}


def bundled(where: Path, recipe: Row, make=study, **options: object) -> Path:
    where.mkdir()
    few = {"draws": 100, **recipe}
    made = study_freeze(actor=None, study=make(), recipe=few, **options)
    write_bundle(snapshot_folder(made), where)
    return where


STEPS = 10
"""Of Dawid–Skene, here and there: as many as say as much."""


def copied(tmp_path: Path, tmp_path_factory, name: str, *given: object) -> Path:
    """A bundle that is made once in a process: each test damages a copy."""
    if name not in _made:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(crowd, "ITERATIONS", STEPS)
            _made[name] = bundled(tmp_path_factory.mktemp("made") / name, *given)
    shutil.copytree(_made[name], tmp_path / "bundle")
    return tmp_path / "bundle"


def script(bundle: Path) -> Any:
    spec = importlib.util.spec_from_file_location("recompute", bundle / "recompute_agreement.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(bundle: Path, capsys, *, crowd_kit: bool | str = True) -> str:
    """Everything that the script says, of what differs too."""
    module = script(bundle)
    module.ITERATIONS = STEPS
    if crowd_kit is not True:
        module.crowd_kit = lambda: crowd_kit or None
    refused = ""
    try:
        module.main()
    except SystemExit as error:
        refused = str(error.code)
    return capsys.readouterr().out + refused


def changed(bundle: Path, change: Callable[[Row], object], name: str = "labels") -> None:
    """One table with other rows."""
    path = bundle / "data" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def bundle(tmp_path: Path, tmp_path_factory) -> Path:
    return copied(tmp_path, tmp_path_factory, "modelled", ASKED)


def settled(bundle: Path) -> Row:
    """A score that a posterior settled."""
    return next(
        row
        for row in script(bundle).lines("labels")
        if row["provenance"] == "posterior" and row["dimension"] == SCORE
    )


def test_it_fits_as_the_models_were_fitted():
    module = script(ROOT / "annotation" / "release")
    assert (module.ITERATIONS, module.STOPS_AT) == (crowd.ITERATIONS, crowd.TOLERANCE)
    assert module.MACE_SEEDS == frozen._SEEDS
    assert module.SETTLED_ABOVE == SETTLED_ABOVE


def at(wanted: Row, do: Callable[[Row], object]) -> Callable[[Row], object]:
    """A change of one label alone."""
    keys = ("simplification_key", "dimension")
    return lambda row: do(row) if all(row[key] == wanted[key] for key in keys) else None


@needs_crowdkit
def test_labels_that_a_posterior_settled_are_recomputed(bundle, capsys):
    output = said(bundle, capsys)
    assert "The posteriors of dawid_skene were recomputed by crowd-kit " in output
    assert output.endswith(" numbers are as published.\n")
    without = said(bundle, capsys, crowd_kit=False)
    assert "The posteriors of dawid_skene were NOT recomputed: crowd-kit is not insta" in without
    assert without.endswith(" numbers are as published.\n")
    assert "crowd-kit 0.1 is installed" in said(bundle, capsys, crowd_kit="0.1")


def test_an_item_may_be_called_as_a_missing_value_is(tmp_path, capsys):
    def made() -> Study:
        """Two systems, so that their script reads the ratings as well."""
        made = make_study("egal", state="closed")
        scores = [[2 + n % 4, 2 + n % 3, 9 - n % 4] for n in range(8)]
        fill_systems(made, {"a": scores, "b": scores[::-1]})
        for item, key in zip(made.items.order_by("position"), ("NA", "null", "None"), strict=False):
            item.key = key
            item.save(update_fields=["key"])
        return made

    output = said(bundled(tmp_path / "bundle", {}, made), capsys)
    assert "Systems side by side: a, b." in output
    assert output.endswith(" numbers are as published.\n")


@needs_crowdkit
def test_mace_is_recomputed_restart_by_restart(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 3)
    # The study's own seed may be as large: more than a double holds, more than MACE begins by.
    recipe = {"labels": {**ASKED["labels"], "ties": "mace", "seed": MOST_SEED}}
    bundle = bundled(tmp_path / "bundle", recipe)
    output = said(bundle, capsys)
    assert "The posteriors of mace were recomputed by crowd-kit " in output
    assert output.endswith(" numbers are as published.\n")
    path = bundle / "agreement.json"
    agreement = json.loads(path.read_text("utf-8"))
    agreement["models"][SCORE]["reliability"]["A"] += 0.01
    agreement["models"][SCORE]["log_likelihood"] += 0.01
    path.write_text(json.dumps(agreement), "utf-8")
    output = said(bundle, capsys)
    assert f"{SCORE} reliability of A: " in output
    assert f"{SCORE} model, log_likelihood: " in output


@needs_crowdkit
def test_a_posterior_that_does_not_add_up_is_found_without_crowd_kit(bundle, capsys):
    label = settled(bundle)
    other = next(iter(label["posteriors"]))
    changed(bundle, at(label, lambda row: row["posteriors"].update({other: 0.3})))
    output = said(bundle, capsys, crowd_kit=False)
    assert f"{SCORE} {label['simplification_key']} posteriors: they add up to " in output
    changed(bundle, at(label, lambda row: row.update(posteriors={"99": 1.0})))
    assert "posteriors: a value that nobody gave" in said(bundle, capsys, crowd_kit=False)
    changed(bundle, at(label, lambda row: row.update(posteriors=None)))
    assert "they add up to 0.000000, not to 1" in said(bundle, capsys, crowd_kit=False)


@needs_crowdkit
def test_a_label_that_does_not_follow_is_found_without_crowd_kit(bundle, capsys):
    label = settled(bundle)
    (other,) = (value for value in label["tied"] if value != label["value"])
    told_of = f"{SCORE} {label['simplification_key']}"
    again = bundle.with_name("again")
    shutil.copytree(bundle, again)
    changed(bundle, at(label, lambda row: row.update(value=other, computed_value=other)))
    output = said(bundle, capsys, crowd_kit=False)
    assert f"{told_of} label: {label['value']:.1f} here, {other} published" in output
    assert f"{told_of} final label: " in output
    # Posteriors that are some, and settle the tie otherwise.
    turned = {str(other): 0.75, str(label["value"]): 0.25}
    changed(again, at(label, lambda row: row.update(posteriors=turned)))
    assert f"{told_of} label: {other:.1f} here" in said(again, capsys, crowd_kit=False)


@needs_crowdkit
def test_posteriors_that_change_no_label_are_found_by_crowd_kit(bundle, capsys):
    label = next(
        row
        for row in script(bundle).lines("labels")
        if row["dimension"] == SCORE and not row["tied"] and len(row["distribution"]) > 1
    )
    sure, unsure = (
        str(label["value"]),
        next(value for value in label["distribution"] if value != str(label["value"])),
    )
    shares = {sure: 0.8, unsure: 0.2}
    for name in ("labels", "aggregated"):
        if name == "labels":
            changed(bundle, at(label, lambda row: row.update(posteriors=shares)))
        else:
            changed(
                bundle,
                lambda row: (
                    row["simplification_key"] == label["simplification_key"]
                    and row.update({f"{SCORE}_posteriors": shares})
                ),
                name,
            )
    assert said(bundle, capsys, crowd_kit=False).endswith(" numbers are as published.\n")
    output = said(bundle, capsys)
    assert f"{SCORE} {label['simplification_key']} posterior of {sure}: " in output


@needs_crowdkit
def test_counts_and_the_model_s_own_dimensions_are_checked(bundle, capsys):
    path = bundle / "agreement.json"
    agreement = json.loads(path.read_text("utf-8"))
    agreement["models"][SCORE]["settled"] += 9
    del agreement["models"]["simplicity"]
    path.write_text(json.dumps(agreement), "utf-8")
    output = said(bundle, capsys, crowd_kit=False)
    assert f"{SCORE} model, settled: " in output
    assert "dimensions modelled: " in output
    assert "simplicity item" in output, "posteriors without a model"


class TestWithoutAModel:
    @pytest.fixture
    def bundle(self, tmp_path: Path, tmp_path_factory) -> Path:
        return copied(tmp_path, tmp_path_factory, "by-lot", {}, judged_study)

    def test_nothing_is_said_of_posteriors(self, bundle, capsys):
        output = said(bundle, capsys)
        assert "posteriors" not in output
        assert output.endswith(" numbers are as published.\n")

    def test_soft_labels_tables_and_drawn_labels_are_checked(self, bundle, capsys):
        changed(bundle, lambda row: row["shares"] and row["shares"].update({"1": 0.4}))
        assert " share of 1: " in said(bundle, capsys)

    def test_a_column_of_the_table_of_final_labels(self, bundle, capsys):
        changed(bundle, lambda row: row.update(simplicity_shares={"1": 1.0}), "aggregated")
        assert "aggregated item-0001/0 simplicity shares: " in said(bundle, capsys)

    def test_a_drawn_label(self, bundle, capsys):
        changed(bundle, lambda row: row.update(computed_value=99), "drawn")
        assert "labels drawn: " in said(bundle, capsys)

    def test_a_ruling(self, tmp_path, capsys):
        ruled_study = judged_study()
        pair = ruled_study.items.get(key="item-0001").simplifications.get().pk
        ruled = bundled(
            tmp_path / "ruled",
            {},
            lambda: ruled_study,
            rulings={(pair, "simplicity"): ("settled", 2)},
        )
        ruling = {"simplification_key": "item-0001/0", "dimension": "simplicity"}
        path = ruled / "data" / "rulings.jsonl"
        path.write_text(json.dumps(ruling | {"outcome": "settled", "value": 2}) + "\n", "utf-8")
        assert said(ruled, capsys).endswith(" numbers are as published.\n")
        path.write_text(json.dumps(ruling | {"outcome": "settled", "value": 3}) + "\n", "utf-8")
        assert "ruled label: 3 here, 2 published" in said(ruled, capsys)
        changed(ruled, lambda row: row.update(provenance="majority"))
        assert "simplicity item-0001/0 final provenance: adjudicated here" in said(ruled, capsys)


def partly_answered() -> Study:
    """Two systems on ten texts, read from a file that has answers about meaning alone."""
    pairs = [
        ReleasedPair(
            row=2 * text + at + 1,
            key=f"text-{text:02}",
            original=f"La clause {text} du contrat.",
            simplification=f"La clause {text}, par {system}.",
            system=system,
            scores={
                judge: {"meaning": 10 * ((text * at + who) % 4) + text}
                for who, judge in enumerate("ABC")
            },
        )
        for text in range(10)
        for at, system in enumerate(("lent", "vif"))
    ]
    made = study_create(
        actor=None, key="partly", title="Une étude", protocol_key="direct_assessment"
    )
    released_import(actor=None, study=made, released=ReleasedFile("direct_assessment", pairs))
    made.state = "closed"
    made.save()
    return made


def test_a_question_that_nobody_answered_keeps_no_other_from_being_checked(tmp_path, capsys):
    bundle = bundled(tmp_path / "partly", {}, partly_answered)
    output = said(bundle, capsys)
    for dimension in ("fluency", "simplicity"):
        (line,) = (line for line in output.splitlines() if line.startswith(f"{dimension}: "))
        assert "alpha.interval undefined" in line
        assert line.endswith("(0 items, 0 annotators, 0 ratings)")
    assert "Systems side by side" in output
    assert output.endswith(" numbers are as published.\n")


def torn() -> Study:
    """Two people who disagree about every operation on every pair, so that all labels are drawn."""
    operations = protocol("operations", "1")
    pairs = [
        ReleasedPair(
            row=row,
            key=f"text-{row:02}",
            original=f"La clause {row} du contrat.",
            simplification=f"La clause {row}.",
            scores={
                judge: dict.fromkeys(operations.dimensions, answer)
                for answer, judge in enumerate("AB")
            },
        )
        for row in range(1, 31)
    ]
    made = study_create(actor=None, key="torn", title="Une étude", protocol_key="operations")
    released_import(actor=None, study=made, released=ReleasedFile("operations", pairs))
    made.state = "closed"
    made.save()
    return made


@pytest.mark.parametrize(
    ("recipe", "is_alike", "drawn_by"),
    [
        ({}, False, 'SHA-256("seed:dimension:simplification_key")'),
        ({"labels": {"version": "1"}}, True, 'SHA-256("seed:simplification_key")'),
    ],
)
def test_labels_are_drawn_as_the_recipe_s_version_says(
    tmp_path, capsys, recipe, is_alike, drawn_by
):
    """A snapshot from before drew all questions of a pair alike, and is checked by that rule."""
    bundle = bundled(tmp_path / "torn", recipe, torn)
    of_pair: dict[str, set[float]] = {}
    for row in script(bundle).lines("drawn"):
        of_pair.setdefault(row["simplification_key"], set()).add(row["value"])
    assert len(of_pair) == 30
    assert all(len(values) == 1 for values in of_pair.values()) is is_alike
    card = (bundle / "README.md").read_text("utf-8")
    assert drawn_by in card
    assert ("do not show that two answers go together" in card) is is_alike
    assert said(bundle, capsys).endswith(" numbers are as published.\n")
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    manifest["recipe"]["labels"]["version"] = "2" if is_alike else "1"
    (bundle / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert "operations_delete text-" in said(bundle, capsys), "the other rule draws others"


def single() -> Study:
    """One pair, judged by three people who do not all agree."""
    study = make_study("seule", state="closed")
    fill_study(study, pairs=1, annotators=3)
    return study


def test_of_one_pair_alpha_is_undefined_and_in_bundles_of_before_0(tmp_path, capsys):
    bundle = bundled(tmp_path / "single", {}, single)
    output = said(bundle, capsys)
    assert f"{SCORE}: percent_agreement 0.00 %" in output
    assert "alpha.ordinal undefined" in output
    assert output.endswith(" numbers are as published.\n")
    methods = (bundle / "METHODS.md").read_text("utf-8")
    assert "Krippendorff's alpha is not defined for simplicity" in methods
    assert "alpha of each" not in methods
    path = bundle / "agreement.json"
    agreement = json.loads(path.read_text("utf-8"))
    report = agreement["dimensions"][SCORE]
    report["alpha"] = dict.fromkeys(report["alpha"], 0.0)
    path.write_text(json.dumps(agreement), "utf-8")
    assert f"{SCORE} alpha.ordinal: nan here, 0.0 published" in said(bundle, capsys)
    report["settings"]["method"] = "bareme-agreement/2"
    report["other_annotators"] = {"interval": None}
    path.write_text(json.dumps(agreement), "utf-8")
    assert said(bundle, capsys).endswith(" numbers are as published.\n")


def never_met() -> Study:
    """16 pairs, each judged by one of four people."""
    study = make_study("fremd", state="closed")
    rows = [[1 + pair % 9 if who == pair % 4 else None for who in range(4)] for pair in range(16)]
    fill_systems(study, {"vif": rows})
    return study


def test_of_people_who_never_met_a_bundle_says_so(tmp_path, capsys):
    bundle = bundled(tmp_path / "fremd", {}, never_met)
    output = said(bundle, capsys)
    assert "alpha.ordinal undefined" in output
    assert output.endswith(" numbers are as published.\n")


def hardly_alike() -> Study:
    """Everybody says the same of fluency; about meaning, on 0–100, they answer at random."""
    rng = random.Random(1)
    pairs = [
        ReleasedPair(
            row=text + 1,
            key=f"text-{text:02}",
            original=f"La clause {text} du contrat.",
            simplification=f"La clause {text}.",
            scores={judge: {"meaning": rng.randint(0, 100), "fluency": 50} for judge in "ABC"},
        )
        for text in range(12)
    ]
    made = study_create(
        actor=None, key="hardly", title="Une étude", protocol_key="direct_assessment"
    )
    released_import(actor=None, study=made, released=ReleasedFile("direct_assessment", pairs))
    made.state = "closed"
    made.save()
    return made


def test_an_interval_has_width_and_its_value_but_in_bundles_of_before(tmp_path, capsys):
    bundle = bundled(tmp_path / "hardly", {}, hardly_alike)
    assert said(bundle, capsys).endswith(" numbers are as published.\n")
    path = bundle / "agreement.json"
    agreement = json.loads(path.read_text("utf-8"))
    meaning, fluency = (agreement["dimensions"][name] for name in ("meaning", "fluency"))
    assert meaning["settings"]["method"] == "bareme-agreement/4"
    low, high = meaning["intervals"]["alpha"]["nominal"]
    assert low < high == meaning["alpha"]["nominal"]
    assert fluency["percent_agreement"] == 1
    assert fluency["intervals"]["percent_agreement"] is None
    assert "stays the same" in fluency["no_interval"]["percent_agreement"]["en"]
    for report in (meaning, fluency):
        report["settings"]["method"] = "bareme-agreement/3"
    path.write_text(json.dumps(agreement), "utf-8")
    as_drawn = said(bundle, capsys)
    assert "fluency percent_agreement, interval: [1.0, 1.0] here, None published" in as_drawn
    pattern = r"^(\w+) ([\w.]+), interval: (\[.*?\]) here, "
    for name, dotted, ends in re.findall(pattern, as_drawn, re.MULTILINE):
        *into, last = dotted.split(".")
        intervals = agreement["dimensions"][name]["intervals"]
        for key in into:
            intervals = intervals[key]
        intervals[last] = json.loads(ends)
    assert meaning["intervals"]["alpha"]["nominal"][1] < meaning["alpha"]["nominal"]
    path.write_text(json.dumps(agreement), "utf-8")
    assert said(bundle, capsys).endswith(" numbers are as published.\n")
