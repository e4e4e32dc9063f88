"""A run's outputs: decided on, and made what is judged."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import run_for_lead
from annotation.selectors.base.outputs import newest_outputs
from annotation.services.generation.review import outputs_adopt, outputs_decide
from api.generation.serializers.outputs import OutputDecision, OutputFacts, OutputFilter
from api.idempotency import idempotent
from api.platform.serializers import Changed
from api.resource import Resource, body_of, page, query_of
from api.schema import listing


def _changed(number: int) -> Response:
    return Response(Changed({"changed": number}).data)


@extend_schema(tags=["generation"])
class RunOutputs(Resource):
    @listing(OutputFacts, parameters=[OutputFilter])
    def get(self, request: Request, study: str, number: int) -> Response:
        """The outputs in force, all or those with a flag."""
        run, wanted = run_for_lead(self.person, study, number), query_of(OutputFilter, request)
        outputs = newest_outputs(run).select_related("generation__item", "generation__system")
        if "flag" in wanted:
            outputs = outputs.filter(flags__icontains=f'"{wanted["flag"]}"')
        if wanted["undecided"]:
            outputs = outputs.exclude(flags=[]).filter(decision="")
        return page(self, outputs, OutputFacts, "pk")


@extend_schema(tags=["generation"])
class RunDecisions(Resource):
    @extend_schema(request=OutputDecision, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str, number: int) -> Response:
        """Keep, clean, exclude or regenerate outputs, or take a decision back (an empty one)."""
        run, wanted = run_for_lead(self.person, study, number), body_of(OutputDecision, request)
        return _changed(outputs_decide(actor=self.person, run=run, **wanted))


@extend_schema(tags=["generation"])
class RunAdoption(Resource):
    @extend_schema(request=None, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str, number: int) -> Response:
        """Make every output that may be judged a simplification of its item."""
        return _changed(
            outputs_adopt(actor=self.person, run=run_for_lead(self.person, study, number))
        )
