"""Files of scores from elsewhere: what is read, and how each mistake is named."""

from __future__ import annotations

import pytest

from annotation.corpus.metric_scores import ScoreRow, read_metric_scores
from tests.hostile import cells, sheet

HEADER = "pair,metric,score\n"


def read(text, encoding="utf-8"):
    return read_metric_scores(text.encode(encoding))


@pytest.mark.parametrize(
    "text",
    [
        "pair,metric,score\na/0,LENS,71.5\na/1,LENS,-2\n",
        "\ufeffScore;Metric;Other;Pair\n71,5;LENS;x;a/0\n-2;LENS;y;a/1\n\n",
        "metric\tpair\tscore\nLENS\t a/0 \t71.5\nLENS\ta/1\t-2",
    ],
)
def test_the_usual_separators_orders_and_commas(text):
    parsed = read(text)
    assert parsed.rows == (ScoreRow(2, "a/0", "LENS", 71.5), ScoreRow(3, "a/1", "LENS", -2.0))
    assert not parsed.problems
    assert parsed.fatal is None


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        ("a/0,LENS,high", "score", "not_a_number"),
        ("a/0,LENS,nan", "score", "not_a_number"),
        ("a/0,LENS,1e999", "score", "not_a_number"),
        ("a/0,LENS", "score", "not_a_number"),
        (",LENS,1", "pair", "required"),
        ("a/0,,1", "metric", "required"),
        (f"a/0,{'L' * 61},1", "metric", "required"),
        ("a/1,LENS,1", "pair", "twice"),
    ],
)
def test_a_row_that_is_wrong_is_named(row, field, code):
    parsed = read(f"{HEADER}a/1,LENS,2\n{row}\n")
    (problem,) = parsed.problems
    assert (problem.row, problem.field, problem.code) == (3, field, code)
    for wording in (problem.message, problem.remedy):
        assert wording.fr
        assert wording.en
    assert len(parsed.rows) == 1


def test_what_spreadsheets_write_is_read():
    assert read("Paire,pair,metric,score\né,a/0,Qualité,1\n", "cp1252").rows == (
        ScoreRow(2, "a/0", "Qualité", 1.0),
    )
    workbook = sheet(cells(1, "pair", "metric", "score") + cells(2, "a/0", "LENS", "71.5"))
    assert read_metric_scores(workbook).rows == (ScoreRow(2, "a/0", "LENS", 71.5),)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"pair,score\na,1\n", "columns"),
        (b"pair,metric,score\n", "no_rows"),
        (b"%PDF-1.7", "not_a_table"),
    ],
)
def test_what_is_no_such_file_is_said(content, code):
    parsed = read_metric_scores(content)
    assert parsed.fatal.code == code
    assert parsed.fatal.row == 0


def test_a_row_with_a_cell_too_many_is_named_as_such():
    (problem,) = read(f"{HEADER}a/0,LENS,1\na/1,LENS,2,3\n").problems
    assert (problem.row, problem.code) == (3, "too_many_cells")


def test_the_first_problems_are_named():
    parsed = read(HEADER + "a,b,x\n" * 50)
    assert len(parsed.problems) == 20
