"""The page on metrics as its templates draw it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.corpus.problems import RowProblem
from annotation.models import BroughtMetric, Job, Study, TableReport, WorkState
from annotation.protocols.base import Problem
from annotation.selectors.agreement.modelled import answers_digest
from annotation.web.agreement.dashboard.page import table_cell, withdrawn_stored
from annotation.web.base.numbers import percent, short, whole
from annotation.web.base.presenters import text
from annotation.web.charts.canvas import Chart
from annotation.web.metrics import tables
from annotation.web.metrics.charts import BUILDERS
from annotation.web.metrics.words import findings

OPEN = ("agreement", "differences")
"""Tables that stand open; the others are unfolded."""


def report_context(study: Study, job: Job | None, metric: str = "") -> dict[str, Any]:
    """How far the newest report is, or what it says. ``metric``: whose scatter plot and
    disagreements are shown."""
    if job is None:
        return {"job": None, "waiting": False}
    waiting = job.state in (Job.State.QUEUED, Job.State.RUNNING)
    context: dict[str, Any] = {
        "job": job,
        "waiting": waiting,
        "problem": _problem(job),
        "address": reverse("study_metrics", args=[study.key]),
    }
    if job.state == Job.State.DONE:
        context |= _done_context(
            study,
            job.result,
            metric,
            _Addresses("study_metrics_table", "study_metrics_chart", study.key),
        )
        context["withdrawn"] = withdrawn_stored(job.result)
        context["is_outdated"] = _is_outdated(study, job.result)
    return context


def _is_outdated(study: Study, report: tables.Report) -> bool:
    """Whether the study's answers are others now; a snapshot's never are, and reports of before do
    not say of which they are."""
    answers = report.get("answers")
    return bool(answers and not report.get("snapshot") and answers != answers_digest(study))


def table_report_context(row: TableReport, metric: str = "") -> dict[str, Any]:
    """The same for a table of human scores."""
    context: dict[str, Any] = {
        "job": row,
        "waiting": row.is_unfinished,
        "refused": [_stored_problem(problem) for problem in row.problems],
        "address": reverse("score_table", args=[row.public_id]),
    }
    if row.state == WorkState.DONE:
        addresses = _Addresses("score_table_sheet", "score_table_chart", row.public_id)
        context |= _done_context(None, row.result, metric, addresses)
    return context


def _stored_problem(problem: Mapping[str, Any]) -> dict[str, str]:
    words = tables.said(problem)
    if problem.get("row"):
        words = _("Row %(row)s, column %(column)s: %(problem)s") % {
            "row": problem["row"],
            "column": problem["field"],
            "problem": words,
        }
    return {"field": "", "message": words}


class _Addresses(NamedTuple):
    """Names of the addresses of tables and charts, and what they are of."""

    sheet: str
    chart: str
    of: Any


def _done_context(
    study: Study | None, report: tables.Report, metric: str, addresses: _Addresses
) -> dict[str, Any]:
    chosen = tables.chosen_line(report, metric)
    metric_query = urlencode({"metric": chosen["name"]}) if chosen else ""
    title = tables.title(study, report)
    sheets = [
        _sheet(study, report, key, metric, metric_query, addresses) for key in tables.keys(report)
    ]
    drawn = {
        key: _chart(chart, metric_query, addresses)
        for key, build in BUILDERS.items()
        if (chart := build(report, metric, title)) is not None
    }
    return {
        "report": report,
        "dimension": title,
        "basis": _basis(report),
        "found": findings(report),
        "notes": [tables.said(note) for note in report.get("notes", ())],
        "open": [sheet for sheet in sheets if sheet["key"] in OPEN],
        "folded": [sheet for sheet in sheets if sheet["key"] not in (*OPEN, "apart")],
        "apart": next((sheet for sheet in sheets if sheet["key"] == "apart"), None),
        "scatter": drawn.get("scatter"),
        "between": drawn.get("between"),
        "choices": [
            {
                "name": line["name"],
                "label": tables.line_name(line),
                "chosen": line is chosen,
            }
            for line in tables.ordered(report)
            if line.get("apart")
        ],
    }


def _sheet(
    study: Study | None,
    report: tables.Report,
    key: str,
    metric: str,
    metric_query: str,
    addresses: _Addresses,
) -> dict[str, Any]:
    address = reverse(addresses.sheet, args=[addresses.of, key])
    context = tables.sheet(study, report, key, metric).context()
    query = f"{metric_query}&format=" if key == "apart" else "format="
    return context | {"id": key, "url": f"{address}?{query}"}


def _chart(chart: Chart, metric_query: str, addresses: _Addresses) -> dict[str, Any]:
    address = reverse(addresses.chart, args=[addresses.of, chart.key])
    return {
        "key": chart.key,
        "title": chart.title,
        "description": chart.description,
        "drawing": chart.drawing,
        "columns": chart.table.columns,
        "rows": [[table_cell(cell) for cell in row] for row in chart.table.rows],
        "url": f"{address}?{metric_query}",
    }


def _problem(job: Job) -> str:
    return {
        "": "",
        "asker_left": _("Whoever asked for it does not lead this study any more: ask again."),
        "blind": _("The study hides its answers now: order the report once it shows them."),
        "nothing_judged": _("No judgment is left to hold a metric against."),
        "snapshot": _("Files of the snapshot are missing or have changed since."),
        "worker_lost": _("The worker that measured was stopped again and again."),
    }.get(job.problem, _("The report failed for a reason that is ours to mend."))


def _basis(report: tables.Report) -> dict[str, str]:
    lowest, highest = report["scale"]
    return {
        "outputs": whole(report["n"]),
        "sources": whole(report["sources"]),
        "people": whole(report["people"]),
        "ratings": whole(report["ratings"]),
        "scale": _range(lowest, highest),
        "draws": whole(report["draws"]),
        "seed": str(report["seed"]),
        "confidence": percent(report["confidence"]),
        "method": report["method"],
    }


def _range(lowest: float | None, highest: float | None) -> str:
    return "–" if lowest is None or highest is None else f"{short(lowest)}–{short(highest)}"


def brought_row(metric: BroughtMetric) -> dict[str, Any]:
    """A line of the table of scores from elsewhere."""
    return {
        "pk": metric.pk,
        "name": metric.name,
        "number": whole(metric.number),
        "direction": metric.get_direction_display(),
        "range": _range(metric.lowest, metric.highest),
        "note": metric.note,
        "at": metric.created_at,
    }


def problem_words(problems: list[Problem]) -> list[dict[str, str]]:
    """Refusals with their row, their column and what to do about it."""
    return [{"field": "", "message": _problem_words(problem)} for problem in problems]


def _problem_words(problem: Problem) -> str:
    if not isinstance(problem, RowProblem):
        return text(problem.message)
    words = f"{text(problem.message)} {text(problem.remedy)}"
    if not problem.row:
        return words
    return _("Row %(row)s, column %(column)s: %(problem)s") % {
        "row": problem.row,
        "column": problem.field,
        "problem": words,
    }
