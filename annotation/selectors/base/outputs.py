"""What models wrote: which output is in force, and which wait for a decision."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet

from annotation.models import GenerationRun, Output


def newest_outputs(run: GenerationRun) -> QuerySet[Output]:
    """The output in force of each generation that has one."""
    newest = (
        Output.objects.filter(generation=OuterRef("generation"))
        .order_by("-number")
        .values("pk")[:1]
    )
    return Output.objects.filter(generation__run=run, pk=newest)


def undecided_outputs(run: GenerationRun) -> QuerySet[Output]:
    """Flagged outputs in force (cut off, in another language, …) about which nobody has decided;
    ``GenerationRun.undecided`` keeps how many."""
    return newest_outputs(run).exclude(flags=[]).filter(decision=Output.Decision.NONE)
