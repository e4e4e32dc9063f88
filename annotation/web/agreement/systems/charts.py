"""The charts of systems side by side."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _

from annotation.agreement.systems.report import DimensionSystems
from annotation.protocols.base import Better
from annotation.protocols.protocol import Protocol
from annotation.web.agreement.systems.tables import answer_labels
from annotation.web.base.numbers import decimal, percent
from annotation.web.base.presenters import dimension_label
from annotation.web.charts.canvas import Cell, Chart, Table
from annotation.web.charts.rows import Row, intervals
from annotation.web.charts.stacks import MOST_VALUES, Stack, stacks

MOST_PAIRS = 15
"""Systems two by two: beyond these a forest plot is no picture, and the table says it."""


def shares(protocol: Protocol, name: str, dimension: DimensionSystems) -> Chart | None:
    """How the answers to each system are spread over the scale."""
    judged = [profile for profile in dimension.profiles if profile.counts.outputs]
    if len(dimension.scale) > MOST_VALUES:
        return None
    labels = answer_labels(protocol, name, dimension)
    rows = [
        Stack(profile.system, tuple(share.value or 0.0 for share in profile.shares))
        for profile in judged
    ]
    cells: list[tuple[Cell, ...]] = [(row.label, *row.shares) for row in rows]
    return Chart(
        "shares",
        _("Share of each answer by system: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        _("A bar per system, from the first answer of the scale (light) to the last (dark)."),
        stacks(rows, labels, lambda share: percent(share, 0)),
        Table((_("System"), *labels), tuple(cells)),
    )


def differences(protocol: Protocol, name: str, dimension: DimensionSystems) -> Chart | None:
    """The difference between every two systems with its interval."""
    known = [
        comparison
        for comparison in dimension.comparisons
        if comparison.difference.value is not None
    ]
    if not known or len(known) > MOST_PAIRS:
        return None
    rows = []
    for comparison in known:
        interval, value = comparison.difference.interval, comparison.difference.value or 0.0
        low, high = (interval.low, interval.high) if interval else (None, None)
        rows.append(
            Row(f"{comparison.first} − {comparison.second}", value, decimal(value), low, high)
        )
    return Chart(
        "differences",
        _("Difference between every two systems: %(dimension)s")
        % {"dimension": dimension_label(protocol, name)},
        _(
            "A diamond for the mean difference over the texts on which both were judged, a line "
            "for its 95% interval with these annotators. Right of zero the first system is judged "
            "higher."
        )
        + (
            " " + _("Lower is better here: left of zero the first is judged better.")
            if dimension.better == Better.LOWER
            else ""
        ),
        intervals(rows, decimal, reference=0.0),
        Table(
            (_("Systems"), _("Difference"), _("Lower bound"), _("Upper bound")),
            tuple((row.label, row.value, row.low, row.high) for row in rows),
        ),
    )


BUILDERS: dict[str, Callable[[Protocol, str, DimensionSystems], Chart | None]] = {
    "shares": shares,
    "differences": differences,
}
