"""The report on questions, answers and grades, with what people said of them, and a study in which
people judge them. Leads only; what people said only where it may be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import may_create_studies, run_for_lead
from annotation.corpus.question_rows import as_csv
from annotation.errors import RuleError
from annotation.models import GenerationRun
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.generation.question_rows import answers_of, chain_of
from annotation.selectors.publishing.questions import (
    made_from,
    report_with_people,
    rows_with_people,
)
from annotation.services.metrics.questions import people_study
from annotation.web.agreement.dashboard.page import table_cell
from annotation.web.agreement.sheets import FORMATS, FigureSheet, sheet_response
from annotation.web.base.numbers import decimal
from annotation.web.base.presenters import text
from annotation.web.charts.canvas import Chart, Table
from annotation.web.charts.lines import Series, lines
from annotation.web.metrics.question_forms import PeopleForm, QuestionReportForm
from annotation.web.metrics.question_tables import KEYS, question_sheet, question_sheets
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest

AT_ONCE = 600
"""Answers whose report is there within two seconds; of more, the page comes first."""
OPEN = ("systems", "people", "variants")


@never_cache
@login_required
@require_safe
def question_report(request: PersonRequest, study: str, answering: int) -> HttpResponse:
    """The whole page; where figures take long, its frame, which then asks for them."""
    run = _run(request, study, answering)
    form = QuestionReportForm(run, request.user, request.GET)
    many = answers_of(chain_of(run)).count()
    waiting = many > AT_ONCE and "now" not in request.GET
    context: dict[str, Any] = {"study": run.study, "run": run, "form": form, "waiting": waiting}
    if waiting:
        address = reverse("question_report_figures", args=[study, answering])
        context["part_url"] = f"{address}?{form.query()}"
        context["now_url"] = f"?{form.query(now='1')}"
    else:
        context |= _figures(form)
    return render(request, "metrics/questions/report.html", context)


@never_cache
@login_required
@require_safe
def question_figures(request: PersonRequest, study: str, answering: int) -> HttpResponse:
    """The part of the page that takes long."""
    form = QuestionReportForm(_run(request, study, answering), request.user, request.GET)
    context = {"study": form.run.study, "run": form.run, "form": form, **_figures(form)}
    return render(request, "metrics/questions/_figures.html", context)


@never_cache
@login_required
@require_safe
def question_table(request: PersonRequest, study: str, answering: int, sheet: str) -> HttpResponse:
    """One table as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    form = QuestionReportForm(_run(request, study, answering), request.user, request.GET)
    kind = request.GET.get("format", "csv")
    if sheet not in KEYS or kind not in FORMATS:
        raise Http404("no such table")
    table = question_sheet(_report(form), sheet)
    return sheet_response(table, kind, name=f"{study}-run-{answering}-questions-{sheet}")


@never_cache
@login_required
@require_safe
def question_chart(
    request: PersonRequest, study: str, answering: int, picture: str
) -> HttpResponse:
    """The curve over thresholds as a drawing that stands alone (``format=svg``), or its numbers
    (``format=csv``)."""
    form = QuestionReportForm(_run(request, study, answering), request.user, request.GET)
    kind = request.GET.get("format", "svg")
    if picture != "curve" or kind not in CHART_FORMATS:
        raise Http404("no such chart")
    report = _report(form)
    shown = _curve(report)
    if shown is None:
        raise Http404("nothing to draw")
    name = f"{study}-run-{answering}-{picture}"
    origin = f"{study}|run:{answering}|draws:{report['draws']}|seed:{report['seed']}"
    return chart_response(shown, kind, name=name, signature=f"{origin}|{report['method']}")


@never_cache
@login_required
@require_safe
def question_file(
    request: PersonRequest, study: str, answering: int, file_format: str
) -> HttpResponse:
    """The long rows with what people said (``csv``), or the whole report (``json``)."""
    form = QuestionReportForm(_run(request, study, answering), request.user, request.GET)
    if file_format == "csv":
        with one_moment():
            content = as_csv(rows_with_people(form.questions_request))
        kind = "text/csv; charset=utf-8"
    else:
        content = json.dumps(_report(form), indent=2, ensure_ascii=False)
        kind = "application/json"
    name = f"{study}-run-{answering}-report.{file_format}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(content, content_type=kind, headers=headers)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def question_people(request: PersonRequest, study: str, asking: int) -> HttpResponse:
    """A study made of a run, in which people judge its questions or answers."""
    run = run_for_lead(request.user, study, asking)
    if run.purpose not in (
        GenerationRun.Purpose.QUESTION,
        GenerationRun.Purpose.ANSWER,
        GenerationRun.Purpose.GRADE,
    ):
        raise Http404("nothing that people could judge")
    may = may_create_studies(request.user)
    form = PeopleForm(run, request.POST if request.method == "POST" else None)
    if not may and request.method == "POST":
        raise Http404("makes no studies")
    if form.is_bound and form.is_valid():
        try:
            made = people_study(actor=request.user, run=run, **form.cleaned_data)
        except RuleError as error:
            for problem in error.problems:
                field = problem.field if problem.field in form.fields else None
                form.add_error(field, text(problem.message))
        else:
            number = made.items.count()
            words = ngettext(
                "The study is there, with %(number)s pair: add those who judge it.",
                "The study is there, with %(number)s pairs: add those who judge them.",
                number,
            )
            messages.success(request, words % {"number": number})
            return redirect("study", study=made.key)
    context = {"study": run.study, "run": run, "form": form, "may": may}
    status = 422 if form.errors else 200
    return render(request, "metrics/questions/people.html", context, status=status)


def _run(request: PersonRequest, study: str, number: int) -> GenerationRun:
    """A run that ends a chain. Raises ``Http404`` for any other."""
    run = run_for_lead(request.user, study, number)
    try:
        chain_of(run)
    except RuleError as error:
        raise Http404("no run of answers") from error
    return run


def _report(form: QuestionReportForm) -> Mapping[str, Any]:
    with one_moment():
        return report_with_people(form.questions_request)


def _figures(form: QuestionReportForm) -> dict[str, Any]:
    with one_moment():
        rows = rows_with_people(form.questions_request)
        report = report_with_people(form.questions_request, rows)
        made = made_from([*form.studies.values()], rows)
    sheets = [_sheet(form, sheet) for sheet in question_sheets(report)]
    return {
        "report": report,
        "open": [sheet for sheet in sheets if sheet["key"] in OPEN],
        "folded": [sheet for sheet in sheets if sheet["key"] not in OPEN],
        "curve": _chart(form, chart) if (chart := _curve(report)) else None,
        "unread": [study for study in made if study.key not in form.chosen["judged"]],
        "query": form.query(),
    }


def _sheet(form: QuestionReportForm, sheet: FigureSheet) -> dict[str, Any]:
    run = form.run
    address = reverse("question_report_table", args=[run.study.key, run.number, sheet.key])
    url = f"{address}?{form.query(format='')}"
    return sheet.context() | {"id": sheet.key, "url": url}


def _curve(report: Mapping[str, Any]) -> Chart | None:
    """Kappa, precision and recall at every threshold, of the first chain on all texts; None where
    nobody judged."""
    chain = next((chain for chain in report["people"] if not chain["system"]), None)
    if chain is None:
        return None
    measures = {"kappa": _("kappa"), "precision": _("precision"), "recall": _("recall")}
    series = [
        Series(label, tuple(line[name]["value"] for line in chain["curve"]))
        for name, label in measures.items()
    ]
    labels = [str(line["threshold"]) for line in chain["curve"]]
    description = _(
        "%(chain)s, on all texts: what the model's YES says of people's, where a YES is a grade of "
        "0 and more, of 1 and more, up to 10."
    ) % {"chain": chain["variant"] or chain["model"]}
    rows = [
        (label, *(line[name]["value"] for name in measures))
        for label, line in zip(labels, chain["curve"], strict=True)
    ]
    low = min([0.0, *(value for curve in series for value in curve.values if value is not None)])
    return Chart(
        "curve",
        _("By threshold"),
        description,
        lines(series, labels, decimal, low=low),
        Table((_("YES from grade"), *measures.values()), tuple(rows)),
    )


def _chart(form: QuestionReportForm, chart: Chart) -> dict[str, Any]:
    run = form.run
    address = reverse("question_report_chart", args=[run.study.key, run.number, chart.key])
    return {
        "key": chart.key,
        "title": chart.title,
        "description": chart.description,
        "drawing": chart.drawing,
        "columns": chart.table.columns,
        "rows": [[table_cell(cell) for cell in row] for row in chart.table.rows],
        "url": f"{address}?{form.query()}",
    }
