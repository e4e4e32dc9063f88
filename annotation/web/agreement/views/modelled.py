"""Annotators and systems modelled, as a job computes it. Leads only, and never in a blind phase."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import study_with_answers
from annotation.errors import RuleError
from annotation.models import Study
from annotation.selectors.agreement.modelled import models_running, models_state
from annotation.services.agreement.modelling import models_request
from annotation.web.agreement.modelled.page import TABLES, models_context
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_models(request: PersonRequest, study: str) -> HttpResponse:
    """The page, and asking for the models to be computed."""
    led_study = study_with_answers(request.user, study)
    if request.method != "POST" and request.headers.get("HX-Request") == "true":
        return _progress(request, led_study)
    problems = []
    if request.method == "POST":
        try:
            models_request(actor=request.user, study=led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect("study_models", study=led_study.key)
    context = {"problems": problems, **models_context(led_study, models_state(led_study))}
    status = 422 if problems else 200
    return render(request, "agreement/modelled/modelled.html", context, status=status)


def _progress(request: PersonRequest, study: Study) -> HttpResponse:
    """What a waiting page asks for: how far it is, and once it is done to be loaded anew."""
    running = models_running(study)
    if running is None:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"study": study, "running": running}
    return render(request, "agreement/modelled/_progress.html", context)


@never_cache
@login_required
@require_safe
def table_file(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """One table of a dimension as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    led_study = study_with_answers(request.user, study)
    form = request.GET.get("format", "csv")
    if table not in TABLES or form not in FORMATS:
        raise Http404("no such table")
    state = models_state(led_study)
    has, build = TABLES[table]
    known = [key for key, figures in state.dimensions.items() if has(figures)]
    if state.last is None or not known:
        raise Http404("nothing was computed")
    dimension = request.GET.get("dimension", "")
    name = dimension if dimension in known else known[0]
    sheet = build(led_study, name, state.dimensions[name], state.last.result)
    return sheet_response(sheet, form, name=f"{led_study.key}-models-{table}-{name}")
