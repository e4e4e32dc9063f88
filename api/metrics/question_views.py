"""Questions of a text beside people. Leads only."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import (
    may_create_studies,
    run_for_lead,
    studies_led,
    study_with_answers,
)
from annotation.errors import RuleError
from annotation.metrics.report.estimate import Drawn
from annotation.models import GenerationRun, User
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.generation.question_rows import chain_of
from annotation.selectors.publishing.questions import (
    QuestionsRequest,
    comparable_runs,
    judging_studies,
    report_with_people,
    rows_with_people,
)
from annotation.services.metrics.questions import people_study, shares_bring
from api.fields import none_of, unknown_choice
from api.idempotency import idempotent
from api.metrics.question_serializers import (
    PeopleStudyFacts,
    PeopleStudyNew,
    QuestionReportFacts,
    QuestionReportQuery,
    QuestionRowsPage,
    QuestionRowsQuery,
    SharesNew,
)
from api.metrics.serializers import BroughtFacts
from api.resource import Resource, body_of, query_of


@extend_schema(tags=["metrics"])
class QuestionReport(Resource):
    @extend_schema(parameters=[QuestionReportQuery], responses=QuestionReportFacts)
    def get(self, request: Request, study: str, answering: int) -> Response:
        """What each system's texts still answer, and how far the model's grades say what people
        say, by a run that answered questions or graded answers."""
        run = _run(self.person, study, answering)
        questions_request = _questions_request(
            self.person, run, query_of(QuestionReportQuery, request)
        )
        with one_moment():
            return Response(QuestionReportFacts(report_with_people(questions_request)).data)


@extend_schema(tags=["metrics"])
class QuestionReportRows(Resource):
    @extend_schema(parameters=[QuestionRowsQuery], responses=QuestionRowsPage)
    def get(self, request: Request, study: str, answering: int) -> Response:
        """The rows that the report is computed from, with what people said."""
        run = _run(self.person, study, answering)
        wanted = query_of(QuestionRowsQuery, request)
        with one_moment():
            rows = rows_with_people(_questions_request(self.person, run, wanted))
        some = rows[wanted["offset"] : wanted["offset"] + wanted["limit"]]
        return Response(QuestionRowsPage({"count": len(rows), "rows": some}).data)


@extend_schema(tags=["metrics"])
class QuestionPeople(Resource):
    @extend_schema(request=PeopleStudyNew, responses={201: PeopleStudyFacts})
    @idempotent()
    def post(self, request: Request, study: str, asking: int) -> Response:
        """Make a study in which people judge what a run asked (`qa_pairs`) or answered
        (`qa_answers`), with its pairs. Its answers come back onto the report."""
        run = run_for_lead(self.person, study, asking)
        if not may_create_studies(self.person):
            raise Http404("makes no studies")
        made = people_study(actor=self.person, run=run, **body_of(PeopleStudyNew, request))
        return Response(PeopleStudyFacts(made).data, status=201)


@extend_schema(tags=["metrics"])
class QuestionShares(Resource):
    @extend_schema(request=SharesNew, responses={201: BroughtFacts(many=True)})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Of each pair, the share of questions that its simplification still answers, as a metric
        that reports hold against people."""
        led_study = study_with_answers(self.person, study)
        wanted = body_of(SharesNew, request)
        runs = {run.number: run for run in led_study.generation_runs.select_related("study")}
        if wanted["run"] not in runs:
            raise unknown_choice("run", str(wanted["run"]), list(map(str, runs)))
        run = runs[wanted["run"]]
        brought = shares_bring(actor=self.person, run=run, threshold=wanted["threshold"])
        return Response(BroughtFacts(brought, many=True).data, status=201)


def _run(person: User, study: str, number: int) -> GenerationRun:
    run = run_for_lead(person, study, number)
    try:
        chain_of(run)
    except RuleError as error:
        raise Http404("no run of answers") from error
    return run


def _questions_request(
    person: User, run: GenerationRun, wanted: dict[str, Any]
) -> QuestionsRequest:
    """Raises ``ValidationError`` for a study or a run that cannot stand there."""
    studies = {study.key: study for study in judging_studies(studies_led(person))}
    runs = {str(other.number): other for other in comparable_runs(run)}
    keys, numbers = _listed(wanted["judged"]), _listed(wanted["beside"])
    for name, given, offered in (("judged", keys, [*studies]), ("beside", numbers, [*runs])):
        if unknown := [key for key in given if key not in offered]:
            raise ValidationError({name: [none_of(unknown[0], offered)]})
    return QuestionsRequest(
        run,
        tuple(runs[number] for number in numbers),
        tuple(studies[key] for key in keys),
        wanted["threshold"],
        Drawn(wanted["draws"], wanted["seed"]),
    )


def _listed(given: str) -> list[str]:
    return list(dict.fromkeys(filter(None, map(str.strip, given.split(",")))))
