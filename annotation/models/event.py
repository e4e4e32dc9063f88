"""The audit trail: who did what to what, when. Rows are added and never changed."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone


class Event(models.Model):
    """One change. ``details`` holds ids, counts and old/new settings; never a judged text.

    ``study`` keeps the number of a study that was deleted since (``study_id``; the row is not there
    any more): its trail outlives it, unchanged.
    """

    study = models.ForeignKey(
        "annotation.Study",
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        related_name="events",
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    verb = models.CharField(max_length=60)
    target_type = models.CharField(max_length=40, blank=True)
    target_id = models.CharField(max_length=64, blank=True)
    details = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    PARTS: ClassVar = ("lead_added", "lead_removed", "study_created", "annotator_removed")
    """The verbs that name in ``details`` who got or lost a part in a study."""

    class Meta:
        ordering: ClassVar = ["-pk"]
        indexes: ClassVar = [
            # Where a study came from, looked up on its overview, beside an event per submission.
            models.Index(
                fields=["study", "-id"],
                name="event_of_state",
                condition=models.Q(verb="study_state_changed"),
            ),
            # A few rows, asked for whenever somebody is given a part.
            models.Index(
                fields=["study"], condition=models.Q(verb="study_copied"), name="event_copies"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.target_type} {self.target_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("an audit event is never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("an audit event is never deleted")
