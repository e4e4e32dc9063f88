"""What follows from a guide's versions: who has read which, and which judgments an amendment sends
back."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.item import Assignment
from annotation.models.people import Annotator
from annotation.models.study import GuideVersion


class GuideAcknowledgement(models.Model):
    """An annotator's word that they have read a version of the guide."""

    annotator = models.ForeignKey(
        Annotator, on_delete=models.CASCADE, related_name="acknowledgements"
    )
    guide = models.ForeignKey(
        GuideVersion, on_delete=models.CASCADE, related_name="acknowledgements"
    )
    acknowledged_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["annotator", "guide"], name="guide_acknowledged_once"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} v{self.guide_id}"


class GuideStanding(NamedTuple):
    """The guide that an annotator judges by: the key of the version in force, None where there is
    none, and whether they have still to acknowledge it."""

    version: int | None
    is_due: bool


def with_guide(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """These, each with what ``guide_standing`` tells."""
    versions = GuideVersion.objects.filter(study=OuterRef("annotator__study")).order_by("-number")
    read = GuideAcknowledgement.objects.filter(
        annotator=OuterRef("annotator"), guide=OuterRef("guide_version")
    )
    return assignments.annotate(guide_version=Subquery(versions.values("pk")[:1])).annotate(
        is_guide_read=Exists(read)
    )


def guide_standing(assignment: Assignment) -> GuideStanding:
    """As it was when the assignment was read ``with_guide``; one query where it was read without.
    A model has nothing to acknowledge."""
    if not hasattr(assignment, "guide_version"):
        alike = Assignment.objects.filter(pk=assignment.pk).select_related("annotator")
        assignment = with_guide(alike).get()
    read: Any = assignment
    is_due = (
        read.guide_version is not None
        and not read.is_guide_read
        and assignment.annotator.kind == Annotator.Kind.PERSON
    )
    return GuideStanding(read.guide_version, is_due)


class RejudgeRequest(models.Model):
    """A submitted judgment that its annotator is asked to look at again. The next submission
    answers it; the former judgment stays in force until then, and in the history for good."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="rejudge_requests"
    )
    guide = models.ForeignKey(
        GuideVersion,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="in force then",
    )
    reason = models.TextField(_("reason"))
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(resolved_at__isnull=True),
                name="rejudge_request_one_open",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="rejudge_request_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id}"
