"""How far a study's annotators agree, and where they do not. Leads only; sealed judgments only."""

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
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.item import item_reading
from annotation.selectors.agreement.kept import figures_key, is_stored
from annotation.selectors.base.one_moment import one_moment
from annotation.web.agreement.dashboard.chart_set import BUILDERS, chart
from annotation.web.agreement.dashboard.item import item_context
from annotation.web.agreement.dashboard.page import default_dimension, figures_context, query
from annotation.web.agreement.dashboard.store import drawn, figures
from annotation.web.agreement.dashboard.tables import KEYS, agreement_sheet
from annotation.web.agreement.forms import AgreementForm
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.base.presenters import dimension_label
from annotation.web.charts.canvas import Chart
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest

AT_ONCE = 4_000
"""Judgments that are computed within a second (0.3 s, and 0.15 ms for each); beyond them the page
comes first."""


@never_cache
@login_required
@require_safe
def study_agreement(request: PersonRequest, study: str) -> HttpResponse:
    """The whole page; where figures take long, its frame, which then asks for them."""
    led_study = study_for_lead(request.user, study)
    form = AgreementForm(led_study, request.GET.dict())
    filters = form.filters
    answers_readable(led_study, filters.round)
    dimension = request.GET.get("dimension", "")
    # What names the figures is read with them: they are kept by that name.
    with one_moment():
        key = figures_key(led_study, filters)
        complete = completeness(led_study, filters.round)
        waiting = complete.done > AT_ONCE and "now" not in request.GET and not is_stored(key)
        shown = "" if waiting else _figures(led_study, filters, key, dimension)
    context: dict[str, Any] = {
        "study": led_study,
        "form": form,
        "filters": filters,
        "filtered": bool(filters.chosen()),
        "complete": complete,
        "live": led_study.state != Study.State.CLOSED,
        "waiting": waiting,
        "dimension": dimension,
    }
    if waiting:
        more = {"dimension": default_dimension(led_study, dimension)}
        context["part_url"] = (
            f"{reverse('study_agreement_figures', args=[led_study.key])}?{query(filters, **more)}"
        )
        context["now_url"] = f"?{query(filters, **more, now='1')}"
    else:
        context["figures"] = shown
    return render(request, "agreement/agreement.html", context)


@never_cache
@login_required
@require_safe
def figures_part(request: PersonRequest, study: str) -> HttpResponse:
    """The part of the page that takes long."""
    led_study = study_for_lead(request.user, study)
    filters = AgreementForm(led_study, request.GET.dict()).filters
    answers_readable(led_study, filters.round)
    with one_moment():
        key = figures_key(led_study, filters)
        return HttpResponse(_figures(led_study, filters, key, request.GET.get("dimension", "")))


@never_cache
@login_required
@require_safe
def chart_file(request: PersonRequest, study: str, chart: str) -> HttpResponse:
    """One chart as a drawing that stands alone (``format=svg``), or its numbers
    (``format=csv``)."""
    led_study = study_for_lead(request.user, study)
    kind = request.GET.get("format", "svg")
    if chart not in BUILDERS or kind not in CHART_FORMATS:
        raise Http404("no such chart")
    filters = AgreementForm(led_study, request.GET.dict()).filters
    answers_readable(led_study, filters.round)
    shown, name = _chart(led_study, filters, chart, request.GET.get("dimension", ""))
    return chart_response(
        shown,
        kind,
        name=f"{led_study.key}-{chart}-{name}",
        signature=f"{led_study.key}|{name}|{filters}",
    )


@never_cache
@login_required
@require_safe
def table_file(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """One table of a dimension as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    led_study = study_for_lead(request.user, study)
    kind = request.GET.get("format", "csv")
    if table not in KEYS or kind not in FORMATS:
        raise Http404("no such table")
    filters = AgreementForm(led_study, request.GET.dict()).filters
    answers_readable(led_study, filters.round)
    name = default_dimension(led_study, request.GET.get("dimension", ""))
    with one_moment():
        report = figures(led_study, filters, figures_key(led_study, filters)).reports[name]
    sheet = agreement_sheet(table, report, dimension_label(led_study.protocol, name), str(filters))
    if sheet is None:
        raise Http404("nothing to tell")
    return sheet_response(sheet, kind, name=f"{led_study.key}-{table}-{name}")


@never_cache
@login_required
@require_safe
def item(request: PersonRequest, study: str, item: str) -> HttpResponse:
    """One item with everybody's errors drawn on both texts."""
    led_study = study_for_lead(request.user, study)
    reading = item_reading(led_study, item)
    if reading is None:
        raise Http404("no such item")
    answers_readable(led_study, reading.item.round)
    return render(
        request, "agreement/item.html", {"study": led_study} | item_context(led_study, reading)
    )


def _figures(study: Study, filters: Filters, key: str, dimension: str) -> SafeString:
    """Everything below the filters; the same for everybody who reads in one language."""
    dimension = dimension if dimension in study.protocol.dimensions else ""

    def draw() -> SafeString:
        context = figures_context(study, filters, figures(study, filters, key), dimension)
        return render_to_string("agreement/_figures.html", context)

    return drawn(key, f"{study.key}|{get_language()}|{dimension}", draw)


@one_moment()
def _chart(study: Study, filters: Filters, key: str, dimension: str) -> tuple[Chart, str]:
    computed = figures(study, filters, figures_key(study, filters))
    name = default_dimension(study, dimension)
    shown = chart(key, study.protocol, name, computed)
    if shown is None:
        raise Http404("nothing to draw")
    return shown, name
