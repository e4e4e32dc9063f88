"""What a scorer says against what people say, with the line on which both say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import Format, Scale, axis_below, axis_left
from annotation.web.charts.canvas import Canvas, Drawing, marker

WIDTH = 552.0
_TOP, _HEIGHT, _LEFT, _RIGHT, _BELOW = 30.0, 320.0, 48.0, 24.0, 44.0


@dataclass(frozen=True)
class Bin:
    """Mean prediction and mean human label of the ``count`` items of one bin."""

    predicted: float
    human: float
    count: int


def calibration(
    bins: Sequence[Bin], words: Format, *, low: float, high: float, across: str = "", up: str = ""
) -> Drawing:
    """A diamond per bin with its count above, joined; the dashed line is where both agree. ``low``
    to ``high``: the scale of both; ``across`` and ``up`` name the axes."""
    canvas = Canvas()
    bottom = _TOP + _HEIGHT
    x = Scale.around(low, high, _LEFT, WIDTH - _RIGHT)
    y = Scale.around(low, high, bottom, _TOP)
    axis_below(canvas, x, _TOP, bottom, words)
    axis_left(canvas, y, _LEFT, WIDTH - _RIGHT, words)
    canvas.line("reference", (x(x.low), y(y.low)), (x(x.high), y(y.high)))
    points = [(x(score_bin.predicted), y(score_bin.human)) for score_bin in bins]
    if len(points) > 1:
        canvas.line("line", *points)
    for (left, height), score_bin in zip(points, bins, strict=True):
        canvas.path("mark", marker(0, left, height, 6))
        canvas.text("text-small", left, height - 10, str(score_bin.count))
    canvas.text("text", 0, _TOP - 14, up)
    canvas.text("text-end", WIDTH - _RIGHT, bottom + 34, across)
    return canvas.drawing(WIDTH, bottom + _BELOW)
