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

# A spreadsheet that parts cells by something else than the file does (semicolons, where decimals
# have commas) honours no quotation mark within what it takes for a cell: wherever a text has its
# separator, or a line ends, a cell of its own begins. Nothing but another text keeps one from being
# a formula there. Texts have such places in earnest ("a; -5 %", a list of dashes): but for "=", a
# sign counts only where what follows up to the next separator could do more than reckon, by calling
# a function or naming another file or program. "- le loyer (mensuel)" calls none: between two words
# there would have to be a sign. What the next column would add to such a place is not looked at.
_CALLS = r"[\w.][(\uFF08]|(?<=[^\w\s.'\u2019])\s*+[\w.]++\s++[(\uFF08]"
_REACHES = rf"{_CALLS}|[|\uFF5C]|[^\s!]![^\s!]|\S#\S"
_PLACES = "|".join(
    rf"""{start}(?:[^\S\t\r\n]|["\ufeff])*+{{mark}}"""
    rf"(?='*(?:[=\uFF1D]|[+\-@\uFF0B\uFF0D\uFF20](?=[^{parts}\r\n]*?(?:{_REACHES}))))"
    for start, parts in ((";", ";"), (",", ","), ("\t", "\t"), (r"[\r\n]", ""))
)
_PLACE = re.compile(_PLACES.format(mark=""))
_MARKED = re.compile(_PLACES.format(mark="'"))
# A sign that nothing is typed right before: all places have one, few texts do, and it is quickly
# looked for.
_SIGN = re.compile(r"""[=+\-@\uFF1D\uFF0B\uFF0D\uFF20](?<=[\s;,"'\ufeff].)""")
_JSON_PLACE = re.compile(rf"({_PLACES.format(mark='')})('*)(.)")

_END = "\r\n"


def starts_formula(text: str) -> bool:
    """Whether a spreadsheet would run a cell that holds this text."""
    # Most texts start with a letter, and asking that is quicker than the pattern.
    return not text[:1].isalnum() and _FORMULA.match(text) is not None


def neutralised(text: str) -> str:
    """The text as a spreadsheet may hold it: shown, never run, and no part of it either where
    another separator parts it. One apostrophe more wherever a formula would start."""
    if _SIGN.search(text):
        text = _PLACE.sub(r"\g<0>'", text)
    return f"'{text}" if starts_formula(text) else text


def as_typed(cell: str) -> str:
    """The text of which ``neutralised`` made this cell."""
    if cell[:1] == "'" and starts_formula(cell[1:]):
        cell = cell[1:]
    return _MARKED.sub(lambda place: place[0][:-1], cell)


class JsonText(str):
    """A cell that is JSON: whoever parses it gets what it says, so there a sign is escaped instead.
    It starts no formula, being an object or a list."""

    __slots__ = ()


def json_neutralised(text: str) -> str:
    """As ``neutralised``, for a text that is JSON. A sign that counts is in a string of it: what
    follows a number reaches nothing before the next comma."""
    return _JSON_PLACE.sub(lambda place: f"{place[1]}{place[2]}\\u{ord(place[3]):04x}", text)


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
        return self._writer.writerow([_cell(value) for value in row])

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)


def _cell(value: object) -> object:
    if isinstance(value, JsonText):
        return json_neutralised(value)
    return neutralised(value) if isinstance(value, str) else value


def as_sheet(rows: Iterable[Iterable[Any]]) -> str:
    """Rows with tabs between their cells."""
    out = io.StringIO()
    Sheet(out, delimiter="\t", lineterminator="\n").writerows(rows)
    return out.getvalue()
