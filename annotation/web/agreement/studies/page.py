"""Two studies side by side as the templates draw them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import Item, Study
from annotation.selectors.agreement.studies import StudiesFigures
from annotation.web.agreement.dashboard.page import table_cell
from annotation.web.agreement.studies import charts
from annotation.web.agreement.studies.tables import OF_STUDIES
from annotation.web.agreement.studies.words import basis_words, change_words, side_names
from annotation.web.base.presenters import dimension_label, text

FOLDED = ("largest", "moves", "shares")


def studies_context(
    study: Study, figures: StudiesFigures, chosen: dict[str, str]
) -> dict[str, Any]:
    """Everything below the form; ``chosen`` is what the address holds."""
    sheets = [build(study, figures) for build in OF_STUDIES.values()]
    shown = [_sheet(study, sheet, chosen) for sheet in sheets if sheet.rows]
    chart = charts.changes(study.protocol, figures)
    return {
        "study": study,
        "figures": figures,
        "names": side_names(figures),
        "reason": text(figures.reason) if figures.reason else "",
        "notes": [text(note) for note in figures.notes],
        "matched": basis_words(figures),
        "withdrawn": _of_withdrawn(figures),
        "dimensions": [_dimension(figures, name) for name in figures.dimensions],
        "chart": None if chart is None else _chart(study, chart, chosen),
        "open": [sheet for sheet in shown if sheet["key"] not in FOLDED],
        "folded": [sheet for sheet in shown if sheet["key"] in FOLDED],
        "signatures": _signatures(study, figures),
        "draws": figures.drawn.draws,
        "seed": figures.drawn.seed,
    }


def _of_withdrawn(figures: StudiesFigures) -> list[dict[str, Any]]:
    """Of each side what it counts that no snapshot of its main round holds."""
    named = zip((figures.first, figures.second), side_names(figures), strict=True)
    return [
        {**side.of_withdrawn._asdict(), "side": name}
        for side, name in named
        if side.of_withdrawn.judgments and side.part.round == Item.Round.MAIN
    ]


def _dimension(figures: StudiesFigures, name: str) -> dict[str, Any]:
    dimension = figures.dimensions[name]
    labels = {**figures.second.labels, **figures.first.labels}
    return {
        "label": text(labels[name]) if name in labels else name,
        "reason": text(dimension.undefined) if dimension.undefined else "",
        "sentence": change_words(dimension, figures),
        "notes": [text(note) for note in dimension.notes],
    }


def _signatures(study: Study, figures: StudiesFigures) -> list[dict[str, str]]:
    """Of the change on each dimension and of its test; the files have all others."""
    sides = f"{figures.first.key}|{figures.first.part}|{figures.second.key}|{figures.second.part}"
    rows = []
    for name, dimension in figures.dimensions.items():
        if dimension.change is not None:
            change = dimension.change
            signed = (change.difference.signature, change.elsewhere.signature, change.signature)
            label = dimension_label(study.protocol, name)
            rows += [
                {"label": label, "signature": f"{line}|{sides}|by:{figures.matching.rule}"}
                for line in signed
                if line
            ]
    return rows


def _sheet(study: Study, sheet: Any, chosen: dict[str, str]) -> dict[str, Any]:
    address = reverse("study_beside_table", args=[study.key, sheet.key])
    context: dict[str, Any] = sheet.context()
    return context | {"id": sheet.key, "url": f"{address}?{urlencode(chosen | {'format': ''})}"}


def _chart(study: Study, chart: Any, chosen: dict[str, str]) -> dict[str, Any]:
    address = reverse("study_beside_chart", args=[study.key, chart.key])
    return {
        "key": chart.key,
        "title": chart.title,
        "description": chart.description,
        "drawing": chart.drawing,
        "columns": chart.table.columns,
        "rows": [[table_cell(cell) for cell in row] for row in chart.table.rows],
        "url": f"{address}?{urlencode(chosen)}",
    }
