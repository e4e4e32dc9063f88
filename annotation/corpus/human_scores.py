"""A table of human scores: one row for each simplification, with its original, what it may be
compared with, and what one or several people said of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.corpus.columns import guess_mapping
from annotation.corpus.metric_scores import number_in
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import NAMED, Row, as_written, check_called_once
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing

_MOST_PROBLEMS = 20
LARGEST = 1e100
"""Of human scores and counts, either side of 0: squares of sums of them have to be numbers."""
# No column is called so: its name would have been stripped.
_TEXTS = {"original": " original", "simplification": " simplification"}


@dataclass(frozen=True)
class ScoreColumns:
    """Which column holds what, by its name in the first row. ``human``: one column for each person,
    or one for their mean. ``original`` and ``simplification`` are found by the names that people
    give them where they are empty. ``source``: whatever tells source texts apart, else the original
    does. ``scores``: what metrics said elsewhere, ``lower`` those of them of which lower is better.
    ``counts``: of what stands in each
    simplification, by which metrics are to be explained. ``lowest`` and ``highest``: the ends of
    the human scale, None twice for those that stand in the table."""

    human: tuple[str, ...]
    original: str = ""
    simplification: str = ""
    references: tuple[str, ...] = ()
    system: str = ""
    source: str = ""
    scores: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    lower: tuple[str, ...] = ()

    def wanted(self) -> list[tuple[str, str]]:
        """The columns of scores and references, each under the field that names it."""
        lower = set(self.lower)
        return [
            *(("human", name) for name in self.human),
            *(("lower" if name in lower else "scores", name) for name in self.scores),
            *(("counts", name) for name in self.counts),
            *(("references", name) for name in self.references),
        ]


@dataclass(frozen=True)
class ScoredRow:
    """A simplification. ``row`` is the number that a spreadsheet shows; ``human``, ``scores`` and
    ``counts`` stand in the order of their columns, None for an empty cell; a count that is left
    empty is 0."""

    row: int
    original: str
    simplification: str
    references: tuple[str, ...]
    system: str
    source: str
    human: tuple[float | None, ...]
    scores: tuple[float | None, ...]
    counts: tuple[float, ...] = ()


@dataclass(frozen=True)
class HumanScores:
    """The rows, and the ends of the human scale; the ``problems`` of rows, the first ones;
    ``fatal`` where it is no such file at all."""

    rows: tuple[ScoredRow, ...] = ()
    lowest: float = 0.0
    highest: float = 0.0
    problems: tuple[RowProblem, ...] = ()
    fatal: RowProblem | None = None


def divided(names: str) -> tuple[str, ...]:
    """Names of columns that commas divide."""
    return tuple(filter(None, (name.strip() for name in names.split(","))))


def read_human_scores(content: bytes, columns: ScoreColumns) -> HumanScores:
    """The scores of a table of any kind that a file of pairs may be, with its columns named in the
    first row."""
    try:
        table = read_table(content, NAMED)
        places = _places(table.columns, columns)
        check_called_once(table, places.values(), as_written)
    except TableError as error:
        return HumanScores(fatal=error.problem)
    rows: list[ScoredRow] = []
    problems = list(table.problems)
    for row in table.rows:
        reading = _Reading(row, columns, places, table.columns)
        rows.append(reading.scored())
        problems += reading.problems
    given = [value for row in rows for value in row.human if value is not None]
    lowest, highest = columns.lowest, columns.highest
    scores = HumanScores(
        tuple(rows),
        min(given, default=0.0) if lowest is None else lowest,
        max(given, default=0.0) if highest is None else highest,
    )
    return replace(scores, problems=tuple(problems[:_MOST_PROBLEMS]))


def _places(names: Sequence[str], columns: ScoreColumns) -> dict[str, int]:
    """The place of each column by what was asked for, the two texts under ``_TEXTS``. Raises
    ``TableError`` that names those there are, and for a score that is asked for as two things;
    its field is that of ``ScoreColumns``."""
    at = {name.strip().casefold(): place for place, name in reversed(list(enumerate(names)))}
    guessed = guess_mapping(names)
    places: dict[str, int] = {}
    for field, key in _TEXTS.items():
        column = getattr(columns, field)
        is_guessed = not column and field in guessed
        places[key] = guessed[field] if is_guessed else _place(field, column or field, at, names)
    wanted = columns.wanted()
    single = [("system", columns.system), ("source", columns.source)]
    for field, name in [*wanted, *((field, name) for field, name in single if name)]:
        places[name] = _place(field, name, at, names)
    for field, name in wanted:
        if field != "references":
            _check_once(field, name, places, [other for _, other in wanted])
    return places


def _place(field: str, column: str, at: Mapping[str, int], names: Sequence[str]) -> int:
    place = at.get(column.strip().casefold())
    if place is None:
        raise TableError(
            "no_column",
            Wording(
                f"Le fichier n'a pas de colonne « {shown(column)} ».",
                f"The file has no column “{shown(column)}”.",
            ),
            Wording(
                f"Ses colonnes : {', '.join(map(shown, names))}.",
                f"Its columns: {', '.join(map(shown, names))}.",
            ),
            field=field,
        )
    return place


def _check_once(field: str, name: str, places: Mapping[str, int], wanted: Sequence[str]) -> None:
    """A score that is a text as well, or that is counted as two people's."""
    if wanted.count(name) == 1 and list(places.values()).count(places[name]) == 1:
        return
    raise TableError(
        "column_twice",
        Wording(
            f"La colonne « {shown(name)} » est demandée deux fois.",
            f"The column “{shown(name)}” is asked for twice.",
        ),
        Wording("Nommez chaque colonne une fois.", "Name each column once."),
        field=field,
    )


class _Reading:
    """One row, cell by cell, with what is wrong in it."""

    def __init__(
        self, row: Row, columns: ScoreColumns, places: Mapping[str, int], names: Sequence[str]
    ) -> None:
        self._row, self._columns, self._places, self._names = row, columns, places, names
        self.problems: list[RowProblem] = []

    def scored(self) -> ScoredRow:
        columns = self._columns
        human = tuple(self._number(name) for name in columns.human)
        if not self.problems and all(value is None for value in human):
            self._refuse(columns.human[0], "required", _NO_HUMAN, _GIVE_HUMAN)
        for name, value in zip(columns.human, human, strict=True):
            self._check_scale(name, value)
        return ScoredRow(
            self._row.number,
            self._text(_TEXTS["original"]),
            self._text(_TEXTS["simplification"]),
            tuple(filter(None, (self._cell(name) for name in columns.references))),
            self._cell(columns.system) if columns.system else "",
            self._text(columns.source) if columns.source else "",
            human,
            tuple(self._number(name) for name in columns.scores),
            tuple(self._number(name) or 0.0 for name in columns.counts),
        )

    def _cell(self, name: str) -> str:
        text = self._row.cells[self._places[name]].strip()
        return "" if shows_nothing(text) else text

    def _text(self, name: str) -> str:
        text = self._cell(name)
        if not text:
            self._refuse(name, "required", _EMPTY_CELL, _FILL_IN)
        return text

    def _number(self, name: str) -> float | None:
        text = self._cell(name)
        if not text:
            return None
        value = number_in(text)
        if math.isfinite(value) and (abs(value) <= LARGEST or name in self._columns.scores):
            return value
        if math.isfinite(value):
            self._refuse(name, "too_large", _too_large(text), _BRING_TO_SCALE)
            return None
        words = Wording(
            f"« {shown(text)} » n'est pas un nombre.", f"“{shown(text)}” is not a number."
        )
        self._refuse(name, "not_a_number", words, _WRITE_NUMBER)
        return None

    def _check_scale(self, name: str, value: float | None) -> None:
        low, high = self._columns.lowest, self._columns.highest
        if value is None or low is None or high is None or low <= value <= high:
            return
        words = Wording(
            f"{value:g} est hors de l'échelle, de {low:g} à {high:g}.",
            f"{value:g} is not on the scale from {low:g} to {high:g}.",
        )
        self._refuse(name, "off_scale", words, _MEND_SCALE)

    def _refuse(self, name: str, code: str, message: Wording, remedy: Wording) -> None:
        field = shown(self._names[self._places[name]])
        self.problems.append(RowProblem(field, code, message, self._row.number, remedy))


def _too_large(text: str) -> Wording:
    return Wording(
        f"« {shown(text)} » est trop grand pour être calculé : {LARGEST:g} au plus.",
        f"“{shown(text)}” is too large to be computed with: {LARGEST:g} at most.",
    )


_BRING_TO_SCALE = Wording(
    "Corrigez le nombre, ou divisez toute la colonne : une corrélation n'en change pas.",
    "Mend the number, or divide the whole column: a correlation does not change by it.",
)
_NO_HUMAN = Wording("Aucune note humaine.", "No human score.")
_GIVE_HUMAN = Wording(
    "Donnez-en une au moins, ou retirez la ligne.", "Give one at least, or leave the row out."
)
_EMPTY_CELL = Wording("La cellule est vide.", "The cell is empty.")
_FILL_IN = Wording("Remplissez-la, ou retirez la ligne.", "Fill it in, or leave the row out.")
_WRITE_NUMBER = Wording(
    "Écrivez un nombre, ou laissez la cellule vide.", "Write a number, or leave the cell empty."
)
_MEND_SCALE = Wording(
    "Corrigez la note ou les bornes de l'échelle.", "Mend the score, or the ends of the scale."
)
