"""Kinds of values that the framework's own take too freely."""

from __future__ import annotations

from math import isfinite
from typing import Any

from rest_framework import serializers


class FiniteFloatField(serializers.FloatField):
    """A number: the framework takes ``nan`` too, which passes every lowest and highest value."""

    def to_internal_value(self, data: Any) -> float:
        """Raises ``ValidationError`` where it is no number or no finite one."""
        value: float = super().to_internal_value(data)
        if not isfinite(value):
            self.fail("invalid")
        return value
