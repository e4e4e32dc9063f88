"""The tables of one dimension as files: its coefficients, where its variance is, what means are
worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _

from annotation.agreement.generalizability import SOURCES, Variance
from annotation.agreement.report import DimensionReport
from annotation.agreement.result import Interval
from annotation.web.agreement.dashboard.variance import component_label
from annotation.web.agreement.dashboard.words import coefficient_label, further_intervals
from annotation.web.agreement.sheets import Column, FigureSheet, SheetCell
from annotation.web.base.presenters import text

Rows = tuple[tuple[SheetCell, ...], ...]


def agreement_sheet(
    key: str, report: DimensionReport, dimension: str, filters: str
) -> FigureSheet | None:
    """The table of that key, ``dimension`` being called so in its title; None where this dimension
    has none. Raises ``KeyError`` for a key that there is not (``KEYS``)."""
    return _SHEETS[key](report, dimension, filters)


def _bounds() -> tuple[Column, ...]:
    return (
        Column(_("Lower bound"), "points"),
        Column(_("Upper bound"), "points"),
        Column(_("Interval by"), shown=False),
    )


def _ends(interval: Interval | None) -> tuple[SheetCell, ...]:
    if interval is None or interval.low is None or interval.high is None:
        return None, None, ""
    return interval.low, interval.high, interval.method


def _coefficients(report: DimensionReport, dimension: str, filters: str) -> FigureSheet:
    columns = (
        Column(_("Coefficient")),
        Column(_("Value"), "points"),
        *_bounds(),
        Column(_("Remark")),
        Column(_("Signature"), shown=False),
    )
    rows: Rows = tuple(
        row for name in report.coefficients() for row in _coefficient(report, name, filters)
    )
    title = _("Agreement: %(dimension)s") % {"dimension": dimension}
    return FigureSheet("coefficients", title, columns, rows)


def _coefficient(
    report: DimensionReport, name: str, filters: str
) -> Iterator[tuple[SheetCell, ...]]:
    """A coefficient; the fitting alpha once more for each further interval that it has."""
    coefficient, label = report.coefficients()[name], coefficient_label(name)
    remark = text(coefficient.undefined) if coefficient.undefined else ""
    signature = f"{coefficient.signature}|{filters}" if coefficient.signature else ""
    yield label, coefficient.value, *_ends(coefficient.interval), remark, signature
    if name != f"alpha.{report.fitting}" or coefficient.value is None:
        return
    figures = report.as_dict()
    for key, what, interval in further_intervals(report):
        remark = text(interval.undefined) if interval.undefined else ""
        signature = f"{figures[key]['signature']}|{filters}"
        yield f"{label}: {what}", coefficient.value, *_ends(interval), remark, signature


def _variance(report: DimensionReport, dimension: str, filters: str) -> FigureSheet | None:
    variance = report.variance
    if variance is None:
        return None
    columns = (
        Column(_("Variance between")),
        Column(_("Share"), "share"),
        Column(_("Lower bound"), "share"),
        Column(_("Upper bound"), "share"),
        Column(_("Interval by"), shown=False),
        Column(_("Points squared"), "points"),
        Column(_("Lower bound, points squared"), "points"),
        Column(_("Upper bound, points squared"), "points"),
        Column(_("Remark")),
        Column(_("Signature"), shown=False),
    )
    has_sources = any(component.name == SOURCES for component in variance.components)
    rows: Rows = tuple(
        (
            component_label(component.name, has_sources=has_sources),
            component.share,
            *_ends(component.interval),
            component.variance,
            *_ends(component.variance_interval)[:2],
            text(component.interval.undefined) if component.interval.undefined else "",
            f"{variance.signature}|{filters}",
        )
        for component in variance.components
    )
    title = _("Shares of the variance: %(dimension)s") % {"dimension": dimension}
    return FigureSheet("variance", title, columns, rows or _reason(variance, columns))


def _means(report: DimensionReport, dimension: str, filters: str) -> FigureSheet | None:
    variance = report.variance
    if variance is None:
        return None
    columns = (
        Column(_("Annotators per pair"), "count"),
        Column("G", "points"),
        *_bounds(),
        Column("Φ", "points"),
        *_bounds(),
        Column(_("A mean, ± points"), "points"),
        Column(_("Remark")),
        Column(_("Signature"), shown=False),
    )
    rows: Rows = tuple(
        (
            dependability.annotators,
            dependability.relative,
            *_ends(dependability.relative_interval),
            dependability.absolute,
            *_ends(dependability.absolute_interval),
            dependability.half_width,
            "",
            f"{variance.signature}|{filters}",
        )
        for dependability in variance.dependability
    )
    title = _("What means are worth: %(dimension)s") % {"dimension": dimension}
    return FigureSheet("means", title, columns, rows or _reason(variance, columns))


def _reason(variance: Variance, columns: tuple[Column, ...]) -> Rows:
    """One row that says why there is none."""
    said = text(variance.undefined) if variance.undefined else ""
    return (("", *(None for _column in columns[1:-2]), said, ""),)


_SHEETS: dict[str, Callable[[DimensionReport, str, str], FigureSheet | None]] = {
    "coefficients": _coefficients,
    "variance": _variance,
    "means": _means,
}
KEYS = tuple(_SHEETS)
