"""Backups that the installation makes by itself."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class BackupRun(models.Model):
    """One that was due: ordered by the sweep, made by a worker.

    ``name``: of its file, in the folder of backups. ``problem``: why there is none, or what was not
    as it should be; ``detail``: what the system said of it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    class Problem(models.TextChoices):
        NONE = "", ""
        DISK_FULL = "disk_full", _("The disk is full: no backup was made. Make room.")
        DISK = (
            "disk",
            _("The folder of backups could not be written to: no backup was made."),
        )
        REFUSED = "refused", _("No backup was made.")
        WORKER_LOST = (
            "worker_lost",
            _("The worker that made it ended twice in the middle: no backup was made."),
        )
        DEFECT = "defect", _("Something broke: no backup was made. The log has more.")
        NOT_PRUNED = (
            "not_pruned",
            _("It was made, and older ones could not be removed from its folder."),
        )

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    only = models.BooleanField(default=True, editable=False)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    name = models.CharField(max_length=100, blank=True)
    problem = models.CharField(max_length=12, choices=Problem, blank=True, default="")
    detail = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            # Of any number of sweeps one orders it, and there are never two at once.
            models.UniqueConstraint(
                fields=["only"],
                name="one_backup_at_a_time",
                condition=Q(state__in=["queued", "running"]),
            ),
            models.CheckConstraint(condition=Q(only=True), name="backup_run_only"),
        ]

    def __str__(self) -> str:
        return f"backup {self.public_id} {self.state}"
