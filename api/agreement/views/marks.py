"""Agreement on what was marked on both texts."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, study_for_lead
from annotation.agreement.marks.figure import Drawn
from annotation.agreement.marks.grouping import groups_written, merged
from annotation.models import Study
from annotation.selectors.agreement.marked import (
    MarksFigures,
    MarksRequest,
    marking_fields,
    marks_figures,
)
from annotation.selectors.agreement.marks_kept import marks_kept
from annotation.selectors.base.one_moment import snapshot
from api.agreement.serializers.marks import MarksAgreement, MarksQuery
from api.resource import Resource, query_of


@extend_schema(tags=["progress"])
class StudyMarks(Resource):
    @extend_schema(parameters=[MarksQuery], responses=MarksAgreement)
    def get(self, request: Request, study: str) -> Response:
        """How often each operation was marked, and how far people mark the same words of both texts
        and call it the same. Not for a protocol that marks nothing, nor during a blind phase."""
        led_study, wanted = study_for_lead(self.person, study), query_of(MarksQuery, request)
        if not marking_fields(led_study):
            raise Http404("nothing is marked by this protocol")
        answers_readable(led_study, wanted["round"])
        marks_request, drawn = (
            _marks_request(led_study, wanted),
            Drawn(wanted["draws"], wanted["seed"]),
        )
        figures = _figures(led_study, marks_request, drawn)
        return Response(
            MarksAgreement(
                {
                    "field": marks_request.field,
                    "round": marks_request.round,
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
            ).data
        )


def _figures(study: Study, marks_request: MarksRequest, drawn: Drawn) -> MarksFigures:
    """Drawn as the page draws, the report is the page's own, and kept for whoever asks next."""
    if drawn == Drawn():
        return marks_kept(study, marks_request)[1]
    with snapshot():
        return marks_figures(study, marks_request, drawn)


def _marks_request(study: Study, wanted: dict[str, Any]) -> MarksRequest:
    """Raises ``ValidationError`` for a question, a group or an operation that there is not."""
    names = marking_fields(study)
    field = wanted["field"] or names[0]
    if field not in names:
        raise ValidationError({"field": [f"Questions that mark: {', '.join(names)}."]})
    question = study.protocol.field(field)
    known = [mark.key for mark in question.marks]
    prepared = {group.key: group.members for group in question.mark_groups}
    merge, without = _listed(wanted["merge"]), _listed(wanted["without"])
    for name, given, offered in (("merge", merge, [*prepared]), ("without", without, known)):
        if unknown := [key for key in given if key not in offered]:
            words = f"“{unknown[0]}” is none of: {', '.join(offered) or 'nothing'}."
            raise ValidationError({name: [words]})
    try:
        groups = merged(
            {name: prepared[name] for name in merge}, groups_written(wanted["groups"], known)
        )
    except KeyError as error:
        words = f"“{error.args[0]}” is no operation. Write word=synonym,hyperonym."
        raise ValidationError({"groups": [words]}) from error
    except ValueError as error:
        words = f"“{error.args[0]}” stands in two groups, or names two: keep it in one."
        raise ValidationError({"groups": [words]}) from error
    return MarksRequest(
        field, wanted["round"], tuple(groups.items()), without, withdrawn=wanted["withdrawn"]
    )


def _listed(given: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, given.split(",")))))
