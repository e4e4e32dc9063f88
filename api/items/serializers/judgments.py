"""Judgments made elsewhere on their way into a study."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.bodies import is_storable
from api.fields import StrictJSONField
from api.items.serializers.layout import TableLayout

_MOST = 500


class JudgmentsFile(TableLayout):
    """A file with a row for each pair and annotator, or another program's export."""

    file = serializers.FileField(
        help_text="CSV, TSV, JSONL, JSON, XLSX, Parquet, or an archive of exported files."
    )
    columns = StrictJSONField(
        required=False,
        help_text=(
            "What each field is called in the file, where its name does not say so, or null where "
            'no column is it: {"original": "Clause", "annotator": "meta.who", "system": null}.'
        ),
    )
    values = StrictJSONField(
        required=False,
        help_text=(
            "What the values of a column become, by field: "
            '{"meaning": {"good": "4", "skip": ""}}. An empty text is no answer; "none", '
            "where any of several options may be chosen, that none of them apply."
        ),
    )
    same_scale = StrictJSONField(
        required=False,
        help_text=(
            "The fields whose numbers are on our scale although they do not reach its top: "
            '["legal_meaning"]. Nothing is ever rescaled.'
        ),
    )

    def validate_columns(self, given: Any) -> dict[str, str | None]:
        named = given
        if isinstance(given, dict):
            named = {field: "" if name is None else name for field, name in given.items()}
        if not _are_texts(named):
            raise serializers.ValidationError(_("An object with names of columns by field."))
        return dict(given)

    def validate_values(self, given: Any) -> dict[str, dict[str, str]]:
        if not isinstance(given, dict) or not all(map(_are_texts, given.values())):
            raise serializers.ValidationError(_("An object with texts by text, by field."))
        if not all(is_storable(name) for name in given):
            raise serializers.ValidationError(_("An object with texts by text, by field."))
        return {name: dict(values) for name, values in given.items()}

    def validate_same_scale(self, given: Any) -> list[str]:
        if not isinstance(given, list) or not all(map(_is_text, given)):
            raise serializers.ValidationError(_("A list of fields."))
        return list(given)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and is_storable(value)


def _are_texts(given: Any) -> bool:
    return (
        isinstance(given, dict)
        and len(given) <= _MOST
        and all(_is_text(name) and _is_text(value) for name, value in given.items())
    )
