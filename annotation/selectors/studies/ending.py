"""A study that is put away or deleted: what would go along, what stands in the way, and which are
gone."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, QuerySet, Sum

from annotation.models import (
    Annotator,
    Event,
    Generation,
    GenerationBatch,
    GenerationRun,
    Job,
    Judgment,
    Simplification,
    Study,
)
from annotation.selectors.base.saved import rounds_begun

DELETED = "study_deleted"


@dataclass(frozen=True)
class StudyContents:
    """What a study holds, as its deletion would take it along. The last three keep it from being
    deleted: judgments of anybody or any model, something saved and not submitted, a snapshot."""

    items: int
    simplifications: int
    documents: int
    annotators: int
    leads: int
    invitations: int
    guides: int
    terms: int
    runs: int
    spent: Decimal
    files: int
    judgments: int
    saved: bool
    snapshots: int

    @property
    def deletable(self) -> bool:
        """Whether nothing of it is lost that somebody has decided or published."""
        return not (self.judgments or self.saved or self.snapshots)


def study_contents(study: Study) -> StudyContents:
    """What is in the study now."""
    runs = study.generation_runs.aggregate(number=Count("pk"), spent=Sum("spent"))
    return StudyContents(
        items=study.items.count(),
        simplifications=Simplification.objects.filter(item__study=study).count(),
        documents=study.documents.count(),
        annotators=study.annotators.filter(kind=Annotator.Kind.PERSON).count(),
        leads=study.leads.count(),
        invitations=study.invitations.filter(
            accepted_at__isnull=True, revoked_at__isnull=True
        ).count(),
        guides=study.guides.count(),
        terms=study.glossary.count(),
        runs=runs["number"],
        spent=runs["spent"] or Decimal(0),
        files=study.uploads.filter(consumed_at__isnull=True).count()
        + study.jobs.exclude(result_path="").count(),
        # By its people's ids: PostgreSQL takes them to have judged as much as anybody else.
        judgments=Judgment.objects.filter(
            assignment__annotator__in=list(study.annotators.values_list("pk", flat=True))
        ).count(),
        saved=rounds_begun(study.annotators.all(), (True, False)),
        snapshots=study.snapshots.count(),
    )


def under_way(study: Study) -> bool:
    """Whether a model or a worker is at work for the study; also where its run was paused or
    cancelled, and calls that were made before are still awaited."""
    return (
        study.generation_runs.filter(state=GenerationRun.State.RUNNING).exists()
        or Generation.objects.filter(run__study=study, state=Generation.State.RUNNING).exists()
        or GenerationBatch.objects.filter(run__study=study)
        .exclude(state=GenerationBatch.State.ENDED)
        .exists()
        or study.jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists()
    )


def deletions() -> QuerySet[Event]:
    """The deletions of studies, the newest first; ``study_id`` is the number that each had."""
    return Event.objects.filter(verb=DELETED).select_related("actor").order_by("-pk")


def trail_of_deleted(number: int) -> QuerySet[Event]:
    """What was done in a study that is gone, the newest first; nothing where none was deleted."""
    if not deletions().filter(study_id=number).exists():
        return Event.objects.none()
    # Not with the study: it is not there, and joined to it nothing would be.
    return Event.objects.filter(study_id=number).select_related("actor").order_by("-pk")
