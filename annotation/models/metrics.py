"""What metrics say of texts, kept by content, and scores brought in from elsewhere."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.scorer import WorkState


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


class TableReport(models.Model):
    """A report on a table of human scores that somebody brought in, without a study; theirs alone.

    ``asked``: which column holds what, language, seed, draws and encoders. The table lies at
    ``input_path`` until the report is there, and goes then: the report holds figures and numbers of
    rows, no text. ``problems``: what was wrong with it, row by row, in both languages.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=200)
    asked = models.JSONField(default=dict)
    input_path = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=8, choices=WorkState, default=WorkState.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    problems = models.JSONField(default=list, blank=True)
    result = models.JSONField(default=dict, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="table_reports"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"table report {self.public_id} {self.state}"

    @property
    def is_unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WorkState.QUEUED, WorkState.RUNNING)
