"""Former answers of one's own: kept versions of a draft, submissions, and taking the last one
back."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import assignment_for
from annotation.selectors.judging.own import own_former_answers, own_revisions, own_versions
from annotation.selectors.judging.queue import place
from annotation.services.judging.drafts import draft_restore
from annotation.services.judging.taking_back import judgment_take_back
from api.idempotency import idempotent
from api.judging.serializers import DraftVersionKept, Revision, Saved, TakenBack, TakingBack
from api.judging.views.judging import Judging, saved_members
from api.resource import body_of


@extend_schema(tags=["judging"])
class OwnHistory(Judging):
    @extend_schema(responses=Revision(many=True))
    def get(self, request: Request, study: str, position: int) -> Response:
        """Your own submissions for one pair, the newest first; without what you took back."""
        return Response(
            Revision(own_revisions(assignment_for(self.person, study, position)), many=True).data
        )


@extend_schema(tags=["judging"])
class OwnVersions(Judging):
    @extend_schema(responses=DraftVersionKept(many=True))
    def get(self, request: Request, study: str, position: int) -> Response:
        """Versions of your draft that you decided against and that are still kept, the newest
        first. Nobody else can read them."""
        return Response(
            DraftVersionKept(
                own_versions(assignment_for(self.person, study, position)), many=True
            ).data
        )


@extend_schema(tags=["judging"])
class OwnVersionDetail(Judging):
    @extend_schema(responses=DraftVersionKept)
    def get(self, request: Request, study: str, position: int, number: int) -> Response:
        """One kept version."""
        for kept in own_versions(assignment_for(self.person, study, position)):
            if kept.number == number:
                return Response(DraftVersionKept(kept).data)
        raise Http404("not kept, or not any more")


class _Restoring(Judging):
    """Former answers become the draft again. ``source``: as ``own_former_answers`` names it."""

    source = ""

    def _restored(self, study: str, position: int, number: int) -> Response:
        assignment = assignment_for(self.person, study, position)
        answers = own_former_answers(assignment, self.source, number)
        if answers is None:
            raise Http404("not kept, or not any more")
        saved = draft_restore(actor=self.person, assignment=assignment, answers=answers)
        return Response(Saved(saved_members(assignment, saved)).data)


@extend_schema(tags=["judging"])
class OwnVersionRestoration(_Restoring):
    source = "draft"

    @extend_schema(request=None, responses=Saved)
    @idempotent()
    def post(self, request: Request, study: str, position: int, number: int) -> Response:
        """Make a kept version your draft again; what it replaces is kept in its stead."""
        return self._restored(study, position, number)


@extend_schema(tags=["judging"])
class OwnRevisionRestoration(_Restoring):
    source = "submission"

    @extend_schema(request=None, responses=Saved)
    @idempotent()
    def post(self, request: Request, study: str, position: int, number: int) -> Response:
        """Make a former submission your draft again; what it replaces is kept. The judgment in
        force stays."""
        return self._restored(study, position, number)


@extend_schema(tags=["judging"])
class OwnTakingBack(Judging):
    @extend_schema(request=TakingBack, responses=TakenBack)
    @idempotent()
    def post(self, request: Request, study: str, position: int) -> Response:
        """Take back your last submission, within ten minutes and while nothing builds on it: it is
        a draft again, or the submission before it is in force again. What was never submitted is
        refused (`unknown`)."""
        assignment = assignment_for(self.person, study, position)
        taken = judgment_take_back(
            actor=self.person, assignment=assignment, **body_of(TakingBack, request)
        )
        where = place(assignment)
        members = {
            "taken_back": taken,
            "done": where.done,
            "total": where.total,
            "next_position": where.next_open,
        }
        return Response(TakenBack(members).data)
