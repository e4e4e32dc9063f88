"""Answers that a choice, or the return of a former version, put aside: the history of a draft."""

from __future__ import annotations

from typing import ClassVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from annotation.models.item import Assignment


class DraftVersion(models.Model):
    """What stood in a draft, or would have, and was decided against. New rows only: none is ever
    changed.

    Its annotator's alone: no lead, no export and no snapshot reads it. ``number`` names it to them;
    ``saved_at`` is when the answers were saved or typed, ``kept_at`` when they were put aside. For
    how long and how many are kept: ``services.judging.draft_versions``.
    """

    class Origin(models.TextChoices):
        OVERWRITTEN = "overwritten"
        """The server had it; its annotator chose another window's answers, or a mix."""
        REFUSED = "refused"
        """A window had it; its annotator chose what the server had, or a mix."""
        FOUND = "found"
        """A copy that was found on a computer, and that its annotator did not choose."""
        REPLACED = "replaced"
        """It stood there when a former version was brought back."""
        TAKEN_BACK = "taken_back"
        """It was submitted, and taken back a moment later."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="draft_versions"
    )
    number = models.PositiveIntegerField()
    answers = models.JSONField(encoder=DjangoJSONEncoder)
    origin = models.CharField(max_length=11, choices=Origin)
    saved_at = models.DateTimeField()
    kept_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar = ["assignment", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["assignment", "number"], name="draft_version_number_once"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    origin__in=["overwritten", "refused", "found", "replaced", "taken_back"]
                ),
                name="draft_version_origin",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} d{self.number}"
