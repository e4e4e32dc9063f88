"""What annotators decided. A wrong judgment is impossible to store: see the constraints here and in
``triggers`` for those that look at more than one row.

A ``Draft`` holds whatever somebody has typed so far, complete or not. A ``Judgment`` holds a
submitted decision: while it is being written ``submitted_at`` is null, and the trigger that sets it
("sealing") refuses anything incomplete or inconsistent.
"""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models.item import Assignment
from annotation.models.study import GuideVersion


def empty_answers() -> dict[str, Any]:
    return {}


class Draft(models.Model):
    """The answers as they stand in somebody's browser; ``revision`` counts the saves.

    ``annotator`` is the assignment's own, beside the moment of the save in one index: what somebody
    worked on last is found without reading what they did before. Empty where a version of Barème
    that does not know it stored the draft; its next save fills it in.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    annotator = models.ForeignKey(
        "annotation.Annotator",
        on_delete=models.CASCADE,
        null=True,
        editable=False,
        db_index=False,
        related_name="+",
    )
    answers = models.JSONField(default=empty_answers, encoder=DjangoJSONEncoder)
    revision = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(default=timezone.now)
    active_seconds = models.PositiveIntegerField(default=0)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["annotator", "saved_at"], name="draft_latest")]

    def __str__(self) -> str:
        return f"{self.assignment_id} r{self.revision}"

    def save(self, *args: object, **kwargs: object) -> None:
        if self.annotator_id is None:
            self.annotator_id = self.assignment.annotator_id
        super().save(*args, **kwargs)  # type: ignore[arg-type]


class SaveReceipt(models.Model):
    """A save that was acknowledged, by the key its browser gave it: a replay finds it and does
    nothing. See ``keys_of`` for what is kept of the key."""

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="receipts")
    revision = models.PositiveIntegerField()
    submitted = models.BooleanField(default=False)
    answers_digest = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        help_text="of what was acknowledged; blank: not kept",
    )
    saved_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return str(self.key)

    @staticmethod
    def keys_of(annotator: int, key: uuid.UUID) -> tuple[uuid.UUID, uuid.UUID]:
        """What stands for this annotator's key. A key is chosen by who sends it, and may be
        guessed: as somebody else's it is another, so that it neither tells of their save nor stands
        in its way. The second: what versions before kept, the key as it came."""
        return uuid.uuid5(key, str(annotator)), key


class Judgment(models.Model):
    """All that one annotator decided for one assignment.

    ``protocol``: key and version of the protocol whose answers these are, the study's own. What was
    answered stands in ``Rating``, ``ErrorDeduction`` and ``SideAnswer`` rows, whatever the protocol
    is; ``answers.py`` knows which.
    """

    class Origin(models.TextChoices):
        PERSON = "person"
        IMPORTED = "imported"
        MACHINE = "machine"

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="judgment")
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.PERSON)
    protocol = models.CharField(max_length=60, db_default="legal_meaning 1")
    revision = models.PositiveIntegerField(default=1)
    guide = models.ForeignKey(
        GuideVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="judgments"
    )
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    imported_row = models.PositiveIntegerField(null=True, blank=True)
    surplus = models.BooleanField(
        default=False,
        db_default=False,
        help_text="submitted after as many answers as the plan counts; kept apart",
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(origin__in=["person", "imported", "machine"]), name="judgment_origin"
            ),
            models.CheckConstraint(
                condition=(
                    Q(origin="imported")
                    & Q(imported_row__isnull=False)
                    & Q(started_at__isnull=True)
                )
                | (~Q(origin="imported") & Q(imported_row__isnull=True)),
                name="judgment_imported_row_iff_imported",
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="judgment_revision_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} v{self.revision}"


def standing(revisions: str = "") -> Q:
    """Of submissions (``revisions``: the way to them, from another row): those that were not taken
    back."""
    return Q(**{f"{revisions}taken_back_at__isnull": True})


def submission_name(made: Judgment | JudgmentRevision) -> str:
    """Names the submission that a judgment is, or was, for good: its number is given again after a
    taking-back, its moment is not.

    Keyed: its annotator knows the moment to a millisecond, and could find the number of the row by
    trying them all; a pair that is offered silently once more has a late one. Under another key of
    the installation it is another name, and what was offered to be taken back no longer is.
    """
    when = made.submitted_at.isoformat() if made.submitted_at else ""
    value = f"{made.assignment_id} {when}"
    return salted_hmac("annotation.submission", value, algorithm="sha256").hexdigest()[:32]


class JudgmentRevision(models.Model):
    """A submission as it was made. Append-only: the history of a judgment. Of those that were not
    taken back (``standing``) the last one is in force; ``number`` counts these."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    answers = models.JSONField(encoder=DjangoJSONEncoder)
    submitted_at = models.DateTimeField(default=timezone.now)
    active_seconds = models.PositiveIntegerField(default=0)
    guide = models.ForeignKey(
        GuideVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    taken_back_at = models.DateTimeField(
        null=True, blank=True, help_text="moments later; see services.taking_back"
    )

    class Meta:
        ordering: ClassVar = ["assignment", "number", "submitted_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["assignment", "number"],
                condition=Q(taken_back_at__isnull=True),
                name="judgment_revision_standing_number_once",
            ),
            models.CheckConstraint(
                condition=Q(taken_back_at__isnull=True) | Q(taken_back_at__gte=F("submitted_at")),
                name="judgment_revision_taken_back_later",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} v{self.number}"


_NO_BRACKET = Q(bracket__isnull=True, deductions__isnull=True, moved_from__isnull=True) & Q(
    crossing_policy="", crossing_answer=""
)


class Rating(models.Model):
    """One value on one dimension.

    ``stated``: answered as such. ``derived``: a bracketed score, whose bracket, number of errors
    and crossing stand beside it and must give it. ``imported``: a score whose bracket and errors
    were not published with it. These columns are beside the value rather than in a table of their
    own: a row more for each score would double what a judgment writes.

    What a protocol says of its dimensions (which there are, their scales, brackets and formula) the
    database asks when the judgment is sealed (``seals``); what holds in any protocol stands here. A
    comparison with a missing value is neither true nor false in SQL, and a check passes unless it
    is false: each constraint says for itself what must not be missing.
    """

    judgment = models.ForeignKey(Judgment, on_delete=models.CASCADE, related_name="ratings")
    dimension = models.CharField(max_length=60)
    value = models.SmallIntegerField()
    derivation = models.CharField(max_length=8, default="stated")
    bracket = models.PositiveSmallIntegerField(null=True, blank=True)
    deductions = models.PositiveSmallIntegerField(null=True, blank=True)
    crossing_policy = models.CharField(max_length=12, blank=True)
    crossing_answer = models.CharField(max_length=5, blank=True)
    moved_from = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["judgment", "dimension"], name="rating_once_per_dimension"
            ),
            models.CheckConstraint(
                condition=(Q(derivation__in=["stated", "imported"]) & _NO_BRACKET)
                | Q(
                    derivation="derived",
                    bracket__isnull=False,
                    deductions__isnull=False,
                    crossing_policy__in=["ask", "fall_through", "clamp"],
                ),
                name="rating_says_how_it_was_derived",
            ),
            models.CheckConstraint(
                condition=Q(crossing_answer="") | Q(crossing_policy="ask"),
                name="rating_crossing_only_where_asked",
            ),
            models.CheckConstraint(
                condition=Q(crossing_answer__in=["", "kept"], moved_from__isnull=True)
                | Q(crossing_answer="moved", moved_from__isnull=False, moved_from__gt=F("bracket")),
                name="rating_moved_from_a_higher_bracket",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension}={self.value}"


class SideAnswer(models.Model):
    """What was answered beside the dimensions: a text, a flag that was set ("1"), a word, a number.
    Nothing was answered where there is no row."""

    judgment = models.ForeignKey(Judgment, on_delete=models.CASCADE, related_name="sides")
    field = models.CharField(max_length=40)
    value = models.TextField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["judgment", "field"], name="side_once_per_field"),
            models.CheckConstraint(condition=~Q(value=""), name="side_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.field} of {self.judgment_id}"


class ErrorDeduction(models.Model):
    """One mark of the field ``field``, such as a legal error or an edit. Spans are code points,
    start included, end excluded.

    Of several spans on a side the offsets are the stretch from the first to the last character, by
    which the database sees that all lie in their text; ``original_spans`` and
    ``simplification_spans`` hold each, as JSON in the order marked, and are blank otherwise.
    ``severity`` and ``source`` are blank for kinds that have none.
    """

    judgment = models.ForeignKey(Judgment, on_delete=models.CASCADE, related_name="errors")
    field = models.CharField(max_length=40, default="errors", db_default="errors")
    ordinal = models.PositiveSmallIntegerField()
    type = models.CharField(max_length=40)
    note = models.TextField(blank=True)
    original_start = models.PositiveIntegerField(null=True, blank=True)
    original_end = models.PositiveIntegerField(null=True, blank=True)
    simplification_start = models.PositiveIntegerField(null=True, blank=True)
    simplification_end = models.PositiveIntegerField(null=True, blank=True)
    original_spans = models.TextField(blank=True, default="", db_default="")
    simplification_spans = models.TextField(blank=True, default="", db_default="")
    severity = models.CharField(max_length=40, blank=True, default="", db_default="")
    source = models.CharField(max_length=9, blank=True, default="", db_default="")

    class Meta:
        ordering: ClassVar = ["judgment", "field", "ordinal"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["judgment", "field", "ordinal"], name="error_ordinal_once_per_field"
            ),
            models.CheckConstraint(
                condition=Q(original_start__isnull=True, original_end__isnull=True)
                | Q(
                    original_start__isnull=False,
                    original_end__isnull=False,
                    original_start__lt=F("original_end"),
                ),
                name="error_original_span_ordered",
            ),
            models.CheckConstraint(
                condition=Q(simplification_start__isnull=True, simplification_end__isnull=True)
                | Q(
                    simplification_start__isnull=False,
                    simplification_end__isnull=False,
                    simplification_start__lt=F("simplification_end"),
                ),
                name="error_simplification_span_ordered",
            ),
            models.CheckConstraint(
                condition=(Q(original_spans="") | Q(original_start__isnull=False))
                & (Q(simplification_spans="") | Q(simplification_start__isnull=False)),
                name="error_spans_in_a_stretch",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.ordinal}"
