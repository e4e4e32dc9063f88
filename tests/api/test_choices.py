"""Who misspells one of several values is told which there are."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.api.conftest import Program
from tests.cast import Cast

pytestmark = pytest.mark.django_db
ALPHA = "/api/v1/studies/alpha/"
JSON = {"content_type": "application/json"}


@pytest.fixture
def lead(cast: Cast, program: Program) -> Client:
    return program("lead")


def problem(answer: Any) -> tuple[str, str]:
    assert answer.status_code == 400, answer.content
    (only,) = answer.json()["problems"]
    assert only["code"] == "invalid_choice"
    return only["field"], only["message"]


@pytest.mark.parametrize(
    ("address", "body", "field", "words"),
    [
        ("exports/", {"layout": "lnog"}, "layout", "“lnog” is none of: "),
        ("state/", {"to": "mian"}, "to", "“mian” is none of: draft, "),
        ("pairs/", {"pairs": [{"original": "a"}], "round": "mainn"}, "round", "none of: practice"),
        ("generation-runs/", {"purpose": {"a": 1}}, "purpose", "is none of: simplify, judge"),
    ],
)
def test_in_a_body(lead: Client, address, body, field, words):
    answer = problem(lead.post(ALPHA + address, body, **JSON))
    assert answer[0] == field
    assert words in answer[1]


def test_in_an_address(lead: Client):
    field, words = problem(lead.get(ALPHA + "items/?round=mainn"))
    assert field == "round"
    assert words.startswith("“mainn” is none of: practice, main")


def test_in_the_reader_s_language(lead: Client):
    headers = {"accept-language": "fr"}
    answer = lead.post(ALPHA + "state/", {"to": "mian"}, **JSON, headers=headers)
    assert problem(answer)[1].startswith("«\u00a0mian\u00a0» n'est aucun de\u00a0: draft, ")


def test_a_choice_of_nothing_is_named_too(lead: Client, values):
    runs = f"{ALPHA}generation-runs/{values['number']}/decisions/"
    assert problem(lead.post(runs, {"decision": "kepe"}, **JSON)) == (
        "decision",
        '“kepe” is none of: "", keep, clean, exclude, regenerate.',
    )
