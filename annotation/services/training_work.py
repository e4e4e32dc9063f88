"""What a worker tells of the training that it carries out: claimed, alive, how far, done. Nothing is half made."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Any

from django.db import IntegrityError, InterfaceError, OperationalError, connections, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotation.models import Scorer, TrainingRun, WorkState
from annotation.protocols.base import Wording
from annotation.services.events import event_record
from annotation.services.stored_files import StoredFile
from annotation.services.training import MOST_ATTEMPTS, training_next

LEASE = timedelta(seconds=60)
BEAT_SECONDS = 1.0
_MOST_LOG = 500

log = logging.getLogger(__name__)


class TrainingLost(Exception):
    """The run counted as dead and was given to another worker."""


class StopAsked(Exception):
    """An admin asked for the training to end."""


@dataclass(frozen=True)
class Trained:
    """A scorer as a worker made it: its files are in the storage already."""

    seed: int
    folder: str
    files: Mapping[str, StoredFile]
    metrics: Mapping[str, Any]
    false_accept: float | None
    seen_sources: Sequence[str]


def training_claim(public_id: uuid.UUID, device: str, code_version: str) -> TrainingRun | None:
    """Take the run, if it waits or its worker is dead, and if no other trains on this device; else None."""
    now = timezone.now()
    free = Q(state=WorkState.QUEUED) | Q(state=WorkState.RUNNING, lease_until__lt=now)
    runs = TrainingRun.objects.filter(free, public_id=public_id, attempt__lt=MOST_ATTEMPTS)
    try:
        with transaction.atomic():
            claimed = runs.update(
                state=WorkState.RUNNING,
                device=device,
                attempt=F("attempt") + 1,
                started_at=now,
                lease_until=now + LEASE,
                code_version=code_version,
                problem={},
            )
    except IntegrityError:
        # The database knows one running training per device. This one waits; whoever ends asks for it.
        return None
    return TrainingRun.objects.select_related("snapshot__study").get(public_id=public_id) if claimed else None


def _held(run: TrainingRun) -> QuerySet[TrainingRun]:
    """The run's row while it is this attempt's."""
    return TrainingRun.objects.filter(pk=run.pk, attempt=run.attempt, state=WorkState.RUNNING)


@dataclass
class _Told:
    """What the page shows; written by the training's thread, read by the heartbeat's."""

    progress: dict[str, Any] = field(default_factory=dict)
    losses: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    log: list[dict[str, str]] = field(default_factory=list)


class TrainingHeartbeat:
    """Tells every second how far a run is and that its worker lives, in a thread with a connection of its own."""

    def __init__(self, run: TrainingRun) -> None:
        self._run_row = run
        self._told = _Told(dict(run.progress), dict(run.losses), list(run.log))
        self._lock = threading.Lock()
        self._lost = self._stop = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="training-heartbeat", daemon=True)

    def __enter__(self) -> TrainingHeartbeat:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        # In the caller's thread, so that what was told last is there whatever comes next.
        self._beat()

    def check(self) -> None:
        """Raises ``TrainingLost`` or ``StopAsked`` where the training should not go on. Cheap: ask at every batch."""
        if self._lost:
            raise TrainingLost
        if self._stop:
            raise StopAsked

    def progress(self, **told: Any) -> None:
        """Where it is: seed, epoch, seeds done."""
        with self._lock:
            self._told.progress.update(told)

    def losses(self, seed: int, training: Sequence[float], validation: Sequence[float]) -> None:
        """All losses of a seed so far."""
        with self._lock:
            self._told.losses[str(seed)] = {"training": list(training), "validation": list(validation)}

    def epoch(self, seed: int, number: int, training: float, validation: float) -> None:
        """An epoch as it ended. Told again after a resume, it stands where it stood."""
        with self._lock:
            self._told.progress["epoch"] = number
            known = self._told.losses.get(str(seed), {"training": [], "validation": []})
            self._told.losses[str(seed)] = {
                name: [*known[name][: number - 1], loss]
                for name, loss in (("training", training), ("validation", validation))
            }

    def say(self, words: Wording) -> None:
        """A line of the log."""
        with self._lock:
            at = timezone.now().isoformat(timespec="seconds")
            self._told.log = [*self._told.log, {"at": at, "fr": words.fr, "en": words.en}][-_MOST_LOG:]

    def _run(self) -> None:
        try:
            while not self._ended.wait(BEAT_SECONDS):
                self._beat()
        finally:
            connections.close_all()

    def _beat(self) -> None:
        with self._lock:
            told = {"progress": dict(self._told.progress), "losses": dict(self._told.losses), "log": self._told.log}
        try:
            alive = _held(self._run_row).update(lease_until=timezone.now() + LEASE, **told)
            self._stop = _held(self._run_row).filter(stop_requested=True).exists()
        except (OperationalError, InterfaceError):
            log.warning("heartbeat missed", extra={"run": self._run_row.pk})
            connections.close_all()
            return
        self._lost = not alive


@transaction.atomic
def training_finish(
    *, run: TrainingRun, report: Mapping[str, Any], files: Mapping[str, StoredFile], trained: Trained
) -> Scorer:
    """Record report and scorer together. Raises ``TrainingLost`` where another worker has the run by now."""
    ended = {"state": WorkState.DONE, "device": "", "lease_until": None, "finished_at": timezone.now()}
    if not _held(run).update(report=dict(report), files=dict(files), **ended):
        raise TrainingLost
    # Two devices may finish at once: the second waits for the first one's number.
    last = Scorer.objects.select_for_update().order_by("-version").first()
    scorer = Scorer.objects.create(
        training_run=run,
        version=last.version + 1 if last else 1,
        target=run.source["target"],
        backend=run.backend,
        seed=trained.seed,
        lowest=run.source["lowest"],
        highest=run.source["highest"],
        folder=trained.folder,
        files=dict(trained.files),
        metrics=dict(trained.metrics),
        false_accept=trained.false_accept,
        seen_sources=list(trained.seen_sources),
    )
    event_record(
        actor=None,
        study=run.snapshot.study if run.snapshot else None,
        verb="training_finished",
        target=run,
        scorer=scorer.version,
        seeds=len(run.seeds),
    )
    training_next()
    return scorer


@transaction.atomic
def training_stopped(*, run: TrainingRun) -> None:
    """The worker heeded the stop."""
    ended = {"state": WorkState.STOPPED, "device": "", "lease_until": None, "finished_at": timezone.now()}
    _held(run).update(**ended)
    training_next()
