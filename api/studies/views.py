"""Studies, for those who run them. To everybody else they are not there."""

from __future__ import annotations

from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import may_create_studies, studies_led, study_for_lead
from annotation.models import Study
from annotation.selectors.studies.readiness import readiness
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import (
    guide_publish,
    study_change_state,
    study_create,
    study_update,
)
from api.etags import check_if_match
from api.idempotency import idempotent
from api.resource import Resource, body_of, page, query_of
from api.schema import IF_MATCH, listing
from api.studies.serializers import (
    EventFacts,
    Filled,
    Guide,
    Readiness,
    ReadinessQuery,
    StateChange,
    StudyChange,
    StudyFacts,
    StudyNew,
)


@extend_schema(tags=["studies"])
class StudyList(Resource):
    @listing(StudyFacts)
    def get(self, request: Request) -> Response:
        """The studies that you run."""
        return page(self, studies_led(self.person), StudyFacts, "key")

    @extend_schema(request=StudyNew, responses={201: StudyFacts})
    @idempotent()
    def post(self, request: Request) -> Response:
        """Make a study, which you lead. For admins and for whoever leads a study already."""
        if not may_create_studies(self.person):
            raise Http404("nothing here")
        study = study_create(actor=self.person, **body_of(StudyNew, request))
        return Response(StudyFacts(study).data, status=201)


@extend_schema(tags=["studies"])
class StudyDetail(Resource):
    @extend_schema(responses=StudyFacts)
    def get(self, request: Request, study: str) -> Response:
        """One study with its settings."""
        return Response(StudyFacts(study_for_lead(self.person, study)).data)

    @extend_schema(request=StudyChange, responses=StudyFacts, parameters=[IF_MATCH])
    @idempotent()
    def patch(self, request: Request, study: str) -> Response:
        """Change settings; some are fixed once somebody has judged."""
        found = study_for_lead(self.person, study)
        changes = body_of(StudyChange, request)
        with transaction.atomic():
            found = _unchanged(request, found)
            return Response(
                StudyFacts(study_update(actor=self.person, study=found, **changes)).data
            )


def _unchanged(request: Request, study: Study) -> Study:
    """The study, locked, where it still is what the client has seen."""
    found = Study.objects.select_for_update().get(pk=study.pk)
    check_if_match(request, StudyFacts(found).data)
    return found


@extend_schema(tags=["studies"])
class StudyState(Resource):
    @extend_schema(request=StateChange, responses=StudyFacts, parameters=[IF_MATCH])
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Open, close or reopen a round. Opening one gives everybody their pairs."""
        found = study_for_lead(self.person, study)
        step = body_of(StateChange, request)
        with transaction.atomic():
            found = _unchanged(request, found)
            return Response(
                StudyFacts(study_change_state(actor=self.person, study=found, **step)).data
            )


@extend_schema(tags=["studies"])
class StudyReadiness(Resource):
    @extend_schema(parameters=[ReadinessQuery], responses=Readiness(many=True))
    def get(self, request: Request, study: str) -> Response:
        """What a step should find done. What is missing may be passed over with a reason, unless it
        is needed."""
        found, wanted = study_for_lead(self.person, study), query_of(ReadinessQuery, request)
        return Response(Readiness(readiness(found, wanted["to"]), many=True).data)


@extend_schema(tags=["studies"])
class Assignments(Resource):
    @extend_schema(request=None, responses=Filled)
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Give those who came later the pairs that they lack. Asked again it adds nothing."""
        added = assignments_fill(actor=self.person, study=study_for_lead(self.person, study))
        return Response({"added": added})


@extend_schema(tags=["studies"])
class GuideVersions(Resource):
    @listing(Guide)
    def get(self, request: Request, study: str) -> Response:
        """Every published version of the guide, the newest first."""
        return page(self, study_for_lead(self.person, study).guides.all(), Guide, "-number")

    @extend_schema(request=Guide, responses={201: Guide})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Publish the next version of the guide."""
        found = study_for_lead(self.person, study)
        guide = guide_publish(actor=self.person, study=found, **body_of(Guide, request))
        return Response(Guide(guide).data, status=201)


@extend_schema(tags=["studies"])
class Events(Resource):
    @listing(EventFacts)
    def get(self, request: Request, study: str) -> Response:
        """Everything that was done in the study, the newest first."""
        events = study_for_lead(self.person, study).events.select_related("actor")
        return page(self, events, EventFacts, "-pk")
