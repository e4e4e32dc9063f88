"""Systems side by side."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.agreement.systems.resampling import DRAWS
from annotation.models import Item
from api.agreement.serializers.agreement import ROUNDS, OfWithdrawn
from api.fields import ChoiceField, FiniteFloatField, draws_field


class SystemsQuery(serializers.Serializer[Any]):
    round = ChoiceField(choices=ROUNDS, default=Item.Round.MAIN.value)
    draws = draws_field("Of source texts", default=DRAWS, most=5000)
    seed = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, default=42, help_text="Of draws and of tests."
    )
    confidence = FiniteFloatField(min_value=0.5, max_value=0.999, default=0.95)
    withdrawn = serializers.BooleanField(
        default=True, help_text="With what annotators submitted who have left since."
    )


class Systems(serializers.Serializer[Any]):
    """Every figure has its value, its interval, its n and its signature, or says in both languages
    why it is undefined. Intervals with other annotators are never narrower than those with these:
    where the random effects' own would be, they are widened to them."""

    systems = serializers.ListField(child=serializers.CharField())
    undefined = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Why no system can be compared with another; null where some can.",
    )
    notes = serializers.ListField(child=serializers.DictField())
    judgments = serializers.IntegerField()
    of_withdrawn = OfWithdrawn()
    unnamed_outputs = serializers.IntegerField(help_text="Judged outputs without a system's name.")
    dimensions = serializers.DictField(
        child=serializers.DictField(),
        help_text="Systems by themselves, every two of them, ranks and flags.",
    )
    bracket_rates = serializers.ListField(child=serializers.DictField())
    error_rates = serializers.ListField(child=serializers.DictField())
    mark_rates = serializers.DictField(
        child=serializers.ListField(child=serializers.DictField()),
        help_text="The same of marks that are no errors (edits, praise), by the field they are "
        "marked in: never among error_rates.",
    )
    with_models = serializers.DictField(
        allow_null=True,
        help_text="The same means and differences with the help of models that judged every "
        "output, or of scorers and metrics that scored it, where people judged a random part of "
        "the texts (prediction-powered inference); each with its signature. Null where no model "
        "judges and no part was drawn, and outside the main round.",
    )
    methods = serializers.DictField(
        allow_null=True,
        help_text="What was done, as a paragraph for a paper in both languages; null where "
        "nothing is compared.",
    )
    settings = serializers.DictField(help_text="Method, draws, seed, confidence.")
