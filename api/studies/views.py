"""Studies, for those who run them. To everybody else they are not there."""

from __future__ import annotations

from dataclasses import asdict

from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import (
    may_create_studies,
    require_admin,
    studies_listed,
    study_for_lead,
)
from annotation.models import Study
from annotation.selectors.platform.trail import trail_of_installation
from annotation.selectors.studies.ending import deletions, study_contents, trail_of_deleted
from annotation.selectors.studies.going_back import main_begun, round_taken
from annotation.selectors.studies.life import next_states
from annotation.selectors.studies.readiness import readiness
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.study_rows import study_row_lock
from annotation.services.studies.copying import CopyParts, study_copy
from annotation.services.studies.ending import study_archive, study_delete, study_restore
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
    DeletedEventFacts,
    DeletedStudy,
    EventFacts,
    Filled,
    Guide,
    InstallationEventFacts,
    Readiness,
    ReadinessQuery,
    StateChange,
    StateFacts,
    StudiesFilter,
    StudyArchiving,
    StudyChange,
    StudyContents,
    StudyCopy,
    StudyDeletion,
    StudyFacts,
    StudyNew,
)


@extend_schema(tags=["studies"])
class StudyList(Resource):
    @listing(StudyFacts, parameters=[StudiesFilter])
    def get(self, request: Request) -> Response:
        """The studies that you run; archived ones apart."""
        archived = query_of(StudiesFilter, request)["archived"]
        return page(self, studies_listed(self.person, archived=archived), StudyFacts, "key")

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
        led_study = study_for_lead(self.person, study)
        changes = body_of(StudyChange, request, stands=StudyFacts(led_study).data)
        with transaction.atomic():
            led_study = _unchanged(request, led_study)
            return Response(
                StudyFacts(study_update(actor=self.person, study=led_study, **changes)).data
            )

    @extend_schema(request=StudyDeletion, responses={200: StudyContents}, parameters=[IF_MATCH])
    @idempotent(ends_study=True)
    def delete(self, request: Request, study: str) -> Response:
        """Delete a study in which nobody and no model has judged; the answer says what went along.
        Its audit trail stays."""
        led_study, key = study_for_lead(self.person, study), body_of(StudyDeletion, request)["key"]
        with transaction.atomic():
            led_study = _unchanged(request, led_study)
            gone = study_delete(actor=self.person, study=led_study, key=key)
            return Response(StudyContents(gone).data)


def _unchanged(request: Request, study: Study) -> Study:
    """The study, locked, where it still is what the client has seen."""
    locked_study = study_row_lock(study.pk)
    check_if_match(request, StudyFacts(locked_study).data)
    return locked_study


@extend_schema(tags=["studies"])
class StudyHoldings(Resource):
    @extend_schema(responses=StudyContents)
    def get(self, request: Request, study: str) -> Response:
        """What deleting the study would take along, and what keeps it from being deleted."""
        led_study = study_for_lead(self.person, study)
        return Response(StudyContents(study_contents(led_study)).data)


@extend_schema(tags=["studies"])
class Copies(Resource):
    @extend_schema(request=StudyCopy, responses={201: StudyFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Make a study after the pattern of this one, which you lead. Never a judgment goes
        along."""
        led_study, parts = study_for_lead(self.person, study), body_of(StudyCopy, request)
        key, title = parts.pop("key"), parts.pop("title")
        copy = study_copy(
            actor=self.person, source=led_study, key=key, title=title, wanted=CopyParts(**parts)
        )
        return Response(StudyFacts(copy).data, status=201)


@extend_schema(tags=["studies"])
class Archive(Resource):
    @extend_schema(request=StudyArchiving, responses=StudyFacts)
    @idempotent()
    def put(self, request: Request, study: str) -> Response:
        """Put the study away: out of everybody's list, to be read and exported only."""
        led_study, body = study_for_lead(self.person, study), body_of(StudyArchiving, request)
        return Response(StudyFacts(study_archive(actor=self.person, study=led_study, **body)).data)

    @extend_schema(request=None, responses={200: StudyFacts})
    @idempotent()
    def delete(self, request: Request, study: str) -> Response:
        """Bring the study back, as it was."""
        led_study = study_for_lead(self.person, study)
        return Response(StudyFacts(study_restore(actor=self.person, study=led_study)).data)


@extend_schema(tags=["studies"])
class DeletedStudies(Resource):
    @listing(DeletedStudy)
    def get(self, request: Request) -> Response:
        """Studies that were deleted, the newest first. Admins only."""
        require_admin(self.person)
        return page(self, deletions(), DeletedStudy, "-pk")


@extend_schema(tags=["studies"])
class DeletedStudyEvents(Resource):
    @listing(DeletedEventFacts)
    def get(self, request: Request, deleted: int) -> Response:
        """Everything that was done in a study that was deleted, the newest first. Admins only."""
        require_admin(self.person)
        if not deletions().filter(study_id=deleted).exists():
            raise Http404("no such study")
        return page(self, trail_of_deleted(deleted), DeletedEventFacts, "-pk")


@extend_schema(tags=["studies"])
class InstallationEvents(Resource):
    @listing(InstallationEventFacts)
    def get(self, request: Request) -> Response:
        """Everything that was done in no study, to accounts and to this installation, the newest
        first. Admins only."""
        require_admin(self.person)
        return page(self, trail_of_installation(), InstallationEventFacts, "-pk")


@extend_schema(tags=["studies"])
class StudyState(Resource):
    @extend_schema(responses=StateFacts)
    def get(self, request: Request, study: str) -> Response:
        """Where the study stands, where it can go, and what going back from the main round would
        take along."""
        led_study = study_for_lead(self.person, study)
        taken = None
        if led_study.state == Study.State.MAIN:
            taken = asdict(round_taken(led_study)) | {"begun": main_begun(led_study)}
        facts = {"state": led_study.state, "next": next_states(led_study), "taken": taken}
        return Response(StateFacts(facts).data)

    @extend_schema(request=StateChange, responses=StudyFacts, parameters=[IF_MATCH])
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Open, close or reopen a round. Opening one gives everybody their pairs. A main round goes
        back to where it came from as long as nobody has saved anything in it."""
        led_study = study_for_lead(self.person, study)
        step = body_of(StateChange, request)
        with transaction.atomic():
            led_study = _unchanged(request, led_study)
            return Response(
                StudyFacts(study_change_state(actor=self.person, study=led_study, **step)).data
            )


@extend_schema(tags=["studies"])
class StudyReadiness(Resource):
    @extend_schema(parameters=[ReadinessQuery], responses=Readiness(many=True))
    def get(self, request: Request, study: str) -> Response:
        """What a step should find done. What is missing may be passed over with a reason, unless it
        is needed."""
        led_study, wanted = study_for_lead(self.person, study), query_of(ReadinessQuery, request)
        return Response(Readiness(readiness(led_study, wanted["to"]), many=True).data)


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

    @extend_schema(request=Guide, responses={201: Guide}, parameters=[IF_MATCH])
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Publish the next version of the guide. If-Match (the list of versions as you have seen
        it) or `builds_on` guards against another lead's version in the meantime."""
        led_study, wanted = study_for_lead(self.person, study), body_of(Guide, request)
        with transaction.atomic():
            # As the service locks it, so that no version comes between the look and the next.
            led_study = study_row_lock(led_study.pk)
            if "If-Match" in request.headers:
                check_if_match(request, self.get(request, led_study.key).data)
            guide = guide_publish(actor=self.person, study=led_study, **wanted)
        return Response(Guide(guide).data, status=201)


@extend_schema(tags=["studies"])
class Events(Resource):
    @listing(EventFacts)
    def get(self, request: Request, study: str) -> Response:
        """Everything that was done in the study, the newest first."""
        events = study_for_lead(self.person, study).events.select_related("actor")
        return page(self, events, EventFacts, "-pk")
