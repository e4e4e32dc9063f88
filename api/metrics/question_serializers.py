"""The report on questions, and what is made of a run."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.metrics.report.estimate import DRAWS, SEED
from annotation.questions.people import ANSWERS, PAIRS
from annotation.questions.values import HIGHEST, LOWEST, THRESHOLD
from api.fields import ChoiceField, draws_field
from api.generation.serializers.questions import AnswerFacts

MOST_DRAWS = 2_000
MOST_ROWS = 1_000


class QuestionReportQuery(serializers.Serializer[Any]):
    threshold = serializers.IntegerField(
        min_value=LOWEST, max_value=HIGHEST, default=THRESHOLD, help_text="Lowest grade of a YES."
    )
    judged = serializers.CharField(
        max_length=1000,
        default="",
        allow_blank=True,
        help_text="Keys of studies that you lead in which people judged, with commas between them.",
    )
    beside = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="Numbers of further runs of this purpose, with commas between them.",
    )
    draws = draws_field("Of reference texts", default=DRAWS, most=MOST_DRAWS)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=SEED)


class QuestionRowsQuery(QuestionReportQuery):
    offset = serializers.IntegerField(min_value=0, default=0)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_ROWS, default=MOST_ROWS)


class QuestionReportFacts(serializers.Serializer[Any]):
    """Every figure with its value, interval, n, method and seed, or why it is undefined."""

    method = serializers.CharField()
    threshold = serializers.IntegerField()
    draws = serializers.IntegerField()
    seed = serializers.IntegerField()
    confidence = serializers.FloatField()
    n = serializers.IntegerField(help_text="Rows.")
    sources = serializers.IntegerField(help_text="Reference texts.")
    systems = serializers.ListField(
        child=serializers.DictField(),
        help_text="By chain, system and type ('' for all): shares of YES, mean grades, missing.",
    )
    people = serializers.ListField(
        child=serializers.DictField(),
        help_text="The model against people: correlations, labels at each threshold (curve), and "
        "the threshold chosen on one half.",
    )
    variants = serializers.ListField(
        child=serializers.DictField(), help_text="Chains two at a time, on the same texts."
    )
    pairs = serializers.DictField(help_text="What people say of the questions.")
    cost = serializers.ListField(child=serializers.DictField())
    published = serializers.ListField(child=serializers.DictField())


class JudgedAnswerFacts(AnswerFacts):
    people = serializers.DictField(
        child=serializers.BooleanField(), help_text="Who says that the question is answered."
    )
    captured = serializers.DictField(child=serializers.BooleanField())
    correct = serializers.DictField(child=serializers.BooleanField())


class QuestionRowsPage(serializers.Serializer[Any]):
    count = serializers.IntegerField(help_text="Of all rows.")
    rows = JudgedAnswerFacts(many=True)


class PeopleStudyNew(serializers.Serializer[Any]):
    key = serializers.SlugField(max_length=50)
    title = serializers.CharField(max_length=200)
    protocol = ChoiceField(choices=[PAIRS, ANSWERS])
    language = ChoiceField(choices=["fr", "en"], default="fr")


class PeopleStudyFacts(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    protocol = serializers.CharField(source="protocol_key")
    pairs = serializers.SerializerMethodField()

    def get_pairs(self, study: Any) -> int:
        """How many there are to judge."""
        return int(study.items.count())


class SharesNew(serializers.Serializer[Any]):
    run = serializers.IntegerField(min_value=1, help_text="Its number; it graded answers.")
    threshold = serializers.IntegerField(min_value=LOWEST, max_value=HIGHEST, default=THRESHOLD)
