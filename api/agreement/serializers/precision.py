"""What a plan of judgments is worth before it is carried out."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.agreement.precision import DIFFERENCE, MOST_TEXTS, TARGETS, Assumptions
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.selectors.agreement.precision import MOST_PEOPLE, MOST_SYSTEMS
from api.fields import ChoiceField, FiniteFloatField, SeedField

_KNOWN = ("mean", "sources", "outputs", "people", "rest", "lowest", "highest")


def _deviation(of: str) -> FiniteFloatField:
    return FiniteFloatField(
        required=False,
        min_value=0,
        max_value=1000,
        help_text=f"Standard deviation {of}, in points.",
    )


class PrecisionQuery(serializers.Serializer[Any]):
    """Either `learn_from`, or all of `mean`, `sources`, `outputs`, `people`, `rest`, `lowest` and
    `highest`."""

    learn_from = serializers.CharField(
        required=False,
        max_length=200,
        help_text="`study:dimension`: a scale of a study that was judged, for instance "
        "`pilot:legal_meaning`.",
    )
    texts = serializers.IntegerField(min_value=FEWEST_SOURCES, max_value=MOST_TEXTS)
    systems = serializers.IntegerField(min_value=1, max_value=MOST_SYSTEMS, default=2)
    annotators = serializers.IntegerField(min_value=1, max_value=MOST_PEOPLE)
    target = ChoiceField(choices=TARGETS, default=DIFFERENCE)
    half_width = FiniteFloatField(min_value=0.01, max_value=100, default=0.5)
    seconds = FiniteFloatField(
        required=False, min_value=3, max_value=14400, help_text="For one judgment."
    )
    seed = SeedField(default=42)
    confidence = FiniteFloatField(min_value=0.5, max_value=0.999, default=0.95)
    mean = FiniteFloatField(required=False, min_value=-1000, max_value=1000)
    sources = _deviation("between original texts")
    outputs = _deviation("between outputs of one text")
    people = _deviation("between annotators")
    rest = _deviation("of the rest")
    lowest = serializers.IntegerField(required=False, min_value=-1000, max_value=1000)
    highest = serializers.IntegerField(required=False, min_value=-1000, max_value=1000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One of the two, whole."""
        if "learn_from" in attrs:
            return attrs
        missing = [name for name in _KNOWN if name not in attrs]
        if missing:
            raise serializers.ValidationError(
                dict.fromkeys(missing, _("Say this too, or choose a study to learn from."))
            )
        if not attrs["lowest"] < attrs["mean"] < attrs["highest"] <= attrs["lowest"] + 100:
            raise serializers.ValidationError({"mean": _("The mean lies within the scale.")})
        if not any(attrs[name] for name in _KNOWN[1:5]):
            raise serializers.ValidationError(
                {"rest": _("Where nothing varies, one answer says everything.")}
            )
        return attrs


def assumptions_of(wanted: dict[str, Any]) -> Assumptions:
    """Assumptions that a query spells out."""
    return Assumptions(
        mean=wanted["mean"],
        sources=wanted["sources"] ** 2,
        outputs=wanted["outputs"] ** 2,
        annotators=wanted["people"] ** 2,
        rest=wanted["rest"] ** 2,
        scale=tuple(map(float, range(wanted["lowest"], wanted["highest"] + 1))),
    )


class ExpectedPrecision(serializers.Serializer[Any]):
    """Half-widths in points; null where such a study could give no interval."""

    per_pair = serializers.IntegerField(help_text="Annotators who judge each pair.")
    difference = serializers.FloatField(allow_null=True)
    difference_with_other_annotators = serializers.FloatField(allow_null=True)
    mean = serializers.FloatField(allow_null=True)
    mean_with_other_annotators = serializers.FloatField(allow_null=True)
    pair = serializers.FloatField(help_text="Of a single pair's mean, for other annotators.")
    judgments = serializers.IntegerField()
    hours = serializers.FloatField()
    texts_needed = serializers.IntegerField(
        allow_null=True,
        help_text="For `half_width`; null where no number of texts gives it. By another seed it is "
        "another by about 2%, and by more where further texts narrow the interval by little.",
    )
    texts_needed_with_other_annotators = serializers.IntegerField(allow_null=True)


class PlannedPrecision(serializers.Serializer[Any]):
    undefined = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Why nothing can be computed, in both languages; null where it can.",
    )
    assumed = serializers.DictField(
        allow_null=True, help_text="Mean, variances in points² and scale that are taken for known."
    )
    choices = ExpectedPrecision(many=True)
    settings = serializers.DictField(help_text="Method, seed, draws, seconds, confidence.")
