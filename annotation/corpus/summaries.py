"""A table of reference summaries with what systems wrote in their place: one row for each system's
summary (``id``, ``reference``, ``structure``, ``system``, ``summary``), or one for each reference
with its summaries in columns ``summaries.<system>``, as nested JSON has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.corpus.columns import plain
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import NAMED, Row, Table, as_written, check_called_once
from annotation.corpus.texts import clean_text, labels_of_cell, text_problems
from annotation.protocols.base import Wording

COLUMNS = ("id", "reference", "structure", "system", "summary")
WIDE = "summaries."
_MOST_PROBLEMS = 20
# Which field of a pair each column is, for what no text of a pair may hold.
_FIELDS = {
    "id": "id",
    "reference": "original",
    "system": "system",
    "summary": "simplification",
    "structure": "source",
}


@dataclass(frozen=True)
class Summary:
    """A system's summary. ``row`` is the one that a spreadsheet shows; ``structure``: what people
    marked in the reference (issue, reason, conclusion)."""

    row: int
    id: str
    reference: str
    structure: tuple[str, ...]
    system: str
    text: str


@dataclass(frozen=True)
class SummariesFile:
    """The summaries; the ``problems`` of rows, the first ones; ``fatal`` where it is no such file
    at all."""

    rows: tuple[Summary, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    fatal: RowProblem | None = None


def read_summaries(content: bytes) -> SummariesFile:
    """The summaries of a table of any kind that a file of pairs may be, with its columns named in
    the first row. A reference may be left empty below the row of the same ``id`` that gives it."""
    try:
        table = read_table(content, NAMED)
    except TableError as error:
        return SummariesFile(fatal=error.problem)
    names = [name.strip() for name in table.columns]
    places = {name.casefold(): at for at, name in reversed(list(enumerate(names)))}
    wide = {
        name[len(WIDE) :]: at
        for at, name in enumerate(names)
        if name.casefold().startswith(WIDE) and len(name) > len(WIDE)
    }
    needed = ("id", "reference", *(() if wide else ("system", "summary")))
    if missing := [name for name in needed if name not in places]:
        return SummariesFile(fatal=_no_column(missing))
    known = {name: places[name] for name in COLUMNS if name in places}
    try:
        check_called_once(table, [*known.values(), *wide.values()], as_written)
    except TableError as error:
        return SummariesFile(fatal=error.problem)
    reading = _Reading(known, wide)
    for row in table.rows:
        reading.take(row)
    problems = (*table.problems, *reading.problems)
    return SummariesFile(tuple(reading.summaries), problems[:_MOST_PROBLEMS])


def as_pairs(table: Table) -> Table | None:
    """The table as one of pairs, a row for each system's summary of a reference, its rows numbered
    as before: so that what else there is to a file of pairs is there for summaries too. A reference
    that is left empty below the row of the same id is filled in; what a wide row lacks is no
    summary. Columns that are neither stay. None for a table of anything else.
    """
    named = {plain(name): at for at, name in reversed(list(enumerate(table.columns)))}
    reference, summary = _first(named, _REFERENCE), _first(named, _SUMMARY)
    wide = {at: match[1] for at, name in enumerate(table.columns) if (match := _WIDE.match(name))}
    is_other = named.keys() & {"original", "simplification"} or reference is None
    if is_other or (summary is None) == (not wide):
        return None
    rest = [at for at in range(len(table.columns)) if at not in wide]
    names = {reference: "original", summary: "simplification"}
    columns = [names.get(at, table.columns[at]) for at in rest]
    rows = []
    for row in _filled(table.rows, named.get("id"), reference):
        cells = [row.cells[at] for at in rest]
        summaries = [(name, row.cells[at]) for at, name in wide.items() if row.cells[at].strip()]
        # Of a row without any summary it is said that it has none.
        more = summaries or [("", "")] if wide else [()]
        rows += [Row(row.number, [*cells, *added]) for added in more]
    columns += ["system", "simplification"] if wide else []
    lists = tuple(new for new, at in enumerate(rest) if at in table.lists)
    return replace(table, columns=tuple(columns), rows=rows, lists=lists)


def _filled(rows: Sequence[Row], key: int | None, reference: int | None) -> Iterator[Row]:
    """The rows with their references."""
    known: dict[str, str] = {}
    for row in rows:
        name = clean_text(row.cells[key]) if key is not None else ""
        if reference is None or not name:
            yield row
        elif text := row.cells[reference].strip():
            known.setdefault(name, row.cells[reference])
            yield row
        else:
            cells = [*row.cells]
            cells[reference] = known.get(name, text)
            yield Row(row.number, cells)


_REFERENCE = ("reference", "reference summary", "resume de reference")
_SUMMARY = ("summary", "system summary", "resume")
_WIDE = re.compile(r"(?:summaries|résumés|resumes)\.(.+)", re.IGNORECASE | re.DOTALL)


def _first(named: Mapping[str, int], names: Sequence[str]) -> int | None:
    return next((named[name] for name in names if name in named), None)


class _Reading:
    """Rows, each checked by itself and against those before it."""

    def __init__(self, places: Mapping[str, int], wide: Mapping[str, int]) -> None:
        self._places, self._wide = places, wide
        self._references: dict[str, tuple[int, str, tuple[str, ...]]] = {}
        self._taken: dict[tuple[str, str], int] = {}
        self.summaries: list[Summary] = []
        self.problems: list[RowProblem] = []

    def take(self, row: Row) -> None:
        """The summaries of a row, or what is wrong with it."""
        before = len(self.problems)
        key = self._text(row, "id")
        reference, structure = self._reference(row, key)
        written = list(self._written(row))
        if not written:
            self._refuse(row.number, "summary", "required", _NO_SUMMARY, _GIVE_SUMMARY)
        for system, text in written:
            self._check(row.number, "system", system)
            self._check(row.number, "summary", text)
            first = self._taken.setdefault((key, system), row.number)
            if first != row.number:
                self._refuse(row.number, "system", "twice", _twice(system, first), _KEEP_ONE)
        if len(self.problems) == before:
            self.summaries += [
                Summary(row.number, key, reference, structure, system, text)
                for system, text in written
            ]

    def _reference(self, row: Row, key: str) -> tuple[str, tuple[str, ...]]:
        """The reference and its structure; those given before where the cells are empty."""
        text, labels = self._cell(row, "reference"), labels_of_cell(self._cell(row, "structure"))
        number, known, structure = self._references.get(key, (row.number, text, labels))
        text, labels = text or known, labels or structure
        if (text, labels) != (known, structure):
            self._refuse(row.number, "reference", "differs", _differs(key, number), _ONE_REFERENCE)
        self._check(row.number, "reference", text)
        for label in labels:
            self._check(row.number, "structure", label)
        self._references.setdefault(key, (row.number, text, labels))
        return text, labels

    def _written(self, row: Row) -> Iterator[tuple[str, str]]:
        """Systems with their summaries; a wide row may lack some."""
        if not self._wide:
            yield self._cell(row, "system"), self._cell(row, "summary")
        for system, at in self._wide.items():
            if text := clean_text(row.cells[at]):
                yield system, text

    def _text(self, row: Row, name: str) -> str:
        text = self._cell(row, name)
        self._check(row.number, name, text)
        return text

    def _cell(self, row: Row, name: str) -> str:
        at = self._places.get(name)
        return "" if at is None else clean_text(row.cells[at])

    def _check(self, number: int, name: str, text: str) -> None:
        if not text:
            self._refuse(number, name, "required", _EMPTY, _FILL_IN)
        self.problems += [
            replace(problem, field=name)
            for problem in (text_problems(number, _FIELDS[name], text) if text else ())
        ]

    def _refuse(self, number: int, name: str, code: str, message: Wording, remedy: Wording) -> None:
        self.problems.append(RowProblem(name, code, message, number, remedy))


_EMPTY = Wording("La cellule est vide.", "The cell is empty.")
_FILL_IN = Wording("Remplissez-la, ou retirez la ligne.", "Fill it in, or leave the row out.")
_NO_SUMMARY = Wording("Aucun système n'a de résumé ici.", "No system has a summary here.")
_GIVE_SUMMARY = Wording(
    "Donnez-en un au moins, ou retirez la ligne.", "Give one at least, or leave the row out."
)
_KEEP_ONE = Wording("Gardez un des deux résumés.", "Keep one of the two summaries.")
_ONE_REFERENCE = Wording(
    "Donnez à chaque identifiant un seul texte de référence, une seule structure.",
    "Give each identifier one reference text and one structure.",
)


def _twice(system: str, first: int) -> Wording:
    return Wording(
        f"« {shown(system)} » a déjà un résumé de cette référence, ligne {first}.",
        f"“{shown(system)}” has a summary of this reference already, in row {first}.",
    )


def _differs(key: str, first: int) -> Wording:
    return Wording(
        f"« {shown(key)} » a une autre référence ou une autre structure, ligne {first}.",
        f"“{shown(key)}” has another reference or another structure in row {first}.",
    )


def _no_column(missing: Sequence[str]) -> RowProblem:
    names = ", ".join(missing)
    return RowProblem(
        "file",
        "columns",
        Wording(f"Il manque les colonnes : {names}.", f"These columns are missing: {names}."),
        remedy=Wording(
            "La première ligne nomme les colonnes id, reference, system et summary (structure est "
            "permise), ou une colonne summaries.<système> par système.",
            "The first row names the columns id, reference, system and summary (structure may be "
            "there), or one column summaries.<system> for each system.",
        ),
    )
