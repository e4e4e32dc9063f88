"""Reports on metrics, and scores from elsewhere."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.corpus.metric_scores import LONGEST_NAME
from annotation.metrics.report.estimate import DRAWS, FEWEST_DRAWS, SEED
from annotation.models import BroughtMetric, Job

_MOST_SCORES = 50_000


class ReportNew(serializers.Serializer[Any]):
    dimension = serializers.CharField(
        max_length=60, help_text="Of the protocol: what the metrics are held against."
    )
    reference = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="A system whose outputs the others are compared with; it is left out itself.",
    )
    more_references = serializers.ListField(
        child=serializers.CharField(max_length=100),
        default=list,
        max_length=50,
        help_text="Further such systems: several references for each item.",
    )
    slow = serializers.BooleanField(
        default=False, help_text="With TER, which takes a quarter of a second for each pair."
    )
    every_scorer = serializers.BooleanField(
        default=False,
        help_text="With every scorer of the registry, not only the one in service and those that "
        "have scored the study.",
    )
    encoders = serializers.ListField(
        child=serializers.CharField(max_length=40),
        default=list,
        max_length=20,
        help_text="By their names: `use-multilingual`, and folders that an admin named.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=SEED)
    draws = serializers.IntegerField(
        min_value=0,
        max_value=5000,
        default=DRAWS,
        help_text=f"Of source texts: {FEWEST_DRAWS} or more, or 0 for figures without intervals.",
    )

    def validate_draws(self, value: int) -> int:
        if 0 < value < FEWEST_DRAWS:
            raise serializers.ValidationError(
                f"{FEWEST_DRAWS} or more, or 0 for figures without intervals."
            )
        return value


class ReportFacts(serializers.Serializer[Any]):
    """The newest report. Every figure has its value, interval and n, or says in both languages why
    it is undefined; every line has its signature."""

    id = serializers.UUIDField(source="public_id")
    state = serializers.ChoiceField(choices=Job.State.values)
    done = serializers.IntegerField(
        help_text="Pairs measured, anew by each machine; then as many steps of figures."
    )
    total = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why it failed; empty where it did not.")
    asked = serializers.DictField(source="parameters", help_text="What it was to be about.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    report = serializers.DictField(
        source="result",
        help_text="Lines with the points and largest disagreements of each, strata, the human "
        "ceiling, metrics between each other, papers' tables; empty until it is done.",
    )


class ScoreNew(serializers.Serializer[Any]):
    pair = serializers.CharField(max_length=300, help_text="`<item>/<position>`.")
    metric = serializers.CharField(max_length=LONGEST_NAME)
    score = serializers.FloatField()


class ScoresNew(serializers.Serializer[Any]):
    direction = serializers.ChoiceField(
        choices=BroughtMetric.Direction.values, default=BroughtMetric.Direction.HIGHER.value
    )
    lowest = serializers.FloatField(
        allow_null=True, default=None, help_text="Of the possible range; both ends or neither."
    )
    highest = serializers.FloatField(allow_null=True, default=None)
    note = serializers.CharField(
        max_length=300,
        default="",
        allow_blank=True,
        help_text="Model, version, settings: it becomes their signature.",
    )
    scores = serializers.ListField(child=ScoreNew(), allow_empty=False, max_length=_MOST_SCORES)


class BroughtFacts(serializers.Serializer[Any]):
    name = serializers.CharField()
    number = serializers.IntegerField(help_text="Of pairs with a score.")
    direction = serializers.ChoiceField(choices=BroughtMetric.Direction.values)
    lowest = serializers.FloatField(allow_null=True)
    highest = serializers.FloatField(allow_null=True)
    note = serializers.CharField()
    sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()
