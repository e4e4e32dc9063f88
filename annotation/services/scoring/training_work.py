"""What a worker tells of the training that it carries out: claimed, alive, how far, done. Nothing
is half made."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import draining
from annotation.leasing import Outcome, State, next_state
from annotation.models import Scorer, TrainingRun
from annotation.protocols.base import Wording
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import MESSAGE_LOST_AFTER, Heartbeat
from annotation.services.platform.stored_files import StoredFile
from annotation.services.scoring.training import TRAININGS, training_next

_MOST_LOG = 500


class StopRequested(Exception):
    """An admin asked for the training to end."""


class WorkerEnds(Exception):
    """The worker was told to end."""


@dataclass(frozen=True)
class Trained:
    """A scorer as a worker made it: its files are in the storage already."""

    seed: int
    folder: str
    files: Mapping[str, StoredFile]
    metrics: Mapping[str, Any]
    interval: Mapping[str, Any]
    false_accept: float | None
    seen_sources: Sequence[str]


def training_claim(public_id: uuid.UUID, device: str, code_version: str) -> TrainingRun | None:
    """Take the run, if it waits or its worker is dead, and if no other trains on this device; else
    None."""
    columns = {
        "device": device,
        "started_at": timezone.now(),
        "code_version": code_version,
        "problem": {},
    }
    try:
        with transaction.atomic():
            return TRAININGS.claim(public_id, **columns)
    except IntegrityError:
        # The database knows one running training per device. This one waits; whoever ends asks for
        # it.
        return None


def training_give_back(*, run: TrainingRun) -> bool:
    """Let a run wait again whose process is known to be dead, before its lease lapses. False where
    it went on in the meantime, or has cost too many processes their lives: that is for the
    sweep."""
    if next_state(Outcome.LOST, attempts=run.attempt, most=TRAININGS.most_attempts) == State.FAILED:
        return False
    return TRAININGS.move(TRAININGS.mine(run), State.WAITING, lease_until=TRAININGS.ordered_until())


@dataclass
class _PageFacts:
    """What the page shows; written by the training's thread, read by the heartbeat's."""

    progress: dict[str, Any] = field(default_factory=dict)
    losses: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    log: list[dict[str, str]] = field(default_factory=list)


class TrainingHeartbeat(Heartbeat[TrainingRun]):
    """Tells how far a run is, and hears whether it should end."""

    def __init__(self, run: TrainingRun) -> None:
        super().__init__(TRAININGS, run)
        self._facts = _PageFacts(dict(run.progress), dict(run.losses), list(run.log))
        self._lock = threading.Lock()
        self._stop = False

    def __enter__(self) -> TrainingHeartbeat:
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        # In the caller's thread, so that what was told last is there whatever comes next.
        self._beat()

    def check(self) -> None:
        """Raises ``LeaseLost``, ``StopRequested`` or ``WorkerEnds`` where the training should not
        go on. Cheap: ask at every batch."""
        super().check()
        if self._stop:
            raise StopRequested
        if draining.has_begun():
            raise WorkerEnds

    def columns(self) -> dict[str, Any]:
        with self._lock:
            return {
                "progress": dict(self._facts.progress),
                "losses": dict(self._facts.losses),
                "log": self._facts.log,
            }

    def progress(self, **facts: Any) -> None:
        """Where it is: seed, epoch, seeds done."""
        with self._lock:
            self._facts.progress.update(facts)

    def losses(self, name: str, training: Sequence[float], validation: Sequence[float]) -> None:
        """All losses of a seed so far."""
        with self._lock:
            self._facts.losses[name] = {
                "training": list(training),
                "validation": list(validation),
            }

    def epoch(self, name: str, number: int, training: float, validation: float) -> None:
        """An epoch as it ended. Told again after a resume, it stands where it stood."""
        with self._lock:
            self._facts.progress["epoch"] = number
            known = self._facts.losses.get(name, {"training": [], "validation": []})
            self._facts.losses[name] = {
                name: [*known[name][: number - 1], loss]
                for name, loss in (("training", training), ("validation", validation))
            }

    def say(self, words: Wording) -> None:
        """A line of the log."""
        with self._lock:
            at = timezone.now().isoformat(timespec="seconds")
            self._facts.log = [*self._facts.log, {"at": at, "fr": words.fr, "en": words.en}][
                -_MOST_LOG:
            ]

    def _renewed(self) -> bool:
        alive = super()._renewed()
        self._stop = TRAININGS.mine(self._row).filter(stop_requested=True).exists()
        return alive


@transaction.atomic
def training_finish(
    *,
    run: TrainingRun,
    report: Mapping[str, Any],
    files: Mapping[str, StoredFile],
    trained: Trained,
) -> Scorer:
    """Record report and scorer together. Raises ``LeaseLost`` where another worker has the run by
    now."""
    TRAININGS.finish(run, report=dict(report), files=dict(files))
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
        interval=dict(trained.interval),
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
    TRAININGS.end(run, Outcome.STOPPED)
    training_next()


@transaction.atomic
def training_put_off(*, run: TrainingRun) -> None:
    """The worker was told to end, as whoever stops or replaces it does: that is no attempt which
    failed, and another goes on."""
    if TRAININGS.put_off(run, MESSAGE_LOST_AFTER):
        training_next()
