"""The engine of leased work: order → claim → heartbeat → outcome → next state, for everything that
workers do.

The row is the truth, a message only says "look at this row": it may come twice, late or never. Each
step is one conditional UPDATE, so that of any number of workers and sweeps one goes on, and a
worker that counted as dead and comes back changes nothing. Which state follows which outcome is
decided in ``annotation.leasing``.

``Work`` holds for every kind of row. ``Queue`` is for rows with a public number, of which each has
its message: exports, publications, readings of files, trainings, scorings, backups. Model calls
(``services.generation.calls``) are a ``Work``: a run sends their messages, and what they cost is
claimed with them.

``lease_until`` says until when somebody is expected to act: while a row waits, when its message
counts as lost; while it runs, when its worker counts as dead. It is written and compared by the
database's clock: those of machines may differ by more than a lease lasts.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Any, Generic, TypeVar

from django.db import Error, InterfaceError, OperationalError, connections
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.utils import timezone

from annotation.access import leads_still
from annotation.leasing import Outcome, State, next_state
from annotation.models import BackupRun, Job, ScoringJob, TableReport, TrainingRun, User
from annotation.room import is_read_only

MESSAGE_LOST_AFTER = timedelta(seconds=60)
# Longer than any lease lasts, a call of the longest time limit among them. One that reaches further
# was written while the clock was ahead, by as much as it would hold everybody up.
_LONGEST_LEASE = timedelta(hours=2)
# How long a result that is worth keeping waits for a database that is away.
_OUTAGE_PAUSES = (0.5, 2.0, 5.0)

Row = TypeVar("Row", bound=Model)
Queued = TypeVar("Queued", Job, TrainingRun, ScoringJob, BackupRun, TableReport)
Stored = TypeVar("Stored")

log = logging.getLogger(__name__)


class LeaseLost(Exception):
    """The row is gone, or its worker counted as dead and another has it."""


def from_now(wait: timedelta) -> Combinable:
    """So long after the moment at which the statement runs, by the database's clock."""
    return Now() + wait


def late(longest: timedelta = _LONGEST_LEASE) -> Q:
    """Rows whose lease lapsed, or reaches further than any that lasts so long."""
    return Q(lease_until__lt=Now()) | Q(lease_until__gt=from_now(longest))


def lapsed() -> Q:
    """Rows on which nobody is expected to act any more."""
    return Q(lease_until__isnull=True) | late()


def database_is_away(error: BaseException) -> bool:
    """Whether the database did not answer, or takes nothing as long as another has its place: that
    passes, and says nothing of the work."""
    return isinstance(error, OperationalError | InterfaceError) or (
        isinstance(error, Error) and is_read_only(error)
    )


def through_outage(store: Callable[[], Stored]) -> Stored:
    """Store what an attempt brought, also where the database is away for some seconds. Raises its
    last error."""
    for pause in _OUTAGE_PAUSES:
        try:
            return store()
        except Error as error:
            if not database_is_away(error):
                raise
            connections.close_all()
            time.sleep(pause)
    return store()


@dataclass(frozen=True, kw_only=True)
class Work(Generic[Row]):
    """Rows that workers claim. ``holder``: the column that says whose claim it is. ``waiting``:
    what these rows call that state. ``cleared``: columns that mean something only while a worker
    has the row, and what they are then."""

    rows: Callable[[], QuerySet[Row]]
    holder: str
    waiting: str = State.WAITING.value
    cleared: Mapping[str, Any] = field(default_factory=dict)

    def take(self, free: QuerySet[Row], lease: timedelta, **columns: Any) -> bool:
        """Claim the row that is among ``free``; False where somebody else was first."""
        until = from_now(lease)
        return bool(free.update(state=State.RUNNING, lease_until=until, **columns))

    def held(self, pk: int, holder: object) -> QuerySet[Row]:
        """The row while it is this claim's."""
        return self.rows().filter(pk=pk, state=State.RUNNING, **{self.holder: holder})

    def given_back(self, pk: int, holder: object) -> QuerySet[Row]:
        """The row while it was taken from this claim, because its lease lapsed, and nobody has
        claimed it since."""
        return self.rows().filter(pk=pk, state=self.waiting, **{self.holder: holder})

    def move(self, row: QuerySet[Row], state: State, **columns: Any) -> bool:
        """End a claim with this state; False where ``row`` holds nothing any more."""
        stored = self.waiting if state == State.WAITING else state.value
        return bool(row.update(**{"state": stored, "lease_until": None, **self.cleared, **columns}))


@dataclass(frozen=True, kw_only=True)
class Queue(Work[Queued]):
    """Rows that are asked for one by one, and claimed by attempt. ``late_counts``: an outcome that
    comes after the lease lapsed is taken as long as nobody has claimed the row since."""

    lease: timedelta = timedelta(seconds=30)
    beat_seconds: float = 0.5
    most_attempts: int = 3
    late_counts: bool = False
    holder: str = "attempt"
    waiting: str = "queued"

    def ordered_until(self) -> Combinable:
        """The lease of a row whose message is on its way."""
        return from_now(MESSAGE_LOST_AFTER)

    def claim(self, public_id: uuid.UUID, **columns: Any) -> Queued | None:
        """Take the row, if it waits or its worker is dead. One statement decides who gets it."""
        free = Q(state=self.waiting) | (Q(state=State.RUNNING) & late())
        mine = self.rows().filter(free, public_id=public_id, attempt__lt=self.most_attempts)
        if not self.take(mine, self.lease, attempt=F("attempt") + 1, **columns):
            return None
        return self.rows().filter(public_id=public_id).first()

    def mine(self, row: Queued) -> QuerySet[Queued]:
        """The row while it is this attempt's."""
        return self.held(row.pk, row.attempt)

    def renew(self, row: Queued, **columns: Any) -> bool:
        """A heartbeat: the worker lives, and so far it has come. False where the row is no longer
        its own."""
        return bool(self.mine(row).update(lease_until=from_now(self.lease), **columns))

    def end(self, row: Queued, outcome: Outcome, **columns: Any) -> bool:
        """Record an attempt's outcome for good; False where the row is no longer its own."""
        ended = {"finished_at": timezone.now(), **columns}
        state = next_state(outcome)
        if self.move(self.mine(row), state, **ended):
            return True
        return self.late_counts and self.move(self.given_back(row.pk, row.attempt), state, **ended)

    def finish(self, row: Queued, **columns: Any) -> None:
        """Record what was asked for. Raises ``LeaseLost``, so that what belongs to it is rolled
        back with it."""
        if not self.end(row, Outcome.DONE, **columns):
            raise LeaseLost

    def put_off(self, row: Queued, wait: timedelta) -> bool:
        """Give the row back: its turn has not come, and nothing was attempted. The sweep asks again
        after ``wait``."""
        later = {"attempt": F("attempt") - 1, "lease_until": from_now(wait)}
        return self.move(self.mine(row), next_state(Outcome.PUT_OFF), **later)

    def resend(
        self,
        request: Callable[[uuid.UUID], None],
        give_up: Callable[[Queued], object],
        *,
        states: Collection[str] = (),
    ) -> int:
        """Ask again for rows whose message or worker was lost (of these states, or of both);
        returns how many.

        ``request`` sends a row's message. ``give_up`` records that a row has cost too many workers
        their lives: another would fare no better.
        """
        states = states or (self.waiting, State.RUNNING.value)
        lost = self.rows().filter(late(), state__in=states)
        count = 0
        for row in lost:
            if (
                next_state(Outcome.LOST, attempts=row.attempt, most=self.most_attempts)
                == State.FAILED
            ):
                give_up(row)
                continue
            # Conditional, so that of two sweeps at once only one asks.
            if self.move(
                lost.filter(pk=row.pk, attempt=row.attempt),
                State.WAITING,
                lease_until=self.ordered_until(),
            ):
                request(row.public_id)
                count += 1
        return count


def carried_out(
    work: Callable[[], object],
    refusals: Mapping[type[Exception], Callable[[Any], object]],
    *,
    defect: Callable[[], object],
) -> bool:
    """An attempt's outcome: whether ``work`` was done to its end.

    False where the row went to another worker meanwhile, or where it cannot be done: the first of
    ``refusals`` whose error it is records why. A database that is away is raised, nothing recorded,
    and the row left to the sweep. ``defect`` records whatever else, which is raised as well.
    """
    try:
        work()
    except LeaseLost:
        log.info("left to another worker")
        return False
    except Exception as error:
        if database_is_away(error):
            raise
        for kind, record in refusals.items():
            if isinstance(error, kind):
                record(error)
                return False
        defect()
        raise
    return True


class JobQueue(Queue[Job]):
    """Jobs of some kinds: each attempt counts its progress from the beginning."""

    def claim(self, public_id: uuid.UUID, **columns: Any) -> Job | None:
        return super().claim(public_id, started_at=timezone.now(), done=0, total=0, **columns)


class AskerLeft(Exception):
    """Whoever asked for a job may not run its study any more."""


def asker_check(job: Job) -> None:
    """Raises ``AskerLeft``: a right ends for what was asked for with it, too."""
    if not leads_still(job.requested_by, job.study_id):
        raise AskerLeft


def job_joined(job: Job, actor: User) -> Job:
    """A job that is under way, for somebody who asks for the same: theirs, where whoever asked
    first may not run the study any more."""
    if job.requested_by_id != actor.pk and not leads_still(job.requested_by, job.study_id):
        job.requested_by = actor
        job.save(update_fields=["requested_by"])
    return job


class Heartbeat(Generic[Queued]):
    """Renews a lease again and again while a worker is at it, and tells how far it is.

    In a thread with a connection of its own: the worker's may read one moment of the database and
    be unable to write, and a slow query must not look like a dead worker.
    """

    def __init__(self, queue: Queue[Queued], row: Queued) -> None:
        self._queue: Queue[Queued] = queue
        self._row: Queued = row
        self._lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat[Queued]:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def check(self) -> None:
        """Raises ``LeaseLost`` where the row is no longer this worker's. Cheap."""
        if self._lost:
            raise LeaseLost

    def columns(self) -> dict[str, Any]:
        """What the row is told with each beat."""
        return {}

    def _run(self) -> None:
        try:
            while not self._ended.wait(self._queue.beat_seconds):
                self._beat()
        finally:
            connections.close_all()

    def _beat(self) -> None:
        try:
            self._lost = not self._renewed()
        except Error as error:
            if not database_is_away(error):
                raise
            log.warning("heartbeat missed", extra={"row": str(self._row)})
            connections.close_all()

    def _renewed(self) -> bool:
        return self._queue.renew(self._row, **self.columns())


class JobHeartbeat(Heartbeat[Job]):
    """Tells how many rows of how many are done."""

    def __init__(self, queue: Queue[Job], row: Job) -> None:
        super().__init__(queue, row)
        self._progress = (0, 0)

    def __enter__(self) -> JobHeartbeat:
        super().__enter__()
        return self

    def columns(self) -> dict[str, Any]:
        rows, total = self._progress
        return {"done": rows, "total": total}

    def progress(self, rows: int, total: int) -> None:
        """Take note. Raises ``LeaseLost`` when the job is no longer this worker's."""
        self._progress = (rows, total)
        self.check()
