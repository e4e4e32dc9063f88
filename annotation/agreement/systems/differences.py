"""Two systems on the texts on which both were judged.

Where somebody judged both outputs of a text, their own two answers are compared, so that no
severity is in the difference; elsewhere the means of different people are, which is said. Every
text counts the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from annotation.agreement.systems.table import SystemRatings, counted
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Better


@dataclass(frozen=True, eq=False)
class Matched:
    """Two systems on their common texts.

    ``sources`` are codes of shape (n,). ``first`` and ``second`` of shape (n, values) are the
    shares of each answer on each text; ``superior`` of shape (n,) is how often the first was judged
    better (higher where neither is), ties for a half. ``apart``: texts on which nobody judged both.
    ``people``: each person who judged both on some text, with the mean of their own differences and
    on how many texts.
    ``cells``, one per text × person who counts, number them (text × all raters + rater);
    ``deviations`` from the mean difference and ``weights`` in it stand beside them.
    """

    sources: IntArray
    first: FloatArray
    second: FloatArray
    superior: FloatArray
    apart: int
    outputs: int
    ratings: int
    raters: int
    people: tuple[tuple[Hashable, float, int], ...]
    cells: IntArray
    deviations: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class _Side:
    """One system's ratings on the common texts. ``cell`` numbers text × person."""

    source: IntArray
    cell: IntArray
    place: IntArray
    unit: IntArray


def matched(table: SystemRatings, first: int, second: int) -> Matched:
    """The two systems (codes) on their common texts; none of them makes empty arrays."""
    sides = [_side(table, table.of(code)) for code in (first, second)]
    common = np.intersect1d(sides[0].source, sides[1].source)
    both = np.intersect1d(sides[0].cell, sides[1].cell)
    with_both = np.unique(both // max(len(table.raters), 1))
    sides = [_kept(side, common, both, with_both) for side in sides]
    shares = [_shares(side, common, len(table.scale)) for side in sides]
    superior, people = _by_people(table, sides, common, both)
    elsewhere = np.flatnonzero(~np.isin(common, with_both))
    superior[elsewhere] = superiority(shares[0][elsewhere], shares[1][elsewhere])
    units = np.concatenate([side.unit for side in sides])
    cells, deviations, weights = _cells(table, sides, common)
    return Matched(
        sources=common,
        first=shares[0],
        second=shares[1],
        superior=1 - superior if table.better == Better.LOWER else superior,
        apart=len(elsewhere),
        outputs=len(np.unique(units)),
        ratings=len(units),
        raters=len(np.unique(cells % max(len(table.raters), 1))),
        people=people,
        cells=cells,
        deviations=deviations,
        weights=weights,
    )


def superiority(first: FloatArray, second: FloatArray) -> FloatArray:
    """How often an answer of ``first`` is higher than one of ``second``, ties for a half, of shares
    whose last axis is the scale."""
    below = np.cumsum(second, axis=-1) - second
    superior: FloatArray = (first * (below + second / 2)).sum(axis=-1)
    return superior


def cliffs_delta(first: FloatArray, second: FloatArray) -> FloatArray:
    """Cliff's delta of two distributions of answers (Cliff 1993, Psychological Bulletin 114): how
    often an answer of the first is higher than one of the second, less how often it is lower."""
    return 2 * superiority(first, second) - 1


def _side(table: SystemRatings, at: IntArray) -> _Side:
    cell = table.source[at] * len(table.raters) + table.rater[at]
    return _Side(table.source[at], cell, table.place[at], table.unit[at])


def _kept(side: _Side, common: IntArray, both: IntArray, with_both: IntArray) -> _Side:
    """On texts where somebody judged both, only what such people answered."""
    own = np.isin(side.cell, both) | ~np.isin(side.source, with_both)
    kept = own & np.isin(side.source, common)
    return _Side(side.source[kept], side.cell[kept], side.place[kept], side.unit[kept])


def _shares(side: _Side, common: IntArray, values: int) -> FloatArray:
    """The share of each answer on each text, (texts, values); everybody counts the same."""
    cells, cell, times = np.unique(side.cell, return_inverse=True, return_counts=True)
    text = np.searchsorted(common, side.source)
    first = np.zeros(len(cells), dtype=np.int64)
    first[cell] = text
    people = np.bincount(first, minlength=len(common))
    weights = 1.0 / (times[cell] * people[text])
    return counted(text * values + side.place, weights, (len(common), values))


def _cells(
    table: SystemRatings, sides: list[_Side], common: IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Each text × person with what it adds to the mean difference: where they judged one output
    alone, that one's deviation from its system's mean."""
    cells = np.unique(np.concatenate([side.cell for side in sides]))
    deviations, weights = np.zeros(len(cells)), np.zeros(len(cells))
    for sign, side in zip((1, -1), sides, strict=True):
        own, at, times = np.unique(side.cell, return_inverse=True, return_counts=True)
        means = counted(at, table.scale[side.place], (len(own),)) / times
        text = np.searchsorted(common, own // max(len(table.raters), 1))
        people = np.bincount(text, minlength=len(common))
        own_weights = 1.0 / (people[text] * max(len(common), 1))
        place = np.searchsorted(cells, own)
        deviations[place] += sign * (means - float(own_weights @ means))
        weights[place] = own_weights
    return cells, deviations, weights


def _by_people(
    table: SystemRatings, sides: list[_Side], common: IntArray, both: IntArray
) -> tuple[FloatArray, tuple[tuple[Hashable, float, int], ...]]:
    """How often the first was judged higher on each text by those who judged both, and each
    person's mean difference: to twelve digits, so that whoever places neither higher (.1 + .2 - .3)
    is not counted for one of them."""
    means = []
    for side in sides:
        inside = np.isin(side.cell, both)
        place = np.searchsorted(both, side.cell[inside])
        values = table.scale[side.place[inside]]
        sums = counted(place, values, (len(both),))
        means.append(sums / counted(place, None, (len(both),)) if len(both) else sums)
    exact = means[0] - means[1]
    gaps = np.round(exact, 12)
    text = np.searchsorted(common, both // max(len(table.raters), 1))
    rater = both % max(len(table.raters), 1)
    people = np.bincount(text, minlength=len(common))
    wins = counted(text, (np.sign(gaps) + 1) / 2, (len(common),))
    superior = np.divide(wins, people, out=np.zeros(len(common)), where=people > 0)
    own = [
        (
            table.raters[code],
            round(float(exact[rater == code].mean()), 12) + 0.0,
            int((rater == code).sum()),
        )
        for code in np.unique(rater).tolist()
    ]
    return superior, tuple(own)
