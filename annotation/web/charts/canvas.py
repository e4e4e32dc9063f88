"""What a chart is made of: shapes in layers, and the table that says the same in words. Pure: no
Django here.

Each layer carries its own presentation attributes, in black on white, so that a downloaded file
stands alone; on a page ``charts.css`` outranks them. No shape depends on colour: values are
printed, lines differ by dashes and marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

Cell = str | int | float | None

FONT = (("font-family", "system-ui, 'Segoe UI', 'Noto Sans', Arial, sans-serif"),)
STYLES: dict[str, tuple[tuple[str, str], ...]] = {
    "grid": (("stroke", "#d0d0d0"), ("stroke-width", "1")),
    "axis": (("stroke", "#555555"), ("stroke-width", "1")),
    "bar": (("fill", "#4d6f91"), ("stroke", "#1c2e40"), ("stroke-width", "0.75")),
    "bar-minus": (
        ("fill", "#ffffff"),
        ("stroke", "#1c2e40"),
        ("stroke-width", "1.25"),
        ("stroke-dasharray", "3 2"),
    ),
    "heat-0": (("fill", "#ffffff"), ("stroke", "#888888")),
    "heat-1": (("fill", "#e3e9ef"), ("stroke", "#888888")),
    "heat-2": (("fill", "#c3d0dd"), ("stroke", "#888888")),
    "heat-3": (("fill", "#95adc5"), ("stroke", "#888888")),
    "heat-4": (("fill", "#4d6f91"), ("stroke", "#888888")),
    "heat-5": (("fill", "#1c3a57"), ("stroke", "#888888")),
    "reference": (
        ("stroke", "#333333"),
        ("stroke-width", "1.5"),
        ("stroke-dasharray", "5 4"),
        ("fill", "none"),
    ),
    "rule": (("stroke", "#111111"), ("stroke-width", "2"), ("fill", "none")),
    "line": (("stroke", "#1c4e7c"), ("stroke-width", "2"), ("fill", "none")),
    "point": (("fill", "#4d6f91"), ("fill-opacity", "0.55"), ("stroke", "none")),
    "mark": (("fill", "#111111"), ("stroke", "#ffffff"), ("stroke-width", "1")),
    "text": (("fill", "#1c1e23"), ("font-size", "12")),
    "text-end": (("fill", "#1c1e23"), ("font-size", "12"), ("text-anchor", "end")),
    "text-middle": (("fill", "#1c1e23"), ("font-size", "12"), ("text-anchor", "middle")),
    "text-strong": (("fill", "#1c1e23"), ("font-size", "13"), ("font-weight", "600")),
    "text-small": (("fill", "#44464d"), ("font-size", "10"), ("text-anchor", "middle")),
    "text-small-end": (("fill", "#44464d"), ("font-size", "10"), ("text-anchor", "end")),
    "text-on-dark": (("fill", "#ffffff"), ("font-size", "12"), ("text-anchor", "middle")),
    "text-small-on-dark": (("fill", "#ffffff"), ("font-size", "10"), ("text-anchor", "middle")),
}
"""By style: presentation attributes. Layers are drawn in this order, texts last."""


@dataclass(frozen=True)
class Shape:
    """One element: ``tag`` is rect, line, path or text; numbers are in units of the view box."""

    tag: str
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    path: str = ""
    text: str = ""


@dataclass(frozen=True)
class Layer:
    """The shapes of one style."""

    style: str
    attributes: tuple[tuple[str, str], ...]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Table:
    """The chart's numbers: ``columns`` are headings, the first cell of a row is its heading."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Drawing:
    """A laid-out chart without its words."""

    width: float
    height: float
    layers: tuple[Layer, ...]


@dataclass(frozen=True)
class Chart:
    """A chart as the page shows it and as it is downloaded. ``key`` is its name in addresses."""

    key: str
    title: str
    description: str
    drawing: Drawing
    table: Table


class Canvas:
    """Collects shapes by style."""

    def __init__(self) -> None:
        self._shapes: dict[str, list[Shape]] = {}

    def rect(self, style: str, x: float, y: float, width: float, height: float) -> None:
        self._add(
            style,
            Shape(
                "rect", round(x, 1), round(y, 1), round(max(width, 0), 1), round(max(height, 0), 1)
            ),
        )

    def line(self, style: str, *points: tuple[float, float]) -> None:
        """A line through these points."""
        steps = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self._add(style, Shape("path", path=f"M{steps}"))

    def path(self, style: str, path: str) -> None:
        self._add(style, Shape("path", path=path))

    def text(self, style: str, x: float, y: float, text: str) -> None:
        self._add(style, Shape("text", round(x, 1), round(y, 1), text=text))

    def drawing(self, width: float, height: float) -> Drawing:
        """What was collected, in the order of ``STYLES``."""
        layers = tuple(
            Layer(style, attributes, tuple(self._shapes[style]))
            for style, attributes in STYLES.items()
            if style in self._shapes
        )
        return Drawing(round(width, 1), round(height, 1), layers)

    def _add(self, style: str, shape: Shape) -> None:
        if style not in STYLES:
            raise ValueError(f"no such style: {style}")
        self._shapes.setdefault(style, []).append(shape)


def marker(kind: int, x: float, y: float, size: float = 5.0) -> str:
    """The path of a small mark: diamond, square, triangle, or cross, by ``kind`` modulo four."""
    s = size
    corners: Sequence[tuple[float, float]] = (
        ((0, -s), (s, 0), (0, s), (-s, 0)),
        ((-s * 0.8, -s * 0.8), (s * 0.8, -s * 0.8), (s * 0.8, s * 0.8), (-s * 0.8, s * 0.8)),
        ((0, -s), (s, s * 0.8), (-s, s * 0.8)),
        (
            (-s, -s * 0.3), (-s * 0.3, -s * 0.3), (-s * 0.3, -s), (s * 0.3, -s), (s * 0.3,
            -s * 0.3), (s, -s * 0.3),
            (s, s * 0.3), (s * 0.3, s * 0.3), (s * 0.3, s), (-s * 0.3, s), (-s * 0.3, s * 0.3),
            (-s, s * 0.3),
        ),
    )[kind % 4]  # fmt: skip
    return "M" + " L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners) + " Z"


def ticks(low: float, high: float, wanted: int = 5) -> tuple[float, ...]:
    """Round numbers that cover ``low`` to ``high``, about ``wanted`` of them; the first and last
    are its ends."""
    if not high > low:
        high = low + 1.0
    rough = (high - low) / wanted
    magnitude = 10.0 ** floor(log10(rough))
    step = next(
        factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough * 0.999
    )
    first = floor(low / step + 1e-9)
    tick_values = [first * step]
    while tick_values[-1] < high - 1e-9 * step:
        tick_values.append((first + len(tick_values)) * step)
    return tuple(round(value, 10) + 0.0 for value in tick_values)
