"""A file of scores that a metric gave elsewhere: one row for each pair and metric, in the columns
``pair``, ``metric`` and ``score``; whatever else it holds is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.corpus.problems import RowProblem, TableError, shown
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import NAMED, as_written, check_called_once
from annotation.protocols.base import Wording

COLUMNS = ("pair", "metric", "score")
LONGEST_NAME = 60
_MOST_PROBLEMS = 20


@dataclass(frozen=True)
class ScoreRow:
    """A metric's score of a pair. ``row`` is the one that a spreadsheet shows, or counts from 1
    where there is no file."""

    row: int
    pair: str
    metric: str
    score: float


@dataclass(frozen=True)
class MetricScores:
    """The scores; the ``problems`` of rows, the first ones; ``fatal`` where it is no such file at
    all."""

    rows: tuple[ScoreRow, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    fatal: RowProblem | None = None


def read_metric_scores(content: bytes) -> MetricScores:
    """The scores of a table of any kind that a file of pairs may be, with its columns named in the
    first row."""
    try:
        table = read_table(content, NAMED)
    except TableError as error:
        return MetricScores(fatal=error.problem)
    names = [name.lower() for name in table.columns]
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        return MetricScores(fatal=_no_column(missing))
    pair, metric, score = places = [names.index(name) for name in COLUMNS]
    try:
        check_called_once(table, places, as_written)
    except TableError as error:
        return MetricScores(fatal=error.problem)
    scores = scores_of(
        [
            (row.number, row.cells[pair].strip(), row.cells[metric].strip(), row.cells[score])
            for row in table.rows
        ]
    )
    return replace(scores, problems=(*table.problems, *scores.problems)[:_MOST_PROBLEMS])


def scores_of(cells: Sequence[tuple[int, str, str, str]]) -> MetricScores:
    """Rows of number, pair, metric and score as text, each checked by itself and against those
    before it."""
    rows: list[ScoreRow] = []
    problems: list[RowProblem] = []
    taken: dict[tuple[str, str], int] = {}
    for row, pair, metric, score in cells:
        value = number_in(score)
        if wrong := _problem(row, pair, metric, score, value):
            problems.append(wrong)
        elif (before := taken.setdefault((pair, metric), row)) != row:
            problems.append(_twice(row, pair, metric, before))
        else:
            rows.append(ScoreRow(row, pair, metric, value))
    if not rows and not problems:
        return MetricScores(fatal=_EMPTY)
    return MetricScores(tuple(rows), tuple(problems[:_MOST_PROBLEMS]))


def number_in(text: str) -> float:
    """NaN where it is no number; a decimal comma is one too."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return math.nan


def _problem(row: int, pair: str, metric: str, score: str, value: float) -> RowProblem | None:
    if not pair:
        return _missing(row, "pair")
    if not metric or len(metric) > LONGEST_NAME or not metric.isprintable():
        return _missing(row, "metric")
    if math.isfinite(value):
        return None
    return RowProblem(
        "score",
        "not_a_number",
        Wording(f"« {shown(score)} » n'est pas une note.", f"“{shown(score)}” is not a score."),
        row=row,
        remedy=Wording(
            "Écrivez un nombre, ou retirez la ligne : une paire peut être sans note.",
            "Write a number, or leave the row out: a pair may have no score.",
        ),
    )


def _missing(row: int, column: str) -> RowProblem:
    return RowProblem(
        column,
        "required",
        Wording(
            f"La colonne {column} est vide, trop longue ou illisible.",
            f"The column {column} is empty, too long or unreadable.",
        ),
        row=row,
        remedy=Wording(
            f"Remplissez-la, en {LONGEST_NAME} caractères au plus pour un nom de mesure.",
            f"Fill it in, with at most {LONGEST_NAME} characters for a metric's name.",
        ),
    )


def _twice(row: int, pair: str, metric: str, before: int) -> RowProblem:
    return RowProblem(
        "pair",
        "twice",
        Wording(
            f"La paire « {shown(pair)} » a déjà une note de « {shown(metric)} », ligne {before}.",
            f"The pair “{shown(pair)}” has a score of “{shown(metric)}” already, in row {before}.",
        ),
        row=row,
        remedy=Wording("Gardez une des deux.", "Keep one of the two."),
    )


def _no_column(missing: Sequence[str]) -> RowProblem:
    names = ", ".join(missing)
    return RowProblem(
        "file",
        "columns",
        Wording(f"Il manque les colonnes : {names}.", f"These columns are missing: {names}."),
        remedy=Wording(
            "La première ligne nomme les colonnes pair, metric et score; téléchargez le tableau "
            "des paires pour avoir leurs noms.",
            "The first row names the columns pair, metric and score; download the table of pairs "
            "for their names.",
        ),
    )


_EMPTY = RowProblem(
    "file",
    "empty",
    Wording("Le fichier ne contient aucune note.", "The file holds no score."),
    remedy=Wording(
        "Une ligne par paire et par mesure, sous les noms des colonnes.",
        "One row for each pair and metric, below the names of the columns.",
    ),
)
