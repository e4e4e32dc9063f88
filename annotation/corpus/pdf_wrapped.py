"""Tables of a printed page whose cells run over several lines.

Where each piece of a cell stands is told by the page with its gaps; which pieces are one row, by
the order in which they were drawn: a row's cells from left to right, each with all of its lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotation.corpus import forms
from annotation.corpus.lines import Marker, mark_of

SLANT = 2
"""Columns, in characters, by which a cell may stand off those above it."""
_MOST_PIECES = 400


class Cell(NamedTuple):
    """What stands between wide gaps of a line, and the character at which it begins."""

    start: int
    text: str


class _Piece(NamedTuple):
    column: int
    text: str
    squeezed: str


def wrapped_with_bars(lines: list[str], shown: Sequence[Sequence[Cell]]) -> list[str]:
    """The lines of a page, rows with cells of several lines as one line each, parted by bars.
    ``shown``: the cells of each line as they are seen. Other tables are left as they are."""
    for table in _tables(shown):
        pieces = _pieces(table)
        stretch = _stretch(lines, pieces) if len(pieces) <= _MOST_PIECES else None
        if stretch is None:
            continue
        first, last, order = stretch
        rows = list(_rows(order))
        if len(rows) > 1 and not any(map(_is_prose, (cell for row in rows for cell in row))):
            made = [" | ".join(" ".join(cell) for cell in row) for row in rows]
            lines = [*lines[:first], *made, *lines[last:]]
    return lines


def _tables(shown: Sequence[Sequence[Cell]]) -> Iterator[list[Sequence[Cell]]]:
    """Stretches of lines that hold cells in columns, some of them with lines that hold a part of
    the columns alone."""
    place = 0
    while place < len(shown):
        if len(shown[place]) < 2:
            place += 1
            continue
        first = place
        columns = _columns(shown, place)
        while first and _stands_above(columns, shown[first - 1]):
            first -= 1
        last = place + 1
        while last < len(shown) and _is_of(columns, shown[last]):
            last += 1
        table = list(shown[first:last])
        place = last
        if sum(len(line) > 1 for line in table) > 1 and any(
            len(line) < len(columns) for line in table
        ):
            yield table


def _columns(shown: Sequence[Sequence[Cell]], place: int) -> list[int]:
    """Where the columns begin: as in the fullest line of those that follow one another, the last of
    them, since a header may be centred."""
    fullest = shown[place]
    for line in shown[place + 1 :]:
        if len(line) >= len(fullest) > 1 and _is_near(fullest, line):
            fullest = line
        elif not _is_part([cell.start for cell in fullest], line) and len(line) < 2:
            break
    return [cell.start for cell in fullest]


def _is_near(line: Sequence[Cell], other: Sequence[Cell]) -> bool:
    """Whether the cells of a line stand in the columns of another, wherever in them: each begins
    before the other's next one does."""
    nexts = [cell.start for cell in other[1 : len(line)]]
    return all(cell.start < following for cell, following in zip(line, nexts, strict=False))


def _stands_above(columns: list[int], line: Sequence[Cell]) -> bool:
    """Whether a line above the first full one belongs to it: the top of a taller cell, or a header
    that is centred."""
    if len(line) == len(columns):
        below = [Cell(start, "") for start in columns]
        return _is_near(line, below) and all(
            cell.start + SLANT >= start for cell, start in zip(line, columns, strict=True)
        )
    return _is_part(columns, line) and _stands_in(columns, line)


def _is_of(columns: list[int], line: Sequence[Cell]) -> bool:
    """Whether a line is a row of the table, or goes on with some of its cells."""
    return len(line) == len(columns) or _is_part(columns, line)


def _is_part(columns: list[int], line: Sequence[Cell]) -> bool:
    """Whether a line holds some of the columns alone. What stands in the first alone may as well be
    the paragraph after the table: it goes on in small letters, and ends before the second."""
    if not line or not all(_column(columns, cell) is not None for cell in line):
        return False
    if _stands_in(columns, line) or len(line) > 1:
        return True
    text = line[0].text
    is_narrow = len(text) <= columns[1] - columns[0] if len(columns) > 1 else False
    return is_narrow and text[:1].islower() and mark_of(text) is Marker.NONE


def _stands_in(columns: list[int], line: Sequence[Cell]) -> bool:
    """Whether a line leaves the first column empty."""
    return bool(line) and _column(columns, line[0]) != 0


def _column(columns: list[int], cell: Cell) -> int | None:
    for number, start in enumerate(columns):
        if abs(cell.start - start) <= SLANT:
            return number
    return None


def _pieces(table: list[Sequence[Cell]]) -> list[_Piece]:
    fullest = max(table, key=len)
    columns = [cell.start for line in table if len(line) == len(fullest) for cell in line][
        -len(fullest) :
    ]
    made = []
    for line in table:
        for place, cell in enumerate(line):
            column = place if len(line) == len(columns) else _column(columns, cell)
            made.append(_Piece(column or 0, cell.text, "".join(cell.text.split())))
    return made


def _stretch(lines: list[str], pieces: list[_Piece]) -> tuple[int, int, list[_Piece]] | None:
    """Between which lines the pieces stand, and in which order."""
    begins = {piece.squeezed[:1] for piece in pieces}
    for first, line in enumerate(lines):
        if line.strip()[:1] in begins and (drawn := _drawn(lines, first, pieces)) is not None:
            last, order = drawn
            return first, last, order
    return None


def _drawn(lines: list[str], first: int, pieces: list[_Piece]) -> tuple[int, list[_Piece]] | None:
    """The pieces in the order in which they stand from this line on, and the line after them; None
    where anything else stands between them."""
    left, order = list(pieces), list[_Piece]()
    for number in range(first, len(lines)):
        rest = "".join(lines[number].split())
        while rest:
            here = [piece for piece in left if rest.startswith(piece.squeezed)]
            if not here:
                return None
            # Of pieces that begin alike, the longest; of equal ones the first on the page.
            taken = max(here, key=lambda piece: len(piece.squeezed))
            left.remove(taken)
            order.append(taken)
            rest = rest[len(taken.squeezed) :]
        if not left:
            return number + 1, order
    return None


def _rows(order: list[_Piece]) -> Iterator[list[list[str]]]:
    """The cells of each row, of the lines that each is made of: a piece further to the left than
    the one before begins another row, unless it only goes on with a cell."""
    rows: list[dict[int, list[str]]] = []
    before = _Piece(-1, "", "")
    for piece in order:
        begins = piece.column < before.column
        if begins and piece.column and rows and piece.text[:1].islower():
            begins = False  # drawn line by line
        if begins or not rows:
            rows.append({})
        rows[-1].setdefault(piece.column, []).append(piece.text)
        before = piece
    for row in rows:
        yield [row[column] for column in sorted(row)]


def _is_prose(cell: list[str]) -> bool:
    """Whether a cell of several lines is a clause: paragraphs that stand side by side."""
    return len(cell) > 1 and forms.is_clause(" ".join(cell))
