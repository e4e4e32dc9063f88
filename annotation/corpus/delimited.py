"""CSV and TSV, whatever the separator."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from annotation.corpus.columns import known_names
from annotation.corpus.problems import TableError
from annotation.corpus.tables import (
    MAX_CHARACTERS,
    Layout,
    Row,
    Table,
    limited,
    too_many_characters,
    with_header,
)
from annotation.protocols.base import Wording

SEPARATORS = (";", ",", "\t", "|")
_CALLED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SAMPLE_CHARACTERS = 1 << 16
_SAMPLE_ROWS = 100
_GOES_ON = re.compile(r'"(?:[^"]|"")*"[^"]')
_WHOLE = re.compile(r'"(?:[^"]|"")*"')
# What Excel writes in the first line to tell itself the separator.
_SEPARATOR_LINE = re.compile(r"\A\"?sep=(.)\"?\r?\n", re.IGNORECASE)
# Python's own limit, 131,072, is that of the whole process. A text beyond it is too long, which is
# said of its row and field; that a quotation mark is never closed shows at the end of the file.
csv.field_size_limit(MAX_CHARACTERS)
_BEYOND = "field larger than field limit"


def read(text: str, layout: Layout) -> Table:
    """The table in a text. Raises ``TableError``."""
    first = 1
    if said := _SEPARATOR_LINE.match(text):
        text, first = text[said.end() :], 2
        layout = replace(layout, separator=layout.separator or said[1])
    layout = replace(layout, separator=_single(layout.separator) or separator_of(text))
    if layout.quoted is None:
        quoted, rows = _either_way(text, layout.separator, first)
    else:
        quoted, rows = (
            layout.quoted,
            limited(_records(text, layout.separator, first, quoted=layout.quoted)),
        )
    return with_header(rows, replace(layout, quoted=quoted))


def separator_called(name: str) -> str:
    """The separator that is meant by its name, or by itself, where names are typed: a tab hardly
    can be."""
    return _CALLED.get(name, name)


def _single(separator: str) -> str:
    if len(separator) > 1 or separator in ("\n", "\r", '"'):
        raise TableError(
            "bad_separator",
            Wording(
                "Le séparateur doit être un seul caractère.",
                "The separator must be a single character.",
            ),
            Wording(
                "Choisissez « ; », « , », « | » ou la tabulation.", "Choose ; or , or | or the tab."
            ),
            field="separator",
        )
    return separator


def separator_of(text: str) -> str:
    """The separator under which the first rows look most like a table: known names in the first
    row, then rows of one width, then many columns."""
    return max(SEPARATORS, key=lambda separator: _regularity(text, separator))


def _regularity(text: str, separator: str) -> tuple[int, float, int]:
    sample = text[:_SAMPLE_CHARACTERS]
    best = (0, 0.0, 0)
    for quoted in (True, False):
        rows: list[Row] = []
        # A sample may end within quotation marks: what was read up to there counts.
        with suppress(TableError):
            rows.extend(islice(_records(sample, separator, 1, quoted=quoted), _SAMPLE_ROWS))
        if len(sample) < len(text) and len(rows) > 1:
            rows.pop()
        widths = [len(row.cells) for row in rows if row.cells]
        usual = max(widths, key=widths.count) if widths else 1
        if usual > 1:
            regularity = (known_names(rows[0].cells), widths.count(usual) / len(widths), usual)
            best = max(best, regularity)
    return best


def _either_way(text: str, separator: str, first: int) -> tuple[bool, list[Row]]:
    """Rows with quotation marks understood, unless taking them as plain characters makes more
    sense.

    Corpora are often written without any quoting. Then a text that opens with a quotation mark
    would swallow the rows up to the next one: the plain reading is taken where it is perfectly
    regular and the other one fails, if the cells look like it, or finds fewer rows.
    """
    try:
        quoted = limited(_records(text, separator, first, quoted=True))
    except TableError as error:
        if error.problem.code == "bad_quotes":
            plain = _regular_lines(text, separator, first)
            if _is_without_quoting(plain, separator):
                return False, plain
        raise
    if (
        '"' in text
        and (plain := _regular_lines(text, separator, first))
        and len(plain) > len(quoted)
    ):
        return False, plain
    return True, quoted


def _is_without_quoting(rows: list[Row], separator: str) -> bool:
    """Whether the cells of a plain reading show that nobody quoted them: one opens with a quoted
    word and goes on after it, as no quoted cell does. Else a mark that opens a cell and is never
    closed is one that was forgotten; but between tabs, where nothing else is quoted either, it
    belongs to the text."""
    opened = [cell for row in rows for cell in row.cells if cell.startswith('"')]
    if any(_GOES_ON.match(cell) for cell in opened):
        return True
    return separator == "\t" and bool(opened) and not any(map(_WHOLE.fullmatch, opened))


def _regular_lines(text: str, separator: str, first: int) -> list[Row]:
    """Every line as a row where all have the same number of cells, more than one; else nothing."""
    try:
        rows = limited(_records(text, separator, first, quoted=False))
    except TableError:
        return []
    widths = {len(row.cells) for row in rows}
    return rows if len(widths) == 1 and widths.pop() > 1 else []


def _records(text: str, separator: str, first: int, *, quoted: bool) -> Iterator[Row]:
    """Every record, blank ones included: a spreadsheet counts them."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    number = first - 1
    try:
        for number, cells in enumerate(reader, start=first):
            yield Row(number, cells)
    except csv.Error as error:
        if str(error).startswith(_BEYOND):
            raise too_many_characters() from error
        raise _bad_quotes(number + 1, reader.line_num + first - 1) from error


def _bad_quotes(row: int, line: int) -> TableError:
    return TableError(
        "bad_quotes",
        Wording(
            (
                "Un guillemet droit ouvre une cellule sans la fermer comme il faut (jusqu'à la "
                f"ligne {line} du fichier)."
            ),
            (
                "A quotation mark opens a cell and does not close it properly (up to line "
                f"{line} of "
                "the file)."
            ),
        ),
        Wording(
            'Doublez les guillemets à l\'intérieur des cellules (""), ou lisez le fichier sans '
            "guillemets.",
            'Double the quotation marks inside cells (""), or read the file without quoting.',
        ),
        row=row,
    )
