"""Delimited files that spreadsheets open: PURE. The only module that writes CSV (a test looks at
all others)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

# A formula after blanks counts: some programs trim. So does one after apostrophes: only then can a
# reader undo the change, by taking one apostrophe away. The full-width signs are formulas under
# Japanese settings.
_FORMULA = re.compile(r"'*[\s\ufeff]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|'*[\t\r\n]")

_END = "\r\n"


def neutralised(text: str) -> str:
    """The text as a spreadsheet may hold it: shown, never run."""
    # Most texts start with a letter, and asking that is quicker than the pattern.
    return f"'{text}" if not text[:1].isalnum() and _FORMULA.match(text) else text


class _OtherEnds:
    """Gives on lines that end in CR LF with another end."""

    def __init__(self, out: Any, end: str) -> None:
        self._out, self._end = out, end

    def write(self, line: str) -> Any:
        return self._out.write(line.removesuffix(_END) + self._end)


class Sheet:
    """Writes CSV rows to whatever has ``write``; texts are neutralised, numbers and None are as
    ``csv`` writes them."""

    def __init__(self, out: Any, *, lineterminator: str = _END, **options: Any) -> None:
        # csv before Python 3.13 puts a text with a carriage return in quotation marks only where
        # lines end in one; a reader ends a row there in any case.
        lines = out if lineterminator == _END else _OtherEnds(out, lineterminator)
        self._writer = csv.writer(lines, lineterminator=_END, **options)

    def writerow(self, row: Iterable[object]) -> Any:
        """One row; what ``write`` returned of it."""
        return self._writer.writerow(
            [neutralised(cell) if isinstance(cell, str) else cell for cell in row]
        )

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)


def as_sheet(rows: Iterable[Iterable[Any]]) -> str:
    """Rows with tabs between their cells."""
    out = io.StringIO()
    Sheet(out, delimiter="\t", lineterminator="\n").writerows(rows)
    return out.getvalue()
