"""Never lose an answer: the short version of ``python -m bench.faults``, on the real stack."""

from __future__ import annotations

import itertools
import os
import threading
from collections import Counter
from unittest.mock import Mock

import pytest

from bench.breaking import KINDS, Faults
from bench.faults import Acknowledged, _compared, storm
from bench.pace import Pace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.once,
]


@pytest.mark.skipif(
    bool(os.environ.get("DATABASE_URL")), reason="starts a PostgreSQL of its own: one run is enough"
)
def test_every_acknowledged_answer_is_there_exactly_once() -> None:
    outcome = storm(80, faults=len(KINDS), seed=7, web=2)
    assert outcome.wrong == [], "seed 7"
    assert (outcome.judgments, outcome.drafts) == (80, 40)
    assert outcome.faults == dict.fromkeys(KINDS, 1), (
        "a storm of every kind, however quick the machine"
    )


@pytest.mark.parametrize("slow_to_break", [False, True])
def test_faults_meet_work_however_quick_either_is(slow_to_break: bool) -> None:
    pace, seen, workers = Pace(40, 3), [], 4
    turn = threading.Event()

    def work() -> None:
        for done in range(10):
            assert pace.wait_for_faults(done * workers, 30)
            pace.worked()
        turn.set()

    def destroy() -> None:
        while pace.wait_for_work():
            if slow_to_break:
                assert not turn.wait(0.05), "somebody finished before the last fault"
            seen.append(turn.is_set())
            pace.broken()

    threads = [threading.Thread(target=task) for task in (destroy, *[work] * workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert seen == [False] * 3


def test_nobody_waits_for_a_fault_that_will_not_come() -> None:
    pace = Pace(10, 1)
    pace.worked(10)
    assert pace.wait_for_work()
    assert not pace.wait_for_faults(10, 0)
    pace.end()
    assert pace.wait_for_faults(10, 0)
    assert not pace.wait_for_work()


def test_each_kind_comes_before_any_comes_again_and_the_seed_decides() -> None:
    def drawn(seed: int, parents: int = 9) -> list[str]:
        faults = Faults(Mock(), "", seed=seed, parents=parents, pace=Pace(1, 0))
        return [name for name, _fault in itertools.islice(faults._order(), 3 * len(KINDS))]

    first = drawn(1)
    assert first == drawn(1) != drawn(2)
    assert sorted(first[: len(KINDS)]) == sorted(KINDS)
    assert set(Counter(first).values()) == {3}
    assert Counter(drawn(1, parents=1))["web server killed"] == 1, (
        "the supervisor gives up on what ends too often"
    )


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
    lines = list(_compared(acknowledged, {(0, 1): ROW | changed}))
    assert len(lines) == (said is not None)
    assert said is None or said in lines[0]


def test_it_finds_a_lost_draft_and_a_submission_of_nobody() -> None:
    acknowledged = Acknowledged(drafted={(0, 1): ("d", 1)})
    unsubmitted = ROW | {"submitted": False, "draft": "older", "revision": 1}
    lines = list(_compared(acknowledged, {(0, 1): unsubmitted, (0, 2): ROW}))
    assert [line.partition(":")[0] for line in lines] == ["(0, 1)", "submitted by nobody"]
