"""Trainings that nobody presses a button for: when a newer snapshot holds enough new judgments. Off
until an admin sets it; one at a time; what comes of it is promoted by a person or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import DatasetSnapshot, TrainingRun, TrainingSchedule, User, WorkState
from annotation.protocols.base import Wording
from annotation.scoring.errors import ScoringError
from annotation.scoring.splits import SEEDS
from annotation.services.platform.events import event_record
from annotation.services.scoring.sources import set_of_snapshot
from annotation.services.scoring.training import (
    TrainingSpec,
    new_judgments,
    training_check,
    training_request,
    training_size_check,
)

MOST_JUDGMENTS = 1_000_000


@dataclass(frozen=True)
class Waiting:
    """A study's newest snapshot. ``new``: judgments that it holds and the last training had not;
    ``unfrozen``: those submitted since it was frozen. ``refusal``: why it could not be trained on,
    None where nothing is known of that."""

    snapshot: DatasetSnapshot
    new: int
    unfrozen: int
    refusal: Wording | None


def training_schedule() -> TrainingSchedule:
    """The schedule; an unsaved one that is off, where nobody has ever set it."""
    return TrainingSchedule.objects.select_related("changed_by").first() or TrainingSchedule(
        seeds=list(SEEDS)
    )


@transaction.atomic
def training_schedule_set(
    *, actor: User, threshold: int | None, backend: str, seeds: Sequence[int], augment: bool
) -> TrainingSchedule:
    """Train by itself after ``threshold`` new judgments, or not at all (None). What was refused is
    tried again.

    Raises ``RuleError`` for a threshold outside 1…MOST_JUDGMENTS, a backend that there is not, or
    seeds that are none.
    """
    training_check(backend, seeds)
    if threshold is not None and not 1 <= threshold <= MOST_JUDGMENTS:
        raise RuleError.single(
            "threshold",
            "off_limits",
            (
                f"Donnez un nombre de 1 à {MOST_JUDGMENTS}, ou rien pour ne pas entraîner "
                "automatiquement."
            ),
            (
                f"Give a number from 1 to {MOST_JUDGMENTS}, or nothing in order not to train by "
                "itself."
            ),
        )
    TrainingSchedule.objects.get_or_create(only=True, defaults={"seeds": list(SEEDS)})
    schedule = TrainingSchedule.objects.select_for_update().get()
    before = _facts(schedule)
    schedule.threshold, schedule.backend, schedule.augment = threshold, backend, augment
    schedule.seeds, schedule.refusals = list(seeds), {}
    schedule.changed_by, schedule.changed_at = actor, timezone.now()
    schedule.save()
    event_record(
        actor=actor,
        verb="training_schedule_set",
        target=schedule,
        before=before,
        after=_facts(schedule),
    )
    return schedule


def snapshots_waiting() -> list[Waiting]:
    """Every study's newest snapshot, the one with the most new judgments first. Demonstrations are
    left out, as what they hold is invented, and so are archived studies."""
    newest = (
        DatasetSnapshot.objects.filter(study__is_demo=False, study__archived_at__isnull=True)
        .values("study")
        .annotate(newest=Max("number"))
        .values_list("study", "newest")
    )
    refusals = training_schedule().refusals
    candidates = []
    for study, number in newest:
        snapshot = DatasetSnapshot.objects.select_related("study").get(study=study, number=number)
        known = refusals.get(str(snapshot.pk))
        candidates.append(
            Waiting(
                snapshot=snapshot,
                new=_new(snapshot),
                unfrozen=new_judgments(snapshot, study=snapshot.study),
                refusal=Wording(known["fr"], known["en"]) if known else None,
            )
        )
    return sorted(candidates, key=lambda candidate: (-candidate.new, candidate.snapshot.pk))


def training_schedule_run() -> TrainingRun | None:
    """Ask for the training that is due, if one is and none waits or runs. For the sweep."""
    if not TrainingSchedule.objects.filter(threshold__isnull=False).exists():
        return None
    with transaction.atomic():
        # Of two sweeps at once the second waits, and then finds the run of the first.
        schedule = TrainingSchedule.objects.select_for_update().get()
        if schedule.threshold is None or _is_busy():
            return None
        for candidate in snapshots_waiting():
            if candidate.new < schedule.threshold:
                return None
            if candidate.refusal is None:
                return _training_of(schedule, candidate)
    return None


def _training_of(schedule: TrainingSchedule, waiting: Waiting) -> TrainingRun | None:
    """The run; None where the snapshot cannot be trained on, which is then written down."""
    snapshot = waiting.snapshot
    spec = TrainingSpec(schedule.backend, schedule.seeds, schedule.augment)
    try:
        data = set_of_snapshot(snapshot)
        training_size_check(data, spec)
    except ScoringError as error:
        problem = {"code": error.code, "fr": error.message.fr, "en": error.message.en}
        schedule.refusals = {**schedule.refusals, str(snapshot.pk): problem}
        schedule.save(update_fields=["refusals"])
        event_record(
            actor=None,
            study=snapshot.study,
            verb="training_not_started",
            target=snapshot,
            problem=error.code,
        )
        return None
    run = training_request(actor=None, data=data, spec=spec, snapshot=snapshot)
    event_record(
        actor=None,
        study=snapshot.study,
        verb="training_due",
        target=run,
        snapshot=snapshot.name,
        new_judgments=waiting.new,
        threshold=schedule.threshold,
    )
    return run


def _new(snapshot: DatasetSnapshot) -> int:
    """Judgments of this snapshot that no training has had. One that failed counts as having had
    them: whatever made it fail would do so again; an admin who has mended it lets it go on."""
    runs = TrainingRun.objects.select_related("snapshot").filter(snapshot__study=snapshot.study)
    last = runs.order_by("-snapshot__number").first()
    if last is None:
        return new_judgments(None, snapshot, study=snapshot.study)
    return new_judgments(last.snapshot, snapshot, study=snapshot.study)


def _is_busy() -> bool:
    return TrainingRun.objects.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING]).exists()


def _facts(schedule: TrainingSchedule) -> dict[str, Any]:
    return {
        "threshold": schedule.threshold,
        "backend": schedule.backend,
        "seeds": len(schedule.seeds),
        "augment": schedule.augment,
    }
