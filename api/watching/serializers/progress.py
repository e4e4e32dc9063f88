"""How far a study is."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Study
from api.fields import ChoiceField


class Counts(serializers.Serializer[Any]):
    items = serializers.IntegerField()
    practice_items = serializers.IntegerField()
    pairs = serializers.IntegerField()
    identical = serializers.IntegerField()
    other_language = serializers.IntegerField()
    asides = serializers.IntegerField(
        help_text="Control pairs and silent repeats, which stand beside the pairs."
    )
    practice_done = serializers.IntegerField()
    practice_total = serializers.IntegerField()
    main_done = serializers.IntegerField(
        help_text="Submitted and not sent back, control pairs and silent repeats among them; as "
        "of everything here, without people who have withdrawn."
    )
    main_total = serializers.IntegerField()
    judgments = serializers.IntegerField(help_text="Submitted, of both rounds.")
    expected = serializers.IntegerField(help_text="These and those that are awaited.")


class AnnotatorProgress(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    practice_done = serializers.IntegerField()
    practice_total = serializers.IntegerField()
    main_done = serializers.IntegerField()
    main_total = serializers.IntegerField()
    drafts = serializers.IntegerField(
        help_text="Begun and not submitted, of what was saved within seven days or among the last "
        "hundred."
    )
    active_hours = serializers.FloatField()
    last_at = serializers.DateTimeField(allow_null=True)


class Progress(serializers.Serializer[Any]):
    state = ChoiceField(choices=Study.State.values)
    counts = Counts()
    annotators = AnnotatorProgress(many=True)
