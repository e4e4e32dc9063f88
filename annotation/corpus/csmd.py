"""The Continuous Scale Meaning Dataset as it was released: tab-separated, a pair and a label a row.

Beauchemin, Saggion and Khoury (2023), MeaningBERT, section 3.1: the label is the mean, from 0 to
100, of what a pair's annotators answered about meaning; who they were is not released.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import PurePath

from annotation.cells import Sheet, as_typed
from annotation.corpus.encodings import decode
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, and_more, shown
from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.corpus.tables import MAX_ROWS, too_many_rows
from annotation.corpus.texts import LONGEST_CELL, MAX_TEXT
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing
from annotation.protocols.direct_assessment.definition import HIGHEST, LOWEST, PROTOCOL

COLUMNS = ("original", "simplification", "label")
JUDGE = "CSMD"
"""The judge that a label is: the mean of people whom nothing tells apart."""
DIMENSION = "meaning"
# Not \d: digits of other scripts are numbers to Python, and no released label.
_NUMBER = re.compile(r"[0-9]{1,3}(\.[0-9]{1,20})?")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REMEDY = Wording(
    "Choisissez un fichier de CSMD tel qu'il a été publié : original, simplification, label.",
    "Choose a file of CSMD as it was released: original, simplification, label.",
)


def is_csmd(columns: Sequence[str]) -> bool:
    """Whether a table has the released columns, and no others."""
    return list(columns) == list(COLUMNS)


def part_of(name: str) -> str:
    """What the pairs of a file of this name are called after: ``train`` for ``train.tsv``."""
    return re.sub(r"[^A-Za-z0-9]+", "-", PurePath(name).stem).strip("-")[:60] or "csmd"


def read_csmd(content: bytes, part: str) -> ReleasedFile:
    """The pairs of one file, each its own item, called by ``part`` and its rank: a pair may stand
    in the data twice. Raises ``TableError`` where it is not UTF-8, has other columns, is empty, or
    has more than ``MAX_ROWS`` rows.

    A rating is a whole number: it is the label rounded (half to even), and the label as it stands
    in the file becomes the judgment's comment, so that nothing is lost.
    """
    text = decode(content, "utf-8")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    if (header := _next(rows, 0)) != list(COLUMNS):
        raise TableError(
            "other_columns",
            Wording(
                f"Les colonnes sont : {shown(', '.join(header or ()))}.",
                f"The columns are: {shown(', '.join(header or ()))}.",
            ),
            _REMEDY,
        )
    released = ReleasedFile(PROTOCOL.key)
    number = 0
    while (row := _next(rows, number + 1)) is not None:
        number += 1
        if number > MAX_ROWS:
            raise too_many_rows()
        # First, so that what is looked at is what is stored: an apostrophe fills no cell.
        row = [as_typed(cell) for cell in row]
        if problem := _problem(number, row):
            released.problems.append(problem)
        else:
            released.pairs.append(_pair(number, part, *row))
        if len(released.problems) > MAX_PROBLEMS:
            released.problems.append(and_more(number))
            break
    if not number:
        raise TableError("no_rows", Wording("Le fichier est vide.", "The file is empty."), _REMEDY)
    return released


def rating_of(label: str) -> int:
    """The whole number that a label is stored as."""
    return round(float(label))


def format_row(original: str, simplification: str, label: str) -> str:
    """One line of the released layout, its end included, as it was written there; but a cell that
    a spreadsheet would run gets an apostrophe in front, which reading takes away."""
    out = io.StringIO()
    Sheet(out, delimiter="\t", lineterminator="\n").writerow((original, simplification, label))
    return out.getvalue()


def _next(rows: object, number: int) -> list[str] | None:
    """The next row, whose number this is; None past the last."""
    try:
        row: list[str] | None = next(rows, None)  # type: ignore[call-overload]  # a reader of csv
    except csv.Error as error:
        raise _no_table(number) from error
    if row is not None and any(len(cell) > LONGEST_CELL for cell in row):
        raise _no_table(number)
    return row


def _no_table(number: int) -> TableError:
    return TableError(
        "not_a_table",
        Wording("Ce n'est pas un tableau.", "This is no table."),
        _REMEDY,
        row=number,
    )


def _pair(number: int, part: str, original: str, simplification: str, label: str) -> ReleasedPair:
    return ReleasedPair(
        row=number,
        key=f"{part}-{number:04}",
        original=original,
        simplification=simplification,
        scores={JUDGE: {DIMENSION: rating_of(label)}},
        comment=label,
    )


def _problem(number: int, row: list[str]) -> RowProblem | None:
    if len(row) != len(COLUMNS):
        return _refused(
            number,
            "",
            "cells",
            f"La ligne a {len(row)} cellules et non {len(COLUMNS)}",
            f"The row has {len(row)} cells, not {len(COLUMNS)}",
        )
    for name, value in zip(COLUMNS, row, strict=True):
        if shows_nothing(value) or _UNSTORABLE.search(value):
            return _refused(
                number, name, "not_a_text", f"« {name} » n'est pas un texte", f"“{name}” is no text"
            )
        if len(value) > MAX_TEXT:
            return _refused(
                number,
                name,
                "too_long",
                f"« {name} » a {len(value)} caractères; au plus {MAX_TEXT} sont lus",
                f"“{name}” has {len(value)} characters; at most {MAX_TEXT} are read",
            )
    label = row[-1]
    if not _NUMBER.fullmatch(label) or not LOWEST <= float(label) <= HIGHEST:
        return _refused(
            number,
            "label",
            "not_on_the_scale",
            f"« {shown(label)} » n'est pas un nombre de {LOWEST} à {HIGHEST}",
            f"“{shown(label)}” is no number from {LOWEST} to {HIGHEST}",
        )
    return None


def _refused(number: int, field: str, code: str, fr: str, en: str) -> RowProblem:
    return RowProblem(field, code, Wording(f"{fr}.", f"{en}."), row=number, remedy=_REMEDY)
