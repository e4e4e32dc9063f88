"""Pairs on their way into a study."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.bodies import is_storable
from annotation.corpus.tables import MAX_ROWS
from annotation.corpus.texts import MAX_LENGTHS
from annotation.models import Item
from api.fields import ChoiceField, Rows, StrictJSONField
from api.items.serializers.layout import TableLayout
from api.known import unknown_of


class Pair(serializers.Serializer[Any]):
    """One pair. Without a simplification it is a passage that a model is to simplify. What is wrong
    with a text (too long, a control character) is said by the import, with the number of its
    row."""

    original = serializers.CharField(allow_blank=True, trim_whitespace=False)
    simplification = serializers.CharField(allow_blank=True, required=False, trim_whitespace=False)
    id = serializers.CharField(
        allow_blank=True, required=False, help_text="Of the clause, stable across exports."
    )
    system = serializers.CharField(
        allow_blank=True, required=False, help_text="Annotators never see it."
    )
    source = serializers.CharField(allow_blank=True, required=False)  # type: ignore[assignment]  # a column of ours
    context_before = serializers.CharField(allow_blank=True, required=False, trim_whitespace=False)
    context_after = serializers.CharField(allow_blank=True, required=False, trim_whitespace=False)
    structure = serializers.CharField(
        allow_blank=True,
        required=False,
        help_text="What people marked in the original, labels parted by semicolons: told to a "
        "model that asks questions about it. Annotators never see it.",
    )


class PairRows(Rows):
    """Many pairs. Where every field of all of them is a text, as programs send them, they are taken
    as they are; else field by field, so that each that is wrong is named. Ten thousand took most of
    a second by the second way alone, a third of it to look for characters that no body holds by
    then (``api.parsers``)."""

    child = Pair()

    def run_child_validation(self, data: list[Any]) -> list[dict[str, Any]]:
        """Raises ``ValidationError`` that names rows and fields."""
        fields = {
            name: bool(getattr(field, "trim_whitespace", False))
            for name, field in self.child.fields.items()
        }
        if all(_is_of_texts(row, fields) for row in data):
            return [
                {
                    name: row[name].strip() if trimmed else row[name]
                    for name, trimmed in fields.items()
                    if name in row
                }
                for row in data
            ]
        rows: list[dict[str, Any]] = super().run_child_validation(data)
        return rows


def _is_of_texts(row: object, fields: Collection[str]) -> bool:
    return (
        type(row) is dict
        and "original" in row
        and all(type(row[name]) is str for name in fields if name in row)
    )


class ImportOptions(serializers.Serializer[Any]):
    round = ChoiceField(choices=Item.Round.values, default=Item.Round.MAIN.value)
    skip_duplicates = serializers.BooleanField(
        default=False, help_text="Leave out what is there already."
    )


class PairsImport(ImportOptions):
    """Rows; all of them go in, or none."""

    pairs = PairRows(min_length=1, max_length=MAX_ROWS)


class PairsFile(TableLayout, ImportOptions):
    """A file whose columns are named as the import page knows them, or as `columns` says; or a
    released file."""

    file = serializers.FileField(help_text="CSV, TSV, JSONL, XLSX or Parquet.")
    columns = StrictJSONField(
        required=False,
        help_text="What a field is called in the file, where its name does not say so, or null "
        'where no column is it: {"original": "Clause", "system": null}.',
    )

    pairs_only = serializers.BooleanField(
        default=False,
        help_text="Of a released file (FrJUDGE's, JADES's, CSMD's) leave the judgments out.",
    )

    def validate_columns(self, given: Any) -> dict[str, str | None]:
        if not isinstance(given, dict) or not all(
            name is None or (isinstance(name, str) and is_storable(name)) for name in given.values()
        ):
            words = _("An object with names of columns, by: %(fields)s.")
            raise serializers.ValidationError(words % {"fields": ", ".join(MAX_LENGTHS)})
        if unknown := unknown_of(given, MAX_LENGTHS):
            raise serializers.ValidationError(unknown)
        return dict(given)


class ImportOutcome(serializers.Serializer[Any]):
    items = serializers.IntegerField()
    simplifications = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Duplicates that were left out, as asked.")
    judgments = serializers.IntegerField(
        default=0, help_text="Of people of unknown identity, marked `imported`."
    )
    judges = serializers.IntegerField(default=0)
    attached = serializers.IntegerField(
        default=0, help_text="Of the judgments, those onto pairs that the study had already."
    )
    columns_left_out = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="Columns of the file that hold nothing of a pair or judgment: they are stored "
        "nowhere.",
    )
    encoding_guessed = serializers.CharField(
        default="",
        help_text="What the file was taken to be in where nothing in it says so: look at the "
        "accents. Empty where it is certain, or was said.",
    )
    rows_hidden = serializers.ListField(
        child=serializers.IntegerField(),
        default=list,
        help_text="Rows that the workbook hides, as a filter does, by number: they went in as the "
        "others did.",
    )
