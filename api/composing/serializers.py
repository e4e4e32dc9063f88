"""Protocols as programs read them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class Protocol(serializers.Serializer[Any]):
    """A published protocol: its steps as annotators read them and the JSON Schema of its
    answers."""

    key = serializers.CharField()
    version = serializers.CharField()
    title = serializers.CharField()
    dimensions = serializers.ListField(child=serializers.CharField())
    steps = serializers.ListField(child=serializers.DictField())
    answers_schema = serializers.DictField()
