"""Metrics against the people of one study. Leads only, and never while the study hides its
answers: how a metric agrees with people tells what they answered."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import run_for_lead, study_for_lead, study_with_answers
from annotation.cells import Sheet
from annotation.errors import RuleError
from annotation.models import BroughtMetric, Job, Study
from annotation.selectors.metrics.material import brought_metrics, named_pairs
from annotation.services.metrics.brought import metric_forget, scores_bring_file
from annotation.services.metrics.questions import shares_bring
from annotation.services.metrics.reports import newest_report, report_request
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.metrics import tables
from annotation.web.metrics.charts import BUILDERS, signature
from annotation.web.metrics.forms import ReportForm, ScoresForm
from annotation.web.metrics.presenters import brought_row, problem_words, report_context
from annotation.web.metrics.question_forms import SharesForm
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_metrics(request: PersonRequest, study: str) -> HttpResponse:
    """The newest report, or how far it is. POST orders one, brings in scores or takes some out."""
    led_study = study_with_answers(request.user, study)
    order, scores, shares = ReportForm(led_study), ScoresForm(), SharesForm(led_study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        action = request.POST.get("action")
        if action == "bring":
            scores = ScoresForm(request.POST, request.FILES)
        elif action == "shares":
            shares = SharesForm(led_study, request.POST)
        else:
            order = ReportForm(led_study, request.POST)
        try:
            if _done(request, led_study, _Forms(order, scores, shares), action):
                return redirect("study_metrics", study=led_study.key)
        except RuleError as error:
            problems = problem_words(error.problems)
    if request.headers.get("HX-Request") == "true":
        context = {"study": led_study, **_report_context(request, led_study)}
        return render(request, "metrics/_report.html", context)
    return _page(request, led_study, _Forms(order, scores, shares), problems)


class _Forms(NamedTuple):
    order: ReportForm
    scores: ScoresForm
    shares: SharesForm


def _done(request: PersonRequest, study: Study, forms: _Forms, action: str | None) -> bool:
    """Whether what was posted has been done; False where its form is to be mended."""
    order, scores, shares = forms
    if action == "forget":
        metric = get_object_or_404(
            BroughtMetric, study=study, pk=_number(request.POST.get("metric"))
        )
        metric_forget(actor=request.user, metric=metric)
        messages.success(request, _("The scores were taken out."))
        return True
    if action == "bring":
        if not scores.is_valid():
            return False
        brought = scores_bring_file(
            actor=request.user,
            study=study,
            content=scores.cleaned_data["file"].read(),
            note=scores.scores_note,
        )
        _say_brought(request, brought)
        return True
    if action == "shares":
        if not shares.is_valid():
            return False
        run = run_for_lead(request.user, study.key, int(shares.cleaned_data["run"]))
        threshold = shares.cleaned_data["threshold"]
        _say_brought(request, shares_bring(actor=request.user, run=run, threshold=threshold))
        return True
    if not order.is_valid():
        return False
    report_request(actor=request.user, study=study, request=order.report_request)
    return True


def _say_brought(request: PersonRequest, brought: Sequence[BroughtMetric]) -> None:
    names = ", ".join(metric.name for metric in brought)
    words = _("Scores are there for: %(metrics)s. Order a report to see them beside the others.")
    messages.success(request, words % {"metrics": names})


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 18 else 0


def _report_context(request: PersonRequest, study: Study) -> dict[str, Any]:
    return report_context(study, newest_report(study), request.GET.get("metric", ""))


def _page(
    request: PersonRequest, study: Study, forms: _Forms, problems: list[dict[str, str]]
) -> HttpResponse:
    context: dict[str, Any] = {
        "study": study,
        **forms._asdict(),
        "problems": problems,
        "brought": [brought_row(metric) for metric in brought_metrics(study)],
        "live": study.state != Study.State.CLOSED,
        **_report_context(request, study),
    }
    refused = bool(problems or any(form.errors for form in forms))
    return render(request, "metrics/metrics.html", context, status=422 if refused else 200)


@never_cache
@login_required
@require_safe
def metrics_table(request: PersonRequest, study: str, sheet: str) -> HttpResponse:
    """One table of the newest report as CSV, LaTeX or Markdown (``format=csv``, ``tex``,
    ``md``)."""
    led_study = study_with_answers(request.user, study)
    report, form = _finished(led_study), request.GET.get("format", "csv")
    if form not in FORMATS or sheet not in tables.keys(report):
        raise Http404("no such table")
    shown = tables.sheet(led_study, report, sheet, request.GET.get("metric", ""))
    return sheet_response(shown, form, name=f"{led_study.key}-metrics-{sheet}")


@never_cache
@login_required
@require_safe
def metrics_chart(request: PersonRequest, study: str, picture: str) -> HttpResponse:
    """One chart of the newest report as a drawing that stands alone (``format=svg``), or its
    numbers (``format=csv``); ``metric``: of which the scatter plot is."""
    led_study = study_with_answers(request.user, study)
    report, form = _finished(led_study), request.GET.get("format", "svg")
    if picture not in BUILDERS or form not in CHART_FORMATS:
        raise Http404("no such chart")
    shown = BUILDERS[picture](
        report, request.GET.get("metric", ""), tables.title(led_study, report)
    )
    if shown is None:
        raise Http404("nothing to draw")
    return chart_response(
        shown,
        form,
        name=f"{led_study.key}-metrics-{picture}",
        signature=signature(led_study.key, report, picture, request.GET.get("metric", "")),
    )


def _finished(study: Study) -> tables.Report:
    job = newest_report(study)
    if job is None or job.state != Job.State.DONE:
        raise Http404("no report")
    report: tables.Report = job.result
    return report


@never_cache
@login_required
@require_safe
def metrics_pairs(request: PersonRequest, study: str) -> HttpResponse:
    """The names of the main round's pairs, to write scores beside: CSV with an empty column."""
    led_study = study_for_lead(request.user, study)
    out = io.StringIO(newline="")
    writer = Sheet(out)
    writer.writerow(["pair", "metric", "score", "item", "system"])
    for unit in named_pairs(led_study):
        writer.writerow([unit.key, "", "", unit.item_key, unit.system])
    headers = {"Content-Disposition": f'attachment; filename="{led_study.key}-pairs.csv"'}
    return HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)
