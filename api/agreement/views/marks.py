"""Agreement on what was marked on both texts."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, leads_still, study_for_lead
from annotation.agreement.marks.figure import Drawn
from annotation.agreement.marks.grouping import groups_written, merged
from annotation.corpus.problems import shown
from annotation.errors import RuleError
from annotation.models import Job, Study
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.marked import MarksRequest, marking_fields
from annotation.selectors.agreement.marks_kept import MarksState, marks_kept, marks_state
from annotation.selectors.agreement.report_failures import report_failure
from annotation.services.agreement.marks import marks_request
from api.agreement.serializers.marks import MarksAgreement, MarksLater, MarksQuery
from api.fields import none_of
from api.idempotency import idempotent
from api.resource import Resource, query_of

AT_ONCE = 1_500
"""Judgments that are compared within some four seconds; beyond them a worker does it."""


@extend_schema(tags=["progress"], parameters=[MarksQuery])
class StudyMarks(Resource):
    again_seconds: ClassVar[int] = 5

    @extend_schema(responses={200: MarksAgreement, 202: MarksLater})
    def get(self, request: Request, study: str) -> Response:
        """How often each operation was marked, and how far people mark the same words of both texts
        and call it the same. Not for a protocol that marks nothing, nor during a blind phase.

        Of more than 1,500 judgments a worker computes it: answered 202 until it has, then as it was
        computed last; `is_current` says whether anything was answered since. POST has it computed
        anew."""
        led_study, wanted = self._wanted(request, study)
        state = marks_state(led_study, wanted)
        at_once = not state.is_current and _at_once(led_study, wanted, state)
        if not (at_once or state.shown):
            if state.failed is not None:
                why = report_failure(state.failed)
                french = f"{why.fr} POST à cette adresse le redemande."
                english = f"{why.en} POST here asks for it again."
                raise RuleError.single("", "not_computed", french, english)
            return self._later(led_study, wanted, state.running)
        key, figures = marks_kept(led_study, wanted, "" if at_once else state.shown)
        facts = {
            "field": wanted.field,
            "round": wanted.round,
            # What was computed now may be of answers that came since the state was read.
            "is_current": at_once or key == state.key,
            "report": figures.report.as_dict(),
            "again": [
                {
                    "annotator": person.annotator,
                    "pairs": person.pairs,
                    "agreement": person.report.as_dict()["agreement"],
                }
                for person in figures.again
            ],
        }
        return Response(MarksAgreement(facts).data)

    @extend_schema(request=None, responses={202: MarksLater})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Have it computed on the answers as they are, by a worker. Look at the same address."""
        return self._later(*self._wanted(request, study))

    def _wanted(self, request: Request, key: str) -> tuple[Study, MarksRequest]:
        study, wanted = study_for_lead(self.person, key), query_of(MarksQuery, request)
        if not marking_fields(study):
            raise Http404("nothing is marked by this protocol")
        answers_readable(study, wanted["round"])
        return study, _marks_request(study, wanted)

    def _later(self, study: Study, wanted: MarksRequest, running: Job | None = None) -> Response:
        """Where to look again. Nothing is locked for one that is ``running`` already: programs look
        every few seconds."""
        address, job = self.request.get_full_path(), running
        if job is None or not leads_still(job.requested_by, study.pk):
            job = marks_request(actor=self.person, study=study, request=wanted)
        return Response(
            MarksLater({"location": address, "job": job}).data,
            status=202,
            headers=self.later_headers(address),
        )


def _at_once(study: Study, wanted: MarksRequest, state: MarksState) -> bool:
    """Few judgments; or a worker did compute it and keeps it on another machine, where asking again
    would bring no more: there it is computed here, however long it takes."""
    job = state.job
    is_elsewhere = job is not None and job.state == Job.State.DONE and not state.shown
    return is_elsewhere or completeness(study, wanted.round).done <= AT_ONCE


def _marks_request(study: Study, wanted: dict[str, Any]) -> MarksRequest:
    """Raises ``ValidationError`` for a question, a group or an operation that there is not."""
    names = marking_fields(study)
    field = wanted["field"] or names[0]
    if field not in names:
        words = _("Questions that mark: %(names)s.") % {"names": ", ".join(names)}
        raise ValidationError({"field": [words]})
    question = study.protocol.field(field)
    known = [mark.key for mark in question.marks]
    prepared = {group.key: group.members for group in question.mark_groups}
    merge, without = _listed(wanted["merge"]), _listed(wanted["without"])
    for name, given, offered in (("merge", merge, [*prepared]), ("without", without, known)):
        if unknown := [key for key in given if key not in offered]:
            raise ValidationError({name: [none_of(unknown[0], offered)]})
    try:
        groups = merged(
            {name: prepared[name] for name in merge}, groups_written(wanted["groups"], known)
        )
    except KeyError as error:
        words = _("“%(word)s” is no operation. Write word=synonym,hyperonym.")
        words %= {"word": shown(str(error.args[0]))}
        raise ValidationError({"groups": [words]}) from error
    except ValueError as error:
        words = _("“%(name)s” stands in two groups, or names two: keep it in one.")
        words %= {"name": shown(str(error.args[0]))}
        raise ValidationError({"groups": [words]}) from error
    return MarksRequest(
        field,
        wanted["round"],
        tuple(groups.items()),
        without,
        wanted["withdrawn"],
        Drawn(wanted["draws"], wanted["seed"]),
    )


def _listed(given: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, given.split(",")))))
