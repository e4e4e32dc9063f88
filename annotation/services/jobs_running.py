"""A job in a worker's hands: claimed by one statement, held by a lease that a heartbeat renews."""

from __future__ import annotations

import logging
import threading
import uuid
from datetime import timedelta
from types import TracebackType

from django.db import InterfaceError, OperationalError, connections
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotation.models import Job

LEASE = timedelta(seconds=30)
BEAT_SECONDS = 0.5
MOST_ATTEMPTS = 3

log = logging.getLogger(__name__)


class JobLost(Exception):
    """The job was deleted, or counted as dead and given to another worker."""


def job_claim(public_id: uuid.UUID, kind: str) -> Job | None:
    """Take the job, if it waits or its worker is dead. One statement decides who gets it."""
    now = timezone.now()
    free = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_until__lt=now)
    claimed = Job.objects.filter(free, public_id=public_id, kind=kind, attempt__lt=MOST_ATTEMPTS).update(
        state=Job.State.RUNNING,
        attempt=F("attempt") + 1,
        started_at=now,
        lease_until=now + LEASE,
        done=0,
        total=0,
    )
    if not claimed:
        return None
    return Job.objects.select_related("study").filter(public_id=public_id).first()


def job_held(job: Job) -> QuerySet[Job]:
    """The job's row while it is this attempt's."""
    return Job.objects.filter(pk=job.pk, attempt=job.attempt, state=Job.State.RUNNING)


class Heartbeat:
    """Tells every half second how far a job is and that its worker lives.

    In a thread with a connection of its own: a job's connection may read one moment of the database and be
    unable to write, and a slow query must not look like a dead worker.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._progress = (0, 0)
        self._lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="job-heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def progress(self, rows: int, total: int) -> None:
        """Take note. Raises ``JobLost`` when the job is no longer this worker's."""
        self._progress = (rows, total)
        if self._lost:
            raise JobLost

    def _run(self) -> None:
        try:
            while not self._ended.wait(BEAT_SECONDS):
                self._beat()
        finally:
            connections.close_all()

    def _beat(self) -> None:
        rows, total = self._progress
        try:
            alive = job_held(self._job).update(done=rows, total=total, lease_until=timezone.now() + LEASE)
        except (OperationalError, InterfaceError):
            log.warning("heartbeat missed", extra={"job": self._job.pk})
            connections.close_all()
            return
        self._lost = not alive
