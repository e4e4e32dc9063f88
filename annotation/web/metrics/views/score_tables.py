"""Metrics against the human scores of a table that a lead brings in, without a study. What comes of
it is theirs alone."""

from __future__ import annotations

import json
import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import table_report_for, table_reports_of
from annotation.errors import RuleError
from annotation.models import TableReport, WorkState
from annotation.services.metrics.table_reports import table_report_forget, table_report_request
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.metrics import tables
from annotation.web.metrics.charts import BUILDERS, signature
from annotation.web.metrics.forms import TableForm
from annotation.web.metrics.presenters import problem_words, table_report_context
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def score_tables(request: PersonRequest) -> HttpResponse:
    """What was ordered so far. POST brings a table in, and orders its report."""
    own = table_reports_of(request.user)
    form = TableForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    problems: list[dict[str, str]] = []
    if form.is_bound and form.is_valid():
        upload = form.cleaned_data["file"]
        try:
            report = table_report_request(
                actor=request.user,
                name=upload.name,
                content=upload.read(),
                order=form.order,
            )
            return redirect("score_table", scored=report.public_id)
        except RuleError as error:
            problems = problem_words(error.problems)
    context = {"form": form, "reports": own.defer("result"), "problems": problems}
    status = 422 if form.is_bound else 200
    return render(request, "metrics/score_tables.html", context, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def score_table(request: PersonRequest, scored: uuid.UUID) -> HttpResponse:
    """How far a report is, or what it says; all of it with ``format=json``. POST takes it out."""
    row = table_report_for(request.user, scored)
    if request.method == "POST":
        if request.POST.get("action") != "forget":
            return HttpResponse(status=422)
        table_report_forget(actor=request.user, report=row)
        messages.success(request, _("The report was taken out."))
        return redirect("score_tables")
    if request.GET.get("format") == "json":
        return _as_json(row)
    context = {"row": row, **table_report_context(row, request.GET.get("metric", ""))}
    moving = request.headers.get("HX-Request") == "true"
    return render(
        request, "metrics/_report.html" if moving else "metrics/score_table.html", context
    )


def _as_json(row: TableReport) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{_file_name(row)}.json"'}
    body = json.dumps(_finished(row), indent=2, ensure_ascii=False)
    return HttpResponse(body, content_type="application/json", headers=headers)


@never_cache
@login_required
@require_safe
def score_table_sheet(request: PersonRequest, scored: uuid.UUID, sheet: str) -> HttpResponse:
    """One of its tables as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    row = table_report_for(request.user, scored)
    report, form = _finished(row), request.GET.get("format", "csv")
    if form not in FORMATS or sheet not in tables.keys(report):
        raise Http404("no such table")
    shown = tables.sheet(None, report, sheet, request.GET.get("metric", ""))
    return sheet_response(shown, form, name=f"{_file_name(row)}-{sheet}")


@never_cache
@login_required
@require_safe
def score_table_chart(request: PersonRequest, scored: uuid.UUID, picture: str) -> HttpResponse:
    """One of its charts as a drawing that stands alone (``format=svg``), or its numbers
    (``format=csv``)."""
    row = table_report_for(request.user, scored)
    report, form = _finished(row), request.GET.get("format", "svg")
    if picture not in BUILDERS or form not in CHART_FORMATS:
        raise Http404("no such chart")
    metric = request.GET.get("metric", "")
    shown = BUILDERS[picture](report, metric, tables.title(None, report))
    if shown is None:
        raise Http404("nothing to draw")
    digest = f"sha256:{report['table']['sha256'][:12]}"
    return chart_response(
        shown,
        form,
        name=f"{_file_name(row)}-{picture}",
        signature=signature(digest, report, picture, metric),
    )


def _file_name(row: TableReport) -> str:
    return f"metrics-{str(row.public_id)[:8]}"


def _finished(row: TableReport) -> tables.Report:
    if row.state != WorkState.DONE:
        raise Http404("no report")
    report: tables.Report = row.result
    return report
