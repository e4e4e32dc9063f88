"""Questions, answers and grades by program: the same services as the pages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.models import Event, GenerationRun, Question
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.factories import make_study
from tests.services.generation.generating import broker
from tests.services.generation.questioning import (
    QUESTIONS,
    all_replied,
    begun,
    graded,
    make_texts,
    prepared,
    questions,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db

RUNS = "/api/v1/studies/droit/generation-runs/"


@pytest.fixture
def study(cast: Cast, broker):
    study = make_study("droit", lead=cast.lead, state="main")
    make_texts(study)
    return study


@pytest.fixture
def lead(cast: Cast) -> Client:
    return bearer(cast.lead)


def sent(client: Client, method: str, url: str, body: Any = None, status: int = 200) -> Any:
    response = getattr(client, method)(url, body, content_type="application/json")
    assert response.status_code == status, response.content
    return response.json()


def test_the_whole_way(study, lead):
    wanted = {"purpose": "question", "questioning": {"types": ["deadline", "exception"]}}
    run = sent(lead, "post", RUNS, wanted, 201)
    assert run["questioning"]["types"] == ["deadline", "exception"]
    assert run["after"] is None
    url = f"{RUNS}{run['number']}/"
    run = sent(lead, "patch", url, {"questioning": {"most": 3}})
    assert (run["questioning"]["most"], run["questioning"]["least"]) == (3, 1)
    # What is offered for the purpose is taken where nothing else is said.
    run = sent(lead, "post", f"{url}systems/", {"name": "q"}, 201)
    assert run["systems"][0]["prompt"].startswith("Tu prépares")
    sent(lead, "post", f"{url}steps/start/")
    all_replied(GenerationRun.objects.get(), questions())
    answering = sent(lead, "post", RUNS, {"purpose": "answer", "after": run["number"]}, 201)
    assert answering["after"] == run["number"]
    assert sent(lead, "get", f"{RUNS}{answering['number']}/answers/")["results"] == []


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"purpose": "answer"}, 422),
        ({"purpose": "answer", "after": 9}, 422),
        ({"purpose": "simplify", "questioning": {"most": 2}}, 422),
        ({"purpose": "question", "questioning": {"least": 4, "most": 2}}, 422),
        ({"purpose": "question", "questioning": {"types": ["x"]}}, 400),
    ],
)
def test_what_is_refused(study, lead, wanted, status):
    sent(lead, "post", RUNS, wanted, status)
    assert not GenerationRun.objects.exists()


def test_a_question_is_read_edited_dropped(study, lead):
    run = all_replied(begun(study), questions())
    url = f"{RUNS}{run.number}/questions/"
    first, second = sent(lead, "get", url)["results"]
    assert (first["text"], second["number"]) == (QUESTIONS[0]["question"], 2)
    changed = sent(lead, "patch", f"{url}{first['id']}/", {"text": "Quand ?", "is_dropped": True})
    assert changed["text"] == "Quand ?"
    assert changed["dropped_at"]
    assert changed["edited_at"]
    changed = sent(lead, "patch", f"{url}{first['id']}/", {"is_dropped": False})
    assert changed["dropped_at"] is None
    wrong = {"quotation": "nulle part ici", "is_dropped": True}
    sent(lead, "patch", f"{url}{first['id']}/", wrong, 422)
    assert Question.objects.get(pk=first["id"]).dropped_at is None, "all of it or nothing"
    assert Event.objects.filter(verb="question_edited").count() == 1
    begun(study, "answer", after=run)
    sent(lead, "patch", f"{url}{first['id']}/", {"text": "Où ?"}, 422)


def test_answers_with_their_grades(study, lead):
    run = graded(study)
    rows = sent(lead, "get", f"{RUNS}{run.number}/answers/")["results"]
    assert [(row["system"], row["grade"], row["missing"]) for row in rows] == [
        ("a", 9, ""),
        ("b", 0, ""),
        ("a", 6, ""),
        ("b", 2, ""),
    ]
    assert [row["beyond_text"] for row in rows] == [False, False, False, True]
    assert rows[0]["expected"] == QUESTIONS[0]["answer"]


def test_a_run_of_another_purpose_has_none(study, lead):
    run = prepared(study)
    sent(lead, "get", f"{RUNS}{run.number}/answers/", status=404)
    run = run.study.generation_runs.create(number=9, endpoint="openai", ceiling=1)
    sent(lead, "get", f"{RUNS}{run.number}/questions/", status=404)


def test_a_ceiling_as_on_the_page(study, lead):
    """To the last digit, and more than 0: it stood in three ways, by who took it."""
    wanted = {"purpose": "question", "ceiling": "0.004"}
    run = sent(lead, "post", RUNS, wanted, 201)
    assert run["ceiling"] == "0.004000"
    url = f"{RUNS}{run['number']}/"
    assert sent(lead, "patch", url, {"ceiling": "0.006"})["ceiling"] == "0.006000"
    for amount in ("0", "0.0000004", "10000000", "-1"):
        for method, where in (("post", RUNS), ("patch", url)):
            refused = sent(lead, method, where, {"ceiling": amount}, 400)
            assert [error["field"] for error in refused["problems"]] == ["ceiling"]
    assert GenerationRun.objects.get().ceiling == Decimal("0.006")
