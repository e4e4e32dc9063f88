"""The page on systems as its templates draw it."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from annotation.agreement.systems.report import DimensionSystems
from annotation.models import Study
from annotation.protocols.base import Level
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import SystemsFigures
from annotation.web.agreement.dashboard.page import query, table_cell, withdrawn_context
from annotation.web.agreement.sheets import FigureSheet
from annotation.web.agreement.systems import charts, tables
from annotation.web.agreement.systems.words import comparison_words, flag_words, remarks
from annotation.web.base.presenters import dimension_label, text
from annotation.web.charts.canvas import Chart

OPEN = ("means", "pairs", "effects", "ranks")
"""Tables that stand open; the others are unfolded."""
FOLDED = ("shares", "share-differences", "people", "flags", "gaps")


def systems_context(study: Study, filters: Filters, figures: SystemsFigures) -> dict[str, Any]:
    """Everything below the filters."""
    several = len(figures.systems) > 1
    return {
        "study": study,
        "figures": figures,
        "withdrawn": withdrawn_context(filters, figures.of_withdrawn),
        "reason": text(figures.reason) if figures.reason else "",
        "notes": [text(note) for note in figures.notes],
        "several": several,
        "dimensions": [
            _dimension(study, filters, figures, name)
            for name in _scales_first(figures)
            if figures.systems
        ],
        "found": [
            _sheet(study, filters, tables.sheet(study, key, "", figures, str(filters)), "")
            for key in tables.OF_STUDY
            if getattr(figures, key)
        ]
        + [
            _sheet(
                study, filters, tables.sheet(study, tables.MARKS, name, figures, str(filters)), name
            )
            for name, of_field in figures.marks.items()
            if of_field
        ],
        "helped": _helped(study, filters, figures),
        # Of a part that somebody chose the sentences would not say which.
        "methods": None if filters.chosen() else figures.methods,
        "draws": figures.drawn.draws,
        "seed": figures.drawn.seed,
    }


def _helped(study: Study, filters: Filters, figures: SystemsFigures) -> dict[str, Any] | None:
    """What models that judged everything add; None where there is nothing to say of them."""
    helped = figures.helped
    if helped is None:
        return None
    return {
        "problem": text(helped.problem) if helped.problem else "",
        "passages": helped.passages,
        "of": helped.of,
        "seed": helped.seed,
        "sheets": [
            _sheet(
                study,
                filters,
                tables.sheet(study, "with-models", name, figures, str(filters)),
                name,
            )
            for name in helped.dimensions
        ],
    }


def _scales_first(figures: SystemsFigures) -> list[str]:
    """What has an order says which system is better; classes only how they differ."""
    return sorted(
        figures.dimensions, key=lambda name: figures.dimensions[name].level == Level.NOMINAL
    )


def _dimension(
    study: Study, filters: Filters, figures: SystemsFigures, name: str
) -> dict[str, Any]:
    dimension = figures.dimensions[name]

    def listed(*keys: str) -> list[dict[str, Any]]:
        sheets = [
            tables.sheet(study, key, name, figures, str(filters))
            for key in keys
            if _says(key, dimension)
        ]
        return [_sheet(study, filters, sheet, name) for sheet in sheets if sheet.rows]

    return {
        "key": name,
        "label": dimension_label(study.protocol, name),
        "remarks": remarks(dimension),
        "sentences": [
            comparison_words(comparison, dimension) for comparison in dimension.comparisons
        ],
        "flagged": [flag_words(flag) for flag in dimension.flags if flag.explains_much],
        # Where there is a table of places all the same, it stands under it.
        "no_ranks": text(dimension.no_ranks) if dimension.no_ranks and not dimension.ranks else "",
        "charts": [
            _chart(study, filters, name, drawn)
            for build in charts.BUILDERS.values()
            if (drawn := build(study.protocol, name, dimension)) is not None
        ],
        "open": listed(*OPEN, "without-flagged"),
        "folded": listed(*FOLDED),
        "signatures": _signatures(dimension, str(filters)),
    }


def _says(key: str, dimension: DimensionSystems) -> bool:
    """Means say nothing of classes."""
    return key != "means" or dimension.level != Level.NOMINAL


def _signatures(dimension: DimensionSystems, filters: str) -> list[dict[str, str]]:
    rows = [
        (profile.system, figure.signature)
        for profile in dimension.profiles
        for figure in (profile.mean, profile.elsewhere, profile.adjusted)
        if figure.signature
    ]
    for comparison in dimension.comparisons:
        label = f"{comparison.first} − {comparison.second}"
        signed = (
            comparison.difference,
            comparison.elsewhere,
            comparison.superiority,
            comparison.delta,
        )
        rows += [(label, figure.signature) for figure in signed if figure.signature]
        if comparison.signature:
            rows.append((label, comparison.signature))
    return [{"label": label, "signature": f"{signature}|{filters}"} for label, signature in rows]


def _sheet(study: Study, filters: Filters, sheet: FigureSheet, name: str) -> dict[str, Any]:
    address = reverse("study_systems_table", args=[study.key, sheet.key])
    parameters = {"field" if sheet.key == tables.MARKS else "dimension": name} if name else {}
    return sheet.context() | {
        "id": f"{name}-{sheet.key}",
        "url": f"{address}?{query(filters, **parameters, format='')}",
    }


def _chart(study: Study, filters: Filters, name: str, chart: Chart) -> dict[str, Any]:
    address = reverse("study_systems_chart", args=[study.key, chart.key])
    return {
        "key": f"{name}-{chart.key}",
        "title": chart.title,
        "description": chart.description,
        "drawing": chart.drawing,
        "columns": chart.table.columns,
        "rows": [[table_cell(cell) for cell in row] for row in chart.table.rows],
        "url": f"{address}?{query(filters, dimension=name)}",
    }
