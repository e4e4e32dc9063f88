"""Pairs that a program has scored: those that a page and a terminal take."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.models import ScoringJob
from annotation.services.scoring.jobs import MOST_CHARACTERS
from tests.scorers.rows import make_scorer

PAIR = {"original": "Une clause.", "simplification": "Une phrase."}


@pytest.fixture
def post(program, monkeypatch):
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    address = f"/api/v1/scorers/{make_scorer().version}/scorings/"
    return lambda *pairs: program("admin").post(
        address, {"pairs": list(pairs)}, content_type="application/json"
    )


def test_a_simplification_that_says_nothing_is_scored_like_a_row_of_a_file(post):
    given = [PAIR | {"simplification": ""}, PAIR | {"original": " Une\n", "simplification": " "}]
    assert post(*given).status_code == 202
    assert ScoringJob.objects.latest("pk").pairs == given


@pytest.mark.parametrize(
    ("wrong", "status", "field"),
    [
        ({"original": ""}, 400, "original"),
        ({"original": " "}, 422, "original"),
        ({"simplification": "x" * (MOST_CHARACTERS + 1)}, 400, "simplification"),
    ],
)
def test_what_is_refused_is_named_by_its_row_with_a_remedy(
    post: Any, wrong: dict[str, str], status: int, field: str
) -> None:
    answer = post(PAIR, PAIR | wrong)
    assert answer.status_code == status
    (problem,) = answer.json()["problems"]
    assert (problem["row"], problem["field"]) == (2, field)
    assert problem["remedy"]
