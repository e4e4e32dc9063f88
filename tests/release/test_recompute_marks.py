"""Agreement on marks is computed again from a bundle alone, and what in it was changed is named."""

from __future__ import annotations

import csv
import importlib.util
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.agreement.marks.consensus import consensus_rows, token_consensus
from annotation.agreement.marks.figure import Drawn
from annotation.agreement.marks.grouping import AS_MARKED, PAPER_MERGES, grouping_of
from annotation.agreement.marks.layers import layers_of
from annotation.agreement.marks.report import edits_report
from annotation.protocols.edits import SIDES, Edit, MarkedPair
from annotation.protocols.registry import protocol
from annotation.protocols.tokens import Cut, Span
from annotation.release.beside import CONSENSUS
from annotation.release.table_files import write_table
from annotation.scoring.splits import source_key
from tests.house.sizes import ROOT
from tests.protocols.judged import judged
from tests.release.test_recompute_agreement import changed, said, script
from tests.release.test_systems import bundled

KINDS = ("inmod", "delmod", "delcst", "synonym", "err")
TEXTS = (
    ("L'assureur paie 1 250,50 $ = la somme due.", "-t-il paye +2 euros à l'assuré."),
    ("La clause s'applique.", "- La clause vaut."),
    ("Un avis est donné - par écrit.", "On avise par écrit, vite."),
)
# The same texts under another name: who has both has the second time left out.
PAIRS = {f"item-000{at}/0": TEXTS[at % 3] for at in range(5)}


def marked_pairs() -> list[MarkedPair]:
    """By four people with holes; marks of several passages, of one side or of neither, that begin
    within a word."""
    rng = random.Random(11)
    pairs = []
    for name, texts in PAIRS.items():
        for who in "ABCD":
            if rng.random() < 0.2 or (name.startswith("item-0002") and who != "A"):
                continue
            edits = []
            for _ in range(rng.randrange(4)):
                spans = [
                    tuple(
                        Span(start, rng.randint(start + 1, min(start + 9, len(text))))
                        for start in sorted(rng.sample(range(len(text) - 1), rng.randrange(3)))
                    )
                    for text in texts
                ]
                edits.append(Edit(rng.choice(KINDS), *spans))
            pairs.append(MarkedPair(name, who, *texts, Cut.WORDS, tuple(edits)))
    return pairs


def lines(folder: Path, name: str, rows: list[Any]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "data" / f"{name}.jsonl").write_text(text, "utf-8")


def written(folder: Path) -> Any:
    """What a bundle holds of such marks; its report."""
    pairs = marked_pairs()
    (folder / "data").mkdir()
    lines(
        folder,
        "items",
        [
            {"item_key": name[:9], "item_position": at, "original": texts[0]}
            for at, (name, texts) in enumerate(PAIRS.items())
        ],
    )
    lines(
        folder,
        "simplifications",
        [
            {
                "item_key": name[:9],
                "simplification_key": name,
                "position": 0,
                "simplification": texts[1],
            }
            for name, texts in reversed(PAIRS.items())
        ],
    )
    with (folder / "data" / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [(pair.pair, pair.annotator) for pair in pairs]
        csv.writer(file).writerows([("simplification_key", "annotator"), *rows])
    lines(
        folder,
        "errors",
        [
            {
                "simplification_key": pair.pair,
                "annotator": pair.annotator,
                "ordinal": number,
                "type": edit.type,
                **{f"{side}_spans": edit.spans(side) for side in SIDES},
                **{f"{side}_tokens": pair.touched(edit, side) for side in SIDES},
            }
            for pair in pairs
            for number, edit in enumerate(pair.edits)
        ],
    )
    consensus = consensus_rows(token_consensus(layers_of(pairs), AS_MARKED))
    write_table(folder / "data", CONSENSUS, ({"field": "edits", **row} for row in consensus))
    report = edits_report(
        pairs, grouping_of(PAPER_MERGES), Drawn(draws=0), source_of=source_key
    ).as_dict()
    (folder / "marks.json").write_text(json.dumps({"edits": report}), "utf-8")
    return report


def checked(folder: Path) -> Any:
    """After ``recompute_marks.py`` has checked a folder."""
    path = ROOT / "annotation" / "release" / "recompute_marks.py"
    spec = importlib.util.spec_from_file_location("recompute_marks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["HERE"] = folder
    numbers = script(ROOT / "annotation" / "release").Checked()
    assert module.check(numbers, None) == "Marks: edits.\n"
    return numbers


def test_all_is_as_it_was_computed(tmp_path):
    report = written(tmp_path)
    assert report["again"] > 1
    assert report["shared_pairs"] == 2
    outcomes = report["agreement"][0]["consensus"]["original"]
    assert min(outcomes[name] for name in ("unanimous", "majority", "tie")) > 0
    numbers = checked(tmp_path)
    assert numbers.differing == []
    assert numbers.number > 800


def tokens(report: Any, place: int = 0) -> Any:
    return report["agreement"][place]["tokens"]["original"]


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda r: tokens(r)["label_sets"]["alpha"].update(value=0.99), "marks edits original al"),
        (lambda r: tokens(r, 1)["label_sets"]["cohen"].update(value=0.9), "merged original cohen"),
        (lambda r: tokens(r)["couples"][0]["cohen"].update(value=0.99), "kappa of A and B"),
        (lambda r: tokens(r)["operations"].pop("synonym"), "marks edits original, operations"),
        (lambda r: tokens(r)["operations"]["err"].update(marked_tokens=99), "original err, words"),
        (lambda r: r["agreement"][0]["consensus"]["original"].update(tie=99), "original tie"),
        (lambda r: r["counts"]["operations"]["err"].update(edits=99), "marks edits err edits"),
        (lambda r: r["annotators"]["A"].update(unmarked=99), "marks edits of A unmarked"),
        (lambda r: r.update(again=0), "marks edits, again"),
    ],
)
def test_a_figure_that_is_another_is_named(tmp_path, damage: Callable[[Any], object], named):
    report = written(tmp_path)
    damage(report)
    (tmp_path / "marks.json").write_text(json.dumps({"edits": report}), "utf-8")
    assert any(named in said_of for said_of in checked(tmp_path).differing)


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda row: row.update(outcome="plurality"), "outcome: "),
        (lambda row: row.update(label_sets=[[["err"], 9]]), "label_sets: "),
        (lambda row: row.update(start=row["start"] + 1), "its words are not the whole text"),
        (lambda row: row.update(pair="item-0009/0"), "mark_consensus, further pairs"),
    ],
)
def test_a_consensus_that_is_another_is_named(tmp_path, damage: Callable[[Any], object], named):
    written(tmp_path)
    changed(tmp_path, damage, "mark_consensus")
    assert any(named in said_of for said_of in checked(tmp_path).differing)


def test_a_consensus_that_is_another_in_cells_alone_is_named(tmp_path):
    written(tmp_path)
    path = tmp_path / "data" / "mark_consensus.csv"
    path.write_text(path.read_text("utf-8").replace(",majority,", ",unanimous,", 1), "utf-8")
    [differing] = checked(tmp_path).differing
    assert "mark_consensus.csv item-0000/0 " in differing
    assert "outcome: unanimous here, majority published" in differing


def test_marks_that_somebody_changed_are_named(tmp_path):
    written(tmp_path)
    changed(tmp_path, lambda row: row.update(original_spans=[[0, 2]]), "errors")
    assert any("original_tokens: [0] here" in of for of in checked(tmp_path).differing)


@pytest.mark.django_db
def test_of_a_bundle_it_is_named_what_nobody_recomputes(tmp_path, capsys):
    bundle = bundled(judged(protocol("assetann", "1")).study, tmp_path / "bundle")
    output = said(bundle, capsys)
    assert "\nMarks: edits.\n" in output
    assert "NOT recomputed; `sha256sum --check SHA256SUMS` alone tells of a change:\n" in output
    assert "\n- marks.json: intervals, alpha by MASI's distance, " in output
    assert "questions.json" not in output
    assert output.endswith(" recomputed numbers are as published.\n")
    for document in ("questions", "metrics"):
        (bundle / f"{document}.json").write_text('{"reports": [], "n": 1}', "utf-8")
    output = said(bundle, capsys)
    assert "\n- questions.json: all of it\n" in output
    assert "\n- metrics.json" not in output
    marks = json.loads((bundle / "marks.json").read_text("utf-8"))
    tokens(marks["edits"])["label_sets"]["davies_fleiss"]["value"] = 0.98
    (bundle / "marks.json").write_text(json.dumps(marks), "utf-8")
    assert "marks edits original davies_fleiss: " in said(bundle, capsys)
