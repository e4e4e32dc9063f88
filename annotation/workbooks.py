"""XLSX workbooks that spreadsheets open in any language: PURE. The only module that writes them.

A text is stored as a text, whatever it looks like: nothing in it is run, and a key of digits stays
as it is. Numbers are numbers, which each program shows with its own decimal sign. Rows go to a file
as they come, so memory stays the same for any number of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, BinaryIO

from annotation.cells import starts_formula

MOST_ROWS = 1_048_576
"""Of a sheet, its header among them."""
MOST_CHARACTERS = 32_767
"""Of a cell."""
_MOST_DIGITS = 15  # a longer number is another one once a spreadsheet has read it
# What XML cannot hold stands in a workbook as _xHHHH_, and so does what looks like that.
_UNHELD = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


class WorkbookLimit(ValueError):
    """A table does not fit into a workbook. ``code``: "too_many_rows", or "cell_too_long" with its
    ``row`` and ``column``, both counted from 1."""

    def __init__(self, code: str, row: int = 0, column: int = 0) -> None:
        super().__init__(f"{code} {row} {column}")
        self.code, self.row, self.column = code, row, column


class SheetFile:
    """A workbook of one sheet that is written row by row, its first row standing still. ``save`` or
    ``discard`` it: until then its rows lie in a temporary file."""

    def __init__(self, title: str) -> None:
        # Here: few processes ever write a workbook, and the library takes its time and memory.
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell

        self._new_cell = WriteOnlyCell
        self._book = Workbook(write_only=True)
        self._sheet: Any = self._book.create_sheet(re.sub(r"[\\/?*\[\]:]", "-", title)[:31])
        self._sheet.freeze_panes = "A2"
        self._rows = 0

    def writerow(self, row: Iterable[object]) -> None:
        """One row. Raises ``WorkbookLimit``; what came before it is kept."""
        if self._rows >= MOST_ROWS:
            raise WorkbookLimit("too_many_rows")
        cells = [self._cell(value, column) for column, value in enumerate(row, start=1)]
        self._sheet.append(cells)
        self._rows += 1

    def save(self, out: BinaryIO) -> None:
        """Write the whole file."""
        self._book.save(out)

    def discard(self) -> None:
        """Remove what was written so far; harmless after ``save``."""
        if self._sheet.closed:
            return
        self._sheet.close()
        self._sheet._writer.cleanup()  # noqa: SLF001 - the library removes the file at the end of the process only

    def _cell(self, value: object, column: int) -> object:
        if isinstance(value, bool | float | Decimal):
            return value
        if isinstance(value, int) and len(str(abs(value))) <= _MOST_DIGITS:
            return value
        if value is None or value == "":
            return None
        text = value if isinstance(value, str) else str(value)
        held = _UNHELD.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
        if len(held) > MOST_CHARACTERS:
            raise WorkbookLimit("cell_too_long", self._rows + 1, column)
        cell = self._new_cell(self._sheet, value=held)
        # Whatever the library took it for.
        cell.data_type = "s"
        if starts_formula(text):
            # It stays a text when somebody edits the cell, too.
            cell.quotePrefix = True
        return cell
