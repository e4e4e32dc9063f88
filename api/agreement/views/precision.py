"""How many annotators and texts a study takes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import studies_led, study_for_lead
from annotation.agreement.precision import (
    DIFFERENCE,
    MEAN,
    PAIR,
    TEAMS,
    TEXT_SETS,
    Assumptions,
    ImpossibleAssumptions,
    as_settings,
)
from annotation.models import Study
from annotation.protocols.base import Wording
from annotation.selectors.agreement.precision import (
    METHOD,
    Choice,
    Learned,
    PrecisionAim,
    choices,
    learned,
    pilots,
)
from api.agreement.serializers.precision import PlannedPrecision, PrecisionQuery, assumptions_of
from api.fields import unknown_choice
from api.resource import Resource, query_of

_USUAL_SECONDS = 180.0


@extend_schema(tags=["progress"])
class StudyPrecision(Resource):
    @extend_schema(parameters=[PrecisionQuery], responses=PlannedPrecision)
    def get(self, request: Request, study: str) -> Response:
        """What each number of annotators per pair would give: expected half-widths of means and
        differences, judgments, hours, and how many texts a wanted half-width takes. Learns from a
        study that was judged (never from one that hides its answers), or from assumptions.
        """
        led_study, query = study_for_lead(self.person, study), query_of(PrecisionQuery, request)
        known = self._learned(led_study, query.get("learn_from"))
        assumed = assumptions_of(query) if known is None else known.assumed
        seconds = query.get("seconds") or (known.seconds if known else None) or _USUAL_SECONDS
        wanted = PrecisionAim(
            **{name: query[name] for name in ("texts", "systems", "annotators", "target")},
            half_width=query["half_width"],
            seconds=seconds,
            seed=query["seed"],
            confidence=query["confidence"],
        )
        return Response(PlannedPrecision(_answer(assumed, wanted, known)).data)

    def _learned(self, study: Study, key: str | None) -> Learned | None:
        """Raises ``ValidationError`` for a study that may not be learned from, or is none."""
        if key is None:
            return None
        offered = {
            f"{pilot.study.key}:{pilot.dimension}": pilot
            for pilot in pilots(study, studies_led(self.person))
        }
        if key not in offered:
            raise unknown_choice("learn_from", key, offered)
        return learned(offered[key])


def _answer(
    assumed: Assumptions | None, wanted: PrecisionAim, known: Learned | None
) -> dict[str, Any]:
    reason: Wording | None = known.reason if known else None
    offered_choices: list[Choice] = []
    if assumed is not None:
        try:
            offered_choices = choices(assumed, wanted)
        except ImpossibleAssumptions as error:
            reason = error.reason
    return {
        "undefined": {"fr": reason.fr, "en": reason.en} if reason else None,
        "assumed": as_settings(assumed) if assumed else None,
        "choices": [_choice_facts(choice) for choice in offered_choices],
        "settings": {
            "method": METHOD,
            "target": wanted.target,
            "half_width": wanted.half_width,
            "texts": wanted.texts,
            "systems": wanted.systems,
            "annotators": wanted.annotators,
            "seconds": wanted.seconds,
            "confidence": wanted.confidence,
            "teams": TEAMS,
            "sets": TEXT_SETS,
            "seed": wanted.seed,
        },
    }


def _choice_facts(choice: Choice) -> dict[str, Any]:
    return {
        "per_pair": choice.per_pair,
        "difference": choice.widths[DIFFERENCE, False],
        "difference_with_other_annotators": choice.widths[DIFFERENCE, True],
        "mean": choice.widths[MEAN, False],
        "mean_with_other_annotators": choice.widths[MEAN, True],
        "pair": choice.widths[PAIR, True],
        "judgments": choice.cost.judgments,
        "hours": round(choice.cost.hours, 2),
        "texts_needed": choice.texts[False],
        "texts_needed_with_other_annotators": choice.texts[True],
    }
