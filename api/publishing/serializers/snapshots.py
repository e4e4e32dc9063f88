"""Frozen copies of a study and what is published of them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.agreement.consensus import LOT
from annotation.models import Job
from annotation.release.recipe import TIES
from api.fields import ChoiceField


class Freezing(serializers.Serializer[Any]):
    """What a snapshot is to hold."""

    reason = serializers.CharField(
        max_length=2000,
        allow_blank=True,
        default="",
        help_text="Needed where the study is not closed.",
    )
    systems = serializers.BooleanField(
        default=True,
        help_text="With the names of the systems. Without them, keys and positions of outputs "
        "still follow the order of the file that was imported, which may tell which belong to one "
        "system.",
    )
    coarse_times = serializers.BooleanField(default=False, help_text="Days instead of moments.")
    ties = ChoiceField(
        choices=TIES,
        default=LOT,
        help_text="Who decides a tie: the lot, or a model of the annotators before it.",
    )


class Publication(serializers.Serializer[Any]):
    """A snapshot or a bundle on its way."""

    id = serializers.UUIDField(source="public_id")
    kind = ChoiceField(choices=Job.Kind.values)
    state = ChoiceField(choices=Job.State.values)
    problem = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class SnapshotBefore(serializers.Serializer[Any]):
    """The study's snapshot before this one."""

    number = serializers.IntegerField()
    content_digest = serializers.CharField(help_text="Equal where nothing has changed since.")


class SnapshotFacts(serializers.Serializer[Any]):
    """A numbered copy of the study's data; it never changes."""

    number = serializers.IntegerField(source="frozen.number")
    name = serializers.CharField(source="frozen.name")
    created_at = serializers.DateTimeField(source="frozen.created_at")
    reason = serializers.CharField(source="frozen.reason")
    protocol_key = serializers.CharField(source="frozen.protocol_key")
    protocol_version = serializers.CharField(source="frozen.protocol_version")
    recipe = serializers.DictField(
        source="frozen.recipe", help_text="How the final labels were made."
    )
    content_digest = serializers.CharField(
        source="frozen.content_digest", help_text="Equal for equal data under an equal recipe."
    )
    follows = SnapshotBefore(allow_null=True, help_text="Null for the first of a study.")
    withdrawn_since = serializers.ListField(
        child=serializers.CharField(),
        help_text="Pseudonyms in it of annotators who have withdrawn since it was made. Where "
        "there is any, freeze the study again before you publish: no bundle of this one is written "
        "any more, and one that was written before holds their judgments.",
    )
    files = serializers.DictField(
        source="frozen.manifest.files", help_text="Digest, size and rows of each, by name."
    )
