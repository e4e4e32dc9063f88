"""The page on agreement as its templates draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.agreement.camps import CampsTest
from annotation.agreement.divisive import DivisiveUnit
from annotation.agreement.raters import Camps
from annotation.models import Item, Study
from annotation.protocols.base import NO_WORDING, Level
from annotation.selectors.agreement.figures import Figures, Stretch
from annotation.selectors.agreement.filters import LEFT_OUT, Filters
from annotation.selectors.agreement.reliability import OfWithdrawn
from annotation.web.agreement.dashboard.chart_set import charts
from annotation.web.agreement.dashboard.tables import KEYS
from annotation.web.agreement.dashboard.variance import variance_context
from annotation.web.agreement.dashboard.words import (
    coefficient_rows,
    counts_words,
    level_label,
    met_words,
    names,
    reading,
)
from annotation.web.base.numbers import decimal, percent, whole
from annotation.web.base.presenters import (
    dimension_label,
    distribution_words,
    text,
    value_labels,
)
from annotation.web.charts.canvas import Cell, Chart


def default_dimension(study: Study, name: str) -> str:
    """The dimension that was asked for, else the first that is a scale, else the first."""
    dimensions = study.protocol.scales
    if name in study.protocol.dimensions:
        return name
    return next((scale for scale in dimensions if scale.level != Level.NOMINAL), dimensions[0]).name


def query(filters: Filters, **more: str) -> str:
    """The filters as an address has them."""
    return urlencode(filters.chosen() | more)


def withdrawn_context(
    filters: Filters, of_withdrawn: OfWithdrawn, **more: str
) -> dict[str, Any] | None:
    """What the figures hold that no snapshot of the main round does, and the address without it;
    None where there is nothing of that kind."""
    if filters.round != Item.Round.MAIN or not of_withdrawn.judgments:
        return None
    address = query(replace(filters, withdrawn=LEFT_OUT), **more)
    return {**of_withdrawn._asdict(), "url": f"?{address}"}


def withdrawn_stored(result: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The same of what a job computed, which nobody leaves out of it; None also of what was
    computed before that was counted."""
    of_withdrawn: Mapping[str, Any] | None = result.get("of_withdrawn")
    return of_withdrawn if of_withdrawn and of_withdrawn["judgments"] else None


def figures_context(
    study: Study, filters: Filters, figures: Figures, dimension: str
) -> dict[str, Any]:
    """Everything below the filters."""
    chosen = default_dimension(study, dimension)
    detail = figures.details[chosen]
    return {
        "study": study,
        "figures": figures,
        "withdrawn": withdrawn_context(filters, figures.of_withdrawn, dimension=chosen),
        "has_brackets": bool(study.protocol.bracketed),
        "all_imported": bool(figures.judgments) and figures.imported == figures.judgments,
        "dimensions": [_dimension(study, filters, figures, name) for name in figures.reports],
        "chosen": chosen,
        "chosen_label": dimension_label(study.protocol, chosen),
        "is_scale": detail.level != Level.NOMINAL,
        "tabs": [_tab(study, filters, name, chosen) for name in figures.reports],
        "charts": {
            key: chart_context(study, filters, chosen, chart) if chart else None
            for key, chart in charts(study.protocol, chosen, figures).items()
        },
        "camps": camps_sentence(detail.camps, detail.camps_test),
        "camps_signature": detail.camps_test.signature,
        "guides": [_guide_row(stretch) for stretch in detail.guides],
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
        "rows": [[table_cell(cell) for cell in row] for row in chart.table.rows],
        "url": f"{address}?{query(filters, dimension=name)}",
    }


def camps_sentence(camps: Camps, tested: CampsTest) -> str:
    """Whether there are camps, and how sure that is."""
    if camps.undefined is not None:
        return text(camps.undefined)
    if tested.undefined is not None or tested.rare is None or tested.support is None:
        return text(tested.undefined) if tested.undefined else ""
    first, second = sorted(camps.two, key=lambda camp: (-len(camp), [str(rater) for rater in camp]))
    numbers = {
        "first": names(first),
        "second": names(second),
        "support": percent(tested.support, 0),
        "rare": percent(tested.rare),
        "number": whole(tested.simulations),
        "seed": tested.seed,
    }
    if tested.established:
        return (
            _(
                "Two camps: %(first)s on one side, %(second)s on the other. The same two come "
                "out of %(support)s of draws of pairs, and of %(number)s simulated studies "
                "without camps %(rare)s divide as clearly (seed %(seed)s)."
            )
            % numbers
        )
    words = (
        _(
            "No camps are established. The tree always ends in two groups, here %(first)s and "
            "%(second)s; the same two come out of %(support)s of draws of pairs, and of %(number)s "
            "simulated studies without camps %(rare)s divide as clearly (seed %(seed)s)."
        )
        % numbers
    )
    return f"{words} {_('One person alone is no camp.')}" if len(second) == 1 else words


def _dimension(study: Study, filters: Filters, figures: Figures, name: str) -> dict[str, Any]:
    report = figures.reports[name]
    return {
        "key": name,
        "label": dimension_label(study.protocol, name),
        "level": level_label(report.fitting),
        "reading": reading(report),
        "counts": counts_words(report),
        "rows": coefficient_rows(report, str(filters)),
        "files": {key: _table_url(study, filters, key, name) for key in KEYS},
        "variance": variance_context(report.variance, str(filters)),
        "note": text(study.protocol.about.notes.get(name, NO_WORDING)),
        "left_out": report.kappa.left_out,
        "met": met_words(report),
    }


def _table_url(study: Study, filters: Filters, key: str, name: str) -> str:
    """Where the table is had as a file; the format follows."""
    address = reverse("study_agreement_table", args=[study.key, key])
    return f"{address}?{query(filters, dimension=name, format='')}"


def _tab(study: Study, filters: Filters, name: str, chosen: str) -> dict[str, Any]:
    return {
        "label": dimension_label(study.protocol, name),
        "url": f"?{query(filters, dimension=name)}#details",
        "current": name == chosen,
    }


def _guide_row(stretch: Stretch) -> dict[str, Any]:
    within = stretch.within
    return {
        "number": stretch.number,
        "judgments": whole(stretch.judgments),
        "same": "–" if stretch.same is None else percent(stretch.same),
        "near": "–" if stretch.near is None else percent(stretch.near),
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
            "distribution": distribution_words(
                (_value(value, labels), count) for value, count in unit.distribution
            ),
        }
        for unit in units
        if unit.disagreement > 0
    ]


def _value(value: float, labels: dict[int, str]) -> str:
    return labels.get(int(value), str(int(value)))


def table_cell(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return decimal(cell, 3)
    return str(cell)
