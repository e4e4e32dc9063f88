"""The answers of those who judged an output in both studies: how far they moved, how often they
stayed, what became what.

Chance-corrected, the two answers of one person to one output are a unit with two ratings, as those
of silent repeats are (``selectors/agreement/consistency.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.studies.judgments import alpha_figure
from annotation.agreement.studies.table import Both
from annotation.agreement.studies.wording import NOBODY_IN_BOTH
from annotation.agreement.systems.figure import Counts, Drawn, Figure, figure, undefined
from annotation.agreement.systems.resampling import drawn_totals, ratios, sources_interval
from annotation.agreement.systems.table import counted
from annotation.agreement.systems.wording import NO_MEAN
from annotation.agreement.table import FloatArray, IntArray, Ratings


class Move(NamedTuple):
    """An answer of the first study that became another in the second: in how many judgments, on how
    many outputs."""

    first: float
    second: float
    judgments: int
    outputs: int


@dataclass(frozen=True)
class OwnAnswers:
    """``moved``: the mean change of a person's two answers (of classes undefined in words);
    ``same``: how often they are the same; ``alpha``: Krippendorff's, of the two, at the dimension's
    level. ``moves``: what became what, the most frequent first, without what stayed."""

    moved: Figure
    same: Figure
    alpha: Figure
    moves: tuple[Move, ...] = ()

    @property
    def judgments(self) -> int:
        """How many judgments were made twice."""
        return self.same.counts.ratings // 2

    def as_dict(self) -> dict[str, Any]:
        return {
            "difference": self.moved.as_dict(),
            "same_answer": self.same.as_dict(),
            "alpha": self.alpha.as_dict(),
            "moves": [move._asdict() for move in self.moves],
        }


class _Twice(NamedTuple):
    """Judgments that were made in both: ``pair``, ``person``, and the ``places`` of both answers on
    the scale, all of shape (judgments,)."""

    pair: IntArray
    person: IntArray
    places: tuple[IntArray, IntArray]


def own_answers(table: Both, drawn: Drawn) -> OwnAnswers:
    """Of one dimension; source texts are drawn with all of their outputs."""
    twice = _twice(table)
    counts = Counts(
        len(np.unique(twice.pair)),
        len(np.unique(table.source[twice.pair])),
        len(np.unique(twice.person)),
        2 * len(twice.pair),
    )
    if not len(twice.pair):
        nothing = undefined(NOBODY_IN_BOTH, counts)
        return OwnAnswers(nothing, nothing, nothing)
    first, second = twice.places
    same = _mean(table, twice, (first == second) * 1.0, "same_answer", counts, drawn)
    moved = undefined(NO_MEAN, counts)
    if table.is_scale:
        gaps = table.scale[second] - table.scale[first]
        moved = _mean(table, twice, gaps, "own_change", counts, drawn)
    return OwnAnswers(moved, same, _alpha(table, twice, counts, drawn), _moves(table, twice))


def _twice(table: Both) -> _Twice:
    width = max(len(table.people), 1)
    cells = [side.pair * width + side.person for side in table.sides]
    common, at_first, at_second = np.intersect1d(cells[0], cells[1], return_indices=True)
    places = table.first.place[at_first], table.second.place[at_second]
    return _Twice(common // width, common % width, places)


def _texts(table: Both, twice: _Twice) -> IntArray:
    """The source of each judgment, as codes without gaps."""
    return np.unique(table.source[twice.pair], return_inverse=True)[1].astype(np.int64)


def _mean(
    table: Both, twice: _Twice, values: FloatArray, name: str, counts: Counts, drawn: Drawn
) -> Figure:
    """The mean of ``values``, one per judgment, with sources drawn."""
    text, shape = _texts(table, twice), (counts.sources,)
    columns = np.column_stack([counted(text, values, shape), counted(text, None, shape)])
    totals = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed)
    draws = ratios(totals[:, 0], totals[:, 1])
    value = float(values.mean())
    interval = sources_interval(value, draws, sources=counts.sources, confidence=drawn.confidence)
    return figure(name, value, interval, counts, drawn)


def _alpha(table: Both, twice: _Twice, counts: Counts, drawn: Drawn) -> Figure:
    number = len(twice.pair)
    ratings = Ratings.from_long(
        [*range(number), *range(number)],
        ["first"] * number + ["second"] * number,
        [value for places in twice.places for value in table.scale[places].tolist()],
    )
    return alpha_figure(table, ratings, _texts(table, twice), "own", counts, drawn)


def _moves(table: Both, twice: _Twice) -> tuple[Move, ...]:
    first, second = twice.places
    is_moved = first != second
    coded = np.column_stack([first, second])[is_moved]
    kinds, of_kind = np.unique(coded, axis=0, return_inverse=True)
    moves = []
    for kind, (before, after) in enumerate(kinds.tolist()):
        outputs = twice.pair[is_moved][of_kind.reshape(-1) == kind]
        values = float(table.scale[before]), float(table.scale[after])
        moves.append(Move(*values, len(outputs), len(np.unique(outputs))))
    return tuple(sorted(moves, key=lambda move: (-move.judgments, move.first, move.second)))
