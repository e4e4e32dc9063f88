"""Agreement, disputed pairs and the rulings on them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from annotation.agreement.bootstrap import DRAWS
from annotation.models import Adjudication, Item
from annotation.protocols.base import Wording
from api.fields import ROUND_MEANING, ChoiceField, FiniteFloatField, draws_field

ROUNDS = [*Item.Round.values, "all"]


class DisputeThresholds(serializers.Serializer[Any]):
    """What counts as a disagreement."""

    majority_share = serializers.FloatField(help_text="Above 0.5, at most 1.")
    score_range = serializers.FloatField(
        help_text="Points of a scale that `score_ranges` does not name; at most those of the "
        "widest. Where nobody has set it, a third of that."
    )
    fewest_ratings = serializers.IntegerField()
    score_ranges = serializers.DictField(
        child=serializers.FloatField(),
        required=False,
        help_text="Points by dimension, of scales that have their own; at most those of the scale.",
    )


class CaseFacts(serializers.Serializer[Any]):
    simplification = serializers.IntegerField(source="unit.pk")
    item = serializers.CharField(source="unit.item_key")
    dimension = serializers.CharField()
    values = serializers.ListField(child=serializers.FloatField())
    disagreement = serializers.FloatField()
    state = ChoiceField(choices=["open", "ruled", "due_again"])


class OutOfReachFacts(serializers.Serializer[Any]):
    """A dimension on which these thresholds can list nothing, however people divide."""

    dimension = serializers.CharField()
    answers = serializers.IntegerField(help_text="Of a pair.")
    values = serializers.IntegerField(
        help_text="Possible ones; of a dimension that counts marks 2: one is marked or is not."
    )
    lowest_share = serializers.FloatField(
        help_text="With so many answers the most frequent one never has less: set "
        "`majority_share` above it."
    )


class AdjudicationQueue(serializers.Serializer[Any]):
    rules = DisputeThresholds()
    out_of_reach = OutOfReachFacts(many=True)
    cases = CaseFacts(many=True)


class CaseFilter(serializers.Serializer[Any]):
    dimension = serializers.CharField(max_length=30, required=False)
    state = ChoiceField(choices=["open", "ruled", "due_again"], required=False)


class NamesShown(serializers.Serializer[Any]):
    names = serializers.BooleanField(
        default=False, help_text="Pseudonyms in the place of numbers; recorded."
    )


class VoiceFacts(serializers.Serializer[Any]):
    name = serializers.CharField()
    answers = serializers.DictField()
    ratings = serializers.DictField(child=serializers.IntegerField())


class RulingFacts(serializers.Serializer[Any]):
    outcome = ChoiceField(choices=Adjudication.Outcome.values)
    value = serializers.IntegerField(allow_null=True)
    marks = serializers.ListField(
        allow_null=True, help_text="Of a dimension that counts marks: those that stand."
    )
    reasons = serializers.CharField()
    saw_pseudonyms = serializers.BooleanField()
    decided_at = serializers.DateTimeField()


class CaseDetail(serializers.Serializer[Any]):
    original = serializers.CharField()
    simplification = serializers.CharField()
    digest = serializers.CharField(
        help_text="Of these judgments and the ruling in force: send it with yours."
    )
    voices = VoiceFacts(many=True)
    ruling = RulingFacts(allow_null=True)


class RulingNew(serializers.Serializer[Any]):
    outcome = ChoiceField(choices=Adjudication.Outcome.values)
    value = serializers.IntegerField(allow_null=True, default=None)
    marks = serializers.ListField(
        allow_null=True,
        default=None,
        max_length=5_000,
        help_text="Of a dimension that counts marks: those that stand, as answers have them; the "
        "value is then their number.",
    )
    reasons = serializers.CharField(max_length=20_000, allow_blank=True)
    digest = serializers.CharField(default="", allow_blank=True, max_length=64)
    saw_pseudonyms = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ``ValidationError`` for what a case that stays divided is decided as: it would be
        dropped without a word."""
        if attrs["outcome"] == Adjudication.Outcome.DIVIDED:
            refused = [name for name in ("value", "marks") if attrs[name] is not None]
            if refused:
                raise serializers.ValidationError(dict.fromkeys(refused, _not_taken()))
        return attrs


def _not_taken() -> ErrorDetail:
    return ErrorDetail(_DIVIDED.get(get_language() or "fr"), code="not_taken")


_DIVIDED = Wording(
    "Un cas légitimement partagé (« divided ») n'en a pas : laissez-le de côté, ou tranchez "
    "(« settled »).",
    "A case that is legitimately divided has none: leave it out, or settle the case (“settled”).",
)


class AgreementQuery(serializers.Serializer[Any]):
    round = ChoiceField(choices=ROUNDS, default=Item.Round.MAIN.value, help_text=ROUND_MEANING)
    draws = draws_field("Of the bootstrap", default=DRAWS, most=2000)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=42)
    confidence = FiniteFloatField(min_value=0.5, max_value=0.999, default=0.95)
    withdrawn = serializers.BooleanField(
        default=True, help_text="With what annotators submitted who have left since."
    )


class OfWithdrawn(serializers.Serializer[Any]):
    people = serializers.IntegerField(help_text="Who have withdrawn and are counted here.")
    judgments = serializers.IntegerField(
        help_text="Theirs, among all: no snapshot or release holds them. Where there is a "
        "parameter `withdrawn`, `false` leaves them out."
    )


class Agreement(serializers.Serializer[Any]):
    """For each dimension every coefficient with its interval, its n, or why it is undefined, and
    its signature."""

    round = ChoiceField(choices=ROUNDS)
    judgments = serializers.IntegerField()
    of_withdrawn = OfWithdrawn()
    dimensions = serializers.DictField(child=serializers.DictField())
