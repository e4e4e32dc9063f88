"""How far people agree on what they marked on both texts, and the marks as files. Leads only;
sealed judgments only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import answers_readable, study_for_lead
from annotation.agreement.marks.confused import COLUMNS as CONFUSED_COLUMNS
from annotation.agreement.marks.confused import confusion_rows
from annotation.agreement.marks.consensus import (
    COLUMNS,
    consensus_cells,
    consensus_rows,
    token_consensus,
)
from annotation.agreement.marks.counts import pair_counts
from annotation.agreement.marks.layers import layers_of
from annotation.cells import as_sheet
from annotation.corpus.edit_files import ENDINGS, edit_file
from annotation.corpus.problems import TableError
from annotation.models import Item, Job, Study
from annotation.protocols.edits import MarkedPair
from annotation.selectors.agreement.adjudication import ruled_pairs
from annotation.selectors.agreement.facts import completeness
from annotation.selectors.agreement.marked import (
    MarksFigures,
    compared_pairs,
    marked_of_withdrawn,
    marking_fields,
)
from annotation.selectors.agreement.marks_kept import MarksState, marks_kept, marks_state
from annotation.selectors.agreement.report_failures import report_failure
from annotation.selectors.base.one_moment import one_moment
from annotation.services.agreement.marks import marks_request
from annotation.web.agreement.dashboard.store import drawn
from annotation.web.agreement.marks.form import MarksForm
from annotation.web.agreement.marks.page import Cell, marks_context
from annotation.web.agreement.marks.tables import KEYS, sheet
from annotation.web.agreement.sheets import FORMATS, sheet_response
from annotation.web.base.presenters import text
from annotation.web.platform.requests import PersonRequest

AT_ONCE = 60
"""Judgments that are compared within two seconds; beyond them a worker does it."""


class _Selection(NamedTuple):
    study: Study
    form: MarksForm


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_marks(request: PersonRequest, study: str) -> HttpResponse:
    """The whole page; where figures take long, its frame, which has a worker compute them."""
    selection = _selection(request, study)
    led_study, form = selection
    if request.method == "POST":
        marks_request(actor=request.user, study=led_study, request=form.marks_request)
        return redirect(request.get_full_path())
    state = marks_state(led_study, form.marks_request)
    if request.headers.get("HX-Request") == "true":
        return _progress(request, led_study, state)
    complete = completeness(led_study, form.marks_request.round)
    context: dict[str, Any] = {
        "study": led_study,
        "form": form,
        "filters": form.marks_request,
        "complete": complete,
        "live": led_study.state != Study.State.CLOSED,
        "state": state,
        "waiting": not state.is_current and complete.done > AT_ONCE,
        "withdrawn": _of_withdrawn(selection),
        "problem": text(report_failure(state.failed)),
    }
    # What a worker found on another machine, and kept there, is computed here.
    is_elsewhere = state.job is not None and state.job.state == Job.State.DONE and not state.shown
    if state.shown or not context["waiting"] or is_elsewhere:
        context["figures"] = _drawn(selection, Cell.of(request.GET), state)
        context["waiting"] = bool(state.shown) and context["waiting"]
    return render(request, "agreement/marks/marks.html", context)


def _of_withdrawn(selection: _Selection) -> dict[str, int] | None:
    """What is compared that no snapshot of the main round holds."""
    study, wanted = selection.study, selection.form.marks_request
    if wanted.round != Item.Round.MAIN or not wanted.withdrawn:
        return None
    counts = marked_of_withdrawn(study, wanted.round)
    return counts._asdict() if counts.judgments else None


def _progress(request: PersonRequest, study: Study, state: MarksState) -> HttpResponse:
    """What a waiting page asks for: how far it is, and once it is done to be loaded anew."""
    if state.running is None:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"study": study, "running": state.running}
    return render(request, "agreement/marks/_progress.html", context)


@never_cache
@login_required
@require_safe
def table_file(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """One table as CSV, LaTeX or Markdown (``format=csv``, ``tex``, ``md``)."""
    selection = _selection(request, study)
    kind = request.GET.get("format", "csv")
    if table not in KEYS or kind not in FORMATS:
        raise Http404("no such table")
    figures = _figures(selection)
    figure_sheet = sheet(table, figures.report, figures.again, selection.form.called)
    if figure_sheet is None:
        raise Http404("nothing to tell")
    return sheet_response(figure_sheet, kind, name=f"{selection.study.key}-marks-{table}")


@never_cache
@login_required
@require_safe
def marks_file(request: PersonRequest, study: str, table: str) -> HttpResponse:
    """The marks in one of their layouts, or a table that is computed from them."""
    selection = _selection(request, study)
    is_ruled = "ruled" in request.GET
    if is_ruled and not selection.form.question.counted:
        raise Http404("nothing is ruled on")
    if table in ENDINGS:
        try:
            content = edit_file(table, _pairs(selection, ruled=is_ruled))
        except TableError as error:
            problem = error.problem
            words = f"{text(problem.message)} {text(problem.remedy)}"
            return HttpResponse(words, status=422, content_type="text/plain; charset=utf-8")
        return _download(selection, content, ENDINGS[table], "adjudicated" if is_ruled else "edits")
    made = _MADE.get(table)
    if made is None:
        raise Http404("no such file")
    ending, make = made
    return _download(selection, make(selection).encode(), ending, table)


def _selection(request: PersonRequest, key: str) -> _Selection:
    """What is asked for; 404 where nothing is marked by this protocol."""
    study = study_for_lead(request.user, key)
    if not marking_fields(study):
        raise Http404("nothing is marked by this protocol")
    form = MarksForm(study, request.GET)
    answers_readable(study, form.marks_request.round)
    return _Selection(study, form)


def _figures(selection: _Selection) -> MarksFigures:
    """Those that the page shows: of earlier answers, where the others are not computed yet."""
    state = marks_state(selection.study, selection.form.marks_request)
    return marks_kept(selection.study, selection.form.marks_request, state.shown)[1]


def _drawn(selection: _Selection, cell: Cell, state: MarksState) -> SafeString:
    """Everything below the form; the same for everybody who reads in one language."""
    key, figures = marks_kept(selection.study, selection.form.marks_request, state.shown)

    def draw() -> SafeString:
        context = marks_context(selection.study, selection.form, figures, cell)
        return render_to_string("agreement/marks/_figures.html", context)

    # Names of annotators and operations are no part of a key.
    part = hashlib.sha256(repr((selection.form.chosen, cell)).encode()).hexdigest()
    return drawn(key, f"{selection.study.key}|{get_language()}|{part}", draw)


def _pairs(selection: _Selection, *, ruled: bool = False) -> list[MarkedPair]:
    with one_moment():
        if ruled:
            return ruled_pairs(selection.study, selection.form.question)
        return compared_pairs(selection.study, selection.form.marks_request)


def _counts(selection: _Selection) -> str:
    return as_sheet(pair_counts(_pairs(selection)))


def _consensus(selection: _Selection) -> str:
    consensus = token_consensus(layers_of(_pairs(selection)), selection.form.marks_request.grouping)
    return as_sheet([COLUMNS, *consensus_cells(consensus_rows(consensus))])


def _confusions(selection: _Selection) -> str:
    return as_sheet([CONFUSED_COLUMNS, *confusion_rows(_figures(selection).report)])


def _report(selection: _Selection) -> str:
    return json.dumps(_figures(selection).report.as_dict(), indent=2, ensure_ascii=False)


_MADE: dict[str, tuple[str, Callable[[_Selection], str]]] = {
    "counts": ("tsv", _counts),
    "consensus": ("tsv", _consensus),
    "confusions": ("tsv", _confusions),
    "report": ("json", _report),
}
_TYPES = {
    "tsv": "text/tab-separated-values; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "conll": "text/plain; charset=utf-8",
    "zip": "application/zip",
}


def _download(
    selection: _Selection, content: bytes, ending: str, what: str = "edits"
) -> HttpResponse:
    response = HttpResponse(content, content_type=_TYPES[ending])
    name = f"{selection.study.key}-{selection.form.marks_request.round}-{what}.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
