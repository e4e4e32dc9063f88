"""What metrics say of texts, kept by content, and scores brought in from elsewhere."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class KeptReadings(models.Model):
    """What metrics say of one pair of texts with its references, whichever study it stands in.

    ``content``: SHA-256 over the texts and their language; no text is kept. ``readings``: by a
    metric's signature, its value or the code of why there is none.
    """

    content = models.CharField(max_length=64, unique=True)
    readings = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.content[:12]


class BroughtMetric(models.Model):
    """Scores of a study's simplifications that were computed elsewhere. ``note``: with which model,
    version and settings, which is all the signature that they have; ``sha256`` of the scores."""

    class Direction(models.IntegerChoices):
        HIGHER = 1, _("higher is better")
        LOWER = -1, _("lower is better")

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.CASCADE, related_name="brought_metrics"
    )
    name = models.CharField(max_length=60)
    direction = models.SmallIntegerField(choices=Direction, default=Direction.HIGHER)
    lowest = models.FloatField(null=True, blank=True)
    highest = models.FloatField(null=True, blank=True)
    note = models.CharField(max_length=300, blank=True)
    sha256 = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    brought_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "name"], name="brought_metric_once_per_study"),
            models.CheckConstraint(
                condition=Q(lowest__isnull=True, highest__isnull=True) | Q(lowest__lt=F("highest")),
                name="brought_metric_range",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class BroughtScore(models.Model):
    """One of them."""

    metric = models.ForeignKey(BroughtMetric, on_delete=models.CASCADE, related_name="scores")
    simplification = models.ForeignKey(
        "annotation.Simplification", on_delete=models.CASCADE, related_name="brought_scores"
    )
    value = models.FloatField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["metric", "simplification"], name="brought_score_once_per_pair"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric_id} {self.simplification_id} {self.value:g}"
