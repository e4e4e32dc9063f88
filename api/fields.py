"""Kinds of values that the framework's own take too freely."""

from __future__ import annotations

from math import isfinite
from typing import Any

from rest_framework import serializers

from annotation.bodies import json_body


class StrictJSONField(serializers.JSONField):
    """A value of JSON, which stands as a text in a form with a file: read as a whole body is."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises ``ValidationError`` for what is no JSON, and for what could not be stored."""
        if not getattr(data, "is_json_string", False):
            return super().to_internal_value(data)
        try:
            return json_body(data.encode())
        except ValueError:
            self.fail("invalid")


class FiniteFloatField(serializers.FloatField):
    """A number: the framework takes ``nan`` too, which passes every lowest and highest value."""

    def to_internal_value(self, data: Any) -> float:
        """Raises ``ValidationError`` where it is no number or no finite one."""
        value: float = super().to_internal_value(data)
        if not isfinite(value):
            self.fail("invalid")
        return value
