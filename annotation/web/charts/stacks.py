"""Shares that add up to a whole: one bar per row, a segment per value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import (
    LETTER,
    Format,
    Scale,
    axis_below,
    label_width,
    shortened,
)
from annotation.web.charts.canvas import Canvas, Drawing

WIDTH = 552.0
MOST_VALUES = 11
"""More shades than these nobody tells apart: the table says it then."""

_ROW, _ABOVE, _BOTTOM, _KEY = 40.0, 14.0, 24.0, 16.0
_SHADES = ("heat-0", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5")
_DARK = 4
_WIDE, _NARROW = 30.0, 13.0


@dataclass(frozen=True)
class Stack:
    """A row with the share of each value, in the order of the values."""

    label: str
    shares: tuple[float, ...]


def stacks(rows: Sequence[Stack], values: Sequence[str], words: Format) -> Drawing:
    """Bars of equal length; lighter is lower. A segment bears its value and, where there is room,
    its share."""
    canvas = Canvas()
    left = label_width([row.label for row in rows])
    scale = Scale(0.0, 1.0, left, WIDTH - 16, (0.0, 0.25, 0.5, 0.75, 1.0))
    above = _key(canvas, values, left)
    bottom = above + len(rows) * _ROW
    axis_below(canvas, scale, above, bottom, words)
    for number, row in enumerate(rows):
        top = above + number * _ROW
        canvas.text("text", 0, top + _ROW / 2 + 4, shortened(row.label, left))
        _bar(canvas, row, values, scale, top, words)
    return canvas.drawing(WIDTH, bottom + _BOTTOM)


def _key(canvas: Canvas, values: Sequence[str], left: float) -> float:
    """What each shade means, whole: over as many lines as that takes, since segments have room for
    the beginning alone. Where it ends."""
    room = WIDTH - 16 - left
    widths = [_KEY + min(len(value) * LETTER + 12, room - _KEY) for value in values]
    # In columns of their own as long as they fit.
    column = room / max(len(values), 1)
    if max(widths, default=0.0) <= column:
        widths = [column] * len(values)
    x, lines = left, 1
    for place, (value, width) in enumerate(zip(values, widths, strict=True)):
        if x > left and x + width > left + room + 1:
            x, lines = left, lines + 1
        top = _ABOVE + (lines - 1) * _KEY
        canvas.rect(_SHADES[_shade(place, len(values))], x, top - 10, _KEY - 4, _KEY - 4)
        canvas.text("text", x + _KEY, top, shortened(value, width - _KEY))
        x += width
    return _ABOVE + lines * _KEY


def _bar(
    canvas: Canvas, row: Stack, values: Sequence[str], scale: Scale, top: float, words: Format
) -> None:
    before = 0.0
    for place, (value, share) in enumerate(zip(values, row.shares, strict=True)):
        start, end = scale(before), scale(before + share)
        before += share
        if share <= 0:
            continue
        shade = _shade(place, len(values))
        canvas.rect(_SHADES[shade], start, top + 4, end - start, _ROW - 10)
        middle = (start + end) / 2
        strong, small = (
            ("text-on-dark", "text-small-on-dark")
            if shade >= _DARK
            else ("text-middle", "text-small")
        )
        if end - start >= _WIDE:
            canvas.text(strong, middle, top + 16, shortened(value, end - start))
            canvas.text(small, middle, top + 29, words(share))
        elif end - start >= _NARROW:
            canvas.text(strong, middle, top + 22, value[:2].strip())


def _shade(place: int, values: int) -> int:
    """From the lightest to the darkest."""
    return round(place * (len(_SHADES) - 1) / max(values - 1, 1))
