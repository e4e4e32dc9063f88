"""Tables of human scores: what is read, and how each mistake is named."""

from __future__ import annotations

import pytest

from annotation.corpus.human_scores import ScoreColumns, ScoredRow, read_human_scores
from tests.hostile import cells, sheet

ASKED = ScoreColumns(human=("ann", "bob"), references=("ref",), system="model", scores=("lens",))
HEADER = "original,simplification,ref,model,ann,bob,lens\n"


def read(text, columns=ASKED):
    return read_human_scores(text.encode(), columns)


def test_columns_are_found_whatever_their_order_and_case():
    parsed = read('Bob;Ann;LENS;Model;Ref;Texte simplifié;Texte original\n"4,5";;;a;R.;S.;O.\n')
    assert parsed.rows == (ScoredRow(2, "O.", "S.", ("R.",), "a", "", (None, 4.5), (None,)),)
    assert not parsed.problems
    assert parsed.fatal is None
    assert (parsed.lowest, parsed.highest) == (4.5, 4.5)


def test_a_workbook_and_jsonl():
    columns = ScoreColumns(human=("z",), source="doc", lowest=-3, highest=3)
    workbook = sheet(
        cells(1, "original", "simple", "doc", "z") + cells(2, "O.", "S.", "d1", "-0.5")
    )
    rows = (ScoredRow(2, "O.", "S.", (), "", "d1", (-0.5,), ()),)
    assert read_human_scores(workbook, columns).rows == rows
    line = '{"original": "O.", "simple": "S.", "doc": "d1", "z": -0.5}\n'
    parsed = read(line, columns)
    assert parsed.rows[0].human == (-0.5,)
    assert (parsed.lowest, parsed.highest) == (-3, 3)


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        (",S.,,a,1,2,", "original", "required"),
        ("O., ,,a,1,2,", "simplification", "required"),
        ("O.,S.,,a,,,", "ann", "required"),
        ("O.,S.,,a,high,2,", "ann", "not_a_number"),
        ("O.,\u200b,,a,1,2,", "simplification", "required"),
        ("O.,S.,,a,1,nan,", "bob", "not_a_number"),
        ("O.,S.,,a,1,11,", "bob", "off_scale"),
        ("O.,S.,,a,1,2,1e999", "lens", "not_a_number"),
        ("O.,S.,,a,1,2,3,4", "", "too_many_cells"),
        ("O.,S.,,a,1,1e300,3", "bob", "too_large"),
    ],
)
def test_a_row_that_is_wrong_is_named(row, field, code):
    columns = ScoreColumns(**{**vars(ASKED), "lowest": 0, "highest": 10})
    (problem,) = read(f"{HEADER}O.,S.,,a,1,2,3\n{row}\n", columns).problems
    assert (problem.row, problem.field, problem.code) == (3, field, code)
    for wording in (problem.message, problem.remedy):
        assert wording.fr
        assert wording.en


def test_a_metric_may_have_any_size_but_what_is_summed_may_not():
    columns = ScoreColumns(human=("ann",), scores=("lens",), counts=("bob",))
    parsed = read(f"{HEADER}O.,S.,,a,1,2,1e300\nO.,S.,,a,1,-1e300,1e-320\n", columns)
    assert [row.scores for row in parsed.rows] == [(1e300,), (1e-320,)]
    assert [(problem.row, problem.field, problem.code) for problem in parsed.problems] == [
        (3, "bob", "too_large")
    ]


def test_a_source_that_is_asked_for_is_nowhere_empty():
    columns = ScoreColumns(human=("z",), source="doc")
    (problem,) = read("original,simple,doc,z\nO.,S.,,1\n", columns).problems
    assert (problem.row, problem.field) == (2, "doc")


@pytest.mark.parametrize(
    ("text", "columns", "field", "column"),
    [
        (HEADER + "O.,S.,,a,1,2,3\n", ScoreColumns(human=("carl",)), "human", "carl"),
        (
            HEADER + "O.,S.,,a,1,2,3\n",
            ScoreColumns(human=("ann",), original="text"),
            "original",
            "text",
        ),
        ("one,two,z\nO.,S.,1\n", ScoreColumns(human=("z",)), "original", "original"),
    ],
)
def test_a_column_that_is_not_there_is_named_with_those_that_are(text, columns, field, column):
    fatal = read(text, columns).fatal
    assert (fatal.code, fatal.field) == ("no_column", field)
    assert f"“{column}”" in fatal.message.en
    assert text.split(",")[0] in fatal.remedy.en


@pytest.mark.parametrize(
    "columns",
    [
        ScoreColumns(human=("ann", "ann")),
        ScoreColumns(human=("ann",), scores=("ann",)),
        ScoreColumns(human=("ann",), scores=("ANN",)),
        ScoreColumns(human=("ann",), simplification="ann"),
        ScoreColumns(human=("ann",), references=("ann",)),
    ],
)
def test_a_score_is_one_thing(columns):
    assert read(HEADER + "O.,S.,,a,1,2,3\n", columns).fatal.code == "column_twice"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty_file"), (b"original,simplification,ann\n", "no_rows"), (b"%PDF", "not_a_table")],
)
def test_what_is_no_table_is_said(content, code):
    assert read_human_scores(content, ScoreColumns(human=("ann",))).fatal.code == code


def test_the_first_problems_are_named():
    assert len(read(HEADER + "O.,S.,,a,x,,\n" * 50).problems) == 20
