"""A table of figures, for the page and for files: CSV for programs, LaTeX and Markdown for
papers."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from annotation.agreement.systems.figure import Figure
from annotation.cells import Sheet as Writer
from annotation.web.base.numbers import decimal, percent, whole

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
}
SheetCell = str | int | float | Figure | None
BETWEEN_SIGNATURES = " ; "
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2212": "$-$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


@dataclass(frozen=True)
class Column:
    """``kind``: text, count, rank (whole, or between two places), points, fine (six decimals),
    share, correlation, p, or bounds: the interval alone. A column of figures has their intervals
    too: ``interval``. What is not ``shown`` on the page is in the CSV; what is the same in all rows
    of a text is said ``once`` on the page, under the table. ``signed``: cells are signatures,
    one or several with ``BETWEEN_SIGNATURES``."""

    label: str
    kind: str = "text"
    interval: bool = False
    shown: bool = True
    once: bool = False
    signed: bool = False


@dataclass(frozen=True)
class FigureSheet:
    """A table; ``links`` are addresses of the rows' first cells, empty where they have none.
    ``note``: what has to be known to read it, under it."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[SheetCell, ...], ...]
    links: tuple[str, ...] = ()
    note: str = ""

    def signed(self, filters: str) -> FigureSheet:
        """With what its figures are of at the end of each signature."""

        def of(column: Column, cell: SheetCell) -> SheetCell:
            if not column.signed or not cell:
                return cell
            signatures = str(cell).split(BETWEEN_SIGNATURES)
            return BETWEEN_SIGNATURES.join(f"{signature}|{filters}" for signature in signatures)

        rows = (tuple(map(of, self.columns, row)) for row in self.rows)
        return replace(self, rows=tuple(rows))

    def context(self, *, is_file: bool = False) -> dict[str, Any]:
        """As ``agreement/systems/_sheet.html`` draws it; a column that is empty throughout is
        left out, and one that says the same of all is said once, but in a file."""
        once = {} if is_file else self._said_once()
        shown = [
            place
            for place, column in enumerate(self.columns)
            if column.shown and (column.kind != "text" or any(row[place] for row in self.rows))
            if place not in once
        ]
        return {
            "key": self.key,
            "title": self.title,
            "note": "\n".join([*once.values(), self.note]).strip(),
            "columns": [
                {"label": self.columns[place].label, "number": self.columns[place].kind != "text"}
                for place in shown
            ],
            "rows": [
                {
                    "url": self.links[number] if self.links else "",
                    "cells": [
                        {
                            "text": cell_words(self.columns[place], row[place]),
                            "number": self.columns[place].kind != "text",
                        }
                        for place in shown
                    ],
                }
                for number, row in enumerate(self.rows)
            ],
        }

    def _said_once(self) -> dict[int, str]:
        """What is the same in all rows of columns that would repeat it, by their places."""
        notes = {}
        for place, column in enumerate(self.columns):
            cells = {str(row[place]) for row in self.rows}
            is_linked = bool(self.links) and place == 0
            if column.once and len(self.rows) > 1 and len(cells) == 1 and not is_linked:
                notes[place] = _("%(label)s: %(value)s") % {
                    "label": column.label,
                    "value": cells.pop(),
                }
        return notes


def cell_words(column: Column, cell: SheetCell) -> str:
    """A cell as it is read: «1,88 [0,88; 2,99]», «0,3 %», «< 0,001»; a dash for nothing."""
    if isinstance(cell, Figure):
        if cell.value is None:
            return "–"
        interval = cell.interval
        value = "" if column.kind == "bounds" else _number(column.kind, cell.value)
        if interval is None or interval.low is None or interval.high is None:
            return value or "–"
        low, high = _number(column.kind, interval.low), _number(column.kind, interval.high)
        # It may be broken before the bracket only.
        return f"{value} [{low};\u00a0{high}]".lstrip()
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else _number(column.kind, cell)


def _number(kind: str, value: float) -> str:
    if kind == "count":
        return whole(int(value))
    if kind == "rank":
        return decimal(value, 0 if value == int(value) else 1)
    if kind == "share":
        return percent(value)
    if kind == "p":
        return p_words(value)
    if kind == "correlation":
        return decimal(value, 3)
    return decimal(value, 6) if kind == "fine" else decimal(value)


def p_words(value: float) -> str:
    """Three decimals, and never 0."""
    return f"<\u00a0{decimal(0.001, 3)}" if value < 0.001 else decimal(value, 3)


def sheet_response(sheet: FigureSheet, form: str, *, name: str) -> HttpResponse:
    """The table as a download. Raises ``KeyError`` for a format that there is not."""
    content = {"csv": as_csv, "tex": as_latex, "md": as_markdown}[form](sheet)
    response = HttpResponse(content, content_type=FORMATS[form])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def as_csv(sheet: FigureSheet) -> str:
    """Every column, numbers with a decimal point and all their digits; an interval is two
    columns."""
    written = io.StringIO()
    writer = Writer(written)
    header: list[str] = []
    for column in sheet.columns:
        header.append(column.label)
        if column.interval:
            header += [
                _("%(figure)s, lower bound") % {"figure": column.label},
                _("%(figure)s, upper bound") % {"figure": column.label},
            ]
    writer.writerow(header)
    for row in sheet.rows:
        cells: list[object] = []
        for column, cell in zip(sheet.columns, row, strict=True):
            cells += _raw(column, cell)
        writer.writerow(cells)
    return written.getvalue()


def _raw(column: Column, cell: SheetCell) -> list[object]:
    if not column.interval:
        return [cell.value if isinstance(cell, Figure) else cell]
    if not isinstance(cell, Figure):
        return [cell, None, None]
    interval = cell.interval
    return [cell.value, *((interval.low, interval.high) if interval else (None, None))]


def as_latex(sheet: FigureSheet) -> str:
    """The columns of the page as a ``booktabs`` table with its title."""
    table = sheet.context(is_file=True)
    align = "".join("r" if column["number"] else "l" for column in table["columns"])
    caption = f"{sheet.title}. {sheet.note}" if sheet.note else sheet.title
    head = " & ".join(_latex(column["label"]) for column in table["columns"])
    body = "\n".join(
        " & ".join(_latex(cell["text"]) for cell in row["cells"]) + r" \\" for row in table["rows"]
    )
    return (
        f"% \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n"
        f"\\caption{{{_latex(caption)}}}\n\\begin{{tabular}}{{{align}}}\n\\toprule\n"
        f"{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _latex(words: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in words)


def as_markdown(sheet: FigureSheet) -> str:
    """The columns of the page as a pipe table under its title."""
    table = sheet.context(is_file=True)

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_markdown(cell) for cell in cells) + " |"

    rule = ["---:" if column["number"] else "---" for column in table["columns"]]
    lines = [
        f"**{_markdown(sheet.title)}**",
        "",
        line([column["label"] for column in table["columns"]]),
        "| " + " | ".join(rule) + " |",
        *(line([cell["text"] for cell in row["cells"]]) for row in table["rows"]),
        *(["", _markdown(sheet.note)] if sheet.note else []),
    ]
    return "\n".join(lines) + "\n"


def _markdown(words: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", words.replace("\n", " "))
