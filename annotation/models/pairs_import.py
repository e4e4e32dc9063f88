"""What was brought in at once: the record by which an import can be looked at and undone."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class PairsImport(models.Model):
    """One import of pairs into a study, perhaps with their judgments. What it made points to it
    (``Item.brought_by``, ``Simplification.brought_by``); the counts are of what it made then.

    ``name``: of the file, as whoever sent it called it; empty where none was sent.
    """

    class Kind(models.TextChoices):
        PAIRS = "pairs", _("pairs")
        FRJUDGE = "frjudge", _("the FrJUDGE file, with its judgments")
        RELEASED = "released", _("released scores")
        JUDGMENTS = "judgments", _("judgments made elsewhere")
        COPY = "copy", _("copied from another study")

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.CASCADE, related_name="pairs_imports"
    )
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.PAIRS)
    name = models.CharField(max_length=200, blank=True, default="")
    round = models.CharField(max_length=8, default="main")
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    rows = models.PositiveIntegerField(default=0)
    item_count = models.PositiveIntegerField(default=0)
    simplification_count = models.PositiveIntegerField(default=0)
    judgment_count = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    undone_at = models.DateTimeField(null=True, blank=True, editable=False)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=["pairs", "frjudge", "released", "judgments", "copy"]),
                name="pairs_import_kind",
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.pk}"
