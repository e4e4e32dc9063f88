"""Rater consistency. Version 1 of the API calls it steadiness: names that programs know stay."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_with_answers
from annotation.selectors.agreement.consistency import study_controls, study_repeats
from annotation.selectors.planning.repeats import repeats_left
from api.agreement.serializers.consistency import Steadiness
from api.resource import Resource


@extend_schema(tags=["plan"])
class StudySteadiness(Resource):
    @extend_schema(responses=Steadiness)
    def get(self, request: Request, study: str) -> Response:
        """How steadily people judge: silent repeats against first answers, control pairs against
        what they must be. Not during a blind phase."""
        led_study = study_with_answers(self.person, study)
        repeats = study_repeats(led_study)
        facts = {
            "controls": study_controls(led_study),
            "offered": repeats.offered,
            "answered": len(repeats.twice),
            "left": repeats_left(led_study),
            "people": repeats.by_person,
            "dimensions": {name: report.as_dict() for name, report in repeats.reports.items()},
        }
        return Response(Steadiness(facts).data)
