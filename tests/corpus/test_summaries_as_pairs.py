"""Reference summaries and systems' summaries as a table of pairs: what pages of imports show."""

from __future__ import annotations

import json

import pytest

from annotation.corpus.columns import guess_mapping
from annotation.corpus.long_files import read_long
from annotation.corpus.pairs import Pairs, pairs_of


def pairs(content: str) -> Pairs:
    table = read_long(content.encode()).table
    return pairs_of(table, guess_mapping(table.columns))


def told(parsed: Pairs) -> list[tuple[int, str, str, str, str]]:
    return [(r.row, r.key, r.original, r.system, r.simplification) for r in parsed.rows]


LONG = """id,reference,structure,system,summary
a,La cour rejette.,Conclusion,led,Rejet.
a,,,bart,La cour dit non.
b,Le bail prend fin.,Issue,led,Fin du bail.
"""


def test_a_row_for_each_summary():
    parsed = pairs(LONG)
    assert parsed.problems == []
    assert told(parsed) == [
        (2, "a", "La cour rejette.", "led", "Rejet."),
        (3, "a", "La cour rejette.", "bart", "La cour dit non."),
        (4, "b", "Le bail prend fin.", "led", "Fin du bail."),
    ]


def test_what_is_marked_in_a_reference_comes_along():
    assert [row.structure for row in pairs(LONG).rows] == ["Conclusion", "", "Issue"]
    line = {"id": "a", "reference": "Texte.", "structure": ["Issue", "Reason"]}
    parsed = pairs(json.dumps(line | {"summaries": {"led": "Court."}}))
    assert [row.structure for row in parsed.rows] == ["Issue; Reason"]
    assert parsed.problems == []


def test_labels_come_along_with_pairs_too_whatever_their_column_is_called():
    line = {"original": "Texte.", "simplification": "Court.", "structure_labels": ["A", "B"]}
    table = 'original,simplification,structure\nTexte.,Court.,"[""A"", ""B""]"\n'
    for content in (json.dumps(line), table):
        parsed = pairs(content)
        assert [row.structure for row in parsed.rows] == ["A; B"]
        assert parsed.problems == []


@pytest.mark.parametrize(
    "head", ["id,reference,summaries.led,summaries.bart", "id,Référence,Résumés.led,résumés.bart"]
)
def test_a_column_for_each_system_may_lack_some(head):
    parsed = pairs(f"{head}\na,La cour rejette.,Rejet.,\nb,Le bail prend fin.,Fin.,Bail fini.\n")
    assert told(parsed) == [
        (2, "a", "La cour rejette.", "led", "Rejet."),
        (3, "b", "Le bail prend fin.", "led", "Fin."),
        (3, "b", "Le bail prend fin.", "bart", "Bail fini."),
    ]


def test_nested_json_is_read_alike():
    line = {
        "id": "a",
        "reference": "La cour rejette.",
        "summaries": {"led": "Rejet.", "x y": "Non."},
    }
    table = read_long(json.dumps(line).encode()).table
    parsed = pairs_of(table, guess_mapping(table.columns))
    assert [(row.system, row.simplification) for row in parsed.rows] == [
        ("led", "Rejet."),
        ("x y", "Non."),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("b,Autre.,,led,\n", (5, "simplification", "empty")),
        ("c,,,led,Résumé.\n", (5, "original", "empty")),
        ("a,Une autre référence.,,led,Non.\n", (5, "original", "item_differs")),
        ("a,,,led,Autrement dit.\n", (5, "system", "system_twice")),
        ("a,,,led,Rejet.\n", (5, "", "duplicate_in_file")),
        ("é !,Texte.,,led,Résumé.\n", (5, "id", "bad_key")),
    ],
)
def test_what_is_wrong_is_named_by_row_and_field(row, problem):
    (row_problem,) = pairs(LONG + row).problems
    assert (row_problem.row, row_problem.field, row_problem.code) == problem
    assert row_problem.remedy.fr


def test_a_row_without_any_summary_says_so():
    parsed = pairs("id,reference,summaries.led\na,Texte.,Court.\nb,Autre.,\n")
    assert [(problem.row, problem.code) for problem in parsed.problems] == [(3, "empty")]


@pytest.mark.parametrize(
    "head",
    ["original,simplification,reference,summary", "source,target,reference", "reference,system"],
)
def test_tables_of_pairs_stay_as_they_are(head):
    width = head.count(",") + 1
    line = ",".join(f"mot {place}" for place in range(width))
    table = read_long(f"{head}\n{line}\n".encode()).table
    assert table.columns == tuple(head.split(","))


def test_other_columns_stay():
    head = "id,reference,annotator,summaries.led,score"
    table = read_long(f"{head}\na,Texte.,ann,Court.,3\n".encode()).table
    assert table.columns == ("id", "original", "annotator", "score", "system", "simplification")
    assert list(table.rows[0].cells) == ["a", "Texte.", "ann", "3", "led", "Court."]
