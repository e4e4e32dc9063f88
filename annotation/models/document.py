"""A source document, from which a study's items are drawn."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.study import Study


def nothing() -> dict[str, Any]:
    return {}


def document_path(document: SourceDocument, name: str) -> str:
    """Where the file lies: a name of our own, because the uploader's may hold anything."""
    return f"documents/{document.pk}"


class SourceDocument(models.Model):
    """A text that a lead brought, how its blocks are chosen, and what was drawn of it.

    The text is read once and kept: a newer PDF library must not move the blocks of a study.
    ``criteria`` and ``overrides`` are the funnel's settings; ``draw`` is empty until items were
    drawn, and settles both.
    """

    class Kind(models.TextChoices):
        TXT = "txt", ".txt"
        DOCX = "docx", ".docx"
        PDF = "pdf", ".pdf"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=4, choices=Kind)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    file = models.FileField(upload_to=document_path)
    encoding = models.CharField(max_length=20, blank=True)
    pages = models.PositiveIntegerField(null=True, blank=True)
    note_fr = models.TextField(blank=True, help_text="what to check of how the file was read")
    note_en = models.TextField(blank=True)
    text = models.TextField()
    hints = models.JSONField(
        default=nothing, help_text="what the file says of a line, by number from 0"
    )
    page_starts = models.JSONField(default=list, help_text="offset of each page's first character")
    criteria = models.JSONField(default=nothing)
    overrides = models.JSONField(default=nothing, help_text="by block key: keep, reason, actor, at")
    draw = models.JSONField(
        default=nothing, help_text="seed, numbers asked for, item keys by block key"
    )
    drawn_at = models.DateTimeField(null=True, blank=True)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    uploaded_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["uploaded_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "sha256"], name="document_once_per_study"),
            models.CheckConstraint(
                condition=Q(kind__in=["txt", "docx", "pdf"]), name="document_kind"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="document_has_text"),
        ]

    def __str__(self) -> str:
        return self.name
