"""Work that a worker does. The row is the truth; a lost message costs a delay, never the work."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Job(models.Model):
    """A piece of background work with its progress and its outcome."""

    class Kind(models.TextChoices):
        EXPORT = "export", _("export")
        FREEZE = "freeze", _("snapshot")
        RELEASE = "release", _("release")
        READING = "reading", _("reading of a file")
        MODELS = "models", _("annotators modelled")
        METRICS = "metrics", _("report on metrics")
        MARKS = "marks", _("report on marks")

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey("annotation.Study", on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=10, choices=Kind)
    parameters = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    problem = models.TextField(blank=True)
    result = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    result_name = models.CharField(max_length=200, blank=True)
    result_path = models.CharField(max_length=500, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-pk"]
        indexes: ClassVar = [
            models.Index(
                fields=["state", "lease_until"], name="job_unfinished", condition=~Q(state="done")
            )
        ]
        constraints: ClassVar = [
            # One file of a person at a time, in the queue as well.
            models.UniqueConstraint(
                fields=["requested_by"],
                name="one_reading_per_person",
                condition=Q(kind="reading", state__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id} {self.state}"
