"""What each protocol that was ever published here asks, as data: its studies stay readable without
it (``descriptions``). And those that somebody is composing."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone


class PublishedProtocol(models.Model):
    """A protocol as it stood when the database was last migrated with it installed. ``file``: what
    its file said then; empty where it is a module.

    ``installed_at``: since when it is one that somebody has installed on the pages, None where
    whoever runs Barème has. ``removed_at``: since when it is not to be judged by any more. Its name
    is never given to another one: what pages keep of it goes by that.
    """

    key = models.CharField(max_length=40)
    version = models.CharField(max_length=10)
    description = models.JSONField(encoder=DjangoJSONEncoder)
    file = models.TextField(blank=True, default="", db_default="")
    installed_at = models.DateTimeField(null=True, blank=True)
    installed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="installed_protocols",
    )
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["key", "version"], name="protocol_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.version}"


class ProtocolDraft(models.Model):
    """A protocol that somebody is composing: a file (``protocols/files.py``) that may say nothing
    yet, or something wrong; theirs alone, and nobody judges by it before it is installed.

    ``name`` and ``title``: what the file called it when that could last be read. ``original``,
    ``simplification``: the pair that it is tried on; empty for the one that comes with Barème.
    ``revision`` counts its saves, so that no window overwrites what it has not seen.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="protocol_drafts"
    )
    name = models.CharField(max_length=60, blank=True)
    title = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    original = models.TextField(blank=True)
    simplification = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-changed_at", "-pk"]

    def __str__(self) -> str:
        return f"protocol draft {self.public_id} v{self.revision}"
