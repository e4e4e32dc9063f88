"""An export as a workbook: rows into a sheet as they come, then the file in pieces."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from annotation.selectors.publishing.exports.formats import FORMATS
from annotation.selectors.publishing.exports.layout import Layout
from annotation.selectors.publishing.exports.source import Source
from annotation.workbooks import MOST_ROWS, SheetFile, WorkbookLimit

_PIECE_BYTES = 1 << 20


def sheet_header(layout: Layout, source: Source) -> list[str]:
    """The names of the columns; a file as JSON has no header of its own."""
    line = layout.header(source, FORMATS["tsv"], bom=False).decode()
    return next(csv.reader(io.StringIO(line, newline=""), delimiter="\t"))


def sheet_filled(
    sheet: SheetFile, header: Sequence[str], pieces: Iterable[list[bytes]], total: int
) -> Iterator[int]:
    """Write the header and each piece of rows (one JSON object a line) to the sheet; how many were
    in each. Raises ``WorkbookLimit``, before anything is read where there are too many rows."""
    if total >= MOST_ROWS:
        raise WorkbookLimit("too_many_rows")
    sheet.writerow(header)
    for piece in pieces:
        for line in piece:
            row = json.loads(line, parse_float=Decimal)
            sheet.writerow([_cell(row[name]) for name in header])
        yield len(piece)


def sheet_bytes(sheet: SheetFile) -> Iterator[bytes]:
    """The file, a megabyte at a time."""
    with tempfile.TemporaryFile() as file:
        sheet.save(file)
        file.seek(0)
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _cell(value: Any) -> Any:
    """Lists and objects as JSON, as in CSV."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=float)
    return value
