"""Questions that models wrote, and answers with their grades. Leads only."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import run_for_lead
from annotation.errors import RuleError
from annotation.models import GenerationRun, Question, User
from annotation.selectors.generation.question_rows import answers_of, chain_of, rows_about
from annotation.services.generation.questions import (
    question_drop,
    question_edit,
    question_restore,
)
from api.generation.serializers.questions import AnswerFacts, QuestionChange, QuestionFacts
from api.idempotency import idempotent
from api.resource import Resource, body_of, page
from api.schema import listing


def _questions(person: User, study: str, number: int) -> QuerySet[Question]:
    run = run_for_lead(person, study, number)
    if run.purpose != GenerationRun.Purpose.QUESTION:
        raise Http404("no run of questions")
    return Question.objects.filter(generation__run=run).select_related(
        "generation__item", "generation__system", "generation__run__study"
    )


@extend_schema(tags=["generation"])
class RunQuestions(Resource):
    @listing(QuestionFacts)
    def get(self, request: Request, study: str, asking: int) -> Response:
        """The questions of a run, those that were dropped too."""
        return page(self, _questions(self.person, study, asking), QuestionFacts, "pk")


@extend_schema(tags=["generation"])
class RunQuestion(Resource):
    @extend_schema(request=QuestionChange, responses=QuestionFacts)
    @idempotent()
    def patch(self, request: Request, study: str, asking: int, question: int) -> Response:
        """Edit, drop or restore a question that was not asked yet; what it was is recorded."""
        run_question = get_object_or_404(_questions(self.person, study, asking), pk=question)
        wanted = body_of(QuestionChange, request, stands=QuestionFacts(run_question).data)
        dropped = wanted.pop("is_dropped", None)
        with transaction.atomic():
            run_question = question_edit(actor=self.person, question=run_question, **wanted)
            if dropped is not None:
                step = question_drop if dropped else question_restore
                run_question = step(actor=self.person, question=run_question)
        return Response(
            QuestionFacts(_questions(self.person, study, asking).get(pk=run_question.pk)).data
        )


@extend_schema(tags=["generation"])
class RunAnswers(Resource):
    @listing(AnswerFacts)
    def get(self, request: Request, study: str, answering: int) -> Response:
        """The answers of a run, or those that it grades, one for each system that graded. What is
        missing is told with its reason."""
        run = run_for_lead(self.person, study, answering)
        try:
            chain = chain_of(run)
        except RuleError as error:
            raise Http404("no run of answers") from error
        return page(
            self,
            answers_of(chain),
            AnswerFacts,
            "pk",
            shown=lambda answers: rows_about(chain, answers),
        )
