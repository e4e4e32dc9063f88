"""XLSX workbooks, read row by row."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.tables import MAX_COLUMNS, Layout, Row, Table, limited, with_header
from annotation.protocols.base import Wording

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
# How Excel writes characters that XML cannot hold, carriage returns above all.
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def read(content: bytes, layout: Layout) -> Table:
    """One sheet of a workbook: the one named, else the first that holds anything. Raises ``TableError``."""
    _refuse_bomb(content)
    try:
        return _read(content, layout)
    except TableError:
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
    """Refuse what would unpack beyond reason. Sizes in the directory may be trusted: the reader stops there."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return  # said better where it is opened
    if "mimetype" in names and "content.xml" in names:
        raise TableError(
            "not_a_table",
            Wording("C'est un classeur OpenDocument (.ods).", "This is an OpenDocument workbook (.ods)."),
            Wording("Enregistrez-le en .xlsx ou en .csv.", "Save it as .xlsx or .csv."),
        )
    if unpacked > MAX_UNPACKED_BYTES:
        megabytes = unpacked // 2**20
        raise TableError(
            "unpacks_too_large",
            Wording(
                f"Décompressé, ce classeur ferait {megabytes} Mo.", f"Unpacked, this workbook takes {megabytes} MB."
            ),
            Wording("Gardez la seule feuille des paires, ou exportez-la en .csv.", "Keep the sheet of pairs only."),
        )


def _read(content: bytes, layout: Layout) -> Table:
    from openpyxl import load_workbook

    with closing(load_workbook(io.BytesIO(content), read_only=True, data_only=True)) as workbook:
        sheets = {sheet.title: sheet for sheet in workbook.worksheets}
        if layout.sheet and layout.sheet not in sheets:
            listed = ", ".join(sheets)
            raise TableError(
                "unknown_sheet",
                Wording(f"Il n'y a pas de feuille « {layout.sheet} ».", f"There is no sheet “{layout.sheet}”."),
                Wording(f"Choisissez parmi : {listed}.", f"Choose one of: {listed}."),
            )
        candidates = [layout.sheet] if layout.sheet else list(sheets)
        for name in candidates[:-1]:
            try:
                return _sheet(sheets, name, layout)
            except TableError as error:
                if error.problem.code != "no_rows":
                    raise
        return _sheet(sheets, candidates[-1], layout)


def _sheet(sheets: dict[str, Any], name: str, layout: Layout) -> Table:
    faults: list[RowProblem] = []
    rows = limited(_rows(sheets[name], faults))
    table = with_header(rows, replace(layout, sheet=name), sheets=tuple(sheets))
    table.problems.extend(faults)
    return table


def _rows(sheet: Any, faults: list[RowProblem]) -> Iterator[Row]:
    # The stated size of a sheet is often wrong, either way.
    sheet.reset_dimensions()
    for number, cells in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS), start=1):
        if any(cell.data_type == "e" for cell in cells):
            faults.append(_formula_error(number, next(str(cell.value) for cell in cells if cell.data_type == "e")))
            continue
        yield Row(number, [_text(cell.value) for cell in cells])


def _text(value: Any) -> str:
    """A cell as its author reads it."""
    if isinstance(value, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value) if "_x" in value else value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)


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
