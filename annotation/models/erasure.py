"""What somebody asked to have forgotten, what was decided, and what was done: without a word of who
it was."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


def nothing_done() -> dict[str, Any]:
    return {}


class ErasureRequest(models.Model):
    """A person's wish that their account be erased. ``user`` outlives it as a row without identity.

    ``places``: what was decided by hand about mentions of them, by the key of the place (see
    ``selectors.privacy.erasure_places``): {"take", "reason", "stamp"}. No text in which they
    are mentioned stands in it.

    ``running`` is the state inside the one transaction that erases, and is never committed: it is
    what the triggers on the audit trail look for (see ``triggers``).
    """

    class State(models.TextChoices):
        OPEN = "open", _("waits for a decision")
        RUNNING = "running", _("being carried out")
        GRANTED = "granted", _("carried out")
        REFUSED = "refused", _("refused")
        CANCELLED = "cancelled", _("taken back")

    class Judgments(models.TextChoices):
        KEEP = "keep", _("stay in the data under the pseudonym")
        LEAVE_OUT = "leave_out", _("are left out of every later release")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="erasure_requests"
    )
    wish = models.CharField(_("my judgments"), max_length=9, choices=Judgments)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decision = models.CharField(max_length=9, choices=Judgments, blank=True)
    reason = models.TextField(blank=True)
    places = models.JSONField(default=nothing_done, blank=True, encoder=DjangoJSONEncoder)
    statement = models.JSONField(default=nothing_done, blank=True, encoder=DjangoJSONEncoder)

    unlisted = ""
    """The line that the list of erasures lacks, because it could not be written: not stored, it is
    for whoever has just granted the request (``services.privacy.erasure_list``)."""
    unlisted_in: tuple[str, ...] = ()
    """Where it is lacking: the file, that of the storage, or both."""

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(state="open"), name="erasure_request_one_open"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "running", "granted", "refused", "cancelled"]),
                name="erasure_request_state",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["granted", "refused"])
                | (Q(decided_at__isnull=False) & ~Q(reason="")),
                name="erasure_request_decided_with_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.state}"
