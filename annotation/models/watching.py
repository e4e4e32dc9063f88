"""What leads do while people judge: answer remarks, settle them, remind."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.item import Assignment
from annotation.models.judgment import Judgment
from annotation.models.people import Annotator
from annotation.models.study import Study


class RemarkAnswer(models.Model):
    """What a lead wrote to one annotator about their comment or doubt; nobody else among them reads
    it."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="remark_answers"
    )
    text = models.TextField()
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    answered_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True, help_text="its annotator opened the pair")

    class Meta:
        ordering: ClassVar = ["assignment", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(text=""), name="remark_answer_has_text")
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id}: {self.text[:40]}"


class RemarkSettlement(models.Model):
    """A remark with which nothing is left to do, as it stood in that revision of the judgment."""

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="remark_settlement"
    )
    revision = models.PositiveIntegerField()
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    settled_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.assignment_id} v{self.revision}"


class ListedRemark(models.Model):
    """A submitted judgment of a person by which they say something to the leads, as it stands in
    the list of remarks: kept as it changes (``services/base/listed.py``), so that a page of the
    list reads its own rows and none of the judgments that say nothing. ``check_positions``
    compares.

    ``is_open``: nobody has settled it as it stands now; ``is_answered``: a lead has answered.
    """

    # Without the database's own constraint: a version of Barème that does not know this table takes
    # judgments back beside it, and what it leaves here ``check_positions`` finds.
    judgment = models.OneToOneField(
        Judgment,
        on_delete=models.CASCADE,
        primary_key=True,
        db_constraint=False,
        related_name="listed",
    )
    study = models.ForeignKey(Study, on_delete=models.CASCADE, db_index=False, related_name="+")
    annotator = models.ForeignKey(
        Annotator, on_delete=models.CASCADE, db_index=False, related_name="+"
    )
    submitted_at = models.DateTimeField()
    has_comment = models.BooleanField()
    has_doubt = models.BooleanField()
    is_open = models.BooleanField()
    is_answered = models.BooleanField()

    class Meta:
        # One for each way of narrowing the list: of those of a study that fit, the newest.
        indexes: ClassVar = [
            models.Index(fields=["study", "submitted_at", "judgment"], name="remark_newest"),
            *(
                models.Index(
                    fields=["study", "submitted_at", "judgment"], condition=condition, name=name
                )
                for name, condition in (
                    ("remark_open", Q(is_open=True)),
                    ("remark_settled", Q(is_open=False)),
                    ("remark_answered", Q(is_answered=True)),
                    ("remark_comment", Q(has_comment=True)),
                    ("remark_doubt", Q(has_doubt=True)),
                )
            ),
            models.Index(fields=["annotator", "submitted_at", "judgment"], name="remark_person"),
            models.Index(
                fields=["annotator", "judgment"],
                condition=Q(has_doubt=True),
                name="remark_own_doubt",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judgment_id} of {self.annotator_id}"


class Reminder(models.Model):
    """One reminder to one annotator. ``asked_by`` is null where the study's own rule asked for it.

    ``sending`` is stored before the mail server is asked: a worker that dies in between reminds
    nobody twice.
    """

    class Outcome(models.TextChoices):
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"
        HANDED = "handed"

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="reminders")
    outcome = models.CharField(max_length=7, choices=Outcome)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome__in=["sending", "sent", "failed", "handed"]),
                name="reminder_outcome",
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.outcome}"
