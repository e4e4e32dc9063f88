"""The practice round and its meeting."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.agreement.serializers.agreement import VoiceFacts


class MeetingFacts(serializers.Serializer[Any]):
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    shows_names = serializers.BooleanField()
    reason = serializers.CharField()


class MeetingNew(serializers.Serializer[Any]):
    shows_names = serializers.BooleanField(default=False)
    reason = serializers.CharField(default="", allow_blank=True, max_length=2000)


class MeetingNames(serializers.Serializer[Any]):
    shows_names = serializers.BooleanField()


class NoteFacts(serializers.Serializer[Any]):
    note = serializers.CharField(allow_blank=True)
    reference = serializers.DictField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)


class NoteNew(serializers.Serializer[Any]):
    note = serializers.CharField(allow_blank=True, trim_whitespace=False)
    reference = serializers.DictField(
        allow_null=True, default=None, help_text="Answers, as the protocol shapes them."
    )


class PracticeRow(serializers.Serializer[Any]):
    pair = serializers.IntegerField()
    item = serializers.CharField()
    judged = serializers.IntegerField()
    note = NoteFacts(allow_null=True)


class PracticePerson(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    late = serializers.BooleanField(
        source="is_late", help_text="Joined after the round: none of it is awaited."
    )


class PracticeFacts(serializers.Serializer[Any]):
    meeting = MeetingFacts(allow_null=True)
    answers_open = serializers.BooleanField()
    people = PracticePerson(many=True)
    pairs = PracticeRow(many=True)


class PracticeVoiceFacts(VoiceFacts):
    judgment = serializers.IntegerField(help_text="To adopt it as the reference.")
    late = serializers.BooleanField()


class PracticePairFacts(serializers.Serializer[Any]):
    original = serializers.CharField()
    simplification = serializers.CharField()
    note = NoteFacts(allow_null=True)
    voices = PracticeVoiceFacts(many=True)


class Adopted(serializers.Serializer[Any]):
    judgment = serializers.IntegerField()
