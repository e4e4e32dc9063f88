"""Systems side by side. Leads only, and never while the study hides its answers: names of systems
and what people think of them stand on one page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import answers_readable, study_for_lead
from annotation.models import Study
from annotation.protocols.base import Better
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import is_stored
from annotation.selectors.agreement.systems import SystemsFigures
from annotation.selectors.agreement.systems_stored import systems_key, systems_stored
from annotation.web.agreement.dashboard.page import query
from annotation.web.agreement.dashboard.store import drawn
from annotation.web.agreement.forms import SystemsForm
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.agreement.systems.charts import BUILDERS
from annotation.web.agreement.systems.page import systems_context
from annotation.web.agreement.systems.tables import KEYS, MARKS, sheet
from annotation.web.agreement.views.agreement import AT_ONCE
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest


@never_cache
@login_required
@require_safe
def study_systems(request: PersonRequest, study: str) -> HttpResponse:
    """The whole page; where figures take long, its frame, which then asks for them."""
    led_study = study_for_lead(request.user, study)
    form = SystemsForm(led_study, request.GET.dict())
    filters = form.filters
    answers_readable(led_study, filters.round)
    complete = completeness(led_study, filters.round)
    stored = is_stored(systems_key(led_study, filters))
    waiting = complete.done > AT_ONCE and "now" not in request.GET and not stored
    context: dict[str, Any] = {
        "study": led_study,
        "form": form,
        "filters": filters,
        "filtered": bool(filters.chosen()),
        "complete": complete,
        "live": led_study.state != Study.State.CLOSED,
        "waiting": waiting,
        "has_better": any(scale.better != Better.NEITHER for scale in led_study.protocol.scales),
    }
    if waiting:
        address = reverse("study_systems_figures", args=[led_study.key])
        context["part_url"] = f"{address}?{query(filters)}"
        context["now_url"] = f"?{query(filters, now='1')}"
    else:
        context["figures"] = _drawn(led_study, filters)
    return render(request, "agreement/systems/systems.html", context)


@never_cache
@login_required
@require_safe
def figures_part(request: PersonRequest, study: str) -> HttpResponse:
    """The part of the page that takes long."""
    led_study, filters = _study_and_filters(request, study)
    return HttpResponse(_drawn(led_study, filters))


@never_cache
@login_required
@require_safe
def chart_file(request: PersonRequest, study: str, drawing: str) -> HttpResponse:
    """One chart as a drawing that stands alone (``format=svg``), or its numbers
    (``format=csv``)."""
    led_study, filters = _study_and_filters(request, study)
    form = request.GET.get("format", "svg")
    if drawing not in BUILDERS or form not in CHART_FORMATS:
        raise Http404("no such chart")
    name, figures = _dimension(request, led_study, filters)
    shown = BUILDERS[drawing](led_study.protocol, name, figures.dimensions[name])
    if shown is None:
        raise Http404("nothing to draw")
    return chart_response(
        shown,
        form,
        name=f"{led_study.key}-systems-{drawing}-{name}",
        signature=f"{led_study.key}|{name}|{filters}",
    )


@never_cache
@login_required
@require_safe
def table_file(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """One table as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    led_study, filters = _study_and_filters(request, study)
    form = request.GET.get("format", "csv")
    if table not in (*KEYS, MARKS) or form not in FORMATS:
        raise Http404("no such table")
    name, figures = _dimension(request, led_study, filters)
    if table == MARKS:
        name = request.GET.get("field", "")
        if name not in figures.marks:
            raise Http404("no such list of marks")
    return sheet_response(
        sheet(led_study, table, name, figures, str(filters)),
        form,
        name=f"{led_study.key}-systems-{table}-{name}",
    )


def _study_and_filters(request: PersonRequest, key: str) -> tuple[Study, Filters]:
    study = study_for_lead(request.user, key)
    filters = SystemsForm(study, request.GET.dict()).filters
    answers_readable(study, filters.round)
    return study, filters


def _dimension(
    request: PersonRequest, study: Study, filters: Filters
) -> tuple[str, SystemsFigures]:
    """The dimension that is asked for, else the protocol's last."""
    dimension = request.GET.get("dimension", "")
    name = dimension if dimension in study.protocol.dimensions else study.protocol.dimensions[-1]
    return name, systems_stored(study, filters)


def _drawn(study: Study, filters: Filters) -> SafeString:
    """Everything below the filters; the same for everybody who reads in one language."""

    def draw() -> SafeString:
        context = systems_context(study, filters, systems_stored(study, filters))
        return render_to_string("agreement/systems/_figures.html", context)

    return drawn(systems_key(study, filters), f"{study.key}|{get_language()}", draw)
