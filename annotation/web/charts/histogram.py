"""One histogram beside its table, with a threshold on its axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import Format, Scale, axis_left
from annotation.web.charts.canvas import Canvas, Drawing

WIDTH = 530.0
_TOP, _HEIGHT, _LEFT = 24.0, 190.0, 40.0


@dataclass(frozen=True)
class Column:
    """How many lie from ``low`` to ``high``, and how many of those count as ``chosen``."""

    low: float
    high: float
    count: int
    chosen: int


def histogram(
    columns: Sequence[Column], words: Format, *, threshold: float | None = None, label: str = ""
) -> Drawing:
    """Columns without gaps: the chosen part filled, the rest outlined; ``threshold`` is a dashed
    line with its name."""
    canvas = Canvas()
    highest = max((column.count for column in columns), default=0)
    up = Scale.around(0.0, max(highest, 1), _TOP + _HEIGHT, _TOP)
    axis_left(canvas, up, _LEFT, WIDTH, words)
    if columns:
        _columns(canvas, columns, up, words, threshold, label)
    return canvas.drawing(WIDTH, _TOP + _HEIGHT + 24)


def _columns(
    canvas: Canvas,
    columns: Sequence[Column],
    up: Scale,
    words: Format,
    threshold: float | None,
    label: str,
) -> None:
    base = _TOP + _HEIGHT
    across = Scale(columns[0].low, columns[-1].high, _LEFT, WIDTH - 12, ())
    for column in columns:
        left, right = across(column.low) + 1, across(column.high) - 1
        top, chosen = up(column.count), up(column.chosen)
        canvas.rect("bar-minus", left, top, right - left, chosen - top)
        canvas.rect("bar", left, chosen, right - left, base - chosen)
        if column.count:
            canvas.text("text-small", (left + right) / 2, top - 4, str(column.count))
        canvas.text("text-small", across(column.low), base + 14, words(column.low))
    canvas.text("text-small", across(columns[-1].high), base + 14, words(columns[-1].high))
    if threshold is not None and across.low <= threshold <= across.high:
        place = across(threshold)
        canvas.line("reference", (place, _TOP - 10), (place, base))
        # On the side that has room: a label that runs out of the drawing is cut.
        if place > WIDTH / 2:
            canvas.text("text-end", place - 5, _TOP - 10, label)
        else:
            canvas.text("text", place + 5, _TOP - 10, label)
