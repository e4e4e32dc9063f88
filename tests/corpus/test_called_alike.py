"""A table whose columns go by their names has each of those that are read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.corpus.glossary import read_glossary
from annotation.corpus.human_scores import ScoreColumns, read_human_scores
from annotation.corpus.metric_scores import read_metric_scores
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.question_rows import read_question_rows
from annotation.corpus.summaries import read_summaries
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import Layout


def glossary_problem(content: bytes) -> RowProblem | None:
    try:
        read_glossary(content)
    except TableError as error:
        return error.problem
    return None


def of(read: Callable[[bytes], Any]) -> Callable[[bytes], RowProblem | None]:
    return lambda content: read(content).fatal


def human_scores(content: bytes) -> Any:
    return read_human_scores(content, ScoreColumns(human=("Ann",)))


READERS: dict[str, tuple[Callable[[bytes], RowProblem | None], str, str]] = {
    "metric scores": (of(read_metric_scores), "pair,metric,score", "a/0,LENS,1"),
    "human scores": (of(human_scores), "original,simplification,Ann", "Un bail.,Un bail.,1"),
    "summaries": (of(read_summaries), "id,reference,system,summary", "1,Un bail.,A,Bail."),
    "wide summaries": (of(read_summaries), "id,reference,summaries.A", "1,Un bail.,Bail."),
    "questions": (
        of(read_question_rows),
        "source,question,answer,system,given,grade",
        "i1,Quand ?,Demain.,A,Demain.,9",
    ),
    "glossary": (glossary_problem, "terme,définition", "bail,Un contrat."),
}


@pytest.mark.parametrize("name", READERS)
def test_a_column_that_stands_twice_is_refused(name):
    problem_of, header, row = READERS[name]
    at_end, last = header.rsplit(",", 1)[1], row.rsplit(",", 1)[1]
    once = problem_of(f"{header}\n{row}\n".encode())
    assert once is None or once.code != "called_alike"
    for again in (at_end, at_end.upper()):
        problem = problem_of(f"{header},{again}\n{row},{last}\n".encode())
        assert problem is not None
        assert problem.code == "called_alike"


@pytest.mark.parametrize("name", READERS)
def test_other_columns_may_be_called_alike(name):
    problem_of, header, row = READERS[name]
    problem = problem_of(f"{header},remark,remark\n{row},x,y\n".encode())
    assert problem is None or problem.code != "called_alike"


@pytest.mark.parametrize("name", [name for name in READERS if name != "glossary"])
def test_a_header_alone_lacks_rows_and_nobody_is_told_to_say_that_it_is_none(name):
    problem_of, header, _row = READERS[name]
    problem = problem_of(f"{header}\n".encode())
    assert problem is not None
    assert (problem.code, problem.remedy.en) == ("no_rows", "Add rows below the header.")


def test_where_the_first_row_may_be_a_pair_that_is_a_remedy():
    with pytest.raises(TableError) as refusal:
        read_table(b"original,simplification\n", Layout())
    assert "say that the first row is no header" in refusal.value.problem.remedy.en


@pytest.mark.parametrize(
    ("first", "second"),
    [("Simplicité +", "Simplicité -"), ("Оценка 1", "Система 1"), ("BLEU", "BLEU*")],
)
def test_columns_that_are_named_are_told_apart_by_all_of_their_names(first, second):
    content = f"original,simplification,{first},{second}\nUn bail.,Bail.,1,2\n".encode()
    scores = read_human_scores(content, ScoreColumns(human=(first, second)))
    assert scores.fatal is None
    assert [row.human for row in scores.rows] == [(1.0, 2.0)]
