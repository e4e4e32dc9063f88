"""A file of pairs between its upload and its import."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


def no_choices() -> dict[str, Any]:
    return {}


def upload_path(upload: PairsUpload, name: str) -> str:
    """Where the file lies: a name of our own, because the uploader's may hold anything."""
    return f"uploads/{upload.pk}"


class PairsUpload(models.Model):
    """A file that a lead has sent and not confirmed yet; the file itself goes once it is imported.

    ``choices`` holds what the lead chose about reading it, as the mapping form posts it; what they
    left open is detected again at each reading.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey("annotation.Study", on_delete=models.CASCADE, related_name="uploads")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    name = models.CharField(max_length=200)
    file = models.FileField(upload_to=upload_path)
    size = models.PositiveBigIntegerField()
    choices = models.JSONField(default=no_choices)
    reading = models.OneToOneField(
        "annotation.Job", on_delete=models.SET_NULL, null=True, related_name="upload"
    )
    """What a worker read of it, where that takes too long for a page; under the choices that the
    job names."""
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    consumed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return self.name
