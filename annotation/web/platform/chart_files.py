"""A chart as a file: a drawing that stands alone with its title and caption in it, or its
numbers."""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language

from annotation.cells import Sheet
from annotation.web.charts.canvas import Chart

CHART_FORMATS = {"svg": "image/svg+xml", "csv": "text/csv; charset=utf-8"}
_MARGIN = 12
_NARROWEST = 420.0
_TITLE, _CAPTION, _SIGNATURE = (15.0, 8.2), (12.0, 6.3), (10.0, 6.2)
"""Size of a letter, and how wide one is at most on average, in units of the drawing."""


@dataclass(frozen=True)
class Line:
    """A line of words around the drawing; ``y`` is its foot."""

    y: float
    text: str
    style: str


def chart_response(chart: Chart, kind: str, *, name: str, signature: str) -> HttpResponse:
    """``kind`` "svg" or "csv" as a download called ``name``. Raises ``KeyError`` for another
    kind."""
    content = {"svg": _svg, "csv": _csv}[kind](chart, signature)
    response = HttpResponse(content, content_type=CHART_FORMATS[kind])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


def _svg(chart: Chart, signature: str) -> str:
    width = max(chart.drawing.width, _NARROWEST)
    above = _lines(chart.title, width, "title", _TITLE, 0.0)
    top = above[-1].y + _MARGIN
    below = _lines(chart.description, width, "caption", _CAPTION, top + chart.drawing.height)
    below += _lines(signature, width, "signature", _SIGNATURE, below[-1].y + 4)
    return render_to_string(
        "charts/standalone.svg",
        {
            "chart": chart,
            "signature": signature,
            "language": get_language(),
            "top": round(top, 1),
            "lines": [*above, *below],
            "width": round(width + 2 * _MARGIN, 1),
            "height": round(below[-1].y + 2 * _MARGIN, 1),
        },
    ).lstrip()


def _lines(
    words: str, width: float, style: str, letters: tuple[float, float], start: float
) -> list[Line]:
    """Words broken into lines as wide as the drawing, from ``start`` downward; at least one."""
    size, letter = letters
    broken = textwrap.wrap(words, max(20, int(width / letter))) or [""]
    return [
        Line(round(start + size + number * size * 1.35, 1), line, style)
        for number, line in enumerate(broken)
    ]


def _csv(chart: Chart, signature: str) -> str:
    """Numbers as they are, with a decimal point: for programs. ``signature`` is not among them."""
    written = io.StringIO()
    writer = Sheet(written)
    writer.writerow(chart.table.columns)
    writer.writerows(chart.table.rows)
    return written.getvalue()
