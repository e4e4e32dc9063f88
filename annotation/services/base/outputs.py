"""How many outputs of models wait for a decision, kept by whoever changes it. An output that comes
adds itself (``services/generation/calls.py``)."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from annotation.models import GenerationRun, Study
from annotation.selectors.base.outputs import undecided_outputs
from annotation.selectors.base.standings import Departure


def undecided_recount(run: GenerationRun) -> None:
    """Keep how many flagged outputs of the run wait for a decision. Whoever calls holds the run."""
    GenerationRun.objects.filter(pk=run.pk).update(undecided=undecided_outputs(run).count())


def undecided_recount_all(study: Study) -> None:
    """The same of the study's runs of which some waited: items were taken out, outputs with them.
    Whoever calls holds the study."""
    held = study.generation_runs.select_for_update(of=("self",)).filter(undecided__gt=0)
    for run in held.order_by("pk"):
        undecided_recount(run)


def undecided_check(*, rebuild: bool = False) -> Iterator[Departure]:
    """Where what is kept of runs departs from what is counted; with ``rebuild`` it is counted anew
    there."""
    for key in GenerationRun.objects.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            run = GenerationRun.objects.select_for_update(of=("self",)).filter(pk=key).first()
            counted = undecided_outputs(run).count() if run else 0
            kept = run.undecided if run else 0
            if run and kept != counted and rebuild:
                undecided_recount(run)
        if kept != counted:
            yield Departure(f"run {key}", (kept,), (counted,))
