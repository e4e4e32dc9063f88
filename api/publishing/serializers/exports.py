"""Exports: what is asked for, how far it is."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Job
from annotation.selectors.publishing.exports import LAYOUTS, ROUNDS
from api.fields import ROUND_MEANING, ChoiceField

_FORMATS = sorted({name for layout in LAYOUTS.values() for name in layout.formats})


class ExportNew(serializers.Serializer[Any]):
    """Without a format it is the layout's first. Annotators appear by pseudonym in every layout;
    free text is as it was typed and may hold names or addresses: publish a release instead."""

    layout = ChoiceField(choices=sorted(LAYOUTS))
    format = ChoiceField(choices=_FORMATS, required=False)
    round = ChoiceField(choices=ROUNDS, default="main", help_text=ROUND_MEANING)
    systems = serializers.BooleanField(
        default=True,
        help_text="With the column that says which system wrote what. Without it, keys and "
        "positions of outputs still follow the order of the file that was imported, which may tell "
        "which belong to one system.",
    )
    withdrawn = serializers.BooleanField(default=True)
    machines = serializers.BooleanField(
        default=True, help_text="With what models judged beside people."
    )
    coarse_times = serializers.BooleanField(default=False, help_text="Days instead of moments.")
    bom = serializers.BooleanField(default=False, help_text="Mark CSV and TSV as UTF-8, for Excel.")


class ExportFacts(serializers.Serializer[Any]):
    """An export. `is_there`: its file can be fetched now."""

    id = serializers.UUIDField(source="public_id")
    state = ChoiceField(choices=Job.State.values)
    parameters = serializers.DictField()
    done = serializers.IntegerField(help_text="Rows.")
    total = serializers.IntegerField()
    problem = serializers.CharField()
    name = serializers.CharField(source="result_name")
    size = serializers.IntegerField(allow_null=True)
    sha256 = serializers.CharField(allow_null=True)
    is_there = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
