"""What an annotator writes down for themselves."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from annotation.models.item import Assignment


class PrivateNote(models.Model):
    """An annotator's own note on one of their pairs. Nobody else reads it: it is in no export and
    no release, and goes with the account. ``revision`` counts its saves, so that no window
    overwrites what it has not seen."""

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="private_note"
    )
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.assignment_id} v{self.revision}"
