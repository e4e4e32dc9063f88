"""Charts of people against people: a heat map of pairs, and a tree of who resembles whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.web.charts.axes import Format, Scale, axis_below, label_width, shortened
from annotation.web.charts.canvas import Canvas, Drawing

WIDTH = 552.0
STEPS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""A cell is shaded by how many of these its value passes; its number is printed all the same."""

_CELL, _ROW = 54.0, 34.0
_LEAF = 30.0
_DARK = 4


@dataclass(frozen=True)
class Join:
    """Two clusters joined at ``height``; clusters 0 … n − 1 are the leaves by id, join i makes
    cluster n + i."""

    left: int
    right: int
    height: float


def heat(
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    words: Format,
    *,
    heads: Sequence[str] = (),
) -> Drawing:
    """A square of cells; None is an empty cell (a person with themself, or a pair without
    value). ``heads``: what stands above the columns, where the names are too long for it."""
    canvas = Canvas()
    left = label_width(list(names), most=200 if heads else 140)
    for place, (name, head) in enumerate(zip(names, heads or names, strict=True)):
        canvas.text("text-middle", left + (place + 0.5) * _CELL, 14, shortened(head, _CELL))
        canvas.text("text", 0, 22 + (place + 0.5) * _ROW + 4, shortened(name, left))
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            x, y = left + column * _CELL, 22 + row * _ROW
            if value is None:
                canvas.text(
                    "text-middle", x + _CELL / 2, y + _ROW / 2 + 4, "·" if row == column else "–"
                )
                continue
            shade = sum(value > step for step in STEPS)
            canvas.rect(f"heat-{shade}", x + 1, y + 1, _CELL - 2, _ROW - 2)
            style = "text-on-dark" if shade >= _DARK else "text-middle"
            canvas.text(style, x + _CELL / 2, y + _ROW / 2 + 4, words(value))
    return canvas.drawing(left + len(names) * _CELL, 22 + len(names) * _ROW + 4)


def tree(
    names: Sequence[str], order: Sequence[int], joins: Sequence[Join], words: Format
) -> Drawing:
    """A dendrogram from left (leaves, in drawing ``order``) to right; the axis is the distance of
    what is joined."""
    canvas = Canvas()
    left = label_width(list(names), most=200)
    bottom = 8 + len(names) * _LEAF
    scale = Scale.around(
        0.0, max((join.height for join in joins), default=1.0), left + 6, WIDTH - 20
    )
    axis_below(canvas, scale, 8, bottom, words)
    at: dict[int, tuple[float, float]] = {}
    for place, leaf in enumerate(order):
        y = 8 + (place + 0.5) * _LEAF
        at[leaf] = (scale(0.0), y)
        canvas.text("text", 0, y + 4, shortened(names[leaf], left))
    for number, join in enumerate(joins):
        (x1, y1), (x2, y2) = at[join.left], at[join.right]
        x = scale(join.height)
        canvas.line("rule", (x1, y1), (x, y1), (x, y2), (x2, y2))
        at[len(names) + number] = (x, (y1 + y2) / 2)
    return canvas.drawing(WIDTH, bottom + 24)
