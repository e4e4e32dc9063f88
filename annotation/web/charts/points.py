"""Scatter plots: a mark for each thing, or cells shaded by how many lie in them."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.web.charts.axes import Format, Scale, axis_below, axis_left
from annotation.web.charts.canvas import Canvas, Drawing, marker

WIDTH = 552.0
_TOP, _HEIGHT, _LEFT, _RIGHT, _BELOW = 30.0, 340.0, 48.0, 24.0, 44.0
_SHADES = ("heat-1", "heat-2", "heat-3", "heat-4", "heat-5")


def scatter(
    points: Sequence[tuple[float, float]],
    named: Sequence[tuple[str, float, float]],
    words: tuple[Format, Format],
    *,
    across: str = "",
    up: str = "",
) -> Drawing:
    """Small marks, one for each of the ``points`` (x, y); ``named`` ones stand out with their name
    beside them. ``words`` write the numbers of both axes, which ``across`` and ``up`` name."""
    columns, rows = ([point[side] for point in points] for side in (0, 1))
    canvas, x, y = _frame((min(columns), max(columns)), (min(rows), max(rows)), words, across, up)
    path = " ".join(marker(0, x(left), y(height), 3.5) for left, height in points)
    canvas.path("point", path)
    for name, left, height in named:
        canvas.path("mark", marker(0, x(left), y(height), 6))
        # On the left at the right edge: names must not leave the drawing.
        near = x(left) > WIDTH - _RIGHT - 20
        style = "text-end" if near else "text"
        canvas.text(style, x(left) + (-8 if near else 8), y(height) + 4, name)
    return canvas.drawing(WIDTH, _TOP + _HEIGHT + _BELOW)


def density(
    counts: Sequence[Sequence[int]],
    ends: tuple[tuple[float, float], tuple[float, float]],
    words: tuple[Format, Format],
    *,
    across: str = "",
    up: str = "",
) -> Drawing:
    """Cells between the ``ends`` of x and y, ``counts`` by row from the lowest; the fuller, the
    darker."""
    canvas, x, y = _frame(*ends, words, across, up)
    (left, right), (low, high) = ends
    most = max(map(max, counts))
    for row, line in enumerate(counts):
        for column, count in enumerate(line):
            if not count:
                continue
            x1, x2 = (left + (right - left) * (column + side) / len(line) for side in (0, 1))
            y1, y2 = (low + (high - low) * (row + side) / len(counts) for side in (0, 1))
            shade = _SHADES[(count * len(_SHADES) - 1) // most]
            canvas.rect(shade, x(x1), y(y2), x(x2) - x(x1), y(y1) - y(y2))
    return canvas.drawing(WIDTH, _TOP + _HEIGHT + _BELOW)


def _frame(
    across_ends: tuple[float, float],
    up_ends: tuple[float, float],
    words: tuple[Format, Format],
    across: str,
    up: str,
) -> tuple[Canvas, Scale, Scale]:
    canvas, bottom = Canvas(), _TOP + _HEIGHT
    x = Scale.around(*across_ends, _LEFT, WIDTH - _RIGHT)
    y = Scale.around(*up_ends, bottom, _TOP)
    axis_below(canvas, x, _TOP, bottom, words[0])
    axis_left(canvas, y, _LEFT, WIDTH - _RIGHT, words[1])
    canvas.text("text", 0, _TOP - 14, up)
    canvas.text("text-end", WIDTH - _RIGHT, bottom + 34, across)
    return canvas, x, y
