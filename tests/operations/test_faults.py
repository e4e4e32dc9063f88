"""Never lose an answer: the short version of ``python -m bench.faults``, on the real stack."""

from __future__ import annotations

import os

import pytest

from bench.faults import Acknowledged, _compared, storm

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.once, pytest.mark.xdist_group("serve")]


@pytest.mark.timeout(240)
@pytest.mark.skipif(bool(os.environ.get("DATABASE_URL")), reason="starts a PostgreSQL of its own: one run is enough")
def test_every_acknowledged_answer_is_there_exactly_once() -> None:
    outcome = storm(80, seed=7, pause_seconds=1.5, web=2, parents=1)
    assert outcome.wrong == []
    assert (outcome.judgments, outcome.drafts) == (80, 40)
    assert sum(outcome.faults.values()) >= 3, "it was a storm"


ROW = {
    "submitted": True,
    "draft": None,
    "revision": 2,
    "explanation": "a",
    "judgments": 1,
    "revisions": 1,
    "ratings": 3,
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, None),
        ({"submitted": False}, "not there"),
        ({"explanation": "b"}, "not there"),
        ({"judgments": 2}, "exactly once"),
        ({"revisions": 2}, "exactly once"),
        ({"ratings": 2}, "exactly once"),
    ],
)
def test_the_comparison_finds_what_is_wrong(changed: dict[str, object], said: str | None) -> None:
    acknowledged = Acknowledged(submitted={(0, 1): ("a", 2)}, drafted={(0, 1): ("d", 1)})
    found = list(_compared(acknowledged, {(0, 1): ROW | changed}))
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_it_finds_a_lost_draft_and_a_submission_of_nobody() -> None:
    acknowledged = Acknowledged(drafted={(0, 1): ("d", 1)})
    unsubmitted = ROW | {"submitted": False, "draft": "older", "revision": 1}
    found = list(_compared(acknowledged, {(0, 1): unsubmitted, (0, 2): ROW}))
    assert [line.partition(":")[0] for line in found] == ["(0, 1)", "submitted by nobody"]
