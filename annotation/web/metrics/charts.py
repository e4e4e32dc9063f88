"""The charts of a report on metrics: a metric against people, metrics against metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.metrics.report.between import MOST
from annotation.protocols.base import Better
from annotation.web.agreement.sheets import Column, cell_words
from annotation.web.base.numbers import decimal, whole
from annotation.web.charts.axes import Format
from annotation.web.charts.canvas import Cell, Chart, Drawing, Table
from annotation.web.charts.grids import heat
from annotation.web.charts.points import density, scatter
from annotation.web.metrics.tables import better_of, chosen_line, figure, line_name, said

Report = Mapping[str, Any]
NAMED = 10
"""Of the largest disagreements, those that bear their number in the plot."""


def against_people(report: Report, metric: str, dimension: str) -> Chart | None:
    """A mark for each output, or cells of many; None where the metric has no value, and in reports
    from before there were charts."""
    line = chosen_line(report, metric)
    if line is None or not line.get("points"):
        return None
    name = line_name(line)
    if "cells" in line["points"]:
        drawing, table = _cells(line["points"]["cells"], name, dimension)
        description = _("The darker a cell, the more outputs lie in it.")
    else:
        drawing, table = _points(report, line, name, dimension)
        description = _(
            "A mark for each output; numbers are the largest disagreements, as in the table."
        )
    return Chart(
        "scatter",
        _("%(metric)s against people: %(dimension)s") % {"metric": name, "dimension": dimension},
        " ".join(filter(None, [description, _correlation(report, line)])),
        drawing,
        table,
    )


def _points(
    report: Report, line: Mapping[str, Any], name: str, dimension: str
) -> tuple[Drawing, Table]:
    outputs = zip(
        report["points"]["units"], line["points"]["values"], report["points"]["values"], strict=True
    )
    rows = [(unit, value, human) for unit, value, human in outputs if value is not None]
    named = [
        (str(number), output["metric"], output["people"])
        for number, output in enumerate(line["apart"][:NAMED], 1)
    ]
    across, up = ([row[side] for row in rows] for side in (1, 2))
    words = (_format(min(across), max(across)), _format(min(up), max(up)))
    points = [(value, human) for _unit, value, human in rows]
    drawing = scatter(points, named, words, across=name, up=dimension)
    return drawing, Table((_("Pair"), name, dimension), tuple(rows))


def _cells(cells: Mapping[str, Any], name: str, dimension: str) -> tuple[Drawing, Table]:
    counts, across, up = cells["counts"], tuple(cells["metric"]), tuple(cells["people"])
    words = (_format(*across), _format(*up))
    rows: list[tuple[Cell, ...]] = []
    for row, line in enumerate(counts):
        low, high = _edges(up, row, len(counts))
        for column, count in enumerate(line):
            if count:
                left, right = _edges(across, column, len(line))
                rows.append((f"{left:g}–{right:g}", f"{low:g}–{high:g}", count))
    drawing = density(counts, (across, up), words, across=name, up=dimension)
    return drawing, Table((name, dimension, _("Outputs")), tuple(rows))


def _edges(ends: tuple[float, ...], place: int, parts: int) -> tuple[float, float]:
    step = (ends[1] - ends[0]) / parts
    return ends[0] + place * step, ends[0] + (place + 1) * step


def _format(low: float, high: float) -> Format:
    """As many decimals as ticks over this span need."""
    span = high - low
    places = next((number for number, most in enumerate((10, 1, 0.1)) if span >= most), 3)
    return lambda value: decimal(value, places)


def _correlation(report: Report, line: Mapping[str, Any]) -> str:
    figures = line["figures"]
    if figures["pearson"]["value"] is None:
        return said(figures["pearson"]["undefined"])
    column = Column("", "correlation", interval=True)
    words = _("Pearson %(pearson)s, Spearman %(spearman)s, n = %(number)s.") % {
        "pearson": cell_words(column, figure(figures["pearson"])),
        "spearman": cell_words(column, figure(figures["spearman"])),
        "number": whole(figures["pearson"]["n"]),
    }
    # Where both are turned, the correlation is that of what is drawn.
    if (line["direction"] < 0) == (better_of(report) == Better.LOWER):
        return words
    turned = _("Lower is better on one of the two; the sign of the correlations is turned.")
    return f"{words} {turned}"


def metrics_between(report: Report, metric: str, dimension: str) -> Chart | None:
    """Spearman of every two metrics; people first."""
    between = report.get("between")
    if not between or not between["names"]:
        return None
    lines = {line["name"]: line for line in report["lines"]}
    people = _("People")
    names = [people, *(line_name(lines[name]) for name in between["names"])]
    values: dict[tuple[str, str], float | None] = {}
    for pair in between["pairs"]:
        value = pair["spearman"]["value"]
        values[pair["first"], pair["second"]] = values[pair["second"], pair["first"]] = value
    for name in between["names"]:
        value = lines[name]["figures"]["spearman"]["value"]
        values["", name] = values[name, ""] = value
    keys = ["", *between["names"]]
    cells = [[values.get((row, column)) for column in keys] for row in keys]
    numbered = [f"{number} {name}" for number, name in enumerate(names)]
    rows = [(name, *line) for name, line in zip(numbered, cells, strict=True)]
    heads = [str(number) for number in range(len(names))]
    return Chart(
        "between",
        _("Metrics against metrics: %(dimension)s") % {"dimension": dimension},
        _(
            "Spearman's rank correlation of every two metrics over the outputs that both have, and "
            "of each with people, printed in each cell; the shade grows with it. At most "
            "%(number)s metrics: those that agree most with people, whichever way."
        )
        % {"number": MOST},
        heat(numbered, cells, decimal, heads=heads),
        Table((_("Metric"), *heads), tuple(rows)),
    )


def signature(of: str, report: Report, picture: str, metric: str) -> str:
    """What stands under a chart that is a file of its own; ``of``: a study's key, or a table's
    digest."""
    line = chosen_line(report, metric) if picture == "scatter" else None
    parts = [of, report["dimension"], *([line["signature"]] if line else [])]
    return "|".join([*parts, f"draws:{report['draws']}|seed:{report['seed']}|{report['method']}"])


BUILDERS: dict[str, Callable[[Report, str, str], Chart | None]] = {
    "scatter": against_people,
    "between": metrics_between,
}
