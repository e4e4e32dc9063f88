"""What the programs wrote themselves when they were run: Label Studio 1.23.2, Potato 2.12.1 and
doccano 1.8.4, on three clauses by two systems that two people answered. ``exports`` holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.corpus.long_files import read_long
from annotation.corpus.pairs_file import PairsFile
from tests.corpus.peers import samples
from tests.corpus.peers.test_peers import read

EXPORTS = Path(__file__).parent / "exports"


def content(name: str) -> bytes:
    return (EXPORTS / name).read_bytes()


def potato(**more: bytes) -> bytes:
    return samples.archive(
        essai__annotation_output__exports__jsonl__annotations_dot_jsonl=content(
            "potato_annotations.jsonl"
        ),
        essai__data__items_dot_jsonl=content("potato_items.jsonl"),
        **more,
    )


BOOKKEEPING = {
    "essai__annotation_output__ana__annotation_history_dot_jsonl": content(
        "potato_annotation_history.jsonl"
    ),
    "essai__annotation_output__ana__user_state_dot_json": b'{"user_id": "ana"}',
    "essai__annotation_output__pocket__device_visits_dot_json": b'{"at": 1}',
}
FILES = {
    "label_studio.json": ("label_studio", content("label_studio.json")),
    "label_studio_min.json": ("label_studio_min", content("label_studio_min.json")),
    "label_studio.csv": ("label_studio_min", content("label_studio.csv")),
    "label_studio.tsv": ("label_studio_min", content("label_studio.tsv")),
    "potato.zip": ("potato", potato()),
    "the folder of a project of Potato": ("potato", potato(**BOOKKEEPING)),
}


def pairs_of(parsed: PairsFile) -> set[tuple[str, str, str]]:
    return {(row.original, row.simplification, row.system) for row in parsed.judged.rows}


@pytest.mark.parametrize("name", FILES)
def test_it_is_recognised_and_read_whole(name):
    peer, written = FILES[name]
    parsed = read(written)
    assert (parsed.peer, parsed.fatal, parsed.judged.problems) == (peer, None, [])
    assert len(parsed.judged.rows) == 11  # one of the twelve was cancelled, or left unanswered
    assert len({row.annotator for row in parsed.judged.rows}) == 2
    assert all(row.cells["comment"].startswith("Un « mot »") for row in parsed.judged.rows)


@pytest.mark.parametrize("name", FILES)
def test_outputs_of_two_systems_are_of_one_clause(name):
    """Each program numbers pairs: by that, a clause would be two that nothing is compared on."""
    parsed = read(FILES[name][1])
    assert {row.key for row in parsed.judged.rows} == {""}
    assert len(pairs_of(parsed)) == 6
    assert len({original for original, *_ in pairs_of(parsed)}) == 3


def test_an_identifier_that_was_chosen_stays():
    parsed = read(content("label_studio.csv"), names={"id": "id"})
    assert {row.key for row in parsed.judged.rows} == {"1", "2", "3", "4", "5", "6"}


def test_clauses_that_read_the_same_keep_their_identifiers():
    """One system has two outputs for the same words: they stand in two documents."""
    items = content("potato_items.jsonl").replace(b'"system": "sysB"', b'"system": "sysA"')
    archive = samples.archive(
        annotations_dot_jsonl=content("potato_annotations.jsonl"), items_dot_jsonl=items
    )
    assert len({row.key for row in read(archive).judged.rows}) == 6


def test_identifiers_of_clauses_stay():
    """One identifier for both outputs is the clause's own."""
    tasks = json.loads(content("label_studio_min.json"))
    clauses = [{**task, "id": (task["id"] + 1) // 2} for task in tasks]
    parsed = read(json.dumps(clauses).encode())
    assert {row.key for row in parsed.judged.rows} == {"1", "2", "3"}


def test_annotations_of_potato_alone_say_what_is_missing():
    parsed = read(content("potato_annotations.jsonl"))
    assert (parsed.fatal.code, parsed.fatal.field) == ("unmapped", "original")
    assert ".zip" in parsed.fatal.remedy.fr
    assert "data file" in parsed.fatal.remedy.en


@pytest.mark.parametrize(
    ("name", "label"),
    [("documentclassification", "1"), ("seq2seq", "1"), ("sequencelabeling", "")],
)
def test_doccano(name, label):
    long = read_long(content(f"doccano_{name}.jsonl"), name="ana.jsonl")
    assert long.peer == "doccano"
    rows = [dict(zip(long.table.columns, row.cells, strict=True)) for row in long.table.rows]
    assert len(rows) == 4
    assert {row["annotator"] for row in rows} == {"ana"}
    if label:
        assert rows[0]["label"] == label
    else:
        assert "ajout" in str(rows[0])
