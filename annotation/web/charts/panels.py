"""Histograms side by side, one per person, on the same scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import shortened
from annotation.web.charts.canvas import Canvas, Drawing, marker

_ACROSS = 3
_WIDTH, _GAP = 172.0, 18.0
_TITLE, _PLOT, _STRIP, _AXIS = 30.0, 92.0, 16.0, 30.0
_MOST_LABELS = 10


@dataclass(frozen=True)
class Panel:
    """One histogram: a count per value; ``mean`` and ``sd`` on the scale of the values' places,
    from 0."""

    name: str
    counts: tuple[int, ...]
    words: str = ""
    mean: float | None = None
    sd: float | None = None


def histograms(panels: Sequence[Panel], labels: Sequence[str]) -> Drawing:
    """All panels with the same height for the same count; a diamond on a line marks mean ± standard
    deviation."""
    canvas = Canvas()
    highest = max((count for panel in panels for count in panel.counts), default=0) or 1
    strip = _STRIP if any(panel.mean is not None for panel in panels) else 0.0
    height = _TITLE + _PLOT + strip + _AXIS
    for place, panel in enumerate(panels):
        row, column = divmod(place, _ACROSS)
        _panel(canvas, panel, labels, (column * (_WIDTH + _GAP), row * height), highest, strip)
    rows = -(-len(panels) // _ACROSS)
    return canvas.drawing(_ACROSS * _WIDTH + (_ACROSS - 1) * _GAP, max(rows, 1) * height)


def _panel(
    canvas: Canvas,
    panel: Panel,
    labels: Sequence[str],
    corner: tuple[float, float],
    highest: int,
    strip: float,
) -> None:
    left, top = corner
    base = top + _TITLE + _PLOT
    step = _WIDTH / max(len(labels), 1)
    canvas.text("text-strong", left, top + 13, shortened(panel.name, _WIDTH * 0.5))
    if panel.words:
        canvas.text("text-end", left + _WIDTH, top + 13, panel.words)
    every = 1 if len(labels) <= _MOST_LABELS else 2
    for place, (count, label) in enumerate(zip(panel.counts, labels, strict=True)):
        middle = left + (place + 0.5) * step
        # Room above the highest bar for its count.
        tall = count / highest * (_PLOT - 12)
        if count:
            canvas.rect("bar", left + place * step + step * 0.1, base - tall, step * 0.8, tall)
        if len(labels) <= _MOST_LABELS:
            canvas.text("text-small", middle, base - tall - 3, str(count))
        if place % every == 0:
            canvas.text("text-small", middle, base + strip + 13, label)
    canvas.line("axis", (left, base), (left + _WIDTH, base))
    if panel.mean is not None:
        _mean(canvas, panel, left, base + strip / 2 + 1, step)


def _mean(canvas: Canvas, panel: Panel, left: float, y: float, step: float) -> None:
    mean, sd = panel.mean or 0.0, panel.sd or 0.0

    def x(value: float) -> float:
        return left + min(max((value + 0.5) * step, 0.0), _WIDTH)

    if sd:
        canvas.line("rule", (x(mean - sd), y), (x(mean + sd), y))
    canvas.path("mark", marker(0, x(mean), y))
