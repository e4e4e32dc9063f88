"""CSV that a spreadsheet opens: UTF-8 with its mark, CRLF, and no cell that would run as a
formula."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

from annotation.cells import Sheet

_MARK = "\ufeff"


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """The file as a download. Texts are neutralised, None is an empty cell, numbers keep their
    decimal point."""
    written = io.StringIO()
    writer = Sheet(written)
    writer.writerow(header)
    writer.writerows(rows)
    response = HttpResponse(_MARK + written.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
