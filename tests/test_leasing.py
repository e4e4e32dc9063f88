"""The rules of leased work, without a database: each outcome's next state, and the sequence of
backoffs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.leasing import Backoff, Outcome, State, next_state

BACKOFF = Backoff(first=1.0, longest=60.0)


class TestNextState:
    @pytest.mark.parametrize(
        ("outcome", "state"),
        [
            (Outcome.DONE, State.DONE),
            (Outcome.FAILED, State.FAILED),
            (Outcome.STOPPED, State.STOPPED),
            (Outcome.PUT_OFF, State.WAITING),
        ],
    )
    def test_what_does_not_depend_on_how_often(self, outcome, state):
        assert {next_state(outcome, attempts=n, most=3) for n in range(6)} == {state}

    @pytest.mark.parametrize("outcome", [Outcome.RETRY, Outcome.LOST])
    def test_another_attempt_as_long_as_there_is_one(self, outcome):
        states = [next_state(outcome, attempts=attempts, most=3) for attempts in range(1, 5)]
        assert states == [State.WAITING, State.WAITING, State.FAILED, State.FAILED]

    def test_every_outcome_leads_somewhere_and_none_keeps_a_row_running(self):
        assert State.RUNNING not in {next_state(outcome, attempts=1, most=2) for outcome in Outcome}


class TestBackoff:
    def test_twice_as_long_each_time_up_to_a_minute(self):
        for retries in range(12):
            longest = min(60, 2**retries)
            assert longest / 2 <= BACKOFF.seconds(1, retries) <= longest

    def test_the_sequence_is_the_same_on_every_machine(self):
        """What was measured once: who changes the draw changes when calls come back."""
        drawn = [round(BACKOFF.seconds(1, retries), 3) for retries in range(8)]
        assert drawn == [0.825, 1.839, 2.808, 6.086, 10.29, 22.4, 41.529, 37.176]

    def test_not_all_come_back_at_once_and_each_always_after_the_same_time(self):
        waits = [BACKOFF.seconds(work, 3) for work in range(30)]
        assert len(set(waits)) > 20
        assert waits == [BACKOFF.seconds(work, 3) for work in range(30)]

    def test_never_before_the_service_asked_for(self):
        assert all(7 <= BACKOFF.seconds(1, retries, at_least=7.0) <= 19 for retries in range(9))

    @given(st.integers(0, 10**9), st.integers(0, 32_767), st.none() | st.floats(0, 86_400))
    def test_always_a_wait_within_its_bounds(self, work, retries, at_least):
        wait = BACKOFF.seconds(work, retries, at_least=at_least)
        assert (at_least or 0) < wait + 1e-9
        assert wait <= (60 if at_least is None else at_least + 12)

    def test_the_bounds_do_not_shrink(self):
        longest = [
            max(BACKOFF.seconds(work, retries) for work in range(200)) for retries in range(9)
        ]
        assert all(former <= later for former, later in itertools.pairwise(longest))
