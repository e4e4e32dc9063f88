"""A chart as a file: a drawing that stands alone, or its numbers."""

from __future__ import annotations

import io

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language

from annotation.cells import Sheet
from annotation.web.charts.canvas import Chart

CHART_FORMATS = {"svg": "image/svg+xml", "csv": "text/csv; charset=utf-8"}
_MARGIN = 12


def chart_response(chart: Chart, kind: str, *, name: str, signature: str) -> HttpResponse:
    """``kind`` "svg" or "csv" as a download called ``name``. Raises ``KeyError`` for another
    kind."""
    content = {"svg": _svg, "csv": _csv}[kind](chart, signature)
    response = HttpResponse(content, content_type=CHART_FORMATS[kind])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


def _svg(chart: Chart, signature: str) -> str:
    return render_to_string(
        "charts/standalone.svg",
        {
            "chart": chart,
            "signature": signature,
            "language": get_language(),
            "width": chart.drawing.width + 2 * _MARGIN,
            "height": chart.drawing.height + 2 * _MARGIN,
        },
    ).lstrip()


def _csv(chart: Chart, signature: str) -> str:
    """Numbers as they are, with a decimal point: for programs. ``signature`` is not among them."""
    written = io.StringIO()
    writer = Sheet(written)
    writer.writerow(chart.table.columns)
    writer.writerows(chart.table.rows)
    return written.getvalue()
