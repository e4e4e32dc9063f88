"""Tables of a printed page: their rows are told by where cells stand on it.

A page's text in its order says nothing of the gaps between cells where each is drawn at a place of
its own, as browsers and word processors do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile, zip_longest

from annotation.corpus import forms
from annotation.corpus.lines import mark_of
from annotation.corpus.pdf_wrapped import SLANT, Cell, wrapped_with_bars
from annotation.corpus.sentences import is_ended

_GAP = re.compile(r" {3,}")
_MOST_LINES = 12
"""Lines of a page's text that one row is looked for in: a cell may be a line of its own."""


def with_bars(lines: list[str], shown: str) -> list[str]:
    """The lines of a page, rows of tables parted by bars; ``shown`` is the page with the gaps that
    are seen on it."""
    cells = [_cells(line) for line in shown.split("\n") if line.strip()]
    lines = wrapped_with_bars(lines, cells)
    rows = {_squeezed(*row): row for row in _rows(cells)}
    if not rows:
        return lines
    longest = max(map(len, rows))
    made: list[str] = []
    place = 0
    while place < len(lines):
        row, taken = _row_at(lines, place, rows, longest)
        made.append(" | ".join(row) if row else lines[place])
        place += taken
    return made


def _row_at(
    lines: list[str], place: int, rows: dict[str, list[str]], longest: int
) -> tuple[list[str], int]:
    """The row that stands at a place, and how many lines it takes."""
    read = ""
    for number, line in enumerate(lines[place : place + _MOST_LINES], start=1):
        read += _squeezed(line)
        if read in rows:
            return rows[read], number
        if len(read) > longest:
            break
    return [], 1


def _squeezed(*texts: str) -> str:
    return "".join("".join(texts).split())


def _rows(lines: list[list[Cell]]) -> Iterator[list[str]]:
    """The rows of each table of a page, header included."""
    place = 0
    while place < len(lines):
        table = [lines[place]]
        followers = takewhile(lambda pair: _goes_on(*pair), pairwise(lines[place:]))
        table += [below for _, below in followers]
        place += len(table)
        if _is_table(table):
            yield from ([cell.text for cell in row] for row in table)


def _cells(line: str) -> list[Cell]:
    """The parts of a line between wide gaps, without the mark of an item before them."""
    place, cells = 0, []
    for part in _GAP.split(line):
        start = line.index(part, place)
        place = start + len(part)
        if part.strip():
            cells.append(Cell(start, part.strip()))
    if cells and mark_of(f"{cells[0].text} Mot"):
        # "3.1      L'assureur paie…": a number that stands out is no cell of two.
        return cells if len(cells) > 2 else cells[1:]
    return cells


def _goes_on(above: list[Cell], below: list[Cell]) -> bool:
    """Whether two lines are rows of one table: a further cell begins at the same place, or there
    are as many, three or more (amounts stand to the right)."""
    if min(len(above), len(below)) < 2:
        return False
    if len(above) == len(below) > 2:
        return True
    starts = [cell.start for cell in above[1:]]
    return any(abs(cell.start - start) <= SLANT for cell in below[1:] for start in starts)


def _is_table(rows: list[list[Cell]]) -> bool:
    """Whether lines with gaps are rows: more than one, and no paragraph runs down a column."""
    if len(rows) < 2 or any("|" in cell.text for row in rows for cell in row):
        return False
    columns = zip_longest(*([cell.text for cell in row] for row in rows), fillvalue="")
    return not any(_holds_a_clause(column) for column in columns)


def _holds_a_clause(column: tuple[str, ...]) -> bool:
    """Whether a sentence runs over several lines of a column: it places paragraphs side by side."""
    running: list[str] = []
    for text in (*column, ""):
        if running and not is_ended(running[-1]) and text[:1].islower():
            running.append(text)
            continue
        if len(running) > 1 and forms.is_clause(" ".join(running)):
            return True
        running = [text]
    return False
