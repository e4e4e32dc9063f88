"""Outputs of models: who is asked what, each call, each output, and what became of it.

A ``Generation`` is one system × one item: the unit of work, and the row that decides who works on
it. Everything that a worker does begins with a conditional UPDATE of it and ends with another, so
that a message that comes twice, late or never costs time and nothing else.
"""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any, ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.item import Item, Simplification
from annotation.models.people import Annotator
from annotation.models.study import Study, new_seed

_USD: dict[str, Any] = {"max_digits": 14, "decimal_places": 6}


class GenerationRun(models.Model):
    """Systems asked about the items of a study, within a ceiling of costs."""

    class Purpose(models.TextChoices):
        SIMPLIFY = "simplify", _("write simplifications")
        JUDGE = "judge", _("judge simplifications")
        QUESTION = "question", _("write questions of law from originals")
        ANSWER = "answer", _("answer questions from simplifications")
        GRADE = "grade", _("grade answers")

    class Mode(models.TextChoices):
        LIVE = "live", _("call by call")
        BATCH = "batch", _("as a batch, for half the price, within a day")

    class State(models.TextChoices):
        DRAFT = "draft", _("in preparation")
        RUNNING = "running", _("running")
        PAUSED = "paused", _("paused")
        CANCELLED = "cancelled", _("cancelled")
        FINISHED = "finished", _("finished")

    class Stopped(models.TextChoices):
        """Why a run stands still, where nobody asked it to."""

        NOT = "", ""
        BUDGET = "budget", _("the ceiling is reached")
        REFUSED = "refused", _("the service refused several calls in a row")
        QUOTA = "quota", _("the account has no credit left")
        NO_KEY = "no_key", _("the worker has no key for this service")
        LEFT = "left", _("whoever let it go on does not lead the study any more")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="generation_runs")
    number = models.PositiveIntegerField()
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    purpose = models.CharField(max_length=8, choices=Purpose, default=Purpose.SIMPLIFY)
    mode = models.CharField(_("mode"), max_length=5, choices=Mode, default=Mode.LIVE)
    after = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="followed_by",
        help_text="the run whose questions are answered, or whose answers are graded",
    )
    # Of questions alone: their types, how many of them at least and at most, what is done with a
    # text that is longer than the model's window (see ``questions.calls.Questioning``).
    questioning = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    endpoint = models.CharField(_("service"), max_length=40)
    round = models.CharField(_("round"), max_length=8, default="all")
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    stopped = models.CharField(max_length=8, choices=Stopped, blank=True, default=Stopped.NOT)
    ceiling = models.DecimalField(
        _("cost ceiling (USD)"), **_USD, validators=[MinValueValidator(Decimal(0))]
    )
    # Billed, and reserved for the calls that are under way: never less than what the service will
    # ask for.
    spent = models.DecimalField(**_USD, default=Decimal(0))
    seed = models.BigIntegerField(default=new_seed)
    refusals_in_a_row = models.PositiveIntegerField(default=0)
    undecided = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="flagged outputs in force about which nobody has decided, kept as they change",
    )
    estimate = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    # On whose right to run the study its calls are paid for. Nobody: a command did it.
    let_on_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="who started it, let it go on or asked again last",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="generation_run_number_once"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "running", "paused", "cancelled", "finished"]),
                name="generation_run_state",
            ),
            models.CheckConstraint(
                condition=Q(spent__gte=0), name="generation_run_spent_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(round__in=["practice", "main", "all"]), name="generation_run_round"
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=["answer", "grade"], after__isnull=False)
                | (~Q(purpose__in=["answer", "grade"]) & Q(after__isnull=True)),
                name="generation_run_follows",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study.key} #{self.number}"


class GenerationSystem(models.Model):
    """A model with its prompt and parameters. Fixed once the run was started: outputs refer to
    it."""

    run = models.ForeignKey(GenerationRun, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(_("name of the system"), max_length=100)
    model = models.CharField(_("model"), max_length=100)
    prompt = models.TextField(_("prompt"))
    parameters = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    price_prompt = models.DecimalField(_("USD per million tokens read"), **_USD)
    price_completion = models.DecimalField(_("USD per million tokens written"), **_USD)
    price_as_of = models.CharField(max_length=40, blank=True)
    judge = models.ForeignKey(
        Annotator, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["run", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "name"], name="generation_system_once_per_run"),
            models.CheckConstraint(
                condition=Q(price_prompt__gte=0) & Q(price_completion__gte=0),
                name="generation_system_price",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Generation(models.Model):
    """One system × one item; for a machine judge × one simplification; for questions that are
    answered × one question and one simplification, and for answers that are graded × one answer."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("under way")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    run = models.ForeignKey(GenerationRun, on_delete=models.CASCADE, related_name="generations")
    system = models.ForeignKey(
        GenerationSystem, on_delete=models.CASCADE, related_name="generations"
    )
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="generations")
    simplification = models.ForeignKey(
        Simplification, on_delete=models.CASCADE, null=True, blank=True, related_name="judged_by"
    )
    question = models.ForeignKey(
        "annotation.Question",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="asked_in",
    )
    answer = models.ForeignKey(
        "annotation.QuestionAnswer",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="graded_in",
    )
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    outputs_wanted = models.PositiveSmallIntegerField(default=1)
    claim = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    reserved = models.DecimalField(**_USD, default=Decimal(0))
    tries = models.PositiveSmallIntegerField(default=0)
    losses = models.PositiveSmallIntegerField(default=0)
    problem = models.CharField(max_length=40, blank=True)
    problem_detail = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["system", "item"],
                condition=Q(simplification__isnull=True),
                name="generation_once_per_item",
            ),
            models.UniqueConstraint(
                fields=["system", "simplification"],
                condition=Q(simplification__isnull=False, question__isnull=True),
                name="generation_once_per_simplification",
            ),
            models.UniqueConstraint(
                fields=["system", "question", "simplification"],
                condition=Q(question__isnull=False, answer__isnull=True),
                name="generation_once_per_question",
            ),
            models.UniqueConstraint(
                fields=["system", "answer"],
                condition=Q(answer__isnull=False),
                name="generation_once_per_answer",
            ),
            models.CheckConstraint(
                condition=Q(question__isnull=True, answer__isnull=True)
                | Q(question__isnull=False, simplification__isnull=False),
                name="generation_question_of_pair",
            ),
            models.CheckConstraint(
                condition=Q(state="running", lease_until__isnull=False) & ~Q(claim="")
                | ~Q(state="running"),
                name="generation_running_is_claimed",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["run", "state"], name="generation_by_state"),
            models.Index(
                fields=["lease_until"], name="generation_leases", condition=Q(state="running")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system_id}×{self.item_id} {self.state}"


class Output(models.Model):
    """What a model answered, as it came (``raw``) and as it is judged (``text``)."""

    class Decision(models.TextChoices):
        NONE = "", _("not decided")
        KEEP = "keep", _("keep as it is")
        CLEAN = "clean", _("keep without what was flagged")
        EXCLUDE = "exclude", _("exclude")
        REGENERATE = "regenerate", _("generate again")

    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="outputs")
    number = models.PositiveSmallIntegerField()
    raw = models.TextField(blank=True)
    text = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    flags = models.JSONField(default=list)
    decision = models.CharField(max_length=10, choices=Decision, blank=True, default=Decision.NONE)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    simplification = models.OneToOneField(
        Simplification, on_delete=models.SET_NULL, null=True, blank=True, related_name="output"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["generation", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["generation", "number"], name="output_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="output_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.generation_id} v{self.number}"


class GenerationCall(models.Model):
    """One request to the service and how it ended. Never a text: those stand in ``Output``."""

    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="calls")
    output_number = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=20)
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    model = models.CharField(max_length=100, blank=True)
    response_id = models.CharField(max_length=100, blank=True)
    request_id = models.CharField(max_length=100, blank=True)
    fingerprint = models.CharField(max_length=100, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(**_USD, default=Decimal(0))
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    retry_after = models.FloatField(null=True, blank=True)
    started_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.generation_id} {self.outcome}"


class GenerationBatch(models.Model):
    """A file of requests handed to the service's batch mode. ``key`` is in its metadata, so that a
    batch that was handed over by a worker that died at that moment is found again instead of paid
    twice."""

    class State(models.TextChoices):
        PREPARED = "prepared", _("prepared")
        SUBMITTED = "submitted", _("handed over")
        ENDED = "ended", _("ended")

    run = models.ForeignKey(GenerationRun, on_delete=models.CASCADE, related_name="batches")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    state = models.CharField(max_length=9, choices=State, default=State.PREPARED)
    remote_id = models.CharField(max_length=100, blank=True)
    remote_state = models.CharField(max_length=40, blank=True)
    requests = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    problem_detail = models.CharField(max_length=500, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    submitted_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(answered__lte=F("requests")), name="generation_batch_answers"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.key}"

    @property
    def claim(self) -> str:
        """By which its generations are held."""
        return f"batch:{self.key}"


class BatchEntry(models.Model):
    """Which generation asks for which output in which batch."""

    batch = models.ForeignKey(GenerationBatch, on_delete=models.CASCADE, related_name="entries")
    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="entries")
    output_number = models.PositiveSmallIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["batch", "generation"], name="batch_entry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}/{self.generation_id}"
