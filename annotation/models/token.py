"""Keys of the programs that act for a person, and the answers that those programs may ask for
twice."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


def no_scopes() -> list[str]:
    return []


class ApiToken(models.Model):
    """A personal key for programs. Only its digest is stored: a stolen database opens nothing.

    ``scopes`` narrow what the key may do; what its owner may reach is decided by ``access`` as
    everywhere.
    """

    class Scope(models.TextChoices):
        READ = "read", _("read what you may read")
        JUDGE = "judge", _("save and submit your judgments")
        LEAD = "lead", _("run the studies that you lead")
        ADMIN = "admin", _("look after accounts")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(
        max_length=20, help_text="the start of the key, by which its owner tells it from others"
    )
    digest = models.CharField(
        max_length=64, unique=True, editable=False, help_text="SHA-256 of the key"
    )
    scopes = models.JSONField(default=no_scopes)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(name=""), name="api_token_has_name"),
            models.CheckConstraint(condition=~Q(digest=""), name="api_token_has_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def is_valid(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()


class IdempotencyRecord(models.Model):
    """The answer to a write that came with a key of its client's choice: asked again, it is given
    again.

    ``request_digest`` tells a repetition from another request under the same key. Written in the
    transaction of the write itself, so that neither is ever there without the other.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "key_digest"], name="idempotency_key_once_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.key_digest[:8]}"
