"""Annotators and systems modelled."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.models import Job
from api.agreement.serializers.agreement import OfWithdrawn
from api.fields import ChoiceField


class ModelsJob(serializers.Serializer[Any]):
    """The models on their way."""

    id = serializers.UUIDField(source="public_id")
    state = ChoiceField(choices=Job.State.values)
    problem = serializers.CharField()
    done = serializers.IntegerField(help_text="Runs of models.")
    total = serializers.IntegerField()


class Models(serializers.Serializer[Any]):
    """What was computed last. Every model has its method, version, seed, n and signature; what
    cannot be modelled says in both languages why."""

    running = ModelsJob(allow_null=True)
    failed = ModelsJob(allow_null=True)
    computed_at = serializers.DateTimeField(
        source="last.finished_at", allow_null=True, default=None
    )
    is_current = serializers.BooleanField(
        help_text="Nothing was answered since, and nobody has withdrawn or come back."
    )
    judgments = serializers.IntegerField(
        source="last.result.judgments", allow_null=True, default=None
    )
    of_withdrawn = OfWithdrawn(
        source="last.result.of_withdrawn",
        allow_null=True,
        default=None,
        help_text="Null of what was computed before it was counted.",
    )
    dimensions = serializers.DictField(
        child=serializers.DictField(),
        help_text="By dimension each annotator, each model, its posteriors, and the labels that "
        "are ties or that it gives otherwise than most people; `mixed`: systems by mixed models. "
        "Its `linear` has each system's mean, each difference and the components of variance, its "
        "`ordinal` each difference in log odds and as an odds ratio, the thresholds and each "
        "annotator's shift of them, its `own` the same with thresholds of each annotator's own, "
        "and in `fit` and `fit_of_shift` which of both describes the answers better; every figure "
        "with n, interval, method and signature, and where one is not given, `undefined` says why. "
        "Missing in what was computed before there were any.",
    )
