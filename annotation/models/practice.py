"""The practice round as an object: its meeting, and what the lead says about each pair. None of it
is data."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.item import Simplification
from annotation.models.study import Study


class PracticeMeeting(models.Model):
    """A meeting about the practice round: from its opening on everybody's practice answers stand
    side by side."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="meetings")
    opened_at = models.DateTimeField(default=timezone.now)
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    shows_names = models.BooleanField(_("names on the screen"), default=False)
    reason = models.TextField(
        blank=True, help_text="why it was opened before everybody had submitted"
    )
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(closed_at__isnull=True),
                name="practice_meeting_one_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study_id} {self.opened_at:%Y-%m-%d}"


class PracticeNote(models.Model):
    """The lead's words on one practice pair, and the judgment to compare with, where there is one.

    Annotators read it once it is published; what is changed after that is published as it is saved.
    """

    simplification = models.OneToOneField(
        Simplification, on_delete=models.CASCADE, related_name="practice_note"
    )
    note = models.TextField(_("note (Markdown)"), blank=True)
    reference = models.JSONField(null=True, blank=True, encoder=DjangoJSONEncoder)
    updated_at = models.DateTimeField(default=timezone.now)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    published_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.simplification_id}"

    @property
    def version(self) -> str:
        """Names what was saved last: another save has another name."""
        return self.updated_at.isoformat()
