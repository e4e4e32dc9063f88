"""A run's outputs as a lead decides on them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.generation.review import FLAGS
from annotation.models import Output
from api.fields import ChoiceField


class OutputFacts(serializers.Serializer[Any]):
    """One output in force, with what was found in it."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="generation.item.key")
    system = serializers.CharField(source="generation.system.name")
    number = serializers.IntegerField()
    raw = serializers.CharField()
    text = serializers.CharField()
    finish_reason = serializers.CharField()
    flags = serializers.ListField(child=serializers.CharField())
    decision = serializers.CharField()


class OutputFilter(serializers.Serializer[Any]):
    flag = ChoiceField(choices=tuple(FLAGS), required=False)
    undecided = serializers.BooleanField(
        default=False, help_text="With a flag and without a decision."
    )


class OutputDecision(serializers.Serializer[Any]):
    """On the outputs named, or on all that carry the flag: one of the two is needed. With both, on
    those named that carry it."""

    decision = ChoiceField(choices=Output.Decision.values)
    flag = serializers.CharField(max_length=40, default="", allow_blank=True)
    outputs = serializers.ListField(
        child=serializers.IntegerField(), required=False, max_length=10_000
    )
