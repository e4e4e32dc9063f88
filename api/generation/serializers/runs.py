"""Runs of models: settings, systems, progress."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.generation.presets import SystemSpec
from annotation.generation.prices import CEILING_DECIMALS, LEAST_CEILING, MOST_CEILING, Price
from annotation.models import GenerationRun
from api.fields import ChoiceField, SeedField
from api.generation.serializers.questions import QuestioningFacts

_USD: dict[str, Any] = {"max_digits": 14, "decimal_places": 6, "min_value": Decimal(0)}
_CEILING: dict[str, Any] = {
    "max_digits": 14,
    "decimal_places": CEILING_DECIMALS,
    "min_value": LEAST_CEILING,
    "max_value": MOST_CEILING,
}
_ROUNDS = ["all", "main", "practice"]


class RunNew(serializers.Serializer[Any]):
    purpose = ChoiceField(
        choices=GenerationRun.Purpose.values, default=GenerationRun.Purpose.SIMPLIFY.value
    )
    endpoint = serializers.CharField(
        max_length=40, default="openai", help_text="A service of this installation."
    )
    mode = ChoiceField(choices=GenerationRun.Mode.values, default=GenerationRun.Mode.LIVE.value)
    round = ChoiceField(choices=_ROUNDS, default="all")
    ceiling = serializers.DecimalField(
        default=Decimal(5), help_text="USD; the run stops before it costs more.", **_CEILING
    )
    seed = SeedField(
        required=False,
        help_text="Of the order in which systems stand in each item. By default drawn; a number of "
        "your own choice can be guessed.",
    )
    after = serializers.IntegerField(
        min_value=1,
        required=False,
        help_text="Of answers: the number of the run that wrote the questions; of grades: of the "
        "run that answered them.",
    )
    questioning = QuestioningFacts(required=False)


class RunChange(serializers.Serializer[Any]):
    """Of a run that was started, only the ceiling changes."""

    endpoint = serializers.CharField(max_length=40, required=False)
    mode = ChoiceField(choices=GenerationRun.Mode.values, required=False)
    round = ChoiceField(choices=_ROUNDS, required=False)
    ceiling = serializers.DecimalField(required=False, **_CEILING)
    questioning = QuestioningFacts(required=False)


class SystemFacts(serializers.Serializer[Any]):
    """A model with its prompt and parameters; without them those that are offered for the run's
    purpose. Without prices those of the installation's table are taken."""

    name = serializers.CharField(
        max_length=100, help_text="Stands in the data; annotators never see it."
    )
    model = serializers.CharField(max_length=100, required=False)
    prompt = serializers.CharField(
        max_length=20_000,
        required=False,
        help_text="With {input} exactly once, where simplifications are written, and without it "
        "elsewhere: the text follows by itself.",
    )
    parameters = serializers.DictField(required=False)
    price_prompt = serializers.DecimalField(
        required=False, help_text="USD per million tokens read.", **_USD
    )
    price_completion = serializers.DecimalField(
        required=False, help_text="USD per million tokens written.", **_USD
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("price_prompt" in attrs) != ("price_completion" in attrs):
            raise serializers.ValidationError(
                {"price_completion": _("Give both prices or neither.")}
            )
        return attrs

    @staticmethod
    def spec(wanted: dict[str, Any], preset: SystemSpec) -> tuple[SystemSpec, Price | None]:
        """What was sent, as the service takes it; the rest from the preset."""
        own = {name: wanted[name] for name in ("model", "prompt", "parameters") if name in wanted}
        spec = replace(preset, name=wanted["name"], **own)
        price = (
            Price(wanted["price_prompt"], wanted["price_completion"])
            if "price_prompt" in wanted
            else None
        )
        return spec, price


class RunFacts(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    purpose = ChoiceField(choices=GenerationRun.Purpose.values)
    mode = ChoiceField(choices=GenerationRun.Mode.values)
    endpoint = serializers.CharField()
    round = ChoiceField(choices=_ROUNDS)
    state = ChoiceField(choices=GenerationRun.State.values)
    stopped = serializers.CharField(help_text="Why it stands still, where nobody asked it to.")
    ceiling = serializers.DecimalField(max_digits=14, decimal_places=6)
    spent = serializers.DecimalField(max_digits=14, decimal_places=6)
    seed = SeedField()
    after = serializers.IntegerField(
        source="after.number", default=None, allow_null=True, help_text="Number of the run before."
    )
    questioning = QuestioningFacts()
    systems = SystemFacts(many=True, source="systems.all")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class Estimate(serializers.Serializer[Any]):
    calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    expected_completion_tokens = serializers.IntegerField()
    most_completion_tokens = serializers.IntegerField()
    expected = serializers.DecimalField(max_digits=20, decimal_places=6, help_text="USD.")
    at_most = serializers.DecimalField(max_digits=20, decimal_places=6, help_text="USD.")


class RunProgress(serializers.Serializer[Any]):
    state = ChoiceField(choices=GenerationRun.State.values)
    stopped = serializers.CharField()
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    spent = serializers.DecimalField(max_digits=14, decimal_places=6)
    ceiling = serializers.DecimalField(max_digits=14, decimal_places=6)
    calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    uncounted = serializers.IntegerField(
        help_text="Calls paid for as the most that they may have cost: their tokens, which nobody "
        "counted, are not among those above."
    )
    rate = serializers.FloatField(allow_null=True, help_text="Outputs per minute.")
    remaining_seconds = serializers.IntegerField(allow_null=True)
    flagged = serializers.IntegerField()
    undecided = serializers.IntegerField()
