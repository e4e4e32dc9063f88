"""What an annotator does: their studies, the next pair, drafts, judgments, their own history."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import annotations_of, annotator_for, assignment_for, assignment_meant
from annotation.errors import StudyArchived
from annotation.models import Annotator, Assignment, GuideVersion
from annotation.selectors.guides.acknowledgement import guide_due, guide_in_force
from annotation.selectors.judging.blinded import blinded_pair
from annotation.selectors.judging.own import own_judgments
from annotation.selectors.judging.queue import counts, first_open, first_open_pair, place
from annotation.selectors.watching.own_work import own_work
from annotation.selectors.watching.remarks import answers_to
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.judging.draft_versions import Aside, Origin
from annotation.services.judging.drafts import Save, assignment_open, draft_save
from annotation.services.judging.drafts import Saved as SavedJudgment
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.own_pairs import answers_read, pair_set_aside, pair_take_up
from api.idempotency import HEADER, idempotent
from api.judging.serializers import (
    GuideRead,
    OwnFilter,
    OwnGuide,
    OwnHours,
    OwnRow,
    OwnStudy,
    OwnStudyWork,
    Pair,
    SaveBody,
    Saved,
    Submitted,
    Waited,
)
from api.problems import TooLarge
from api.resource import Resource, answer_often, body_of, page, query_of, read_often
from api.schema import IDEMPOTENCY_KEY, listing

# A judgment is a few kilobytes; the same limit as on the page.
MAX_BODY_BYTES = 256 * 1024


class Judging(Resource):
    write_scope: ClassVar[str] = "judge"


@extend_schema(tags=["judging"])
class OwnStudies(Judging):
    @listing(OwnStudy)
    def get(self, request: Request) -> Response:
        """The studies that you judge in."""
        return page(self, annotations_of(self.person), OwnStudy, "pk")


@extend_schema(tags=["judging"])
class OwnStudyDetail(Judging):
    @extend_schema(responses=OwnStudyWork)
    def get(self, request: Request, study: str) -> Response:
        """How far you are."""
        annotator = annotator_for(self.person, study)
        return Response(OwnStudyWork({"study": annotator.study, **_work(annotator)}).data)


def _work(annotator: Annotator) -> dict[str, Any]:
    done, total = counts(annotator)
    return {"done": done, "total": total, "next_position": first_open(annotator)}


@extend_schema(tags=["judging"])
class CurrentGuide(Judging):
    @extend_schema(responses=OwnGuide)
    def get(self, request: Request, study: str) -> Response:
        """The guide in force."""
        annotator = annotator_for(self.person, study)
        guide = guide_in_force(annotator.study)
        if guide is None:
            raise Http404("no guide yet")
        return _guide(annotator, guide)


def _guide(annotator: Annotator, guide: GuideVersion) -> Response:
    facts = {
        name: getattr(guide, name) for name in ("number", "body_fr", "body_en", "published_at")
    }
    return Response(OwnGuide(facts | {"acknowledged": guide_due(annotator, guide) is None}).data)


@extend_schema(tags=["judging"])
class Acknowledgement(Judging):
    @extend_schema(request=GuideRead, responses=OwnGuide)
    @idempotent()
    def put(self, request: Request, study: str) -> Response:
        """Confirm that you have read the guide in force. Judgments wait for it."""
        annotator = annotator_for(self.person, study)
        read = guide_acknowledge(annotator=annotator, **body_of(GuideRead, request))
        return _guide(annotator, read.guide)


@extend_schema(tags=["judging"])
class NextPair(Judging):
    @extend_schema(
        responses={200: Pair, 204: OpenApiResponse(description="Nothing is open: you are done.")}
    )
    def get(self, request: Request, study: str) -> Response:
        """Your first pair without a judgment in the open round."""
        assignment = first_open_pair(annotator_for(self.person, study))
        return Response(status=204) if assignment is None else _shown(assignment)


@extend_schema(tags=["judging"])
class OwnPairs(Judging):
    @listing(OwnRow, parameters=[OwnFilter])
    def get(self, request: Request, study: str) -> Response:
        """Your pairs in your own order."""
        annotator = annotator_for(self.person, study)
        return page(
            self, own_judgments(annotator, **query_of(OwnFilter, request)), OwnRow, "position"
        )


@extend_schema(tags=["judging"])
class OwnPair(Judging):
    @extend_schema(responses=Pair)
    def get(self, request: Request, study: str, position: int) -> Response:
        """One pair of yours, with your answers as they stand."""
        return _shown(assignment_for(self.person, study, position))


def _shown(assignment: Assignment) -> Response:
    # In an archived study it is read, and not noted.
    with suppress(StudyArchived):
        assignment_open(assignment=assignment)
    pair = blinded_pair(assignment)
    facts = pair.facts
    shown = {
        "original_length": facts.original_length,
        "simplification_length": facts.simplification_length,
        "is_identical": facts.is_identical if pair.findings_open else None,
        "is_other_language": facts.is_other_language if pair.findings_open else None,
    }
    answers = answers_to(assignment) if pair.submitted_at else []
    if any(answer.read_at is None for answer in answers):
        with suppress(StudyArchived):
            answers_read(assignment=assignment)
    beside = {"facts": shown, "number": assignment.ordinal, "remark_answers": answers}
    return answer_often(Pair, vars(pair) | beside)


@extend_schema(tags=["judging"])
class OwnLater(Judging):
    @extend_schema(request=None, responses=Waited)
    @idempotent()
    def put(self, request: Request, study: str, position: int) -> Response:
        """Keep a pair for later: it comes after everything else. Nobody but you is told."""
        assignment = assignment_for(self.person, study, position)
        pair_set_aside(assignment=assignment)
        where = place(assignment)
        return Response(Waited({"next_position": where.next_open}).data)

    @extend_schema(request=None, responses={200: Waited})
    @idempotent()
    def delete(self, request: Request, study: str, position: int) -> Response:
        """Take it up again."""
        assignment = assignment_for(self.person, study, position)
        pair_take_up(assignment=assignment)
        return Response(Waited({"next_position": first_open(assignment.annotator)}).data)


@extend_schema(tags=["judging"])
class Hours(Judging):
    @extend_schema(responses=OwnHours)
    def get(self, request: Request, study: str) -> Response:
        """Your own active time, pace and pay; nobody else's."""
        own_hours = own_work(annotator_for(self.person, study), timezone.now())
        periods = {
            f"{name}_seconds": getattr(own_hours.worked, name)
            for name in ("today", "week", "month", "whole")
        }
        return Response(
            OwnHours(
                periods
                | {
                    "budget_hours": own_hours.study.hours_budget,
                    "pair_seconds": own_hours.pair_seconds,
                    "left": own_hours.left,
                    "forecast_seconds": own_hours.forecast_seconds,
                    "pay": own_hours.pay(own_hours.worked.whole),
                    "pay_currency": own_hours.study.pay_currency,
                }
            ).data
        )


@extend_schema(tags=["judging"])
class OwnDraft(Judging):
    @extend_schema(request=SaveBody, responses=Saved, parameters=[IDEMPOTENCY_KEY])
    def put(self, request: Request, study: str, position: int) -> Response:
        """Save your answers as they stand, complete or not. 409 with what stands there where you
        build on an older revision: nothing is overwritten."""
        return answer_often(Saved, _written(self, request, study, position, draft_save)[1])


@extend_schema(tags=["judging"])
class OwnJudgment(Judging):
    @extend_schema(request=SaveBody, responses=Submitted, parameters=[IDEMPOTENCY_KEY])
    def put(self, request: Request, study: str, position: int) -> Response:
        """Make these answers your judgment. A refused one (422) is kept as a draft."""
        assignment, members = _written(self, request, study, position, judgment_submit)
        where = place(assignment)
        members |= {"done": where.done, "total": where.total, "next_position": where.next_open}
        return answer_often(Submitted, members)


def _written(
    view: Judging, request: Request, study: str, position: int, write: Callable[..., SavedJudgment]
) -> tuple[Assignment, dict[str, Any]]:
    # Before the body is read, and before anything is said about the pair to whom it does not
    # belong.
    if int(request.headers.get("Content-Length") or 0) > MAX_BODY_BYTES:
        raise TooLarge
    there = assignment_for(view.person, study, position)
    body = _with_header_key(view, request, read_often(SaveBody, request))
    save = Save(**body | {"aside": _asides(body["aside"])})
    meant = assignment_meant(
        there,
        view.person,
        study,
        position,
        base_revision=save.base_revision,
        save_key=save.key,
    )
    return there, saved_members(meant, write(actor=view.person, assignment=meant, save=save))


def saved_members(assignment: Assignment, saved: SavedJudgment) -> dict[str, Any]:
    """What is told of a save."""
    pinned = assignment.annotator.study
    return {
        "revision": saved.revision,
        "saved_at": saved.saved_at,
        "replayed": saved.replayed,
        "score": pinned.protocol.running_score(saved.answers, pinned.rulings),
        "number": saved.number,
        "submission": saved.submission,
    }


def _asides(given: list[dict[str, Any]] | None) -> list[Aside] | None:
    if given is None:
        return None
    return [
        Aside(
            aside["answers"],
            Origin.FOUND if aside["found"] else Origin.REFUSED,
            aside.get("typed_at") or timezone.now(),
        )
        for aside in given
    ]


def _with_header_key(view: Judging, request: Request, body: dict[str, Any]) -> dict[str, Any]:
    """A save's key is a UUID; any other text in the header stands for one, which nobody else's text
    gives."""
    header = request.headers.get(HEADER)
    if header is None:
        return body
    try:
        return body | {"key": uuid.UUID(header)}
    except ValueError:
        return body | {
            "key": uuid.uuid5(uuid.NAMESPACE_URL, f"{view.person.pk}:{request.path}:{header}")
        }
