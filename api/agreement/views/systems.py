"""Systems side by side."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, study_for_lead
from annotation.agreement.systems.figure import Drawn
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems_stored import systems_stored
from api.agreement.serializers.systems import Systems, SystemsQuery
from api.resource import Resource, query_of


@extend_schema(tags=["progress"])
class StudySystems(Resource):
    @extend_schema(parameters=[SystemsQuery], responses=Systems)
    def get(self, request: Request, study: str) -> Response:
        """Which system people judge better, by how much, how sure that is: means and shares,
        paired differences with tests and effect sizes, ranks. Not during a blind phase.

        `without_flagged` compares again without flagged outputs. It is apart: looked at after the
        fact, exploratory, and with a Holm correction within itself.
        """
        led_study, wanted = study_for_lead(self.person, study), query_of(SystemsQuery, request)
        answers_readable(led_study, wanted["round"])
        drawn = Drawn(wanted["draws"], wanted["seed"], wanted["confidence"])
        figures = systems_stored(
            led_study, Filters(round=wanted["round"]), drawn, withdrawn=wanted["withdrawn"]
        )
        of_withdrawn = figures.of_withdrawn._asdict()
        return Response(Systems(figures.as_dict() | {"of_withdrawn": of_withdrawn}).data)
