"""Imports, and what removing something takes along."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import PairsImport
from annotation.selectors.items.removal import OBSTACLES
from api.fields import ChoiceField


class ImportFacts(serializers.Serializer[Any]):
    """What was brought in at once; the counts are of what it made then."""

    id = serializers.IntegerField(source="pk")
    kind = ChoiceField(choices=PairsImport.Kind.values)
    name = serializers.CharField(help_text="Of the file; empty where rows were sent.")
    round = serializers.CharField()
    imported_by = serializers.EmailField(source="imported_by.email", default=None, allow_null=True)
    rows = serializers.IntegerField()
    items = serializers.IntegerField(source="item_count")
    simplifications = serializers.IntegerField(source="simplification_count")
    judgments = serializers.IntegerField(source="judgment_count")
    skipped = serializers.IntegerField(help_text="Duplicates that were left out, as asked.")
    created_at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)


class Removal(serializers.Serializer[Any]):
    """What removing it takes along, and what stands in the way."""

    items = serializers.IntegerField()
    simplifications = serializers.IntegerField()
    given = serializers.IntegerField(help_text="Places in annotators' lists.")
    people = serializers.IntegerField(help_text="Whose lists these are.")
    opened = serializers.IntegerField(help_text="Of these places, how many were looked at.")
    controls = serializers.IntegerField(help_text="Control pairs made of the items.")
    outputs = serializers.IntegerField(help_text="What models were asked about them.")
    notes = serializers.IntegerField(help_text="Notes for the practice meeting.")
    judgments = serializers.IntegerField(help_text="That came with the file.")
    obstacles = serializers.ListField(
        child=ChoiceField(choices=list(OBSTACLES)),
        help_text="While there is any, it cannot be removed.",
    )
