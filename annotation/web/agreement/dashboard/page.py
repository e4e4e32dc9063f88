"""The page on agreement as its templates draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.agreement.divisive import DivisiveUnit
from annotation.agreement.raters import Camps
from annotation.models import Study
from annotation.protocols.base import Level
from annotation.selectors.agreement.figures import Figures, Stretch
from annotation.selectors.agreement.filters import Filters
from annotation.web.agreement.dashboard.chart_set import charts
from annotation.web.agreement.dashboard.words import (
    coefficient_rows,
    counts_words,
    level_label,
    names,
    reading,
)
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import dimension_label, text, value_labels
from annotation.web.charts.canvas import Cell, Chart


def default_dimension(study: Study, figures_or_none: Figures | None, asked: str) -> str:
    """The dimension that was asked for, else the first that is a scale, else the first."""
    dimensions = study.protocol.dimensions
    if asked in dimensions:
        return asked
    if figures_or_none is None:
        return dimensions[-1]
    scales = [
        name for name, detail in figures_or_none.details.items() if detail.level != Level.NOMINAL
    ]
    return scales[0] if scales else dimensions[0]


def query(filters: Filters, **more: str) -> str:
    """The filters as an address has them."""
    return urlencode(filters.chosen() | more)


def figures_context(study: Study, filters: Filters, figures: Figures, asked: str) -> dict[str, Any]:
    """Everything below the filters."""
    chosen = default_dimension(study, figures, asked)
    detail = figures.details[chosen]
    return {
        "study": study,
        "figures": figures,
        "all_imported": bool(figures.judgments) and figures.imported == figures.judgments,
        "dimensions": [_dimension(study, filters, figures, name) for name in figures.reports],
        "chosen": chosen,
        "chosen_label": dimension_label(study.protocol, chosen),
        "is_scale": detail.level != Level.NOMINAL,
        "tabs": [_tab(study, filters, name, chosen) for name in figures.reports],
        "charts": {
            key: chart_context(study, filters, chosen, found) if found else None
            for key, found in charts(study.protocol, chosen, figures).items()
        },
        "camps": camps_sentence(detail.camps),
        "guides": [_guide_row(one) for one in detail.guides],
        "divisive": _divisive(study, chosen, figures, detail.divisive),
        "sources_undefined": text(figures.sources.undefined)
        if figures.sources and figures.sources.undefined
        else "",
        "sources_judgments": figures.sources.judgments if figures.sources else 0,
    }


def chart_context(study: Study, filters: Filters, name: str, chart: Chart) -> dict[str, Any]:
    """A chart with its table in words and the address of its files."""
    address = reverse("study_agreement_chart", args=[study.key, chart.key])
    return {
        "key": chart.key,
        "title": chart.title,
        "description": chart.description,
        "drawing": chart.drawing,
        "columns": chart.table.columns,
        "rows": [[_cell(cell) for cell in row] for row in chart.table.rows],
        "url": f"{address}?{query(filters, dimension=name)}",
    }


def camps_sentence(found: Camps) -> str:
    """The two camps that the tree ends in, in words."""
    if found.undefined is not None:
        return text(found.undefined)
    if len(found.raters) == 2:
        return _("Two annotators make no camps.")
    first, second = sorted(found.two, key=lambda camp: (-len(camp), [str(one) for one in camp]))
    words = _(
        "The tree divides the annotators into %(first)s on one side and %(second)s on the other."
    ) % {
        "first": names(first),
        "second": names(second),
    }
    if found.unmeasured:
        words += " " + _(
            "Those who have no pair in common stand at the greatest distance that was measured."
        )
    return words


def _dimension(study: Study, filters: Filters, figures: Figures, name: str) -> dict[str, Any]:
    report = figures.reports[name]
    return {
        "key": name,
        "label": dimension_label(study.protocol, name),
        "level": level_label(report.fitting),
        "reading": reading(report),
        "counts": counts_words(report),
        "rows": coefficient_rows(report, str(filters)),
        # The paper's own figure for this dimension is at another level than the scale has.
        "paper_note": name == "legal_meaning" and report.fitting != Level.NOMINAL,
        "left_out": report.kappa.left_out,
    }


def _tab(study: Study, filters: Filters, name: str, chosen: str) -> dict[str, Any]:
    return {
        "label": dimension_label(study.protocol, name),
        "url": f"?{query(filters, dimension=name)}#details",
        "current": name == chosen,
    }


def _guide_row(one: Stretch) -> dict[str, Any]:
    within = one.within
    return {
        "number": one.number,
        "judgments": whole(one.judgments),
        "same": "–" if one.same is None else percent(one.same),
        "near": "–" if one.near is None else percent(one.near),
        "alpha": decimal(within.value, 3)
        if within is not None and within.value is not None
        else "",
        "undefined": text(within.undefined) if within is not None and within.undefined else "",
        "pairs": whole(within.items) if within is not None else "",
    }


def _divisive(
    study: Study, name: str, figures: Figures, units: Sequence[DivisiveUnit]
) -> list[dict[str, Any]]:
    labels = value_labels(study.protocol, name)
    return [
        {
            "unit": unit.unit,
            "url": reverse(
                "study_agreement_item", args=[study.key, figures.item_of[str(unit.unit)]]
            ),
            "n": unit.n,
            "disagreement": decimal(unit.disagreement),
            "distribution": "; ".join(
                f"{_value(value, labels)} × {count}" for value, count in unit.distribution
            ),
        }
        for unit in units
        if unit.disagreement > 0
    ]


def _value(value: float, labels: dict[int, str]) -> str:
    return labels.get(int(value), str(int(value)))


def _cell(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return decimal(cell, 3)
    return str(cell)
