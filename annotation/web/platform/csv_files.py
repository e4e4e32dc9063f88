"""Tables as files that a spreadsheet opens. CSV: UTF-8 with its mark, CRLF, and no cell that would
run as a formula; for one set to French cells are parted by semicolons and decimals by commas.
XLSX: the same rows for a spreadsheet in any language."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.cells import Sheet
from annotation.workbooks import MOST_CHARACTERS, MOST_ROWS, SheetFile, WorkbookLimit

_MARK = "\ufeff"


def spreadsheet_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table, without a mark."""
    written = io.StringIO()
    is_french = (get_language() or "fr").startswith("fr")
    writer = Sheet(written, delimiter=";" if is_french else ",")
    writer.writerow(header)
    writer.writerows([_comma(cell) for cell in row] if is_french else row for row in rows)
    return written.getvalue()


def _comma(cell: Any) -> Any:
    return str(cell).replace(".", ",") if isinstance(cell, float | Decimal) else cell


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """The file as a download, for a spreadsheet in the reader's language. Texts are neutralised,
    None is an empty cell."""
    response = HttpResponse(
        _MARK + spreadsheet_csv(header, rows), content_type="text/csv; charset=utf-8"
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def table_response(
    request: HttpRequest,
    name: str,
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    back: str,
) -> HttpResponseBase:
    """The table as a download, by ``?format=xlsx`` as a workbook, else as CSV; ``name`` without an
    extension. What fits into no workbook is said on the page ``back``."""
    if request.GET.get("format") != "xlsx":
        return csv_response(f"{name}.csv", header, rows)
    sheet = SheetFile(name)
    try:
        return _workbook(sheet, name, header, rows)
    except WorkbookLimit as error:
        messages.error(request, _limit(error, header))
        return redirect(back)
    finally:
        sheet.discard()


def _workbook(
    sheet: SheetFile, name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]
) -> FileResponse:
    sheet.writerow(header)
    for row in rows:
        sheet.writerow(row)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    sheet.save(file)
    file.seek(0)
    response = FileResponse(file, as_attachment=True, filename=f"{name}.xlsx")
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _limit(error: WorkbookLimit, header: Sequence[str]) -> str:
    """What does not fit, where, and what to do instead."""
    if error.code == "too_many_rows":
        return _(
            "A workbook holds %(most)s rows with its header, and there are more: narrow the list, "
            "or take the CSV."
        ) % {"most": MOST_ROWS}
    return _(
        "Row %(row)s, column “%(column)s”: a text longer than the %(most)s characters that a cell "
        "of a workbook holds. Take the CSV."
    ) % {"row": error.row, "column": header[error.column - 1], "most": MOST_CHARACTERS}
