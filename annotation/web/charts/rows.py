"""Charts of one row per thing: bars, and values with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import Format, Scale, axis_below, label_width, shortened
from annotation.web.charts.canvas import Canvas, Drawing, marker

WIDTH = 552.0
ROW = 26.0
_TOP, _BOTTOM, _VALUE = 8.0, 24.0, 84.0


@dataclass(frozen=True)
class Row:
    """A label and its value with an interval where there is one; ``words`` are printed at the end
    of the row."""

    label: str
    value: float | None
    words: str
    low: float | None = None
    high: float | None = None


def bars(rows: Sequence[Row], words: Format, *, low: float = 0.0, high: float = 0.0) -> Drawing:
    """Horizontal bars from zero; what is below zero is outlined by dashes. At least ``low`` to
    ``high``."""
    canvas, scale, bottom = _frame(rows, words, low, high)
    for place, row in enumerate(rows):
        if row.value is None:
            continue
        zero, end = scale(0.0), scale(row.value)
        style = "bar" if row.value >= 0 else "bar-minus"
        canvas.rect(style, min(zero, end), _TOP + place * ROW + 5, abs(end - zero), ROW - 10)
    canvas.line("axis", (scale(0.0), _TOP), (scale(0.0), bottom))
    return canvas.drawing(WIDTH, bottom + _BOTTOM)


def intervals(rows: Sequence[Row], words: Format, *, reference: float | None = None) -> Drawing:
    """A diamond per value on its interval (a forest plot); ``reference`` is a dashed line through
    all rows."""
    canvas, scale, bottom = _frame(rows, words, 0.0, 0.0 if reference is None else reference)
    if reference is not None:
        canvas.line("reference", (scale(reference), _TOP), (scale(reference), bottom))
    for place, row in enumerate(rows):
        middle = _TOP + place * ROW + ROW / 2
        if row.low is not None and row.high is not None:
            canvas.line("rule", (scale(row.low), middle), (scale(row.high), middle))
            for end in (row.low, row.high):
                canvas.line("rule", (scale(end), middle - 4), (scale(end), middle + 4))
        if row.value is not None:
            canvas.path("mark", marker(0, scale(row.value), middle, 6))
    return canvas.drawing(WIDTH, bottom + _BOTTOM)


def _frame(
    rows: Sequence[Row], words: Format, low: float, high: float
) -> tuple[Canvas, Scale, float]:
    """The labels, the printed values and the axis under all rows."""
    canvas = Canvas()
    left = label_width([row.label for row in rows])
    known = [value for row in rows for value in (row.value, row.low, row.high) if value is not None]
    scale = Scale.around(min([low, 0.0, *known]), max([high, 0.0, *known]), left, WIDTH - _VALUE)
    bottom = _TOP + len(rows) * ROW
    axis_below(canvas, scale, _TOP, bottom, words)
    for place, row in enumerate(rows):
        baseline = _TOP + place * ROW + ROW / 2 + 4
        canvas.text("text", 0, baseline, shortened(row.label, left))
        canvas.text("text-end", WIDTH, baseline, row.words)
    return canvas, scale, bottom
