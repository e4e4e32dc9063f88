"""A file of any kind as rows of text, with the row numbers that its author sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotation.corpus.columns import known_names, plain
from annotation.corpus.encodings import Confidence
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.protocols.base import Wording

DELIMITED, JSONL, XLSX, PARQUET, JSON = "delimited", "jsonl", "xlsx", "parquet", "json"
MAX_ROWS = 100_000
MAX_COLUMNS = 200
MAX_CHARACTERS = 50_000_000
_HEADER_CELL = 60
_HEADER_NAME = re.compile(r"[^\W\d].{,59}(?<![.!?…:;,])")
_PROGRAMS_NAME = re.compile(r"[^\W\d_]+(?:_[^\W_]+)+")
"""Words in one with lines between them, as no text of a pair is written."""
_NO_VALUE = frozenset(("", "na", "n/a", "nan", "nd", "none", "null", "nil", "inf", "nul", "vide"))
_ROWS_BELOW = 49
_FEWEST_ROWS_BELOW = 3
_TELLING_COLUMNS = 2
_TITLES = 10
"""How many rows of titles may stand above the columns' names and be known for what they are."""


@dataclass(frozen=True)
class Layout:
    """How a file is read. What is empty here is found out; what a person chose is obeyed."""

    format: str = ""
    encoding: str = ""
    separator: str = ""
    quoted: bool | None = None
    """Whether cells may stand in quotation marks; without, every line is a row as it is."""
    sheet: str = ""
    header: bool | None = None
    header_row: int = 0
    """The number of the row that names the columns, where others stand above it."""
    goes_by_names: bool = False
    """Whether columns are what the first row calls them, so that nobody can say it is no header."""


NAMED = Layout(header=True, goes_by_names=True)


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``number`` is the one that a spreadsheet shows, or the line of a JSONL file."""

    number: int
    cells: Sequence[str]


@dataclass(frozen=True)
class Table:
    """What was read: a layout without gaps, the columns' names, the rows, and the rows that are
    none."""

    layout: Layout
    columns: tuple[str, ...]
    rows: list[Row]
    problems: list[RowProblem] = field(default_factory=list)
    confidence: Confidence = Confidence.CERTAIN
    sheets: tuple[str, ...] = ()
    lists: tuple[int, ...] = ()
    """The columns some of whose cells are lists, as JSON: no text of a pair."""
    hidden: tuple[int, ...] = ()
    """The numbers of rows that a workbook hides, by a filter or by hand, and that are read too."""

    @property
    def is_quoted(self) -> bool:
        """Whether cells may stand in quotation marks: one that is not closed holds other rows."""
        return self.layout.format == DELIMITED and self.layout.quoted is True


def limited(rows: Iterable[Row]) -> list[Row]:
    """The rows that hold something. Raises ``TableError`` past ``MAX_ROWS``."""
    kept, characters = [], 0
    for row in rows:
        if any(cell and not cell.isspace() for cell in row.cells):
            kept.append(row)
            # A workbook keeps a text once and may name it in any number of cells.
            characters += sum(map(len, row.cells))
            if characters > MAX_CHARACTERS:
                raise too_many_characters()
            if len(kept) > MAX_ROWS:
                raise too_many_rows()
    if not kept:
        raise TableError(
            "no_rows",
            Wording("Aucune ligne n'a pu être lue.", "No row could be read."),
            Wording(
                "Vérifiez la feuille, le séparateur et l'encodage.",
                "Check the sheet, the separator and the encoding.",
            ),
        )
    return kept


def too_many_characters() -> TableError:
    """The refusal of a file past ``MAX_CHARACTERS``."""
    return TableError(
        "too_long",
        Wording(
            f"Les cellules ont ensemble plus de {MAX_CHARACTERS} caractères.",
            f"The cells have more than {MAX_CHARACTERS} characters together.",
        ),
        Wording(
            "Divisez le fichier, ou gardez les colonnes des paires.",
            "Split it, or keep the columns of pairs.",
        ),
    )


def too_many_rows() -> TableError:
    """The refusal of a file past ``MAX_ROWS``."""
    return TableError(
        "too_many_rows",
        Wording(
            f"Le fichier a plus de {MAX_ROWS} lignes.", f"The file has more than {MAX_ROWS} rows."
        ),
        Wording("Divisez-le en plusieurs fichiers.", "Split it into several files."),
    )


_ADD_ROWS = Wording("Ajoutez des lignes sous l'en-tête.", "Add rows below the header.")
_ADD_PAIRS = Wording(
    "Ajoutez des paires, ou dites que la première ligne n'est pas un en-tête.",
    "Add pairs, or say that the first row is no header.",
)


def with_header(rows: list[Row], layout: Layout, **more: object) -> Table:
    """Rows of cells as a table: those above the columns' names left out, all others of one
    width."""
    titles = _titles(rows, layout)
    header_row, rows = rows[titles].number if titles else 0, rows[titles:]
    is_chosen = layout.header or bool(header_row)
    header = is_chosen or (layout.header is None and looks_like_header(rows))
    body = rows[1:] if header else rows
    if header and not body:
        raise TableError(
            "no_rows",
            Wording(
                "Le fichier n'a que sa ligne d'en-tête.", "The file has nothing but its header."
            ),
            _ADD_ROWS if layout.goes_by_names else _ADD_PAIRS,
        )
    width = len(_trimmed(rows[0].cells)) if header else max(_widths(rows), key=_widths(rows).count)
    if width > MAX_COLUMNS:
        raise TableError(
            "too_many_columns",
            Wording(f"Il y a {width} colonnes; le maximum est {MAX_COLUMNS}.",
                    f"There are {width} columns; {MAX_COLUMNS} are the most."),
            Wording("Gardez celles des paires, ou choisissez un autre séparateur.",
                    "Keep those of the pairs, or choose another separator."),
        )  # fmt: skip
    is_title = header and not header_row and width == 1
    kept, problems = _fitted(body, width, _NAME_ROW if is_title else _QUOTE)
    names = column_names(rows[0].cells[:width] if header else [""] * width)
    layout = replace(layout, header=header, header_row=header_row)
    return Table(layout, names, kept, problems, **more)  # type: ignore[arg-type]


def _titles(rows: list[Row], layout: Layout) -> int:
    """How many rows stand above the columns' names: as was chosen, else those of one cell each
    above a row of names. Raises ``TableError`` for a row that is not there."""
    if layout.header_row:
        for place, row in enumerate(rows):
            if row.number == layout.header_row:
                return place
        raise TableError(
            "no_such_row",
            Wording(
                f"Il n'y a rien à la ligne {layout.header_row}.",
                f"There is nothing in row {layout.header_row}.",
            ),
            Wording(
                "Donnez le numéro de celle qui nomme les colonnes.",
                "Give the number of the one that names the columns.",
            ),
            field="header_row",
        )
    is_open = layout.header is None or layout.goes_by_names
    if not is_open or known_names(_trimmed(rows[0].cells)):
        return 0
    place = 0
    while place < min(_TITLES, len(rows) - 1) and _is_title(rows[place]):
        place += 1
    is_named = place and not _is_title(rows[place]) and looks_like_header(rows[place:])
    return place if is_named else 0


def _is_title(row: Row) -> bool:
    return sum(bool(cell.strip()) for cell in row.cells) == 1


def check_places(table: Table, mapping: Mapping[str, int]) -> None:
    """Columns that are there, each for one thing. Raises ``TableError``."""
    places = list(mapping.values())
    for place in places:
        if not 0 <= place < len(table.columns):
            raise TableError(
                "no_such_column",
                Wording(
                    f"Il n'y a pas de colonne {place + 1}.", f"There is no column {place + 1}."
                ),
                Wording("Choisissez parmi celles du fichier.", "Choose one of the file's."),
            )
        if places.count(place) > 1:
            name = table.columns[place]
            raise TableError(
                "column_twice",
                Wording(
                    f"La colonne « {name} » est choisie deux fois.",
                    f"The column “{name}” is chosen twice.",
                ),
                Wording(
                    "Choisissez une colonne différente pour chacun.",
                    "Choose a different column for each.",
                ),
            )


def named_columns(
    table: Table, guessed: Mapping[str, int], names: Mapping[str, str | None]
) -> dict[str, int]:
    """Columns by field: as ``guessed``, with those that are called by ``names`` in their place. One
    that was guessed for one field and named for another is the latter's; a field whose name is None
    has no column. Raises ``TableError`` for a name that no column has."""
    columns = table.columns
    for name in names.values():
        if name is not None and name not in columns:
            raise _no_column(name, columns)
    named = {field: columns.index(name) for field, name in names.items() if name is not None}
    kept = {
        field: place
        for field, place in guessed.items()
        if field not in names and place not in named.values()
    }
    return kept | named


def _no_column(name: str, columns: Sequence[str]) -> TableError:
    there = ", ".join(map(shown, columns))
    return TableError(
        "no_such_column",
        Wording(
            f"Le fichier n'a pas de colonne « {shown(name)} ».",
            f"The file has no column “{shown(name)}”.",
        ),
        Wording(f"Il a : {there}.", f"It has: {there}."),
        field="columns",
    )


def as_written(name: str) -> str:
    """What a column goes by where it is named, not guessed: upper and lower case are one."""
    return name.strip().casefold()


def check_called_once(
    table: Table, places: Iterable[int], by: Callable[[str], str] = plain
) -> None:
    """Columns that were found by their names, compared ``by`` something: no other is called so.
    Raises ``TableError``."""
    for place in places:
        name = table.columns[place]
        for other, named in enumerate(table.columns):
            # As ``column_names`` tells them apart.
            is_second = named == f"{name} ({other + 1})"
            if other != place and (is_second or by(named) == by(name) != ""):
                raise _called_alike(name, *sorted((place + 1, other + 1)))


def _called_alike(name: str, first: int, second: int) -> TableError:
    name = shown(name)
    return TableError(
        "called_alike",
        Wording(
            f"Deux colonnes s'appellent « {name} » : la {first} et la {second}.",
            f"Two columns are called “{name}”: {first} and {second}.",
        ),
        Wording(
            "Renommez l'une des deux, ou choisissez celle qui compte.",
            "Rename one of them, or choose the one that counts.",
        ),
        field="columns",
    )


def naming(layout: Layout, names: Iterable[str]) -> Layout:
    """The layout for whoever calls columns by ``names``: that says that there is a row of names,
    unless they say otherwise. By its number a column is called whether or not it has a name."""
    if layout.header is not None or all(name.isdecimal() for name in names):
        return layout
    return replace(layout, header=True, goes_by_names=True)


def looks_like_header(rows: list[Row]) -> bool:
    """Whether the first row names columns: by known names, else by short cells above long ones, or
    by names above what they are no value of."""
    first = _trimmed(rows[0].cells)
    if known_names(first):
        return True
    if (
        len(rows) < 2
        or not all(first)
        or len(set(first)) < len(first)
        or max(map(len, first)) > _HEADER_CELL
    ):
        return False
    below = rows[1 : 1 + _ROWS_BELOW]
    if all(any(len(cell) > _HEADER_CELL for cell in row.cells) for row in below):
        return True
    return _names_others(first, below)


def _names_others(first: Sequence[str], below: Sequence[Row]) -> bool:
    """Whether these cells are names and several of them of another kind than what stands below.

    One column would not do: the first of numbered clauses may be called «préambule».
    """
    if len(below) < _FEWEST_ROWS_BELOW or not all(map(_is_name, first)):
        return False
    columns = [
        [row.cells[place].strip() if place < len(row.cells) else "" for row in below]
        for place in range(len(first))
    ]
    if any(name in column for name, column in zip(first, columns, strict=True)):
        return False  # a value like those below it
    telling = sum(map(_is_other, first, columns))
    return telling >= _TELLING_COLUMNS


def _is_name(cell: str) -> bool:
    return bool(_HEADER_NAME.fullmatch(cell)) and cell.casefold() not in _NO_VALUE


def _is_other(name: str, column: Sequence[str]) -> bool:
    """Whether a column holds numbers and nothing else; or, below a program's name for it, mostly
    long texts."""
    values = [cell for cell in column if cell.casefold() not in _NO_VALUE]
    if 2 * len(values) > len(column) and all(map(_is_number, values)):
        return True
    long = sum(len(cell) > _HEADER_CELL for cell in column)
    return 2 * long > len(column) and bool(_PROGRAMS_NAME.fullmatch(name))


def _is_number(cell: str) -> bool:
    """Digits without letters, so that a date and a share are ones too; 1e-05 is."""
    if len(cell) > _HEADER_CELL or not any(map(str.isdecimal, cell)):
        return False
    return {*filter(str.isalpha, cell)} <= {"e", "E"}


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """A different name for each column, also for those without and those called alike."""
    names: list[str] = []
    for number, cell in enumerate(cells, start=1):
        printable = "".join(
            character for character in " ".join(cell[:400].split()) if character.isprintable()
        )
        name = printable[:80].strip() or str(number)
        names.append(f"{name} ({number})" if name in names else name)
    return tuple(names)


def _trimmed(cells: Sequence[str]) -> list[str]:
    """Cells without the empty ones that spreadsheets leave at the end of a row."""
    kept = [cell.strip() for cell in cells]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _widths(rows: list[Row]) -> list[int]:
    return [len(_trimmed(row.cells)) for row in rows[:1000]]


def _fitted(rows: list[Row], width: int, remedy: Wording) -> tuple[list[Row], list[RowProblem]]:
    """Short rows filled up, empty cells past the last column dropped, longer rows named."""
    kept, problems = [], []
    for row in rows:
        if len(row.cells) == width:
            kept.append(row)
            continue
        extra = [cell for cell in row.cells[width:] if cell.strip()]
        if extra:
            problems.append(_too_wide(row.number, width + len(extra), width, remedy))
        else:
            kept.append(Row(row.number, [*row.cells[:width], *[""] * (width - len(row.cells))]))
    return kept, problems


_QUOTE = Wording(
    "Mettez entre guillemets les textes qui contiennent le séparateur, ou choisissez un autre "
    "séparateur.",
    "Put quotation marks around texts that hold the separator, or choose another separator.",
)
_NAME_ROW = Wording(
    "Si la première ligne est un titre, dites laquelle nomme les colonnes; sinon, mettez entre "
    "guillemets les textes qui contiennent le séparateur, ou choisissez un autre séparateur.",
    "If the first row is a title, say which one names the columns; if not, put quotation marks "
    "around texts that hold the separator, or choose another separator.",
)


def _too_wide(number: int, count: int, width: int, remedy: Wording) -> RowProblem:
    return RowProblem(
        "",
        "too_many_cells",
        Wording(
            f"Cette ligne a {count} cellules, les autres en ont {width}.",
            f"This row has {count} cells, the others have {width}.",
        ),
        row=number,
        remedy=remedy,
    )
