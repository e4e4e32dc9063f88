"""A study beside another that the same person leads, two parts of one, or what its guide sent back
as it was before and after. Never in a blind phase of either."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import answers_readable, studies_led, study_for_lead
from annotation.models import Study
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import figures_key, is_stored, kept
from annotation.selectors.agreement.sent_back import sent_back_digest
from annotation.selectors.agreement.studies import (
    SAME_JUDGMENTS,
    StudiesFigures,
    comparable,
    sent_back_figures,
    studies_figures,
)
from annotation.selectors.base.one_moment import one_moment
from annotation.web.agreement.dashboard.store import drawn
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.agreement.studies import charts
from annotation.web.agreement.studies.form import SENT_BACK, StudiesForm
from annotation.web.agreement.studies.page import studies_context
from annotation.web.agreement.studies.tables import OF_STUDIES
from annotation.web.agreement.views.agreement import AT_ONCE
from annotation.web.base.presenters import text
from annotation.web.platform.chart_files import CHART_FORMATS, chart_response
from annotation.web.platform.requests import PersonRequest


class _Selection(NamedTuple):
    """``other`` is None where none was chosen, and the study itself where judgments are held
    against what they were."""

    study: Study
    other: Study | None
    form: StudiesForm

    @property
    def is_same(self) -> bool:
        """Whether both sides are the same judgments."""
        parts = self.form.part, self.form.other_part
        return not self.form.is_sent_back and self.study == self.other and parts[0] == parts[1]


@never_cache
@login_required
@require_safe
def study_beside(request: PersonRequest, study: str) -> HttpResponse:
    """The form, and the figures once another study is chosen; where they take long, what asks for
    them."""
    selection = _selection(request, study)
    led_study, other, form = selection
    context: dict[str, Any] = {"study": led_study, "other": other, "form": form}
    if selection.is_same:
        context["refusal"] = text(SAME_JUDGMENTS)
    elif other is not None:
        done = sum(completeness(side, "main").done for side in (led_study, other))
        waiting = done > AT_ONCE and "now" not in request.GET and not is_stored(_key(selection))
        context["waiting"] = waiting
        context["live"] = Study.State.MAIN in (led_study.state, other.state)
        if waiting:
            address = reverse("study_beside_figures", args=[led_study.key])
            context["part_url"] = f"{address}?{urlencode(form.chosen)}"
            context["now_url"] = f"?{urlencode(form.chosen | {'now': '1'})}"
        else:
            context["figures"] = _drawn(selection)
    return render(request, "agreement/studies/studies.html", context)


@never_cache
@login_required
@require_safe
def figures_part(request: PersonRequest, study: str) -> HttpResponse:
    """The part of the page that takes long."""
    return HttpResponse(_drawn(_compared(request, study)))


@never_cache
@login_required
@require_safe
def table_file(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """One table as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    selection = _compared(request, study)
    form = request.GET.get("format", "csv")
    if table not in OF_STUDIES or form not in FORMATS:
        raise Http404("no such table")
    sheet = OF_STUDIES[table](selection.study, _figures(selection))
    return sheet_response(sheet, form, name=f"{_name(selection)}-{table}")


@never_cache
@login_required
@require_safe
def chart_file(request: PersonRequest, study: str, drawing: str) -> HttpResponse:
    """The chart as a file, or its numbers."""
    selection = _compared(request, study)
    form = request.GET.get("format", "svg")
    if drawing != charts.KEY or form not in CHART_FORMATS:
        raise Http404("no such chart")
    figures = _figures(selection)
    shown = charts.changes(selection.study.protocol, figures)
    if shown is None:
        raise Http404("nothing to draw")
    signature = (
        f"{figures.first.key}|{figures.first.part}|{figures.second.key}|{figures.second.part}|by:"
        f"{figures.matching.rule}|draws:{figures.drawn.draws}|seed:{figures.drawn.seed}"
    )
    return chart_response(shown, form, name=f"{_name(selection)}-{drawing}", signature=signature)


def _selection(request: PersonRequest, key: str) -> _Selection:
    """What is asked for; 404 where either study is not this person's to lead."""
    study = study_for_lead(request.user, key)
    wanted = request.GET.get("other", "")
    if "\x00" in wanted:  # PostgreSQL takes no such text.
        raise Http404("no such study")
    is_another = wanted and not wanted.startswith(SENT_BACK)
    other = study_for_lead(request.user, wanted) if is_another else None
    listed = comparable(studies_led(request.user))
    form = StudiesForm(study, other, listed, request.GET.dict())
    if form.is_sent_back and "other" not in form.chosen:
        raise Http404("no such version")
    answers_readable(study, form.part.round)
    if other is not None:
        answers_readable(other, form.other_part.round)
    return _Selection(study, study if form.is_sent_back else other, form)


def _compared(request: PersonRequest, key: str) -> _Selection:
    selection = _selection(request, key)
    if selection.other is None or selection.is_same:
        raise Http404("nothing to compare with")
    return selection


def _name(selection: _Selection) -> str:
    if selection.form.is_sent_back:
        return f"{selection.study.key}-{selection.form.chosen['other'].removeprefix('~')}"
    return f"{selection.study.key}-beside-{selection.other.key if selection.other else ''}"


def _key(selection: _Selection) -> str:
    sides = [
        (figures_key(study, Filters()), str(part))
        for study, part in (
            (selection.study, selection.form.part),
            (selection.other or selection.study, selection.form.other_part),
        )
    ]
    digest = sent_back_digest(selection.study) if selection.form.is_sent_back else ""
    named = f"{sides}|{selection.form.matched_by}|{digest}"
    return f"{hashlib.sha256(named.encode()).hexdigest()}|beside"


@one_moment()
def _figures(selection: _Selection) -> StudiesFigures:
    study, part, rule = selection.study, selection.form.part, selection.form.matched_by
    other = (selection.other or study, selection.form.other_part)

    def compute() -> StudiesFigures:
        if selection.form.is_sent_back:
            return sent_back_figures(study, part)
        return studies_figures((study, part), other, rule=rule)

    return kept(_key(selection), StudiesFigures, compute)


@one_moment()
def _drawn(selection: _Selection) -> SafeString:
    """Everything below the form; the same for everybody who reads in one language."""

    def draw() -> SafeString:
        context = studies_context(selection.study, _figures(selection), selection.form.chosen)
        return render_to_string("agreement/studies/_figures.html", context)

    return drawn(_key(selection), f"{selection.study.key}|{get_language()}", draw)
