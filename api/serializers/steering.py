"""What a lead decides on: outputs of models, disagreements, the practice round, judgments sent back."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Adjudication, Output


class OutputFacts(serializers.Serializer[Any]):
    """One output in force, with what was found in it."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="generation.item.key")
    system = serializers.CharField(source="generation.system.name")
    number = serializers.IntegerField()
    raw = serializers.CharField()
    text = serializers.CharField()
    finish_reason = serializers.CharField()
    flags = serializers.ListField(child=serializers.CharField())
    decision = serializers.CharField()


class OutputFilter(serializers.Serializer[Any]):
    flag = serializers.CharField(max_length=40, required=False)
    undecided = serializers.BooleanField(default=False, help_text="With a flag and without a decision.")


class OutputDecision(serializers.Serializer[Any]):
    """On the outputs named, or on all that carry the flag."""

    decision = serializers.ChoiceField(choices=Output.Decision.values)
    flag = serializers.CharField(max_length=40, default="", allow_blank=True)
    outputs = serializers.ListField(child=serializers.IntegerField(), required=False, max_length=10_000)


class Changed(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="How many.")


class DisputeThresholds(serializers.Serializer[Any]):
    """What counts as a disagreement."""

    majority_share = serializers.FloatField(help_text="Above 0.5, at most 1.")
    score_range = serializers.FloatField()
    fewest_ratings = serializers.IntegerField()


class CaseFacts(serializers.Serializer[Any]):
    simplification = serializers.IntegerField(source="unit.pk")
    item = serializers.CharField(source="unit.item_key")
    dimension = serializers.CharField()
    values = serializers.ListField(child=serializers.FloatField())
    disagreement = serializers.FloatField()
    state = serializers.ChoiceField(choices=["open", "ruled", "due_again"])


class AdjudicationQueue(serializers.Serializer[Any]):
    rules = DisputeThresholds()
    cases = CaseFacts(many=True)


class CaseFilter(serializers.Serializer[Any]):
    dimension = serializers.CharField(max_length=30, required=False)
    state = serializers.ChoiceField(choices=["open", "ruled", "due_again"], required=False)


class NamesShown(serializers.Serializer[Any]):
    names = serializers.BooleanField(default=False, help_text="Pseudonyms in the place of numbers; recorded.")


class VoiceFacts(serializers.Serializer[Any]):
    name = serializers.CharField()
    answers = serializers.DictField()
    ratings = serializers.DictField(child=serializers.IntegerField())


class RulingFacts(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(choices=Adjudication.Outcome.values)
    value = serializers.IntegerField(allow_null=True)
    reasons = serializers.CharField()
    saw_pseudonyms = serializers.BooleanField()
    decided_at = serializers.DateTimeField()


class CaseDetail(serializers.Serializer[Any]):
    original = serializers.CharField()
    simplification = serializers.CharField()
    digest = serializers.CharField(help_text="Of these judgments: send it with the ruling.")
    voices = VoiceFacts(many=True)
    ruling = RulingFacts(allow_null=True)


class RulingNew(serializers.Serializer[Any]):
    outcome = serializers.CharField(max_length=7)
    value = serializers.IntegerField(allow_null=True, default=None)
    reasons = serializers.CharField(max_length=20_000, allow_blank=True)
    digest = serializers.CharField(default="", allow_blank=True, max_length=64)
    saw_pseudonyms = serializers.BooleanField(default=False)


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
    reference = serializers.DictField(allow_null=True, default=None, help_text="Answers, as the protocol shapes them.")


class PracticeRow(serializers.Serializer[Any]):
    pair = serializers.IntegerField()
    item = serializers.CharField()
    judged = serializers.IntegerField()
    note = NoteFacts(allow_null=True)


class PracticePerson(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    done = serializers.IntegerField()
    total = serializers.IntegerField()


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


class CandidateFacts(serializers.Serializer[Any]):
    item = serializers.CharField(source="key")
    opening = serializers.CharField()
    classes = serializers.ListField(child=serializers.IntegerField(), help_text="Empty during a blind phase.")
    doubts = serializers.IntegerField()
    judgments = serializers.IntegerField()
    waiting = serializers.IntegerField()


class SentBack(serializers.Serializer[Any]):
    items = serializers.ListField(child=serializers.CharField(), max_length=100_000)
    reason = serializers.CharField(allow_blank=True, max_length=5000)
