"""Values over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import Format, Scale, axis_left
from annotation.web.charts.canvas import Canvas, Drawing, marker

WIDTH = 552.0
_TOP, _HEIGHT, _LEFT, _RIGHT = 12.0, 190.0, 48.0, 96.0
_MOST_LABELS = 10


@dataclass(frozen=True)
class Series:
    """One value per point in time; None is a gap in the line."""

    name: str
    values: tuple[float | None, ...]


def lines(
    series: Sequence[Series],
    labels: Sequence[str],
    words: Format,
    *,
    low: float = 0.0,
    high: float = 1.0,
) -> Drawing:
    """A line per series, told apart by its mark and by its name at its end."""
    canvas = Canvas()
    scale = Scale.around(low, high, _TOP + _HEIGHT, _TOP)
    right = WIDTH - _RIGHT
    axis_left(canvas, scale, _LEFT, right, words)
    step = (right - _LEFT) / max(len(labels), 1)
    every = -(-len(labels) // _MOST_LABELS) or 1
    for place, label in enumerate(labels):
        if place % every == 0:
            canvas.text("text-small", _LEFT + (place + 0.5) * step, _TOP + _HEIGHT + 16, label)
    ends: list[float] = []
    for kind, curve in enumerate(series):
        last = None
        for stretch in _stretches(curve.values):
            points = [(_LEFT + (place + 0.5) * step, scale(value)) for place, value in stretch]
            if len(points) > 1:
                canvas.line("line", *points)
            for x, y in points:
                canvas.path("mark", marker(kind, x, y))
            last = points[-1]
        if last:
            canvas.text("text", last[0] + 10, _apart(last[1] + 4, ends), curve.name)
    return canvas.drawing(WIDTH, _TOP + _HEIGHT + 26)


def _stretches(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """Runs of values without a gap, with their places."""
    stretches: list[list[tuple[int, float]]] = []
    open_run = False
    for place, value in enumerate(values):
        if value is None:
            open_run = False
        elif open_run:
            stretches[-1].append((place, value))
        else:
            stretches.append([(place, value)])
            open_run = True
    return stretches


def _apart(y: float, taken: list[float]) -> float:
    """The nearest height downwards at which no other name stands."""
    while any(abs(y - other) < 14 for other in taken):
        y += 14
    taken.append(y)
    return y
