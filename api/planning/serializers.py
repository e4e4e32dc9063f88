"""A study's plan: its settings, what it would give, what setting it did."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import StudyPlan
from api.fields import ChoiceField, SeedField

_PER_ITEM = "How many people judge each pair, in rotating teams; null: everybody judges every pair."
_RELEASE = (
    "Without a sign of life for so many days, a person's pairs are offered to others; null: only "
    "by hand."
)
_PERCENT = "Of each person's pairs, offered again silently; null: none."
_UNIT = "Whether the numbers of control pairs are numbers or a share of the main pairs."


class PlanFacts(serializers.Serializer[Any]):
    """The settings in force; those of a study without a plan of its own have everybody judge
    everything."""

    per_item = serializers.IntegerField(allow_null=True, help_text=_PER_ITEM)
    seed = SeedField()
    release_after_days = serializers.IntegerField(allow_null=True, help_text=_RELEASE)
    repeat_percent = serializers.IntegerField(allow_null=True, help_text=_PERCENT)
    repeat_after_days = serializers.IntegerField()
    control_identical = serializers.IntegerField()
    control_unrelated = serializers.IntegerField()
    control_unit = ChoiceField(choices=StudyPlan.ControlUnit.values, help_text=_UNIT)


class _Redrawn(serializers.Serializer[Any]):
    redistribute = serializers.BooleanField(
        default=False,
        help_text="Draw again what nobody has opened in the open main round, for whoever came "
        "late.",
    )


class PlanChange(_Redrawn):
    """Any of the settings; what is not named stays."""

    per_item = serializers.IntegerField(required=False, allow_null=True, help_text=_PER_ITEM)
    seed = SeedField(
        required=False,
        help_text="Fixed once the main round is open. Annotators can guess a number of your own "
        "choice, and by it who judges what and which pairs are controls.",
    )
    release_after_days = serializers.IntegerField(
        required=False, allow_null=True, help_text=_RELEASE
    )
    repeat_percent = serializers.IntegerField(required=False, allow_null=True, help_text=_PERCENT)
    repeat_after_days = serializers.IntegerField(required=False)
    control_identical = serializers.IntegerField(required=False)
    control_unrelated = serializers.IntegerField(required=False)
    control_unit = ChoiceField(
        choices=StudyPlan.ControlUnit.values, required=False, help_text=_UNIT
    )
    reason = serializers.CharField(
        max_length=300,
        allow_blank=True,
        default="",
        help_text="Once the main round is open, for the datasheet.",
    )


class _NumberOrNone(serializers.IntegerField):
    """An address has no null: an empty value stands for it."""

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        return super().validate_empty_values(None if data == "" else data)


class PlanQuery(_Redrawn):
    """Settings to try, on top of those in force: every one that can be changed, so that what cannot
    be set cannot be looked at either."""

    per_item = _NumberOrNone(
        required=False, allow_null=True, help_text="Empty: everybody judges every pair."
    )
    seed = SeedField(required=False)
    release_after_days = _NumberOrNone(
        required=False, allow_null=True, help_text="Empty: only by hand."
    )
    repeat_percent = _NumberOrNone(required=False, allow_null=True, help_text="Empty: none.")
    repeat_after_days = serializers.IntegerField(required=False)
    control_identical = serializers.IntegerField(required=False)
    control_unrelated = serializers.IntegerField(required=False)
    control_unit = ChoiceField(choices=StudyPlan.ControlUnit.values, required=False)


class LoadFacts(serializers.Serializer[Any]):
    pseudonym = serializers.CharField()
    pairs = serializers.IntegerField(help_text="Of the main round.")
    repeats = serializers.IntegerField(help_text="Of these, to be judged twice.")
    away = serializers.BooleanField(help_text="Absent: gets nothing new.")


class CoupleFacts(serializers.Serializer[Any]):
    one = serializers.CharField()
    other = serializers.CharField()
    pairs = serializers.IntegerField(help_text="Judged by both.")


class ObstacleFacts(serializers.Serializer[Any]):
    code = serializers.CharField()
    serious = serializers.BooleanField(help_text="The plan does not give what it promises.")
    numbers = serializers.DictField(child=serializers.IntegerField())


class ControlsWanted(serializers.Serializer[Any]):
    identical = serializers.IntegerField()
    unrelated = serializers.IntegerField()


class PlanPreviewFacts(serializers.Serializer[Any]):
    """What applying the plan now would come to. Control pairs and repeats come on top of each
    load."""

    pairs = serializers.IntegerField(help_text="Of the main round.")
    added = serializers.IntegerField(help_text="Assignments that would be made.")
    released = serializers.IntegerField(
        help_text="Assignments that would be taken back; none of them is judged."
    )
    controls = ControlsWanted()
    loads = LoadFacts(many=True)
    couples = CoupleFacts(many=True)
    obstacles = ObstacleFacts(many=True)


class PlanApplied(serializers.Serializer[Any]):
    plan = PlanFacts()
    added = serializers.IntegerField(help_text="Assignments that were made.")
    recounted = serializers.IntegerField(help_text="Answers that were one too many and count now.")


class PartFacts(serializers.Serializer[Any]):
    """A draw: people judge these passages of the main round, the others are left to models."""

    passages = serializers.IntegerField(help_text="Distinct original texts drawn for people.")
    of = serializers.IntegerField(help_text="Distinct original texts that there were.")
    seed = SeedField()
    drawn_at = serializers.DateTimeField()
    problem = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Why the part is no longer the drawn one, in French and English; null where it "
        "is.",
    )


class PartDraw(serializers.Serializer[Any]):
    passages = serializers.IntegerField(help_text="At least 1, and fewer than there are.")
    seed = SeedField(required=False, help_text="By default the study's.")
