"""Training runs, the scorers that came of them, and who put which one into service, with what
reason."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.snapshot import DatasetSnapshot


class Backend(models.TextChoices):
    """How a scorer works inside."""

    LEXICAL = "lexical", _("lexical")
    TRANSFORMER = "transformer", _("transformer")


class WorkState(models.TextChoices):
    """Of a training run and of a scoring job."""

    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    STOPPED = "stopped", _("stopped")


class TrainingRun(models.Model):
    """One training: frozen data in, a report and at most one scorer out.

    ``source``: name, target, digest and counts of the data, which lie in the storage at
    ``data_path``. ``device`` is set while the run is running: no device has two. ``losses``: by
    seed, {"training": [...], "validation": [...]}, one value per epoch. ``problem``: {"code", "fr",
    "en"} of a failure.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    snapshot = models.ForeignKey(
        DatasetSnapshot, on_delete=models.PROTECT, null=True, related_name="training_runs"
    )
    source = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    data_path = models.CharField(max_length=300)
    data_sha256 = models.CharField(max_length=64)
    corpus_path = models.CharField(max_length=300, blank=True)
    backend = models.CharField(_("kind"), max_length=12, choices=Backend)
    parameters = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    seeds = models.JSONField(default=list)
    repeats = models.PositiveSmallIntegerField(default=0)
    preset = models.CharField(max_length=20, blank=True)
    augment = models.BooleanField(_("data augmentation"), default=False)
    state = models.CharField(max_length=8, choices=WorkState, default=WorkState.QUEUED)
    stop_requested = models.BooleanField(default=False)
    device = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    progress = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    losses = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    log = models.JSONField(default=list, encoder=DjangoJSONEncoder)
    problem = models.JSONField(default=dict, blank=True)
    report = models.JSONField(default=dict, blank=True, encoder=DjangoJSONEncoder)
    files = models.JSONField(default=dict, blank=True)
    code_version = models.CharField(max_length=64, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["device"],
                condition=Q(state="running"),
                name="training_one_at_a_time_per_device",
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | ~Q(device=""), name="training_running_has_device"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["state", "lease_until"],
                name="training_unfinished",
                condition=Q(state__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"training {self.public_id} {self.state}"

    @property
    def is_unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WorkState.QUEUED, WorkState.RUNNING)


class TrainingSchedule(models.Model):
    """When trainings are asked for by themselves: one row, or none where nobody has ever set it.

    ``threshold``: how many new judgments a newer snapshot must hold; None is off. ``refusals``: by
    snapshot id, why it could not be trained on, {"code", "fr", "en"}; it is not tried again before
    the schedule is set anew.
    """

    only = models.BooleanField(default=True, unique=True, editable=False)
    threshold = models.PositiveIntegerField(_("new judgments"), null=True, blank=True)
    backend = models.CharField(_("kind"), max_length=12, choices=Backend, default=Backend.LEXICAL)
    seeds = models.JSONField(default=list)
    augment = models.BooleanField(_("data augmentation"), default=False)
    refusals = models.JSONField(default=dict, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(only=True), name="training_schedule_one_row"),
            models.CheckConstraint(
                condition=Q(threshold__isnull=True) | Q(threshold__gte=1),
                name="training_schedule_threshold_from_one",
            ),
        ]

    def __str__(self) -> str:
        return "off" if self.threshold is None else f"after {self.threshold} judgments"


class Scorer(models.Model):
    """A trained scorer: never changed once made, except for whether it is in service.

    Its files lie in the storage under ``folder``; ``files`` holds size and SHA-256 of each.
    ``metrics``: of the repeated cross-validation of its making (see ``scoring.cross_validation``);
    ``interval``: that of each score (``scoring.conformal``), empty in scorers of before.
    ``seen_sources``: keys of the source texts that it learned from (see
    ``scoring.splits.source_key``). ``false_accept``: of the probe, 0–1.
    """

    training_run = models.OneToOneField(
        TrainingRun, on_delete=models.PROTECT, related_name="scorer"
    )
    version = models.PositiveIntegerField(unique=True)
    target = models.CharField(max_length=60)
    backend = models.CharField(max_length=12, choices=Backend)
    seed = models.BigIntegerField()
    lowest = models.FloatField()
    highest = models.FloatField()
    folder = models.CharField(max_length=300)
    files = models.JSONField(default=dict)
    metrics = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    interval = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    false_accept = models.FloatField(null=True, blank=True)
    seen_sources = models.JSONField(default=list)
    promoted_at = models.DateTimeField(null=True, blank=True)
    promoted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    promoted_reason = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-version"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["target"],
                condition=Q(promoted_at__isnull=False),
                name="scorer_one_in_service_per_target",
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="scorer_version_from_one"),
            models.CheckConstraint(
                condition=Q(promoted_at__isnull=True) | ~Q(promoted_reason=""),
                name="scorer_promoted_with_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"v{self.version}"

    @property
    def is_in_service(self) -> bool:
        """Whether this is the one that scores for its target."""
        return self.promoted_at is not None


class ScorerPromotion(models.Model):
    """One change of the scorer in service. ``scorer`` is None where a revert left none; rows are
    never changed."""

    class Kind(models.TextChoices):
        PROMOTE = "promote", _("promotion")
        REVERT = "revert", _("return to the former one")

    target = models.CharField(max_length=60)
    kind = models.CharField(max_length=8, choices=Kind)
    scorer = models.ForeignKey(
        Scorer, on_delete=models.PROTECT, null=True, related_name="promotions"
    )
    replaced = models.ForeignKey(Scorer, on_delete=models.PROTECT, null=True, related_name="+")
    decision = models.JSONField(default=dict)
    reason = models.TextField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(reason=""), name="promotion_has_reason")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"


class ScoringJob(models.Model):
    """Pairs to be scored by a worker: those of ``pairs``, or of the stored file at ``input_path``.

    ``results``: a list as long as ``pairs``; of a file, ``result_path`` holds them. ``study``:
    whose simplifications they are, each pair's "unit" naming one; None for pairs of anywhere else.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    scorer = models.ForeignKey(Scorer, on_delete=models.PROTECT, related_name="jobs")
    study = models.ForeignKey(
        "annotation.Study",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="scoring_jobs",
    )
    pairs = models.JSONField(default=list)
    input_name = models.CharField(max_length=200, blank=True)
    input_path = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=8, choices=WorkState, default=WorkState.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    problem = models.JSONField(default=dict, blank=True)
    results = models.JSONField(default=list, blank=True)
    result_path = models.CharField(max_length=300, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"scoring {self.public_id} {self.state}"

    @property
    def is_unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WorkState.QUEUED, WorkState.RUNNING)
