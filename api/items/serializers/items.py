"""Items and their simplifications."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Item
from api.fields import ChoiceField

_ITEM_ROUNDS = [*Item.Round.values, *Item.Aside.values]


class SimplificationFacts(serializers.Serializer[Any]):
    system = serializers.CharField()
    text = serializers.CharField()
    position = serializers.IntegerField()
    language = serializers.CharField()
    is_identical = serializers.BooleanField()
    finish_reason = serializers.CharField()


class ItemFacts(serializers.Serializer[Any]):
    """A source passage with its simplifications, for leads: it names systems."""

    key = serializers.CharField()
    position = serializers.IntegerField()
    round = ChoiceField(choices=_ITEM_ROUNDS)
    source = serializers.CharField()  # type: ignore[assignment]  # a column of ours, not where DRF reads from
    context_before = serializers.CharField()
    original = serializers.CharField()
    context_after = serializers.CharField()
    structure = serializers.CharField()
    simplifications = SimplificationFacts(many=True)


class ItemFilter(serializers.Serializer[Any]):
    round = ChoiceField(choices=_ITEM_ROUNDS, required=False)
    q = serializers.CharField(
        max_length=200, required=False, help_text="Found in key, original or simplification."
    )
