"""Systems side by side in a bundle: what the page says, in tables that anybody computes again."""

from __future__ import annotations

import csv
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from annotation.agreement.systems import comparison, flags
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.resampling import BOOTSTRAP, CENTRED
from annotation.models import Annotator, Job, Simplification, Study
from annotation.protocols.registry import protocol
from annotation.release.bundle import write_bundle
from annotation.release.card import NOT_COMPARED
from annotation.release.frozen import Frozen
from annotation.release.system_tables import system_tables
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import systems_figures
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from tests.factories import make_study
from tests.protocols import answered
from tests.protocols.judged import judged
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING
from tests.release.test_recompute_agreement import said
from tests.systems_study import against_tests, fill_systems

pytestmark = pytest.mark.django_db
TEXTS, PEOPLE = 24, 4
_made: dict[str, Path] = {}


def planted(*, texts: int = TEXTS, systems: tuple[str, ...] = ("lent", "vif", "|neuf")) -> Any:
    """Scores with holes: not everybody judges everything, nor does each system write each text."""
    rng = random.Random(5)
    scores: dict[str, list[Any]] = {}
    for better, system in enumerate(systems):
        rows = []
        for text in range(texts):
            row = [
                min(10, max(0, rng.randint(1, 6) + 2 * better + (who == 3)))
                if rng.random() > 0.15
                else None
                for who in range(PEOPLE)
            ]
            rows.append(None if (better, text % 8) == (2, 3) else row)
        scores[system] = rows
    return scores


def study_of(scores: Any, **options: Any) -> Study:
    study = make_study()
    cut = [("lent", text) for text in range(0, TEXTS, 3)]
    originals = [f"L'assureur paie la clause {text // 2}." for text in range(TEXTS)]
    fill_systems(study, scores, cut=cut, originals=originals)
    Simplification.objects.filter(item__study=study, position=1, item__position=2).update(system="")
    study.state = options.get("state", "closed")
    study.save()
    return study


def bundled(study: Study, where: Path, **recipe: Any) -> Path:
    where.mkdir()
    made = study_freeze(actor=None, study=study, recipe={"draws": 100, **recipe}, reason="essai")
    write_bundle(snapshot_folder(made), where)
    return where


@pytest.fixture
def bundle(tmp_path: Path, tmp_path_factory) -> Path:
    """Made once in a process; each test has a copy."""
    if "systems" not in _made:
        made = bundled(study_of(planted()), tmp_path_factory.mktemp("made") / "systems")
        _made["systems"] = made
    shutil.copytree(_made["systems"], tmp_path / "bundle")
    return tmp_path / "bundle"


def rows(bundle: Path, name: str) -> list[dict[str, str]]:
    with (bundle / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def facts(bundle: Path) -> Any:
    return json.loads((bundle / "systems.json").read_text("utf-8"))


def test_every_published_figure_is_computed_again_by_public_packages(bundle, capsys):
    output = said(bundle, capsys)
    assert "Systems side by side: lent, vif, |neuf." in output, output[-3000:]
    assert output.endswith(" numbers are as published.\n"), output[-3000:]


@pytest.mark.parametrize(
    ("damage", "said_of"),
    [
        (lambda f: one_system(f)["mean"].update(value=9.0), "legal_meaning lent mean: "),
        (
            lambda f: one_system(f)["mean"].update(interval=None),
            "legal_meaning lent mean, interval",
        ),
        (lambda f: pair(f)["test"].update(p=0.5), "lent – vif p: "),
        (lambda f: pair(f)["test"].update(p_holm=0.9), "lent – vif p_holm: "),
        (lambda f: pair(f)["cliffs_delta"].update(value=0.1), "lent – vif cliffs_delta: "),
        (
            lambda f: pair(f)["difference_with_other_annotators"].update(interval=[0.0, 0.1]),
            "lent – vif difference_with_other_annotators, interval: ",
        ),
        (lambda f: score(f)["ranks"][0].update(rank=3.0), "legal_meaning rank of "),
        (lambda f: f["flagged"]["truncated"].pop(), "legal_meaning flag truncated: "),
        (
            lambda f: f["error_rates"][0]["rates"]["any"].update(value=0.0),
            "error any of ",
        ),
    ],
)
def test_a_figure_that_is_another_is_named(bundle, capsys, damage, said_of):
    published = facts(bundle)
    damage(published)
    (bundle / "systems.json").write_text(json.dumps(published), "utf-8")
    assert said_of in said(bundle, capsys)


def score(published: Any) -> Any:
    return published["dimensions"]["legal_meaning"]


def one_system(published: Any) -> Any:
    return score(published)["systems"][0]


def pair(published: Any) -> Any:
    return score(published)["comparisons"][0]


def test_a_table_that_says_something_else_is_named(bundle, capsys):
    path = bundle / "data" / "system_pairs.csv"
    (row, *_others) = [r for r in rows(bundle, "system_pairs") if r["superiority"]]
    path.write_bytes(path.read_bytes().replace(row["superiority"].encode(), b"0.123"))
    assert " superiority: 0.123 here, " in said(bundle, capsys)


def test_the_bundle_says_what_the_page_says(bundle):
    study = study_of(planted())
    page = systems_figures(study, Filters(), Drawn())
    published = facts(bundle)
    assert published["settings"]["draws"] == page.drawn.draws, (
        "as on the page, not the recipe's 100"
    )
    dimensions = page.as_dict()["dimensions"]
    assert published["dimensions"] == json.loads(json.dumps(dimensions))
    means = {(r["dimension"], r["system"]): r for r in rows(bundle, "systems")}
    for profile in page.dimensions["legal_meaning"].profiles:
        # Cells that would start a formula begin with an apostrophe.
        row = means["legal_meaning", profile.system]
        assert float(row["mean"]) == profile.mean.value
        assert row["mean_signature"] == profile.mean.signature
        assert float(row["mean_low"]) == pytest.approx(profile.mean.interval.low)
    assert "no order" in means["characterization", "vif"]["remark_en"]
    assert "mean, " in means["characterization", "vif"]["remark_fr"]
    shares = [r for r in rows(bundle, "system_shares") if r["dimension"] == "legal_meaning"]
    per_system = [float(r["share"]) for r in shares if r["system"] == "vif"]
    assert sum(per_system) == pytest.approx(1)
    assert {r["kind"] for r in rows(bundle, "system_findings")} == {"bracket", "error"}
    assert [r["flag"] for r in rows(bundle, "system_flags")].count("truncated") == 3


def test_card_methods_datasheet_and_codebook_tell_of_it(bundle):
    card = (bundle / "README.md").read_text("utf-8")
    part = card.split("## Systems side by side")[1].split("\n## ")[0]
    assert "| legal_meaning | lent | " in part
    assert "\\|neuf" in part
    assert "- `legal_meaning`, mixed models: No mixed model had been computed" in part
    # Of classes nobody can compute one: the lead is not sent to try.
    assert "- `simplicity`, mixed models: Does not apply: the values have no order" in part
    assert part.count("No mixed model had been computed") == 1
    assert "bear the name of no system" in part or "bears the name of no system" in part
    methods = (bundle / "METHODS.md").read_text("utf-8")
    assert "3 systèmes ont été comparés sur les textes où les deux ont été jugés" in methods
    assert "(expanded percentiles, of Cliff's delta centred on its value; of a share " in methods
    assert "after Holm's correction over 9 tests." in methods
    sheet = json.loads((bundle / "heds_answers.json").read_text("utf-8"))
    answers = {(a["number"], a["criterion"]): a["answer"] for a in sheet["answers"]}
    assert answers["4.3.10", "legal_meaning"].startswith("Effect sizes: Cliff's delta")
    assert answers["4.3.10", "simplicity"].startswith("Effect sizes: differences of shares")
    assert "3 system(s)" in answers["3.1.1", None]
    with (bundle / "codebook.csv").open(encoding="utf-8", newline="") as file:
        columns = {(r["table"], r["column"]): r for r in csv.DictReader(file)}
    assert columns["system_pairs", "cliffs_delta_low"]["description_fr"].startswith("Bas de l'int")
    croissant = json.loads((bundle / "croissant.json").read_text("utf-8"))
    assert "system_pairs" in {record_set["name"] for record_set in croissant["recordSet"]}
    assert "systems.json" in (bundle / "SHA256SUMS").read_text("utf-8")


def test_of_classes_the_card_points_to_the_shares(tmp_path):
    """Rather than to print a table without a row."""
    bundle = bundled(judged(protocol("qa_answers", "1")).study, tmp_path / "bundle")
    card = (bundle / "README.md").read_text("utf-8")
    part = card.split("## Systems side by side")[1].split("\n## ")[0]
    assert "No dimension here has means or ranks. The share of each answer is in `system_" in part
    assert "| dimension | system |" not in part
    assert "with_other_annotators" not in part


def test_without_systems_the_order_may_tell_all_the_same(tmp_path):
    study = make_study()
    fill_systems(study, planted(texts=8))
    study.state = "closed"
    study.save()
    order = "simplifications of one position are of one system."
    with_names = bundled(study, tmp_path / "with")
    without = bundled(study, tmp_path / "without", systems=False)
    for name in ("README.md", "METHODS.md"):
        assert order in (without / name).read_text("utf-8"), name
        assert order not in (with_names / name).read_text("utf-8"), name
    methods = (without / "METHODS.md").read_text("utf-8")
    assert "de même rang sont d'un même système." in methods


@pytest.mark.parametrize(
    ("scores", "recipe", "reason"),
    [
        ({"seul": [[3, 4]] * 8}, {}, "Only one system (“seul”) was judged"),
        ({"": [[3, 4]] * 8}, {}, "No judged output bears the name of a system"),
        (planted(texts=8), {"systems": False}, "does not tell which system wrote what"),
    ],
)
def test_why_systems_are_not_compared_is_said(tmp_path, capsys, scores, recipe, reason):
    study = make_study()
    fill_systems(study, scores)
    study.state = "closed"
    study.save()
    made = bundled(study, tmp_path / "bundle", **recipe)
    assert f"## Systems side by side\n\n{reason}" in _stripped(made / "README.md")
    assert not list((made / "data").glob("system*"))
    assert "ont été comparés" not in (made / "METHODS.md").read_text("utf-8")
    output = said(made, capsys)
    assert "Systems side by side" not in output
    assert output.endswith(" numbers are as published.\n")
    assert not recipe or b"lent" not in (made / "systems.json").read_bytes()


def _stripped(path: Path) -> str:
    text = path.read_text("utf-8")
    at = text.index("## Systems side by side")
    return text[at:].replace("This snapshot's recipe ", "")


def test_a_snapshot_of_before_says_so(tmp_path):
    study = study_of(planted(texts=8))
    made = study_freeze(actor=None, study=study, recipe={"draws": 100})
    frozen = Frozen(snapshot_folder(made))
    del frozen.manifest["files"]["systems.json"]
    assert frozen.systems == {}
    assert system_tables(frozen.systems) == []
    manifest = snapshot_folder(made) / "manifest.json"
    manifest.write_text(json.dumps(frozen.manifest), "utf-8")
    (tmp_path / "out").mkdir()
    write_bundle(snapshot_folder(made), tmp_path / "out")
    assert NOT_COMPARED.en in (tmp_path / "out" / "README.md").read_text("utf-8")
    assert not (tmp_path / "out" / "systems.json").exists()


def test_an_open_study_is_said_to_be_open(tmp_path):
    study = study_of(planted(texts=9), state="main")
    made = bundled(study, tmp_path / "bundle")
    assert "stopping at a result" in (made / "README.md").read_text("utf-8")


class TestMixedModels:
    """What a worker fitted is in the bundle where it is of these answers."""

    def test_they_are_there_named_as_not_recomputed(self, tmp_path, capsys):
        study = study_of(planted())
        fitted(study)
        made = bundled(study, tmp_path / "bundle")
        model_rows = rows(made, "system_models")
        assert {(r["model"], r["quantity"]) for r in model_rows} == {
            *(("linear", name) for name in ("mean", "difference", "variance")),
            *(("ordinal", name) for name in ("log_odds", "odds_ratio", "threshold", "shift")),
            *(("own", name) for name in ("log_odds", "odds_ratio", "threshold")),
            *(("own", name) for name in ("aic", "log_likelihood")),
        }
        own = facts(made)["mixed"]["legal_meaning"]["own"]
        criteria = {r["of"]: float(r["estimate"]) for r in model_rows if r["quantity"] == "aic"}
        assert criteria == {"own": own["fit"]["aic"], "moved": own["fit_of_shift"]["aic"]}
        (first, *_others) = own["thresholds"]
        (row, *_others) = [
            r for r in model_rows if (r["model"], r["quantity"]) == ("own", "threshold")
        ]
        assert (row["of"], row["second"]) == (first["annotator"], f"{first['value']:g}")
        assert float(row["estimate_low"]) == first["own"]["interval"][0]
        assert row["ratings"] == str(first["own"]["n"]["ratings"])
        assert all(r["estimate_signature"] for r in model_rows)
        methods = (made / "METHODS.md").read_text("utf-8")
        assert "Systems were compared by a linear mixed model (statsmodels " in methods
        output = said(made, capsys)
        assert "The mixed models (legal_meaning) were NOT recomputed." in output
        assert output.endswith(" numbers are as published.\n"), output[-2000:]

    @pytest.mark.parametrize("is_old", [True, False])
    def test_own_thresholds_that_are_not_there_are_no_row_and_said(self, tmp_path, is_old):
        study = study_of(planted(texts=8))
        fitted(study)
        job = Job.objects.get(study=study)
        mixed = job.result["dimensions"]["legal_meaning"]["mixed"]
        # Too few answers here; before there was such a model, a job kept no word of it.
        assert mixed["own"]["undefined"] is not None
        if is_old:
            del mixed["own"]
            job.save()
        made = bundled(study, tmp_path / "bundle")
        assert "own" not in {r["model"] for r in rows(made, "system_models")}
        card = (made / "README.md").read_text("utf-8")
        assert ("`legal_meaning`, own-thresholds model: " in card) != is_old

    def test_they_are_left_out_where_they_are_of_other_answers(self, tmp_path):
        study = study_of(planted(texts=8))
        fitted(study, digest="of before")
        made = bundled(study, tmp_path / "bundle")
        assert "is of before the last answers" in (made / "README.md").read_text("utf-8")
        assert not (made / "data" / "system_models.csv").exists()

    def test_who_withdrew_without_an_answer_keeps_none_out(self, tmp_path):
        study = study_of(planted(texts=8))
        Annotator.objects.create(study=study, pseudonym="Z", withdrawn_at="2025-03-04T00:00Z")
        fitted(study)
        made = bundled(study, tmp_path / "bundle")
        assert facts(made)["mixed"]["legal_meaning"]["undefined"] is None

    def test_they_are_left_out_where_somebody_in_them_has_withdrawn(self, tmp_path):
        study = study_of(planted(texts=8))
        study.annotators.filter(pseudonym="D").update(withdrawn_at="2025-03-04T00:00Z")
        fitted(study)
        made = bundled(study, tmp_path / "bundle")
        assert "somebody who has withdrawn, and whom" in (made / "README.md").read_text("utf-8")


def fitted(study: Study, digest: str = "") -> None:
    """The job that a worker would have left."""
    pytest.importorskip("statsmodels")
    from annotation.agreement.mixed.report import mixed_report
    from annotation.selectors.agreement.modelled import answers_digest, ratings_by_system
    from annotation.selectors.agreement.reliability import study_ratings

    tables = ratings_by_system(study_ratings(study))
    dimensions = {
        name: {"models": {}, "mixed": mixed_report(table, Drawn())}
        for name, table in tables.items()
    }
    result = {"digest": digest or answers_digest(study), "dimensions": dimensions}
    Job.objects.create(study=study, kind=Job.Kind.MODELS, state="done", result=result)


def test_only_errors_are_counted_as_such(tmp_path, capsys):
    made = bundled(judged(EVERYTHING).study, tmp_path / "bundle")
    findings = rows(made, "system_findings")
    kinds = {(row["kind"], row["field"]) for row in findings}
    assert kinds == {("bracket", ""), ("error", ""), ("mark", "edits")}
    assert {row["of"] for row in findings if row["kind"] == "error"} == {"any", "typo", "gap"}
    card = (made / "README.md").read_text("utf-8")
    assert "One row per mark, with its spans; only those of flaws are errors" in card
    assert "`edits_number`, ac2: An open-ended count has no closed scale" in card
    shares = [row for row in rows(made, "system_shares") if row["dimension"] == "edits_number"]
    assert [row["value"] for row in shares] == ["2.0", "3.0", "4.0"] * 2
    agreement = json.loads((made / "agreement.json").read_text("utf-8"))["dimensions"]
    assert {name for name, report in agreement.items() if report["ac2"] is None} == {"edits_number"}
    assert said(made, capsys).endswith(" numbers are as published.\n")


def test_bundles_of_before_count_all_marks_among_errors(tmp_path, capsys):
    made = bundled(judged(EVERYTHING).study, tmp_path / "bundle")
    published = facts(made)
    others = {system["system"]: system for system in published.pop("mark_rates")["edits"]}
    for system in published["error_rates"]:
        own, more = system["rates"], others[system["system"]]["rates"]
        together = own["any"]["value"] + more.pop("any")["value"]
        own |= more
        own["any"]["value"] = together
    (made / "systems.json").write_text(json.dumps(published), "utf-8")
    assert said(made, capsys).endswith(" numbers are as published.\n")


def test_no_place_is_given_against_the_tests_but_in_bundles_of_before(tmp_path, capsys):
    made = bundled(study_of(against_tests(TEXTS)), tmp_path / "bundle")
    published = facts(made)
    assert published["settings"]["method"] == "bareme-systems/4"
    assert [(rank["system"], rank["rank"]) for rank in score(published)["ranks"]] == [
        ("vif", None),
        ("lent", None),
    ]
    (row, _other) = [r for r in rows(made, "systems") if r["dimension"] == "legal_meaning"]
    assert (row["system"], row["rank"], row["rank_best"]) == ("lent", "", "2")
    assert "rank: No ranks: the means would order" in row["remark_en"]
    card = (made / "README.md").read_text("utf-8")
    assert "`legal_meaning`: No ranks: the means would order" in card
    assert said(made, capsys).endswith(" numbers are as published.\n")
    for rank in score(published)["ranks"]:
        rank["rank"] = {"vif": 2.0, "lent": 1.0}[rank["system"]]
    (made / "systems.json").write_text(json.dumps(published), "utf-8")
    assert "legal_meaning rank of vif: None here, 2.0 published" in said(made, capsys)
    published["settings"]["method"] = "bareme-systems/2"
    (made / "systems.json").write_text(json.dumps(published), "utf-8")
    assert said(made, capsys).endswith(" numbers are as published.\n")


def test_bundles_of_before_have_intervals_as_they_were_drawn(tmp_path, monkeypatch, capsys):
    """Cliff's delta's leaned away from 0, and eta squared's could leave out its value."""
    monkeypatch.setattr(comparison, "centred", lambda _value, _drawn, interval: interval)
    monkeypatch.setattr(flags, "holding", lambda _value, interval: interval)
    monkeypatch.setattr(flags, "HOLDING", BOOTSTRAP)
    made = bundled(study_of(planted()), tmp_path / "bundle")
    published = facts(made)
    deltas = [row["cliffs_delta"] for row in score(published)["comparisons"]]
    assert {delta["method"] for delta in deltas if delta["interval"]} == {BOOTSTRAP}
    assert "(expanded percentiles; of a share Wilson's" in (made / "METHODS.md").read_text("utf-8")
    assert said(made, capsys).endswith(" numbers are as published.\n")
    for delta in deltas:
        delta["method"] = CENTRED
    (made / "systems.json").write_text(json.dumps(published), "utf-8")
    assert " cliffs_delta, interval: " in said(made, capsys), "as it is computed now"


def test_a_count_that_nobody_gave_has_no_share(tmp_path, monkeypatch):
    def without_edits(who: str, n: int) -> Any:
        return {**by_protocol(who, n), "edits": []}

    by_protocol = answered._ANSWERS["everything 1"]
    monkeypatch.setitem(answered._ANSWERS, "everything 1", without_edits)
    made = bundled(judged(EVERYTHING).study, tmp_path / "bundle")
    edits = facts(made)["dimensions"]["edits_number"]
    assert (edits["scale"], edits["open_ended"]) == ([], True)
    assert "edits_number" not in {row["dimension"] for row in rows(made, "system_shares")}
