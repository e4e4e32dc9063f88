"""A form's field that holds JSON."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput

from annotation.bodies import json_body


class StrictJSONField(forms.JSONField):
    """Django's field with ``annotation.bodies`` as the reader: what is nested without end, or holds
    what no column does, is refused as any other text that is no JSON. ``longest``: characters that
    it may have, which ``max_length`` would ask of the value."""

    def __init__(self, *, longest: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.longest = longest

    def to_python(self, value: Any) -> Any:
        """Raises ``ValidationError``."""
        if value in self.empty_values or not isinstance(value, str):
            return super().to_python(value)
        if self.longest is not None and len(value) > self.longest:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        try:
            return json_body(value.encode())
        except ValueError as error:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was typed, for the page that shows it again."""
        if not isinstance(data, str):
            return super().bound_data(data, initial)
        try:
            return json_body(data.encode())
        except ValueError:
            return InvalidJSONInput(data)
