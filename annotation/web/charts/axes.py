"""A horizontal or vertical scale with its ticks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from annotation.web.charts.canvas import Canvas, ticks

Format = Callable[[float], str]
LETTER = 6.6
"""About the width of a letter at 12 units: a chart cannot measure its font."""


@dataclass(frozen=True)
class Scale:
    """``low`` to ``high`` of the numbers onto ``start`` to ``end`` of the view box."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    @classmethod
    def around(cls, low: float, high: float, start: float, end: float, wanted: int = 5) -> Scale:
        """A scale whose ends are round numbers."""
        tick_values = ticks(low, high, wanted)
        return cls(tick_values[0], tick_values[-1], start, end, tick_values)

    def __call__(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)


def axis_below(canvas: Canvas, scale: Scale, top: float, bottom: float, words: Format) -> None:
    """Vertical grid lines with their numbers under them."""
    for tick in scale.ticks:
        canvas.line("grid", (scale(tick), top), (scale(tick), bottom))
        canvas.text("text-small", scale(tick), bottom + 14, words(tick))
    canvas.line("axis", (scale.start, bottom), (scale.end, bottom))


def axis_left(canvas: Canvas, scale: Scale, left: float, right: float, words: Format) -> None:
    """Horizontal grid lines with their numbers beside them."""
    for tick in scale.ticks:
        canvas.line("grid", (left, scale(tick)), (right, scale(tick)))
        canvas.text("text-small-end", left - 6, scale(tick) + 3.5, words(tick))


def label_width(labels: list[str], least: float = 40.0, most: float = 224.0) -> float:
    """Room for the longest label."""
    return (
        min(max((len(label) * LETTER for label in labels), default=0.0) + 12, most)
        if labels
        else least
    )


def shortened(label: str, room: float) -> str:
    """The label, cut off where it would not fit; the table has it whole."""
    letters = max(int(room / LETTER), 4)
    return label if len(label) <= letters else label[: letters - 1].rstrip() + "…"
