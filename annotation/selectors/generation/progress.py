"""How far a run is, how fast it goes and what was marked in its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.utils import timezone

from annotation.models import (
    GenerationCall,
    GenerationRun,
    Output,
)
from annotation.selectors.base.outputs import newest_outputs

RATE_WINDOW = timedelta(minutes=2)


_UNCOUNTED = Q(prompt_tokens__isnull=True) | Q(completion_tokens__isnull=True)


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``rate`` is outputs per minute over the last two; ``remaining_seconds``
    follows from it. ``uncounted``: calls that are paid for as the most that they may have cost,
    since nobody counted their tokens."""

    by_state: Mapping[str, int]
    total: int
    done: int
    failed: int
    waiting: int
    running: int
    spent: Decimal
    ceiling: Decimal
    calls: int
    prompt_tokens: int
    completion_tokens: int
    uncounted: int
    rate: float | None
    remaining_seconds: int | None
    flagged: int
    undecided: int


def run_progress(run: GenerationRun) -> Progress:
    """Counts, costs and pace of a run as they stand in the database."""
    states: dict[str, int] = dict(
        run.generations.values_list("state")
        .annotate(number=Count("pk"))
        .values_list("state", "number")
    )
    calls = GenerationCall.objects.filter(generation__run=run).aggregate(
        number=Count("pk"),
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        uncounted=Count("pk", filter=_UNCOUNTED & Q(cost__gt=0)),
    )
    total = sum(states.values())
    done = states.get("done", 0)
    failed, cancelled = states.get("failed", 0), states.get("cancelled", 0)
    rate = _rate(run)
    left = total - done - failed - cancelled
    active = run.state == GenerationRun.State.RUNNING
    outputs = newest_outputs(run)
    flagged = outputs.exclude(flags=[])
    return Progress(
        by_state=states,
        total=total,
        done=done,
        failed=failed,
        waiting=states.get("waiting", 0),
        running=states.get("running", 0),
        spent=run.spent,
        ceiling=run.ceiling,
        calls=calls["number"],
        prompt_tokens=calls["prompt"] or 0,
        completion_tokens=calls["completion"] or 0,
        uncounted=calls["uncounted"],
        rate=rate,
        remaining_seconds=round(left / rate * 60) if active and rate and left else None,
        flagged=flagged.count(),
        undecided=flagged.filter(decision=Output.Decision.NONE).count(),
    )


def _rate(run: GenerationRun) -> float | None:
    since = timezone.now() - RATE_WINDOW
    begun = max(since, run.started_at) if run.started_at else since
    recent = Output.objects.filter(generation__run=run, created_at__gte=begun)
    number = recent.count()
    if not number:
        return None
    return number / max((_end(run) - begun).total_seconds(), 1.0) * 60


def _end(run: GenerationRun) -> datetime:
    return (
        run.finished_at
        if run.finished_at and run.state == GenerationRun.State.FINISHED
        else timezone.now()
    )


def flag_counts(run: GenerationRun) -> dict[str, dict[str, int]]:
    """Of the outputs in force: flag -> decision -> how many. An output with two flags counts under
    both."""
    counts: dict[str, dict[str, int]] = {}
    for flags, decision in newest_outputs(run).exclude(flags=[]).values_list("flags", "decision"):
        for flag in flags:
            of_flag = counts.setdefault(flag, {})
            of_flag[decision or "none"] = of_flag.get(decision or "none", 0) + 1
    return counts
