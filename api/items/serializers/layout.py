"""How a file is read as a table, where what is found out by itself is wrong."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.corpus.delimited import separator_called
from annotation.corpus.encodings import ENCODINGS
from annotation.corpus.tables import Layout
from annotation.corpus.xlsx import LAST_ROW
from api.fields import ChoiceField


class TableLayout(serializers.Serializer[Any]):
    """Of a file of rows, whatever they hold."""

    encoding = ChoiceField(
        choices=ENCODINGS, default="", allow_blank=True, help_text="Of a text, if guessed wrong."
    )
    separator = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=10,
        trim_whitespace=False,
        help_text="Of a CSV, if guessed wrong: one character, or `tab`.",
    )
    sheet = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=255,
        trim_whitespace=False,
        help_text="Of a workbook. Without it, the first that has rows.",
    )
    header = serializers.BooleanField(
        default=None,
        allow_null=True,
        help_text="Whether the first row names the columns. Found out where nothing is said: "
        "whoever names a column in `columns` has said it. Without such a row columns go by their "
        'numbers: {"original": "1"}.',
    )
    header_row = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=LAST_ROW,
        help_text="Number of the row that names the columns, where a title or other rows stand "
        "above it: those are left out. 0: found out, by what `header` says.",
    )
    quoted = serializers.BooleanField(
        default=None,
        allow_null=True,
        help_text="Of a CSV: false where quotation marks are plain characters. Found out where "
        "nothing is said.",
    )

    def validate_separator(self, given: str) -> str:
        return separator_called(given)

    @staticmethod
    def layout_of(wanted: dict[str, Any]) -> Layout:
        """The layout that was asked for."""
        return Layout(**{name: wanted[name] for name in TableLayout().get_fields()})
