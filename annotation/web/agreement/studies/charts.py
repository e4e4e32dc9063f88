"""The chart of two studies side by side."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.studies import StudiesFigures
from annotation.web.agreement.studies.words import side_names
from annotation.web.base.numbers import decimal
from annotation.web.base.presenters import dimension_label
from annotation.web.charts.canvas import Chart, Table
from annotation.web.charts.rows import Row, intervals

KEY = "changes"
MOST_ROWS = 24
"""Dimensions and systems: beyond these a forest plot is no picture, and the table says it."""


def changes(protocol: Protocol, figures: StudiesFigures) -> Chart | None:
    """The change on each scale, of all outputs and of each system, with its interval."""
    rows = _rows(protocol, figures)
    if not rows or len(rows) > MOST_ROWS:
        return None
    first, second = side_names(figures)
    return Chart(
        KEY,
        _("Change from %(first)s to %(second)s") % {"first": first, "second": second},
        _(
            "A diamond for the mean change over the common outputs, in points of each scale, a "
            "line for its 95% interval with other annotators, or with these where there is no "
            "other. Right of zero the second is higher."
        ),
        intervals(rows, decimal, reference=0.0),
        Table(
            (_("Dimension"), pgettext("a statistic", "Change"), _("Lower bound"), _("Upper bound")),
            tuple((row.label, row.value, row.low, row.high) for row in rows),
        ),
    )


def _rows(protocol: Protocol, figures: StudiesFigures) -> list[Row]:
    rows = []
    for name, dimension in figures.dimensions.items():
        named = [("", dimension.change), *dimension.by_system]
        for system, change in named:
            if change is None or change.difference.value is None:
                continue
            fitting = change.elsewhere.interval
            if fitting is None or fitting.low is None:
                fitting = change.difference.interval
            low, high = (fitting.low, fitting.high) if fitting else (None, None)
            label = dimension_label(protocol, name)
            label = f"{label}, {system}" if system else label
            value = change.difference.value
            rows.append(Row(label, value, decimal(value), low, high))
    return rows
