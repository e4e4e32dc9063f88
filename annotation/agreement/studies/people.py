"""The interval of a change for other texts *and* other people of the same kind.

As ``systems/crossed.py`` has it, but people may be of two teams: who judged in both is one draw of
a person with a change of their own, whoever judged in one of the two is a draw of that team. Each
of these groups has a variance of its own between its people, and their sum stands for people.
`python -m bench.studies` shows what it covers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE
from annotation.agreement.result import Interval
from annotation.agreement.studies.table import Both
from annotation.agreement.studies.wording import FEW_IN_EACH
from annotation.agreement.systems.crossed import FEWEST_PEOPLE, WIDENED, dense, unexplained
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.agreement.systems.table import counted
from annotation.agreement.systems.wording import FEW_SOURCES, NO_VARIATION
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

TEAMS = f"random effects of source texts and of the annotators of each team, Cochran's t, {WIDENED}"
_SAME = 1e-9


class _Cells(NamedTuple):
    """What each person adds on each source to the change less its mean (``adds``), with the weight
    of their answers there; all of shape (cells,)."""

    source: IntArray
    person: IntArray
    adds: FloatArray
    weight: FloatArray


def people_interval(
    table: Both, value: float, *, here: Interval | None, confidence: float = CONFIDENCE
) -> Interval:
    """The interval of the mean change ``value`` of a scale, never narrower than ``here``, the one
    for the same people; or in words why there is none."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    cells = _cells(table)
    groups = _groups(table)
    reason = _refusal(table, cells)
    parts = [] if reason else _parts(cells, groups, table.sources)
    total = sum(part for part, _degrees in parts)
    if reason is None and total < _SAME**2:
        reason = NO_VARIATION
    if reason is not None:
        return Interval(None, None, confidence, 0, undefined=reason, method=TEAMS)
    largest = max(part for part, _degrees in parts)
    variance = max(total - _counted_twice(cells, groups), largest)
    tails = stdtrit([degrees for _part, degrees in parts], 1 - (1 - confidence) / 2)
    shares = np.array([part for part, _degrees in parts]) / total
    half = float(tails @ shares) * variance**0.5
    low, high = value - half, value + half
    if here is not None and here.low is not None and here.high is not None:
        low, high = min(low, here.low), max(high, here.high)
    return Interval(low, high, confidence, 0, method=TEAMS)


def _refusal(table: Both, cells: _Cells) -> Wording | None:
    people = min(len(np.unique(side.person)) for side in table.sides)
    if table.sources < FEWEST_SOURCES:
        return FEW_SOURCES.format(fewest=FEWEST_SOURCES, sources=table.sources)
    if people < FEWEST_PEOPLE:
        return FEW_IN_EACH.format(fewest=FEWEST_PEOPLE, people=people)
    return NO_VARIATION if float(np.abs(cells.adds).max()) < _SAME else None


def _cells(table: Both) -> _Cells:
    width = len(table.people)
    keys, adds, weights = [], [], []
    for sign, side in ((-1, table.first), (1, table.second)):
        times = np.bincount(side.pair, minlength=len(table.pairs))
        weight = 1.0 / (times[side.pair] * len(table.pairs))
        values = table.scale[side.place]
        keys.append(table.source[side.pair] * width + side.person)
        adds.append(sign * weight * (values - float(weight @ values)))
        weights.append(weight)
    cell, at = np.unique(np.concatenate(keys), return_inverse=True)
    shape = (len(cell),)
    return _Cells(
        cell // width,
        cell % width,
        counted(at, np.concatenate(adds), shape),
        counted(at, np.concatenate(weights), shape),
    )


def _groups(table: Both) -> IntArray:
    """Of each person: 0 who judged in both, 1 in the first alone, 2 in the second alone. A group of
    one or two says too little of itself and goes with the largest."""
    first, second = (
        np.isin(np.arange(len(table.people)), np.unique(side.person)) for side in table.sides
    )
    group = np.where(first & second, 0, np.where(first, 1, 2))
    sizes = np.bincount(group[first | second], minlength=3)
    small = [code for code in range(3) if sizes[code] < FEWEST_PEOPLE]
    group[np.isin(group, small)] = int(np.argmax(sizes))
    return group.astype(np.int64)


def _parts(cells: _Cells, groups: IntArray, sources: int) -> list[tuple[float, float]]:
    """The variance that texts make and that people make, each with its degrees of freedom. Groups
    of people are independent: theirs are Welch's (1947, Biometrika 34)."""
    of_texts = counted(cells.source, cells.adds, (sources,))
    texts = float((of_texts**2).sum()) * sources / (sources - 1)
    of_person = counted(cells.person, cells.adds, groups.shape)
    weights = counted(cells.person, cells.weight, groups.shape)
    active = np.unique(cells.person)
    people = []
    for code in np.unique(groups[active]).tolist():
        members = active[groups[active] == code]
        own, weight = of_person[members], weights[members]
        # Around the group's own mean: where teams overlap it is not that of its side.
        own = own - weight * own.sum() / weight.sum()
        number = len(own)
        people.append((float((own**2).sum()) * number / (number - 1), number - 1))
    total = sum(part for part, _degrees in people)
    spread = sum(part**2 / degrees for part, degrees in people)
    return [(texts, sources - 1.0), (total, total**2 / spread if spread > _SAME**4 else 1.0)]


def _counted_twice(cells: _Cells, groups: IntArray) -> float:
    """The variance of what neither texts nor people explain, which stands in both parts."""
    twice = 0.0
    for code in np.unique(groups[cells.person]).tolist():
        own = groups[cells.person] == code
        weight = cells.weight[own]
        texts, source = dense(cells.source[own])
        people, person = dense(cells.person[own])
        left = len(weight) - texts - people + 1
        if left > 0:
            rest = unexplained(cells.adds[own] / weight, source, person, texts, people)
            twice += rest / left * float((weight**2).sum())
    return twice
