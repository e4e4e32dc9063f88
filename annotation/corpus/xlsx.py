"""XLSX workbooks, read row by row."""

from __future__ import annotations

import io
import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any

from annotation.corpus import archives, tables
from annotation.corpus.problems import (
    HALF_CHARACTER,
    RowProblem,
    TableError,
    half_character,
    refusal,
)
from annotation.corpus.tables import MAX_COLUMNS, Layout, Row, Table, limited, with_header
from annotation.protocols.base import Wording

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
MAX_MARKS = 20_000_000
MAX_MERGED = 2_000_000
"""Rows that merged cells reach over, all of them together."""
LAST_ROW = 1_048_576
"""The last row that a workbook can have."""
# How Excel writes characters that XML cannot hold, carriage returns above all.
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def read(content: bytes, layout: Layout) -> Table:
    """One sheet of a workbook: the one named, else the first that holds anything, of those that the
    workbook shows before those that it hides. Raises ``TableError``."""
    _refuse_bomb(content)
    try:
        return _read(content, layout)
    except (TableError, MemoryError):
        raise
    except Exception as error:  # a broken workbook makes the library raise nearly anything
        raise TableError(
            "broken_workbook",
            Wording("Ce classeur ne peut pas être lu.", "This workbook cannot be read."),
            Wording(
                "Ouvrez-le dans un tableur et enregistrez-le de nouveau en .xlsx, ou en .csv.",
                "Open it in a spreadsheet program and save it again as .xlsx, or as .csv.",
            ),
        ) from error


def _refuse_bomb(content: bytes) -> None:
    """Refuse what would unpack beyond reason."""
    try:
        archive = archives.contents_of(content, most_bytes=MAX_UNPACKED_BYTES, most_marks=MAX_MARKS)
    except archives.BrokenArchive:
        return  # said better where it is opened
    if "mimetype" in archive.names and "content.xml" in archive.names:
        raise TableError(
            "not_a_table",
            Wording(
                "C'est un classeur OpenDocument (.ods).", "This is an OpenDocument workbook (.ods)."
            ),
            Wording("Enregistrez-le en .xlsx ou en .csv.", "Save it as .xlsx or .csv."),
        )
    if archive.unpacked > MAX_UNPACKED_BYTES:
        size = archive.unpacked // 2**20
        raise _unpacks_too_large(
            Wording(
                f"Décompressé, ce classeur ferait {size} Mo.",
                f"Unpacked, this workbook takes {size} MB.",
            )
        )
    if archive.marks > MAX_MARKS:
        raise _unpacks_too_large(
            Wording(
                "Ce classeur a plusieurs millions de cellules.",
                "This workbook has several million cells.",
            )
        )


def _unpacks_too_large(message: Wording) -> TableError:
    return TableError(
        "unpacks_too_large",
        message,
        Wording(
            "Gardez la seule feuille des paires, ou exportez-la en .csv.",
            "Keep the sheet of pairs only.",
        ),
    )


def _read(content: bytes, layout: Layout) -> Table:
    from openpyxl import load_workbook

    with closing(load_workbook(io.BytesIO(content), read_only=True, data_only=True)) as workbook:
        sheets = {sheet.title: sheet for sheet in workbook.worksheets}
        if layout.sheet and layout.sheet not in sheets:
            listed = ", ".join(sheets)
            raise TableError(
                "unknown_sheet",
                Wording(
                    f"Il n'y a pas de feuille « {layout.sheet} ».",
                    f"There is no sheet “{layout.sheet}”.",
                ),
                Wording(f"Choisissez parmi : {listed}.", f"Choose one of: {listed}."),
                field="sheet",
            )
        candidates = (
            [layout.sheet]
            if layout.sheet
            else sorted(sheets, key=lambda name: _hides(sheets[name]))
        )
        for name in candidates[:-1]:
            try:
                return _sheet(sheets, name, layout)
            except TableError as error:
                if error.problem.code != "no_rows":
                    raise
        return _sheet(sheets, candidates[-1], layout)


def _hides(sheet: Any) -> bool:
    return str(sheet.sheet_state) != "visible"


def _sheet(sheets: dict[str, Any], name: str, layout: Layout) -> Table:
    faults: list[RowProblem] = []
    beside = _Beside()
    try:
        rows = limited(_rows(sheets[name], faults, beside))
        if beside.merged:
            _fill(rows, beside.merged)
            rows = limited(rows)
        table = with_header(rows, replace(layout, sheet=name), sheets=tuple(sheets))
    except TableError as error:
        if faults and error.problem.code == "no_rows":
            # It has rows, all of them wrong: neither empty nor to be passed over for another sheet.
            raise refusal(faults[0]) from error
        raise
    table.problems.extend(faults)
    hidden = tuple(row.number for row in table.rows if row.number in beside.hidden)
    return replace(table, hidden=hidden)


def _fill(rows: list[Row], merged: list[_Merged]) -> None:
    """Put what a cell over several rows holds into each of them, as its author sees it: the file
    has it in the first alone. Beside it, a title over several columns stays the first one's."""
    numbers = [row.number for row in rows]
    visited = 0
    for first, last, column in merged:
        place = bisect_left(numbers, first)
        if place == len(rows) or numbers[place] != first or len(rows[place].cells) < column:
            continue
        value = rows[place].cells[column - 1]
        for at in range(place + 1, len(rows)):
            if numbers[at] > last:
                break
            visited += 1
            if visited > MAX_MERGED:
                raise _unpacks_too_large(
                    Wording(
                        "Ce classeur a plusieurs millions de cellules fusionnées.",
                        "This workbook has several million merged cells.",
                    )
                )
            cells = [*rows[at].cells, *[""] * (column - len(rows[at].cells))]
            if not cells[column - 1]:
                cells[column - 1] = value
                rows[at] = Row(numbers[at], cells)


def _rows(sheet: Any, faults: list[RowProblem], beside: _Beside) -> Iterator[Row]:
    """The rows that the sheet holds, under their own numbers; what is wrong with others goes to
    ``faults``, what else it says of them to ``beside``.

    Not by the library's ``iter_rows``: it makes up every row and every cell that a number leaves
    out.
    """
    before, is_first = 0, True
    for number, cells in _held(sheet, beside):
        if not before < number <= LAST_ROW:
            raise ValueError(f"row {number} after row {before}")
        before = number
        if len(faults) >= tables.MAX_ROWS:
            raise tables.too_many_rows()
        if wrong := [str(cell["value"]) for cell in cells if cell["data_type"] == "e"]:
            faults.append(_formula_error(number, wrong[0]))
            continue
        if waiting := [cell["column"] for cell in cells if cell["data_type"] == "f"]:
            faults.append(_formula_without_result(number, f"{_letters(waiting[0])}{number}"))
            continue
        row = _row(number, cells)
        if halves := [
            place for place, cell in enumerate(row.cells, start=1) if HALF_CHARACTER.search(cell)
        ]:
            fault = half_character(number, _letters(halves[0]))
            if is_first:  # without its header, a sheet says something else
                raise TableError(fault.code, fault.message, fault.remedy, row=number)
            faults.append(fault)
            continue
        is_first = is_first and not any(row.cells)
        yield row


_Merged = tuple[int, int, int]
"""A cell over several rows: its first and last row, its column."""


@dataclass
class _Beside:
    """What a sheet says of rows beside their cells: cells over several of them, and the numbers of
    those that it hides, by a filter or by hand."""

    merged: list[_Merged] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)


def _held(sheet: Any, beside: _Beside) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Each row's number and its cells, as the library parses them: "f" is the type of a formula
    whose result the file lacks. After the last row, what the sheet says beside."""
    from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

    class Parser(WorkSheetParser):
        def parse_cell(self, element: Any) -> dict[str, Any]:
            cell: dict[str, Any] = super().parse_cell(element)
            # One whose result is an empty text says that it is a text.
            is_bare = cell["value"] is None and cell["data_type"] == "n"
            if is_bare and element.find(FORMULA_TAG) is not None:
                cell["data_type"] = "f"
            return cell

    workbook = sheet.parent
    with sheet._get_source() as source:  # noqa: SLF001 - the library's public way fills up what is not there
        parser = Parser(
            source,
            sheet._shared_strings,  # noqa: SLF001
            data_only=True,
            epoch=workbook.epoch,
            date_formats=workbook._date_formats,  # noqa: SLF001
            timedelta_formats=workbook._timedelta_formats,  # noqa: SLF001
        )
        yield from parser.parse()
        beside.hidden = {
            int(number)
            for number, kept in parser.row_dimensions.items()
            if kept.get("hidden") in ("1", "true")
        }
        beside.merged = [
            (cells.min_row, cells.max_row, cells.min_col)
            for cells in (parser.merged_cells.mergeCell if parser.merged_cells else ())
            if cells.max_row > cells.min_row and cells.min_col <= MAX_COLUMNS
        ]


def _letters(column: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column))


def _row(number: int, cells: list[dict[str, Any]]) -> Row:
    """The cells in their columns, up to the last that is there."""
    held = {cell["column"]: cell["value"] for cell in cells if 0 < cell["column"] <= MAX_COLUMNS}
    return Row(number, [_text(held.get(column)) for column in range(1, max(held, default=0) + 1)])


def _text(value: Any) -> str:
    """A cell as its author reads it."""
    if isinstance(value, str):
        return _unescaped(value) if "_x" in value else value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)


def _unescaped(value: str) -> str:
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
    # Two halves in a row are one character.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _formula_error(number: int, shown: str) -> RowProblem:
    return RowProblem(
        "",
        "formula_error",
        Wording(f"Une cellule contient l'erreur {shown}.", f"A cell holds the error {shown}."),
        row=number,
        remedy=Wording(
            "Corrigez la formule dans le tableur, ou remplacez-la par son texte.",
            "Mend the formula in the spreadsheet, or put its text in its place.",
        ),
    )


def _formula_without_result(number: int, place: str) -> RowProblem:
    return RowProblem(
        "",
        "formula_without_result",
        Wording(
            f"La cellule {place} est une formule dont le fichier n'a pas le résultat.",
            f"Cell {place} is a formula whose result the file does not have.",
        ),
        row=number,
        remedy=Wording(
            "Ouvrez le fichier dans un tableur et enregistrez-le : la formule est alors calculée. "
            "Ou remplacez-la par son texte.",
            "Open the file in a spreadsheet and save it, which computes the formula. Or put its "
            "text in its place.",
        ),
    )
