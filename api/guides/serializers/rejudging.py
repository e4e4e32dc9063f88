"""Judgments sent back."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class CandidateFacts(serializers.Serializer[Any]):
    item = serializers.CharField(source="key")
    opening = serializers.CharField()
    classes = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Those on the protocol's first dimension of classes. Empty during a blind phase.",
    )
    given = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="The classes given, by dimension. Empty during a blind phase.",
    )
    doubts = serializers.IntegerField()
    judgments = serializers.IntegerField()
    waiting = serializers.IntegerField()


class SentBack(serializers.Serializer[Any]):
    items = serializers.ListField(child=serializers.CharField(), max_length=100_000)
    reason = serializers.CharField(allow_blank=True, max_length=5000)
