"""Kinds of values that the framework's own take too freely."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isfinite
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.agreement.bootstrap import FEWEST_DRAWS, gives_figures
from annotation.bodies import json_body
from annotation.corpus.problems import shown
from annotation.models import MOST_SEED
from annotation.protocols.names import unknown_name

ROUND_MEANING = (
    "`all`: practice and the main round. What stands aside (control pairs, repeats, what a draw "
    "left to models, answers beyond those that the plan counts) is in no round but its own."
)


def draws_field(of: str, *, default: int, most: int) -> serializers.IntegerField:
    """How many draws intervals rest on; ``of`` says what is drawn."""

    def enough(value: int) -> None:
        # Of more than the most, the field's own border says how many may be.
        if value <= most and not gives_figures(value, most):
            words = _("%(fewest)s or more, or 0 for figures without intervals.")
            raise serializers.ValidationError(words % {"fewest": FEWEST_DRAWS})

    return serializers.IntegerField(
        min_value=0,
        max_value=most,
        default=default,
        validators=[enough],
        help_text=f"{of}: {FEWEST_DRAWS} or more, or 0 for figures without intervals.",
    )


def none_of(name: str, offered: Sequence[str]) -> str:
    """That a parameter names what is not offered, in the language of the reader."""
    words = {"name": shown(name), "offered": ", ".join(offered)}
    if not offered:
        return unknown_name(name, offered).get(get_language() or "fr")
    return _("“%(name)s” is none of: %(offered)s.") % words


def unknown_choice(field: str, name: str, offered: Collection[str]) -> serializers.ValidationError:
    """The refusal of a parameter or member that names a row which its reader does not see: the
    address itself is right, so that it is no 404."""
    words = unknown_name(name, offered).get(get_language() or "fr")
    return serializers.ValidationError({field: words}, code="unknown")


class ChoiceField(serializers.ChoiceField):
    """One of several values. The framework's own refuses another one without naming them."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises ``ValidationError`` that names the choices."""
        try:
            return super().to_internal_value(data)
        except serializers.ValidationError:
            offered = [str(choice) or '""' for choice in self.choices]
            words = none_of(str(data), offered)
            raise serializers.ValidationError(words, code="invalid_choice") from None


class SeedField(serializers.IntegerField):
    """A seed as it is stored: 64 bits, which the description has to say, since for many programs an
    integer is less."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_value=MOST_SEED, **kwargs)


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


class RowNumber(int):
    """A row of an import, counted from 1, where details of the framework name a place in a list."""


Path = tuple[str | RowNumber, ...]
"""Where something stands in a body: names, and places in lists."""


class Rows(serializers.ListField):
    """Rows of an import. What has the wrong form in one of them is named as the import itself names
    what is wrong with its words: by its row and field."""

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        """Raises ``ValidationError`` that names rows and fields."""
        try:
            rows: list[Any] = super().run_child_validation(data)
        except serializers.ValidationError as error:
            places: Any = error.detail
            rows_named: Any = {RowNumber(place + 1): details for place, details in places.items()}
            raise serializers.ValidationError(rows_named) from None
        return rows
