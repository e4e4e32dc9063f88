"""The engine of leased work on rows: races of claims, lost leases, heartbeats, puttings off,
outages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import Error, InterfaceError, InternalError, OperationalError, transaction
from django.utils import timezone

from annotation.leasing import Outcome
from annotation.models import Job
from annotation.services.platform import leases
from annotation.services.platform.leases import (
    Heartbeat,
    JobHeartbeat,
    JobQueue,
    LeaseLost,
    carried_out,
    lapsed,
    through_outage,
)
from tests.factories import make_study
from tests.processes import until
from tests.services.judging.test_concurrency import at_once
from tests.web.platform.test_read_only import ReadOnlySqlTransaction

pytestmark = pytest.mark.django_db
QUEUE = JobQueue(
    rows=lambda: Job.objects.filter(kind="export").select_related("study"), beat_seconds=0.02
)
PAST = timedelta(seconds=-1)


def read_only() -> InternalError:
    """What Django raises of a replica that took its server's place."""
    error = InternalError("cannot execute UPDATE in a read-only transaction")
    error.__cause__ = ReadOnlySqlTransaction()
    return error


def make_job(**fields) -> Job:
    return Job.objects.create(
        study=make_study(), kind="export", lease_until=QUEUE.ordered_until(), **fields
    )


def late(**fields) -> None:
    Job.objects.update(lease_until=timezone.now() + PAST, **fields)


def claimed(**fields) -> Job:
    job = QUEUE.claim(make_job(**fields).public_id)
    assert job is not None
    return job


def fresh(job: Job) -> Job:
    job.refresh_from_db()
    return job


class TestClaim:
    def test_a_waiting_row_is_taken_with_a_lease(self):
        job = claimed(done=3, total=9)
        assert (job.state, job.attempt, job.done, job.total) == ("running", 1, 0, 0)
        assert job.lease_until is not None
        assert timezone.now() < job.lease_until <= timezone.now() + QUEUE.lease
        assert job.started_at is not None

    def test_a_held_one_is_not_and_one_whose_lease_lapsed_is(self):
        job = claimed()
        assert QUEUE.claim(job.public_id) is None
        late()
        second = QUEUE.claim(job.public_id)
        assert second is not None
        assert second.attempt == 2

    @pytest.mark.parametrize(
        "fields", [{"state": "done"}, {"state": "failed"}, {"attempt": 3}, {"kind": "freeze"}]
    )
    def test_what_is_over_used_up_or_of_another_kind_is_not(self, fields):
        job = make_job()
        late(**fields)
        assert QUEUE.claim(job.public_id) is None

    def test_one_that_was_deleted_meanwhile_is_none(self, monkeypatch):
        job = make_job()
        take = JobQueue.take

        def deleted(queue, *given, **columns):
            taken = take(queue, *given, **columns)
            Job.objects.all().delete()
            return taken

        monkeypatch.setattr(JobQueue, "take", deleted)
        assert QUEUE.claim(job.public_id) is None


@pytest.mark.django_db(transaction=True)
class TestRaces:
    """With real transactions, each worker on a connection of its own."""

    @pytest.mark.parametrize("lapsed_before", [False, True])
    def test_of_workers_at_once_one_has_it(self, lapsed_before):
        job = make_job()
        if lapsed_before:
            late(state="running", attempt=1)
        taken = at_once([lambda: QUEUE.claim(job.public_id)] * 8)
        assert [outcome for outcome in taken if isinstance(outcome, Exception)] == []
        assert len([outcome for outcome in taken if outcome is not None]) == 1
        assert fresh(job).attempt == 1 + lapsed_before

    def test_of_sweeps_at_once_one_asks_again(self):
        job = make_job()
        late()
        resent: list[object] = []
        counts = at_once([lambda: QUEUE.resend(resent.append, resent.append)] * 6)
        assert (sorted(counts), resent) == ([0, 0, 0, 0, 0, 1], [job.public_id])

    def test_a_worker_that_comes_back_and_the_one_that_replaced_it_end_it_once(self):
        first = claimed()
        late()
        second = QUEUE.claim(first.public_id)
        assert second is not None
        ended = at_once(
            [lambda: QUEUE.end(first, Outcome.FAILED), lambda: QUEUE.end(second, Outcome.DONE)]
        )
        assert ended == [False, True]
        assert fresh(first).state == "done"

    def test_a_claim_and_a_sweep_at_once(self):
        """Whoever is first: the row is one worker's, or waits with its message sent."""
        job = make_job()
        late(state="running", attempt=1)
        resent: list[object] = []
        taken, _ = at_once(
            [lambda: QUEUE.claim(job.public_id), lambda: QUEUE.resend(resent.append, resent.append)]
        )
        assert not isinstance(taken, Exception)
        assert taken is not None
        assert (fresh(job).state, job.attempt) == ("running", 2)


class TestOutcome:
    def test_the_row_says_so_and_holds_no_lease(self):
        job = claimed()
        assert QUEUE.end(job, Outcome.FAILED, problem="disk")
        assert (fresh(job).state, job.problem, job.lease_until) == ("failed", "disk", None)
        assert job.finished_at is not None
        assert not QUEUE.end(job, Outcome.DONE), "once"

    def test_what_was_asked_for_is_recorded_once(self):
        job = claimed(problem="of a former attempt")
        QUEUE.finish(job, problem="", result={"made": 1})
        assert (fresh(job).state, job.problem, job.result) == ("done", "", {"made": 1})
        with pytest.raises(LeaseLost):
            QUEUE.finish(job, result={"made": 2})
        assert fresh(job).result == {"made": 1}

    def test_what_belongs_to_a_lost_lease_is_rolled_back(self):
        job = claimed()
        Job.objects.update(attempt=2)

        @transaction.atomic
        def make() -> None:
            Job.objects.update(result={"made": 1})
            QUEUE.finish(job)

        with pytest.raises(LeaseLost):
            make()
        assert fresh(job).result == {}

    def test_one_that_is_put_off_was_not_attempted(self):
        job = claimed()
        assert QUEUE.put_off(job, timedelta(seconds=5))
        assert (fresh(job).state, job.attempt) == ("queued", 0)
        assert job.lease_until is not None
        assert job.lease_until <= timezone.now() + timedelta(seconds=5)
        assert not QUEUE.put_off(job, timedelta(seconds=5))

    def test_late_outcomes_count_where_they_may_until_somebody_else_begins(self):
        patient = replace(QUEUE, late_counts=True)
        job = claimed()
        late()
        QUEUE.resend(lambda _: None, lambda _: None)
        assert not QUEUE.end(job, Outcome.DONE)
        assert patient.end(job, Outcome.DONE)
        other = claimed()
        late(state="running", attempt=1)
        assert QUEUE.claim(other.public_id)
        assert not patient.end(other, Outcome.DONE)


class TestCarriedOut:
    """What an attempt's error becomes."""

    def attempt(self, error: Exception | None) -> tuple[bool, list[str]]:
        said: list[str] = []

        def work() -> None:
            if error is not None:
                raise error

        refusals = {
            FileNotFoundError: lambda _: said.append("gone"),
            OSError: lambda error: said.append(f"disk {error.errno}"),
        }
        try:
            return carried_out(work, refusals, defect=lambda: said.append("defect")), said
        except (Error, ValueError) as raised:
            said.append(f"raised {type(raised).__name__}")
            return False, said

    @pytest.mark.parametrize(
        ("error", "outcome"),
        [
            (None, (True, [])),
            (LeaseLost(), (False, [])),
            (FileNotFoundError(2, ""), (False, ["gone"])),
            (OSError(28, ""), (False, ["disk 28"])),
            (OperationalError(), (False, ["raised OperationalError"])),
            (InterfaceError(), (False, ["raised InterfaceError"])),
            (read_only(), (False, ["raised InternalError"])),
            (ValueError(), (False, ["defect", "raised ValueError"])),
        ],
    )
    def test_each_is_recorded_left_to_the_sweep_or_somebody_elses(self, error, outcome):
        assert self.attempt(error) == outcome


class TestResend:
    def test_only_what_is_late_and_gives_its_lease_anew(self):
        job = make_job()
        assert QUEUE.resend(lambda _: None, lambda _: None) == 0
        late(state="running", attempt=1)
        resent: list[object] = []
        assert QUEUE.resend(resent.append, lambda _: None) == 1
        assert (resent, fresh(job).state, job.attempt) == ([job.public_id], "queued", 1)
        assert job.lease_until is not None
        assert job.lease_until > timezone.now()

    @pytest.mark.parametrize("state", ["queued", "running"])
    def test_what_was_written_while_the_clock_was_ahead_is_late(self, state):
        """A year ahead, as a machine without a battery starts: it would have waited for a year."""
        job = make_job()
        Job.objects.update(state=state, attempt=1, lease_until=timezone.now() + timedelta(days=365))
        resent: list[object] = []
        assert QUEUE.resend(resent.append, lambda _: None) == 1
        assert (resent, fresh(job).state) == ([job.public_id], "queued")
        assert QUEUE.resend(resent.append, lambda _: None) == 0

    def test_of_some_states_only(self):
        make_job()
        late()
        assert QUEUE.resend(lambda _: None, lambda _: None, states=["running"]) == 0
        assert QUEUE.resend(lambda _: None, lambda _: None, states=["queued"]) == 1

    def test_what_has_cost_its_last_worker_is_given_up(self):
        job = make_job()
        late(state="running", attempt=QUEUE.most_attempts)
        given_up: list[Job] = []
        assert QUEUE.resend(lambda _: None, given_up.append) == 0
        assert given_up == [job]

    def test_what_means_something_only_while_it_runs_is_cleared(self):
        job = claimed()
        late(problem="on a device")
        replace(QUEUE, cleared={"problem": ""}).resend(lambda _: None, lambda _: None)
        assert fresh(job).problem == ""

    def test_a_lease_that_nobody_has_is_lapsed(self):
        job = make_job()
        assert not Job.objects.filter(lapsed()).exists()
        Job.objects.update(lease_until=None)
        assert Job.objects.filter(lapsed()).get() == job


@pytest.mark.parametrize("wrong_by", [timedelta(minutes=-5), timedelta(minutes=5)])
class TestClocks:
    """Of machines, of which one is wrong by more than a lease lasts: the database's decides."""

    @pytest.fixture
    def wrong_clock(self, monkeypatch, wrong_by):
        right = timezone.now
        return lambda: monkeypatch.setattr(timezone, "now", lambda: right() + wrong_by)

    def test_it_takes_nothing_from_a_living_worker(self, wrong_clock):
        job = claimed()
        wrong_clock()
        assert QUEUE.claim(job.public_id) is None
        assert QUEUE.resend(lambda _: None, lambda _: None) == 0
        assert not Job.objects.filter(lapsed()).exists()

    def test_what_its_own_workers_have_is_theirs_until_the_lease_lapses(
        self, wrong_clock, monkeypatch
    ):
        wrong_clock()
        job, waits, given_back = claimed(), make_job(), claimed()
        assert QUEUE.renew(job)
        assert QUEUE.put_off(given_back, timedelta(seconds=20))
        monkeypatch.undo()
        for row in (job, waits, given_back):
            until_then = fresh(row).lease_until
            assert until_then is not None
            left = until_then - timezone.now()
            assert timedelta(seconds=15) < left <= timedelta(seconds=60)
        assert QUEUE.claim(job.public_id) is None
        assert QUEUE.resend(lambda _: None, lambda _: None) == 0

    def test_it_finds_what_was_lost_like_any_other(self, wrong_clock):
        job = claimed()
        late()
        wrong_clock()
        assert QUEUE.resend(lambda _: None, lambda _: None) == 1
        assert fresh(job).state == "queued"


@pytest.mark.django_db(transaction=True)
class TestHeartbeat:
    def test_it_renews_the_lease_again_and_again(self):
        job = claimed()
        late()
        with Heartbeat(QUEUE, job) as heartbeat:
            assert until(lambda: not Job.objects.filter(lapsed()).exists())
            late()
            assert until(lambda: not Job.objects.filter(lapsed()).exists())
            heartbeat.check()

    def test_it_tells_the_worker_that_lost_its_lease(self):
        job = claimed()
        with JobHeartbeat(QUEUE, job) as heartbeat:
            Job.objects.update(attempt=2)

            def goes_on() -> bool:
                heartbeat.progress(1, 2)
                return False

            with pytest.raises(LeaseLost):
                until(goes_on)
        assert fresh(job).done == 0, "the other's row is left as it is"

    @pytest.mark.parametrize("error", [OperationalError("away"), read_only()])
    def test_a_beat_that_the_database_missed_is_no_lost_lease(self, monkeypatch, caplog, error):
        job = claimed()
        late()
        renew = JobQueue.renew
        missed: list[Job] = []

        def once_away(queue, row, **columns):
            if not missed:
                missed.append(row)
                raise error
            return renew(queue, row, **columns)

        monkeypatch.setattr(JobQueue, "renew", once_away)
        with Heartbeat(QUEUE, job) as heartbeat:
            assert until(lambda: not Job.objects.filter(lapsed()).exists())
            heartbeat.check()
        assert "heartbeat missed" in caplog.text


class TestOutage:
    @pytest.fixture(autouse=True)
    def pauses(self, monkeypatch) -> list[float]:
        slept: list[float] = []
        monkeypatch.setattr(leases.time, "sleep", slept.append)
        # The test's own connection holds its transaction.
        monkeypatch.setattr(leases.connections, "close_all", lambda: None)
        return slept

    @pytest.mark.parametrize(
        "error", [OperationalError("away"), InterfaceError("away"), read_only()]
    )
    def test_what_was_paid_for_is_stored_when_the_database_is_back(self, pauses, error):
        away = iter([error, error, None])

        def store() -> str:
            if (trouble := next(away)) is not None:
                raise trouble
            return "stored"

        assert through_outage(store) == "stored"
        assert pauses == [0.5, 2.0]

    def test_not_for_ever(self, pauses):
        def store() -> None:
            raise OperationalError("away")

        with pytest.raises(OperationalError):
            through_outage(store)
        assert pauses == [0.5, 2.0, 5.0]

    def test_another_error_is_raised_at_once(self, pauses):
        with pytest.raises(ZeroDivisionError):
            through_outage(lambda: 1 // 0)
        assert pauses == []
