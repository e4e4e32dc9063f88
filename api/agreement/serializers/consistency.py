"""Rater consistency. Version 1 of the API calls it steadiness: names that programs know stay."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Item
from api.fields import ChoiceField


class ControlFacts(serializers.Serializer[Any]):
    """One person's answers to the control pairs of one kind."""

    pseudonym = serializers.CharField(source="annotator")
    kind = ChoiceField(choices=Item.Control.values)
    given = serializers.IntegerField()
    judged = serializers.IntegerField()
    passed = serializers.IntegerField(
        allow_null=True,
        help_text="Judged as such a pair must be; null where the protocol expects nothing of it.",
    )
    passed_strictly = serializers.IntegerField(
        allow_null=True,
        help_text="Within the narrower range; null where the protocol knows none.",
    )


class OwnAgreementFacts(serializers.Serializer[Any]):
    """One person against themselves on one dimension."""

    pseudonym = serializers.CharField(source="annotator")
    dimension = serializers.CharField()
    pairs = serializers.IntegerField()
    same = serializers.FloatField(help_text="The share of equal answers, from 0 to 1.")
    shift = serializers.FloatField(
        allow_null=True,
        help_text="The mean of the second minus the first; null where values cannot be subtracted.",
    )


class Steadiness(serializers.Serializer[Any]):
    """None of it is data of the study."""

    controls = ControlFacts(many=True)
    offered = serializers.IntegerField(help_text="Pairs that were offered again.")
    answered = serializers.IntegerField(help_text="Of these, judged twice.")
    left = serializers.IntegerField(help_text="Drawn to be offered again, and not offered yet.")
    people = OwnAgreementFacts(many=True)
    dimensions = serializers.DictField(
        child=serializers.DictField(),
        help_text="Agreement of second with first answers, as of people with each other. "
        "`other_sources` has the interval to quote and how many source texts there are: each is "
        "drawn with all of its repeats. `intervals` draw a person's pairs, as if no two shared a "
        "text.",
    )
