"""Rows of questions, answers and grades as a long table: what a report is computed from, written so
that another program can compute it again."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from annotation.cells import Sheet, as_typed
from annotation.corpus.metric_scores import number_in
from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import NAMED, as_written, check_called_once
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing

LOWEST, HIGHEST = 0, 10
_MOST_PROBLEMS = 20
YES, NO = "YES", "NO"


@dataclass(frozen=True)
class QuestionRow:
    """One question put to one system's text by one prompt ``variant`` and ``model``.

    ``source``: which reference; ``question``: which of its questions; ``text``, ``expected`` and
    ``reference_quotation`` are that question's own. ``grade``: 0–10, None where none came;
    ``missing``: why there is no answer or no grade, "" where nothing is missing. ``people``: YES or
    NO of each person on the answer; ``captured`` and ``correct`` on the question and its expected
    answer. ``tokens`` and ``usd`` of the calls for answer and grade, None where nobody knows.
    """

    source: str
    system: str
    question: str
    type: str = ""
    text: str = ""
    expected: str = ""
    reference_quotation: str = ""
    answer: str = ""
    quotation: str = ""
    is_in_text: bool = True
    beyond_text: bool = False
    grade: int | None = None
    reason: str = ""
    missing: str = ""
    variant: str = ""
    model: str = ""
    people: dict[str, bool] = field(default_factory=dict)
    captured: dict[str, bool] = field(default_factory=dict)
    correct: dict[str, bool] = field(default_factory=dict)
    tokens: int | None = None
    usd: float | None = None

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What no two rows share."""
        return (self.source, self.system, self.question, self.variant, self.model)


@dataclass(frozen=True)
class QuestionRows:
    """The rows; the ``problems`` of others, the first ones; ``fatal`` where it is no such file at
    all."""

    rows: tuple[QuestionRow, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    fatal: RowProblem | None = None


COLUMNS: tuple[str, ...] = tuple(column.name for column in fields(QuestionRow))
REQUIRED = ("source", "system", "question")
_FLAGS = ("is_in_text", "beyond_text")
_PEOPLE = ("people", "captured", "correct")
_WHOLE = ("grade", "tokens")


def cells(row: QuestionRow) -> list[str]:
    """A row as text, in the order of ``COLUMNS``: flags as 1 and 0, people's answers as a JSON
    object of YES and NO, nothing for what is not known."""
    return [_written(value) for value in asdict(row).values()]


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Mapping):
        said = {name: YES if is_yes else NO for name, is_yes in sorted(value.items())}
        return json.dumps(said, ensure_ascii=False) if said else ""
    return repr(value) if isinstance(value, float) else str(value)


def as_csv(rows: Iterable[QuestionRow]) -> str:
    """The rows as CSV with a header; a cell that a spreadsheet would run gets an apostrophe in
    front, which reading takes away."""
    out = io.StringIO()
    sheet = Sheet(out)
    sheet.writerow(COLUMNS)
    sheet.writerows(cells(row) for row in rows)
    return out.getvalue()


def read_question_rows(content: bytes) -> QuestionRows:
    """The rows of a table of any kind that a file of pairs may be, with its columns named in the
    first row; columns that are not ours are left."""
    try:
        table = read_table(content, NAMED)
    except TableError as error:
        return QuestionRows(fatal=error.problem)
    names = [name.strip().casefold() for name in table.columns]
    if missing := [name for name in REQUIRED if name not in names]:
        return QuestionRows(fatal=_no_column(missing))
    places = {name: names.index(name) for name in COLUMNS if name in names}
    try:
        check_called_once(table, places.values(), as_written)
    except TableError as error:
        return QuestionRows(fatal=error.problem)
    rows: list[QuestionRow] = []
    problems = list(table.problems)
    taken: dict[tuple[str, ...], int] = {}
    for row in table.rows:
        reading = _Reading(row.number, {name: row.cells[at] for name, at in places.items()})
        question = reading.row()
        if (
            question is not None
            and (before := taken.setdefault(question.key, row.number)) != row.number
        ):
            reading.refuse("question", "twice", _twice(before), _KEEP_ONE)
        elif question is not None:
            rows.append(question)
        problems += reading.problems
    return QuestionRows(tuple(rows), tuple(problems[:_MOST_PROBLEMS]))


class _Reading:
    """One row, cell by cell, with what is wrong in it."""

    def __init__(self, number: int, given: Mapping[str, str]) -> None:
        self._number, self._given = number, given
        self.problems: list[RowProblem] = []

    def row(self) -> QuestionRow | None:
        """None where something is wrong."""
        read: Mapping[str, Callable[[str, str], Any]] = {
            **dict.fromkeys(COLUMNS, self._text),
            **dict.fromkeys(_FLAGS, self._flag),
            **dict.fromkeys(_PEOPLE, self._people),
            **dict.fromkeys(_WHOLE, self._whole),
            "usd": self._number_of,
        }
        values = {name: read[name](name, cell) for name, cell in self._given.items()}
        for name in REQUIRED:
            if not values[name]:
                self.refuse(name, "required", _EMPTY, _FILL_IN)
        if self.problems:
            return None
        # An empty cell says nothing: what holds is what holds without the column.
        known = {name: value for name, value in values.items() if value is not None}
        return QuestionRow(**known)

    def _text(self, name: str, cell: str) -> str:
        text = as_typed(cell.strip())
        return "" if shows_nothing(text) else text

    def _flag(self, name: str, cell: str) -> bool | None:
        text = cell.strip().casefold()
        if text and text not in _YES | _NO:
            self.refuse(name, "flag", _not(cell, _A_FLAG), _WRITE_FLAG)
        return text in _YES if text else None

    def _whole(self, name: str, cell: str) -> int | None:
        value = self._number_of(name, cell)
        highest = HIGHEST if name == "grade" else None
        if value is None:
            return None
        if not value.is_integer() or (highest is not None and value > highest):
            self.refuse(name, name, _not(cell, _WHOLES[name]), _WRITE_NUMBER)
            return None
        return int(value)

    def _number_of(self, name: str, cell: str) -> float | None:
        if not cell.strip():
            return None
        value = number_in(cell)
        if 0 <= value < float("inf"):
            return value
        self.refuse(name, "not_a_number", _not(cell, _WHOLES.get(name, _A_NUMBER)), _WRITE_NUMBER)
        return None

    def _people(self, name: str, cell: str) -> dict[str, bool] | None:
        if not cell.strip():
            return None
        try:
            said = json.loads(cell)
        except (ValueError, RecursionError):
            said = None
        if isinstance(said, dict) and all(answer in (YES, NO) for answer in said.values()):
            return {str(who): answer == YES for who, answer in said.items()}
        self.refuse(name, "people", _not(cell, _AN_OBJECT), _WRITE_PEOPLE)
        return None

    def refuse(self, name: str, code: str, message: Wording, remedy: Wording) -> None:
        self.problems.append(RowProblem(name, code, message, self._number, remedy))


_YES = frozenset({"1", "true", "yes", "oui", "vrai"})
_NO = frozenset({"0", "false", "no", "non", "faux"})
_A_FLAG = Wording("ni 1 ni 0", "neither 1 nor 0")
_A_NUMBER = Wording("pas un nombre à partir de 0", "no number from 0 on")
_WHOLES = {
    "grade": Wording(
        f"pas un nombre entier de {LOWEST} à {HIGHEST}",
        f"no whole number from {LOWEST} to {HIGHEST}",
    ),
    "tokens": Wording("pas un nombre entier à partir de 0", "no whole number from 0 on"),
}
_AN_OBJECT = Wording(
    'pas un objet JSON comme {"A": "YES", "B": "NO"}', 'no JSON object like {"A": "YES", "B": "NO"}'
)
_EMPTY = Wording("La cellule est vide.", "The cell is empty.")
_FILL_IN = Wording("Remplissez-la, ou retirez la ligne.", "Fill it in, or leave the row out.")
_WRITE_FLAG = Wording("Écrivez 1 ou 0.", "Write 1 or 0.")
_WRITE_NUMBER = Wording(
    "Corrigez le nombre, ou laissez la cellule vide.", "Mend the number, or leave the cell empty."
)
_WRITE_PEOPLE = Wording(
    "Écrivez YES ou NO pour chaque personne, ou laissez la cellule vide.",
    "Write YES or NO for each person, or leave the cell empty.",
)
_KEEP_ONE = Wording("Gardez une des deux lignes.", "Keep one of the two rows.")


def _not(cell: str, what: Wording) -> Wording:
    text = shown(cell)
    return Wording(f"« {text} » n'est {what.fr}.", f"“{text}” is {what.en}.")


def _twice(before: int) -> Wording:
    return Wording(
        f"La ligne {before} a déjà cette question pour ce texte, cette invite et ce modèle.",
        f"Row {before} has this question of this text, prompt and model already.",
    )


def _no_column(missing: Sequence[str]) -> RowProblem:
    names = ", ".join(missing)
    return RowProblem(
        "file",
        "columns",
        Wording(f"Il manque les colonnes : {names}.", f"These columns are missing: {names}."),
        remedy=Wording(
            f"La première ligne nomme les colonnes; on connaît : {', '.join(COLUMNS)}.",
            f"The first row names columns; known are: {', '.join(COLUMNS)}.",
        ),
    )
