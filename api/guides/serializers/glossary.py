"""A study's glossary."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.corpus.glossary import MAX_LENGTHS, MAX_TERMS


class GlossaryTerm(serializers.Serializer[Any]):
    term = serializers.CharField(max_length=MAX_LENGTHS["term"])
    definition = serializers.CharField(max_length=MAX_LENGTHS["definition"])
    source = serializers.CharField(  # type: ignore[assignment]  # a column of ours, not where DRF reads from
        max_length=MAX_LENGTHS["source"],
        allow_blank=True,
        default="",
        help_text="The article or clause it comes from.",
    )


class GlossaryWanted(serializers.Serializer[Any]):
    terms = serializers.ListField(child=GlossaryTerm(), max_length=MAX_TERMS)


class GlossaryFacts(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="Of this version; 0 where there never was one.")
    terms = GlossaryTerm(many=True)
