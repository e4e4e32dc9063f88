"""Questions, answers and grades from a terminal: ordered, and read as rows or as a report."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.corpus.metric_scores import read_metric_scores
from annotation.corpus.question_rows import read_question_rows
from annotation.models import Event, GenerationRun, QuestionAnswer, Study
from tests.factories import make_study
from tests.services.generation.generating import broker
from tests.services.generation.questioning import (
    all_replied,
    answer,
    begun,
    grade,
    graded,
    make_texts,
    questions,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(broker):
    study = make_study("etude", state="main")
    make_texts(study)
    return study


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def newest() -> GenerationRun:
    return GenerationRun.objects.latest("pk")


def test_the_whole_way(study):
    said("generate", "etude", "--purpose", "question", "--types", "deadline, exception",
         "--least", "2", "--most", "4", "--window", "2000", "--cut", "sentence")  # fmt: skip
    run = newest()
    assert run.questioning == {
        "types": ["deadline", "exception"], "least": 2, "most": 4, "language": "fr",
        "window": 2000, "border": "sentence",
    }  # fmt: skip
    all_replied(run, questions())
    said("generate", "etude", "--purpose", "answer", "--after", str(run.number))
    all_replied(newest(), answer())
    said("generate", "etude", "--purpose", "grade", "--after", str(newest().number))
    all_replied(newest(), grade())
    number = str(newest().number)
    rows = read_question_rows(said("questions", "etude", "--run", number).encode()).rows
    assert [row.grade for row in rows] == [8] * 4
    lines = said("questions", "etude", "--run", number, "--format", "jsonl").splitlines()
    assert [json.loads(line)["source"] for line in lines] == [row.source for row in rows]
    report = json.loads(
        said("questions", "etude", "--run", number, "--format", "report", "--draws", "0")
    )
    assert (report["n"], report["systems"][0]["mean"]["value"]) == (4, 4.0)


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["--judge", "--purpose", "answer"], "different things"),
        (["--purpose", "answer"], "Choose the run"),
        (["--purpose", "answer", "--after", "9"], "Runs: none yet"),
        (["--purpose", "simplify", "--most", "3"], "no such setting"),
        (["--purpose", "question", "--types", "x"], "Choose types"),
        (["--purpose", "question", "--param", "x"], "NAME=VALUE"),
    ],
)
def test_what_is_refused(study, arguments, refusal):
    with pytest.raises(CommandError, match=refusal):
        call_command("generate", "etude", *arguments)
    assert not GenerationRun.objects.exists()


def test_what_is_refused_at_the_start_leaves_no_run(study):
    Study.objects.update(state="closed")
    with pytest.raises(CommandError, match="closed"):
        call_command("generate", "etude")
    assert not GenerationRun.objects.exists()
    assert not Event.objects.filter(verb="generation_run_created").exists()


def test_an_estimate_starts_nothing(study):
    assert "USD" in said("generate", "etude", "--estimate")
    assert not GenerationRun.objects.exists()
    assert not Event.objects.filter(verb="generation_run_created").exists()


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["--run", "9"], "no such run"),
        (["--run", "1"], "Choose a run"),
        (["--run", "3", "--threshold", "11"], "from 0 to 10"),
    ],
)
def test_what_has_no_rows(study, arguments, refusal):
    graded(study)
    with pytest.raises(CommandError, match=refusal):
        call_command("questions", "etude", *arguments)


def test_the_share_that_is_answered_is_a_metric(study):
    run = graded(study)
    content = said("questions", "etude", "--run", str(run.number), "--format", "metric")
    parsed = read_metric_scores(content.encode())
    assert not parsed.problems
    key = study.items.get().key
    # The first text answers both questions, the other says nothing or goes beyond it.
    assert [(row.pair, row.score) for row in parsed.rows] == [(f"{key}/0", 1.0), (f"{key}/1", 0.0)]
    assert len({row.metric for row in parsed.rows}) == 1
    strict = said(
        "questions", "etude", "--run", str(run.number), "--format", "metric", "--threshold", "7"
    )
    assert [row.score for row in read_metric_scores(strict.encode()).rows] == [0.5, 0.0]


def test_what_nobody_answered_has_no_share(study):
    run = graded(study)
    run.after.generations.update(state="failed", problem="content_refused")
    QuestionAnswer.objects.all().delete()
    content = said("questions", "etude", "--run", str(run.number), "--format", "metric")
    assert content.splitlines() == ["pair,metric,score"]


def test_a_long_name_is_numbered(study):
    long = "une invite dont le nom est bien trop long pour un critère"
    questions_run = all_replied(begun(study, names=(long,)), questions())
    run = begun(study, "answer", after=questions_run)
    all_replied(run, answer())
    with pytest.raises(CommandError, match="answers without grades"):
        said("questions", "etude", "--run", str(run.number), "--format", "metric")
    run = all_replied(begun(study, "grade", after=run), grade())
    content = said("questions", "etude", "--run", str(run.number), "--format", "metric")
    assert {row.metric for row in read_metric_scores(content.encode()).rows} == {
        "questions answered 1"
    }
