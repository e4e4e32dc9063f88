"""Scorers: trained, put into service, asked."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Backend, WorkState
from annotation.services.scoring.jobs import MOST_CHARACTERS
from api.fields import ChoiceField, Rows

SCORED_AT_ONCE = 1000


class ScorerFacts(serializers.Serializer[Any]):
    """A trained scorer; it never changes, except for whether it is in service."""

    version = serializers.IntegerField()
    target = serializers.CharField()
    backend = ChoiceField(choices=Backend.values)
    seed = serializers.IntegerField()
    lowest = serializers.FloatField()
    highest = serializers.FloatField()
    metrics = serializers.DictField(
        help_text="Of repeated grouped cross-validation, with intervals, n, method and seeds; the "
        "scorer itself was then refitted on everything."
    )
    interval = serializers.DictField(
        help_text="Of each score: half-width, level, and the coverage measured; empty where the "
        "scorer is older than intervals."
    )
    false_accept = serializers.FloatField(allow_null=True)
    is_in_service = serializers.BooleanField()
    promoted_at = serializers.DateTimeField(allow_null=True)
    training_run = serializers.UUIDField(source="training_run.public_id")
    created_at = serializers.DateTimeField()


class TrainingNew(serializers.Serializer[Any]):
    """On the final labels of a snapshot."""

    study = serializers.SlugField(max_length=50)
    snapshot = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="Its number.")
    backend = ChoiceField(choices=Backend.values)
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        min_length=1,
        max_length=50,
        required=False,
    )
    augment = serializers.BooleanField(default=False)
    repeats = serializers.IntegerField(
        min_value=1,
        max_value=20,
        required=False,
        help_text="Of the cross-validation: 5 by default, 1 of a transformer.",
    )


class TrainingFacts(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    state = ChoiceField(choices=WorkState.values)
    backend = ChoiceField(choices=Backend.values)
    seeds = serializers.ListField(child=serializers.IntegerField())
    augment = serializers.BooleanField()
    repeats = serializers.IntegerField()
    source_facts = serializers.DictField(
        source="source", help_text="Name, target, digest and counts of the data."
    )
    progress = serializers.DictField()
    problem = serializers.DictField()
    report = serializers.DictField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ScoredPair(serializers.Serializer[Any]):
    """One to score, by the rules of a file's: a simplification that says nothing has a score."""

    original = serializers.CharField(max_length=MOST_CHARACTERS, trim_whitespace=False)
    simplification = serializers.CharField(
        allow_blank=True, max_length=MOST_CHARACTERS, trim_whitespace=False
    )


class ScoringNew(serializers.Serializer[Any]):
    pairs = Rows(child=ScoredPair(), min_length=1, max_length=SCORED_AT_ONCE)


class ScoringFacts(serializers.Serializer[Any]):
    """Scores on their way; `results` are in the order of the pairs: `score`, `learned`, `rule`,
    and `low` and `high`, between which people's label lies at the scorer's level (null, and
    `interval_undefined`, where too few source texts were judged)."""

    id = serializers.UUIDField(source="public_id")
    scorer = serializers.IntegerField(source="scorer.version")
    state = ChoiceField(choices=WorkState.values)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    problem = serializers.DictField()
    results = serializers.ListField(child=serializers.DictField())
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class NumberOrWhy(serializers.Serializer[Any]):
    """A number, or null and the reason in both languages."""

    value = serializers.FloatField(allow_null=True)
    undefined = serializers.DictField(allow_null=True)


class BesideFacts(serializers.Serializer[Any]):
    """The scorer against one annotator, or against the people's mean (`rater` empty). `severity` is
    score minus rating; `near` the share within one point; `person` that annotator against the mean
    of the others."""

    rater = serializers.CharField(allow_blank=True)
    items = serializers.IntegerField()
    pearson = NumberOrWhy()
    rmse = NumberOrWhy()
    severity = NumberOrWhy()
    near = NumberOrWhy()
    person = NumberOrWhy()


class ScorerBesideFacts(serializers.Serializer[Any]):
    mean = BesideFacts()
    pearson_interval = serializers.DictField()
    rmse_interval = serializers.DictField()
    reliability = NumberOrWhy()
    reliability_items = serializers.IntegerField(
        help_text="The items that two people or more judged, which `reliability` is of."
    )
    annotators = BesideFacts(many=True)


class ScoredItemFacts(serializers.Serializer[Any]):
    unit = serializers.CharField(help_text="As in the study's exports: item/position.")
    system = serializers.CharField(allow_blank=True)
    score = serializers.FloatField()
    human = serializers.FloatField(help_text="Mean of the people's ratings.")
    annotators = serializers.IntegerField()
    rule = serializers.CharField(allow_blank=True)
    is_seen = serializers.BooleanField(help_text="The scorer has learned from its source text.")
    low = serializers.FloatField(allow_null=True, help_text="Of the score's interval.")
    high = serializers.FloatField(allow_null=True)


class StudyScoringFacts(serializers.Serializer[Any]):
    """How far the newest request is."""

    id = serializers.UUIDField(source="public_id")
    scorer = serializers.IntegerField(source="scorer.version")
    state = ChoiceField(choices=WorkState.values)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    problem = serializers.DictField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class StudyScoresFacts(serializers.Serializer[Any]):
    """Scores of a closed study beside its people. `unseen` counts items whose source the scorer
    never learned from."""

    scoring = StudyScoringFacts(allow_null=True)
    items = ScoredItemFacts(many=True)
    unseen = ScorerBesideFacts(allow_null=True)
    every = ScorerBesideFacts(allow_null=True)
    unscored = serializers.IntegerField(help_text="Judged since the scores were asked for.")
    signature = serializers.CharField(allow_blank=True)


class ReversionNew(serializers.Serializer[Any]):
    target = serializers.CharField(
        max_length=60, help_text="What the scorer predicts: protocol/dimension."
    )
    reason = serializers.CharField(max_length=2000)


class ReversionFacts(serializers.Serializer[Any]):
    target = serializers.CharField()
    version = serializers.IntegerField(
        source="scorer.version",
        default=None,
        allow_null=True,
        help_text="In service now; null for none.",
    )
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()
