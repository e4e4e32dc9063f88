"""Questions that models wrote, as leads read, edit and drop them; answers with their grades, shown
and exported. Leads only; nothing of it reaches annotators."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import run_for_lead
from annotation.bodies import whole
from annotation.cells import Sheet
from annotation.corpus.question_rows import COLUMNS, QuestionRow, cells
from annotation.errors import RuleError
from annotation.models import Generation, GenerationRun, Question, User
from annotation.selectors.generation.question_rows import (
    Chain,
    answers_of,
    chain_of,
    rows_about,
    rows_of,
)
from annotation.services.generation.questions import (
    question_drop,
    question_edit,
    question_restore,
)
from annotation.web.generation.question_forms import QuestionForm
from annotation.web.generation.question_presenters import (
    answer_rows,
    question_rows,
    system_figures,
)
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 25
_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}
_STEPS = {"drop": question_drop, "restore": question_restore}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def generation_questions(request: PersonRequest, study: str, asking: int) -> HttpResponse:
    """The questions of a run; one is dropped, or taken in again."""
    run = _asking(request.user, study, asking)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            _step(request, run)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect(request.get_full_path())
    questions = _questions(run)
    page = Paginator(questions, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "study": run.study,
        "run": run,
        "page": page,
        "questions": question_rows(page, run),
        "number": questions.count(),
        "dropped": questions.filter(dropped_at__isnull=False).count(),
        "problems": problems,
    }
    return render(request, "generation/questions.html", context, status=422 if problems else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def generation_question(
    request: PersonRequest, study: str, asking: int, question: int
) -> HttpResponse:
    """One question, edited beside its original."""
    run = _asking(request.user, study, asking)
    stored_question = get_object_or_404(_questions(run), pk=question)
    form = QuestionForm(stored_question, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            question_edit(actor=request.user, question=stored_question, **form.cleaned_data)
        except RuleError as error:
            for problem in problems_in_words(error.problems):
                field = problem["field"]
                form.add_error(field if field in form.fields else None, problem["message"])
        else:
            return redirect("generation_questions", study=study, asking=asking)
    context = {"study": run.study, "run": run, "question": stored_question, "form": form}
    return render(request, "generation/question.html", context, status=422 if form.errors else 200)


@never_cache
@login_required
@require_safe
def generation_answers(request: PersonRequest, study: str, answering: int) -> HttpResponse:
    """Answers with their grades, and on the first page what all come to for each system."""
    chain, run = _answering(request.user, study, answering)
    answers = answers_of(chain).order_by("item__position", "pk")
    page = Paginator(answers, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "study": run.study,
        "run": run,
        "chain": chain,
        "page": page,
        "rows": answer_rows(rows_about(chain, list(page))),
        "figures": system_figures(list(rows_of(chain))) if page.number == 1 else [],
        "columns": COLUMNS,
    }
    return render(request, "generation/answers.html", context)


@never_cache
@login_required
@require_safe
def generation_rows(
    request: PersonRequest, study: str, answering: int, file_format: str
) -> HttpResponseBase:
    """Every answer with its question and grade, one a row, as CSV or JSONL."""
    chain, run = _answering(request.user, study, answering)
    lines = {"csv": _csv, "jsonl": _jsonl}[file_format]
    response = StreamingHttpResponse(lines(rows_of(chain)), content_type=_TYPES[file_format])
    name = f"{run.study.key}-run-{run.number}-answers.{file_format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _asking(user: User, study: str, number: int) -> GenerationRun:
    """A run of questions. Raises ``Http404`` for any other."""
    run = run_for_lead(user, study, number)
    if run.purpose != GenerationRun.Purpose.QUESTION:
        raise Http404("no run of questions")
    return run


def _answering(user: User, study: str, number: int) -> tuple[Chain, GenerationRun]:
    """A run of answers or grades, with those before it. Raises ``Http404`` for any other."""
    run = run_for_lead(user, study, number)
    try:
        return chain_of(run), run
    except RuleError as error:
        raise Http404("no run of answers") from error


def _questions(run: GenerationRun) -> QuerySet[Question]:
    generations = Exists(Generation.objects.filter(question=OuterRef("pk")))
    return (
        Question.objects.filter(generation__run=run)
        .select_related("generation__item", "generation__system", "generation__run__study")
        .annotate(is_asked=generations)
        .order_by("generation__item__position", "generation__pk", "number")
    )


def _step(request: PersonRequest, run: GenerationRun) -> None:
    """One of the buttons beside a question. Raises ``RuleError``."""
    step = _STEPS.get(request.POST.get("action", ""))
    if step is None:
        raise RuleError.single(
            "action", "unknown", "Action inconnue. Rechargez la page.", "Unknown. Reload the page."
        )
    pk = whole(request.POST.get("question", ""), digits=18) or 0
    step(actor=request.user, question=get_object_or_404(_questions(run), pk=pk))


class _Line:
    """What a sheet writes to, so that each row can be sent as it is made."""

    def write(self, line: str) -> str:
        return line


def _csv(rows: Iterator[QuestionRow]) -> Iterator[str]:
    sheet = Sheet(_Line())
    yield sheet.writerow(COLUMNS)
    for row in rows:
        yield sheet.writerow(cells(row))


def _jsonl(rows: Iterator[QuestionRow]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(asdict(row), ensure_ascii=False) + "\n"
