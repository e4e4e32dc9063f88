"""What is judged: items (source passages) and their simplifications."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import ClassVar

from django.db import models
from django.db.models import Case, Exists, OuterRef, Q, When
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.study import KEY_VALIDATOR, Study


def text_digest(text: str) -> str:
    """SHA-256 of a text; equal texts are found by it, and splits are made by it."""
    return hashlib.sha256(text.encode()).hexdigest()


LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Item(models.Model):
    """A source passage. ``key`` is stable across exports and re-imports.

    ``answers`` (submitted by people who still judge, as many as the plan counts), ``expected``
    (these and what they still hold) and ``waits_since`` (the last submission; ``LONG_AGO`` where
    there is none) are kept, so that a list that begins with the fewest answers counts none of them:
    ``services/base/answered.py`` writes them, and ``check_positions`` compares. ``structure``: what
    people marked in the original (labels parted by "; "), told to a model that asks questions about
    it and to no annotator.
    """

    class Round(models.TextChoices):
        PRACTICE = "practice", _("practice")
        MAIN = "main", _("main")

    class Aside(models.TextChoices):
        """In the data rounds of their own. Control pairs and repeats are offered within the main
        round, to its annotators pairs like any other; what a draw left to models is offered to
        nobody."""

        CONTROL = "control", _("control pairs")
        REPEAT = "repeat", _("repeats")
        MACHINE = "machine", _("models only")

    class Control(models.TextChoices):
        IDENTICAL = "identical", _("identical")
        UNRELATED = "unrelated", _("unrelated")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=80, validators=[KEY_VALIDATOR])
    position = models.PositiveIntegerField()
    round = models.CharField(
        max_length=8, choices=[*Round.choices, *Aside.choices], default=Round.MAIN
    )
    control = models.CharField(max_length=9, choices=Control, blank=True, default="", db_default="")
    source = models.CharField(max_length=300, blank=True)
    context_before = models.TextField(blank=True)
    original = models.TextField()
    context_after = models.TextField(blank=True)
    structure = models.TextField(blank=True, default="", db_default="")
    original_digest = models.CharField(max_length=64, db_index=True, editable=False)
    brought_by = models.ForeignKey(
        "annotation.PairsImport",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="items",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    answers = models.IntegerField(default=0, db_default=0, editable=False)
    expected = models.IntegerField(default=0, db_default=0, editable=False)
    waits_since = models.DateTimeField(default=LONG_AGO, db_default=LONG_AGO, editable=False)
    in_practice = models.GeneratedField(
        expression=Case(When(round=Round.PRACTICE, then=True), default=False),
        output_field=models.BooleanField(),
        db_persist=True,
    )

    class Meta:
        ordering: ClassVar = ["study", "position"]
        indexes: ClassVar = [
            models.Index(fields=["study", "in_practice", "position"], name="item_in_order"),
            models.Index(
                fields=["study", "in_practice", "answers", "position"], name="item_fewest_answers"
            ),
            models.Index(
                fields=["study", "in_practice", "waits_since", "position"],
                name="item_waits_longest",
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "key"], name="item_key_once_per_study"),
            models.UniqueConstraint(
                fields=["study", "position"], name="item_position_once_per_study"
            ),
            models.CheckConstraint(condition=~Q(original=""), name="item_has_text"),
            models.CheckConstraint(
                condition=Q(round__in=["practice", "main", "control", "repeat", "machine"]),
                name="item_round",
            ),
            models.CheckConstraint(
                condition=Q(round="control", control__in=["identical", "unrelated"])
                | (~Q(round="control") & Q(control="")),
                name="item_control_kind",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    def save(self, *args: object, **kwargs: object) -> None:
        self.original_digest = text_digest(self.original)
        super().save(*args, **kwargs)  # type: ignore[arg-type]


OFFERED_ASIDE = (Item.Aside.CONTROL.value, Item.Aside.REPEAT.value)
"""What stands aside and is offered within the main round."""


def offered_with(round_: str) -> tuple[str, ...]:
    """The rounds that an annotator meets as one: control pairs and repeats are offered within the
    main round."""
    return (round_,) if round_ == Item.Round.PRACTICE else (Item.Round.MAIN.value, *OFFERED_ASIDE)


def round_shown(round_: str) -> str:
    """The round as its annotator may know it."""
    return Item.Round.PRACTICE.value if round_ == Item.Round.PRACTICE else Item.Round.MAIN.value


class Simplification(models.Model):
    """One output for an item. ``system`` never leaves the lead's side."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="simplifications")
    system = models.CharField(max_length=100, blank=True)
    text = models.TextField()
    position = models.PositiveIntegerField(default=0)
    language = models.CharField(
        max_length=8, blank=True, help_text="ISO 639-1 as detected; blank when unknown"
    )
    is_identical = models.BooleanField(
        default=False, help_text="to the original, after normalisation"
    )
    finish_reason = models.CharField(
        max_length=40,
        blank=True,
        help_text="why the model stopped, where a run recorded it; length: cut off",
    )
    repeat_of = models.OneToOneField(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="repeat",
        help_text="offered silently",
    )
    brought_by = models.ForeignKey(
        "annotation.PairsImport",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="simplifications",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["item", "position", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["item", "system"],
                condition=~Q(system=""),
                name="simplification_once_per_system",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="simplification_has_text"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}/{self.pk}"

    @property
    def pair_name(self) -> str:
        """By which pages, tables and exports know the pair: its item, and the place drawn for it
        among the item's simplifications, which says nothing of its system."""
        return f"{self.item.key}/{self.position}"


PARKED = 1_000_000_000
"""Positions from here on are nobody's place in an order: see ``Assignment``."""


class Assignment(models.Model):
    """One annotator × one simplification. ``position`` counts in that annotator's own seeded order,
    and is the only name of a pair that an annotator ever sees: row ids would tell the order of
    systems.

    A silent repeat takes the place of the pair that it repeats, whose own assignment is parked:
    places, their number and their addresses are the same before and after, so that none of them
    tells of a repeat.

    ``standing``, ``in_practice`` and ``ordinal`` are kept, so that no step of judging counts what
    somebody has: ``services/base/standings.py`` writes them with whatever changes them, and
    ``check_positions`` compares.
    """

    class Standing(models.IntegerChoices):
        """What waits for its annotator, in the order in which it comes to them."""

        HIDDEN = 0, "out of sight"
        OPEN = 1, "open"
        REPEAT = 2, "open, a silent repeat"
        ASIDE = 3, "kept for later"
        DONE = 4, "done"

    annotator = models.ForeignKey(
        "annotation.Annotator", on_delete=models.CASCADE, related_name="assignments"
    )
    simplification = models.ForeignKey(
        Simplification, on_delete=models.CASCADE, related_name="assignments"
    )
    position = models.PositiveIntegerField()
    opened_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(
        null=True, blank=True, help_text="its pair was offered to others"
    )
    set_aside_at = models.DateTimeField(
        null=True, blank=True, help_text="its annotator keeps it for later; nobody else is told"
    )
    context_shown = models.BooleanField(
        default=False, db_default=False, help_text="the item's neighbours are shown"
    )
    renderings_at = models.DateTimeField(
        null=True, blank=True, help_text="terms were first pointed out, by a save"
    )
    glossary_at = models.DateTimeField(
        null=True, blank=True, help_text="the glossary was first looked into, by a save"
    )
    standing = models.PositiveSmallIntegerField(
        choices=Standing, default=Standing.HIDDEN, db_default=Standing.HIDDEN
    )
    in_practice = models.BooleanField(default=False, db_default=False)
    ordinal = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="its number among what its annotator sees of the round; 0: out of sight",
    )

    class Meta:
        ordering: ClassVar = ["annotator", "position"]
        indexes: ClassVar = [
            models.Index(
                fields=["annotator", "in_practice", "standing", "ordinal"],
                name="assignment_standing",
            ),
            models.Index(
                fields=["annotator", "released_at"],
                condition=Q(released_at__isnull=False),
                name="assignment_released",
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["annotator", "simplification"], name="assignment_once"),
            models.UniqueConstraint(
                fields=["annotator", "position"], name="assignment_position_once"
            ),
            models.CheckConstraint(
                condition=Q(position__gte=1), name="assignment_position_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id}#{self.position}"

    @property
    def is_parked(self) -> bool:
        """Whether a silent repeat has taken its place."""
        return self.position >= PARKED


def out_of_sight() -> Q:
    """As a condition on assignments: those that their annotator does not see.

    Released before they were looked at; or judged once and offered again since: of a pair and its
    silent repeat the annotator only ever sees the latter, so that neither an earlier answer nor two
    rows of one text give it away.
    """
    untouched = Q(opened_at__isnull=True, draft__isnull=True, judgment__isnull=True)
    return Q(released_at__isnull=False) & untouched | offered_again()


def offered_again() -> Q:
    """As a condition on assignments: those whose pair their annotator has been given as a silent
    repeat."""
    again = Assignment.objects.filter(
        annotator=OuterRef("annotator"),
        simplification__repeat_of=OuterRef("simplification"),
        # It follows. PostgreSQL does not see that, and read every study's assignments for these.
        simplification__repeat_of__isnull=False,
    )
    return Q(Exists(again.order_by()))
