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


class _Asked(NamedTuple):
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
    asked = _asked(request, study)
    found, other, form = asked
    context: dict[str, Any] = {"study": found, "other": other, "form": form}
    if asked.is_same:
        context["refusal"] = text(SAME_JUDGMENTS)
    elif other is not None:
        done = sum(completeness(one, "main").done for one in (found, other))
        waiting = done > AT_ONCE and "now" not in request.GET and not is_stored(_key(asked))
        context["waiting"] = waiting
        context["live"] = Study.State.MAIN in (found.state, other.state)
        if waiting:
            address = reverse("study_beside_figures", args=[found.key])
            context["part_url"] = f"{address}?{urlencode(form.chosen)}"
            context["now_url"] = f"?{urlencode(form.chosen | {'now': '1'})}"
        else:
            context["figures"] = _drawn(asked)
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
    asked = _compared(request, study)
    form = request.GET.get("format", "csv")
    if table not in OF_STUDIES or form not in FORMATS:
        raise Http404("no such table")
    sheet = OF_STUDIES[table](asked.study, _figures(asked))
    return sheet_response(sheet, form, name=f"{_name(asked)}-{table}")


@never_cache
@login_required
@require_safe
def chart_file(request: PersonRequest, study: str, drawing: str) -> HttpResponse:
    """The chart as a file, or its numbers."""
    asked = _compared(request, study)
    form = request.GET.get("format", "svg")
    if drawing != charts.KEY or form not in CHART_FORMATS:
        raise Http404("no such chart")
    figures = _figures(asked)
    shown = charts.changes(asked.study.protocol, figures)
    if shown is None:
        raise Http404("nothing to draw")
    signature = (
        f"{figures.first.key}|{figures.first.part}|{figures.second.key}|{figures.second.part}|by:"
        f"{figures.matching.rule}|draws:{figures.drawn.draws}|seed:{figures.drawn.seed}"
    )
    return chart_response(shown, form, name=f"{_name(asked)}-{drawing}", signature=signature)


def _asked(request: PersonRequest, study: str) -> _Asked:
    """What is asked for; 404 where either study is not this person's to lead."""
    found = study_for_lead(request.user, study)
    wanted = request.GET.get("other", "")
    if "\x00" in wanted:  # PostgreSQL takes no such text.
        raise Http404("no such study")
    is_another = wanted and not wanted.startswith(SENT_BACK)
    other = study_for_lead(request.user, wanted) if is_another else None
    listed = comparable(studies_led(request.user))
    form = StudiesForm(found, other, listed, request.GET.dict())
    if form.is_sent_back and "other" not in form.chosen:
        raise Http404("no such version")
    answers_readable(found, form.part.round)
    if other is not None:
        answers_readable(other, form.other_part.round)
    return _Asked(found, found if form.is_sent_back else other, form)


def _compared(request: PersonRequest, study: str) -> _Asked:
    asked = _asked(request, study)
    if asked.other is None or asked.is_same:
        raise Http404("nothing to compare with")
    return asked


def _name(asked: _Asked) -> str:
    if asked.form.is_sent_back:
        return f"{asked.study.key}-{asked.form.chosen['other'].removeprefix('~')}"
    return f"{asked.study.key}-beside-{asked.other.key if asked.other else ''}"


def _key(asked: _Asked) -> str:
    sides = [
        (figures_key(study, Filters()), str(part))
        for study, part in (
            (asked.study, asked.form.part),
            (asked.other or asked.study, asked.form.other_part),
        )
    ]
    digest = sent_back_digest(asked.study) if asked.form.is_sent_back else ""
    named = f"{sides}|{asked.form.matched_by}|{digest}"
    return f"{hashlib.sha256(named.encode()).hexdigest()}|beside"


def _figures(asked: _Asked) -> StudiesFigures:
    study, part, rule = asked.study, asked.form.part, asked.form.matched_by
    other = (asked.other or study, asked.form.other_part)

    def compute() -> StudiesFigures:
        if asked.form.is_sent_back:
            return sent_back_figures(study, part)
        return studies_figures((study, part), other, rule=rule)

    return kept(_key(asked), StudiesFigures, compute)


def _drawn(asked: _Asked) -> SafeString:
    """Everything below the form; the same for everybody who reads in one language."""

    def draw() -> SafeString:
        context = studies_context(asked.study, _figures(asked), asked.form.chosen)
        return render_to_string("agreement/studies/_figures.html", context)

    return drawn(_key(asked), f"{asked.study.key}|{get_language()}", draw)
