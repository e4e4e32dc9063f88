"""Questions of models as leads read and change them, and answers with their grades."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import HIGHEST_GRADE
from annotation.questions.calls import MOST_QUESTIONS
from annotation.questions.lengths import Border
from annotation.questions.values import TYPES
from api.fields import ChoiceField


class QuestioningFacts(serializers.Serializer[Any]):
    """How a run of questions asks. Of answers and grades only language, window and border."""

    types = serializers.ListField(
        child=ChoiceField(choices=list(TYPES)), required=False, max_length=len(TYPES)
    )
    least = serializers.IntegerField(min_value=1, max_value=MOST_QUESTIONS, required=False)
    most = serializers.IntegerField(min_value=1, max_value=MOST_QUESTIONS, required=False)
    language = ChoiceField(choices=["fr", "en"], required=False)
    window = serializers.IntegerField(
        min_value=0,
        max_value=10**7,
        required=False,
        help_text="Most tokens of a text that are sent; 0 for no limit.",
    )
    border = ChoiceField(
        choices=[border.value for border in Border],
        allow_blank=True,
        required=False,
        help_text="Where a longer text is cut; empty: it is listed as refused.",
    )


class QuestionFacts(serializers.Serializer[Any]):
    """A question with the answer that the original gives and the words that bear it."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="generation.item.key")
    system = serializers.CharField(source="generation.system.name")
    number = serializers.IntegerField()
    type = ChoiceField(choices=list(TYPES))
    text = serializers.CharField()
    expected = serializers.CharField()
    quotation = serializers.CharField()
    edited_at = serializers.DateTimeField(allow_null=True)
    dropped_at = serializers.DateTimeField(allow_null=True)


class QuestionChange(serializers.Serializer[Any]):
    """What changes of a question that was not asked yet."""

    type = serializers.CharField(max_length=40, required=False)
    text = serializers.CharField(max_length=5000, required=False)
    expected = serializers.CharField(max_length=5000, required=False)
    quotation = serializers.CharField(max_length=5000, required=False)
    is_dropped = serializers.BooleanField(required=False)


class AnswerFacts(serializers.Serializer[Any]):
    """One question put to one text, by one chain of systems: those that asked, answered and
    graded."""

    source = serializers.CharField(  # type: ignore[assignment]  # a column's name
        help_text="Key of the item."
    )
    system = serializers.CharField(help_text="Which wrote the text.")
    question = serializers.CharField()
    type = serializers.CharField()
    text = serializers.CharField(help_text="The question.")
    expected = serializers.CharField()
    reference_quotation = serializers.CharField()
    answer = serializers.CharField(allow_blank=True)
    quotation = serializers.CharField(allow_blank=True)
    is_in_text = serializers.BooleanField(help_text="False: the text does not say.")
    beyond_text = serializers.BooleanField(help_text="The quoted words are not in the text.")
    grade = serializers.IntegerField(
        min_value=0, max_value=HIGHEST_GRADE, allow_null=True, help_text="5 and above is YES."
    )
    reason = serializers.CharField(allow_blank=True)
    missing = serializers.CharField(
        allow_blank=True, help_text="Why there is no answer or grade: counted, never as a NO."
    )
    variant = serializers.CharField()
    model = serializers.CharField()
    tokens = serializers.IntegerField(allow_null=True)
    usd = serializers.FloatField(allow_null=True)
