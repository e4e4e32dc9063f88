"""Whether annotators fall into camps: groups that judge alike and unlike the other, told apart from
what chance and different severities alone would show.

The tree of ``raters.camps`` ends in two groups whatever the data are. Their separation is the mean
distance between the groups less that within them, over the mean distance of any two people. It is
compared with simulated tables without camps. Of scales these have people whose severities are drawn
from one normal distribution as wide as theirs, and shuffled residuals: a continuum of strict and
lenient people makes no camps. Of classes each item's answers are dealt out anew among those who
judged it. Support is how often the same two groups come out of items drawn with replacement
(Felsenstein 1985, Evolution 39).

A continuum often ends in one or two people far off everybody else, hardly ever in two even groups
far apart, so a table counts as divided as clearly as another where as few or fewer do. ``_share``
says how both are weighed without being tested twice. `python -m bench.camps` measures what comes of
it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.agreement.bootstrap import generator
from annotation.agreement.consensus import rater_severities
from annotation.agreement.raters import Camps, distances
from annotation.agreement.signature import Signature
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Wording

Simulation = Callable[[FloatArray, np.random.Generator], FloatArray]
SIMULATIONS = 199
"""Simulated tables, and as many draws of items: the smallest share is then 0.005."""
RARE = 0.05
SUPPORT = 0.9
FEWEST_RATERS, FEWEST_IN_CAMP = 4, 2
MOST_RATERS = 30
_CELLS = 60_000_000
TOO_FEW = Wording(
    "Des camps demandent au moins {fewest} personnes, deux de chaque côté; {people} ont jugé.",
    "Camps take at least {fewest} people, two on each side; {people} judged.",
)
TOO_MANY = Wording(
    "Au-delà de {most} personnes, on ne cherche pas de camps\u00a0: deux groupes n'en "
    "diraient pas assez.",
    "Beyond {most} people no camps are looked for: two groups would not say enough of them.",
)
NOT_MEASURED = Wording(
    "Certaines personnes n'ont aucun élément en commun\u00a0: on ne peut pas dire si elles "
    "jugent de façon semblable, et aucun camp n'est annoncé.",
    "Some people have no item in common: whether they judge alike cannot be told, and no camps are "
    "announced.",
)
NOTHING_DIFFERS = Wording(
    "Tout le monde répond la même chose\u00a0: il n'y a pas de camps.",
    "Everybody answers the same: there are no camps.",
)


@dataclass(frozen=True)
class CampsTest:
    """``two`` groups with their ``separation``. ``rare``: the share of ``simulations`` without
    camps that divide as clearly, the observed table counted among them; ``support``: the
    share of draws of items that end in the same groups. ``shuffled``: which simulation.
    ``units`` were looked at. Where ``undefined`` says why, the numbers are None."""

    two: tuple[tuple[Hashable, ...], ...]
    separation: float | None = None
    rare: float | None = None
    support: float | None = None
    simulations: int = 0
    units: int = 0
    seed: int = 0
    shuffled: bool = False
    signature: str = ""
    undefined: Wording | None = None

    @property
    def established(self) -> bool:
        """Whether camps are announced: both have two people at least, keep coming out, and are
        rarely as far apart without camps."""
        return (
            self.rare is not None
            and self.support is not None
            and self.rare <= RARE
            and self.support >= SUPPORT
            and min(len(group) for group in self.two) >= FEWEST_IN_CAMP
        )


def camps_test(ratings: Ratings, camps: Camps, *, level: Level | str, seed: int) -> CampsTest:
    """What there is to the two groups of ``camps``, the tree of this table."""
    active = np.flatnonzero(ratings.ratings_per_rater)
    reason = _refusal(camps, len(active))
    if reason is not None:
        return CampsTest(camps.two, undefined=reason)
    looked_at = _Looked(ratings, nominal=Level(level) == Level.NOMINAL, seed=seed)
    if looked_at.separation is None:
        return CampsTest(camps.two, undefined=NOTHING_DIFFERS)
    drawn = list(looked_at.draws())
    signature = Signature(
        coefficient="camps",
        level=str(Level(level)),
        items=len(looked_at.matrix),
        pairable=len(looked_at.matrix),
        annotators=len(active),
        ratings=int(np.count_nonzero(~np.isnan(looked_at.matrix))),
        draws=SIMULATIONS,
        seed=seed,
        options=(
            ("null", "shuffled" if looked_at.nominal else "continuum"),
            ("clear", "apart+even"),
        ),
    )
    return CampsTest(
        camps.two,
        separation=looked_at.separation,
        rare=_share(looked_at.division, [division for _alike, division in drawn]),
        support=sum(alike for alike, _division in drawn) / SIMULATIONS,
        simulations=SIMULATIONS,
        units=len(looked_at.matrix),
        seed=seed,
        shuffled=looked_at.nominal,
        signature=str(signature),
    )


def camps_announced(ratings: Ratings, camps: Camps, *, level: Level | str, seed: int) -> bool:
    """``camps_test(…).established``, and nothing beside it: ends as soon as the draws that are left
    cannot change it, for measuring over thousands of tables."""
    if _refusal(camps, int(np.count_nonzero(ratings.ratings_per_rater))) is not None:
        return False
    if min(len(group) for group in camps.two) < FEWEST_IN_CAMP:
        return False
    looked_at = _Looked(ratings, nominal=Level(level) == Level.NOMINAL, seed=seed)
    if looked_at.separation is None:
        return False
    unlike = clearer = 0
    drawn = []
    for alike, division in looked_at.draws():
        unlike += not alike
        # Each of these counts in the share that is taken at the end.
        clearer += division.is_as_clear_as(looked_at.division)
        drawn.append(division)
        if (1 + clearer) / (1 + SIMULATIONS) > RARE or 1 - unlike / SIMULATIONS < SUPPORT:
            return False
    return _share(looked_at.division, drawn) <= RARE


class _Division(NamedTuple):
    """How a table is divided: into groups of which the smaller has so many, so far apart."""

    smaller: int
    separation: float

    def is_as_clear_as(self, other: _Division) -> bool:
        """Whether the groups are at least as even and at least as far apart."""
        return self.smaller >= other.smaller and self.separation >= other.separation - 1e-12


def _share(observed: _Division, simulated: Sequence[_Division]) -> float:
    """The share of all tables, the observed one among them, that are divided as clearly as it.

    How clearly is how few of all tables are at least as even *and* as far apart. Every table is
    ranked so among the same ones, so that of tables without camps at most 5 % have a share of 5 %
    or less (Monte Carlo test: Barnard 1963, JRSS B 25, p. 294), however evenness and distance hang
    together.
    """
    tables = [observed, *simulated]
    ranks = [sum(other.is_as_clear_as(table) for other in tables) for table in tables]
    return sum(rank <= ranks[0] for rank in ranks) / len(tables)


class _Looked:
    """A table as it is looked at: its two groups (a set of bits) with their ``separation``, and
    what draws of it show."""

    def __init__(self, ratings: Ratings, *, nominal: bool, seed: int) -> None:
        active = np.flatnonzero(ratings.ratings_per_rater)
        self.nominal = nominal
        self._people = len(active)
        self._rng = generator(seed)
        self.matrix = _matrix(ratings.matrix[:, active], self._rng)
        self._split, self.separation = _ending(self.matrix, nominal=nominal)
        self._simulate: Simulation = (
            _shuffled if nominal else _continuum(ratings, active, self.matrix)
        )

    @property
    def division(self) -> _Division:
        return _Division(_smaller(self._split, self._people), self.separation or 0.0)

    def draws(self) -> Iterator[tuple[bool, _Division]]:
        """For each of ``SIMULATIONS`` whether the same two groups come out of items drawn with
        replacement, and how a table without camps is divided."""
        matrix, rng = self.matrix, self._rng
        for _ in range(SIMULATIONS):
            drawn = matrix[rng.integers(len(matrix), size=len(matrix))]
            alike = _ending(drawn, nominal=self.nominal)[0] == self._split
            groups, apart = _ending(self._simulate(matrix, rng), nominal=self.nominal)
            yield alike, _Division(_smaller(groups, self._people), apart or 0.0)


def _refusal(camps: Camps, people: int) -> Wording | None:
    if people < FEWEST_RATERS:
        return TOO_FEW.format(fewest=FEWEST_RATERS, people=people)
    if people > MOST_RATERS:
        return TOO_MANY.format(most=MOST_RATERS)
    return NOT_MEASURED if camps.unmeasured else None


def _matrix(matrix: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The units that two people or more judged; of very many, as many as can be looked at, drawn by
    the seed."""
    compared: FloatArray = matrix[np.count_nonzero(~np.isnan(matrix), axis=1) >= 2]
    people = matrix.shape[1]
    most = max(1, _CELLS // (SIMULATIONS * people * people))
    if len(compared) <= most:
        return compared
    kept: FloatArray = compared[np.sort(rng.choice(len(compared), size=most, replace=False))]
    return kept


def _ending(matrix: FloatArray, *, nominal: bool) -> tuple[int, float | None]:
    """The two groups that the tree ends in, as a set of bits of one of them, and their separation;
    None where nobody differs or a pair of people has no unit."""
    from scipy.cluster.hierarchy import linkage  # type: ignore[import-untyped]
    from scipy.spatial.distance import squareform  # type: ignore[import-untyped]

    distance = distances(matrix, nominal=nominal)
    filled = np.nan_to_num(distance, nan=float(np.nanmax(distance)))
    n = len(filled)
    tree = linkage(squareform(filled, checks=False), method="average")
    groups = [1 << place for place in range(n)]
    for left, right, *_rest in tree:
        groups.append(groups[int(left)] | groups[int(right)])
    first = groups[int(tree[-1][0])]
    inside = np.array([bool(first >> place & 1) for place in range(n)])
    same = inside[:, None] == inside
    np.fill_diagonal(same, False)
    mean = filled.sum() / (n * (n - 1))
    # Bits of the group that has the first person: either group tells the same split.
    split = first if inside[0] else (1 << n) - 1 - first
    if mean == 0 or not same.any():
        return split, None
    between = filled[~same & ~np.eye(n, dtype=bool)].mean()
    return split, float((between - filled[same].mean()) / mean)


def _smaller(split: int, people: int) -> int:
    """How many the smaller group of a split has."""
    return min(split.bit_count(), people - split.bit_count())


def _shuffled(matrix: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Each unit's answers dealt out anew among those who judged it."""
    known = ~np.isnan(matrix)
    # Random keys put a row's answers into a random order, holes last.
    keys = np.where(known, rng.random(matrix.shape), np.inf)
    answers = np.take_along_axis(matrix, np.argsort(keys, axis=1), axis=1)
    places = np.argsort(~known, axis=1, kind="stable")
    dealt: FloatArray = np.full(matrix.shape, np.nan)
    np.put_along_axis(dealt, places, answers, axis=1)
    return dealt


def _continuum(ratings: Ratings, active: IntArray, matrix: FloatArray) -> Simulation:
    """A simulation: unit means, severities drawn anew, residuals shuffled over the whole table."""
    severity = rater_severities(ratings)[active]
    known = ~np.isnan(matrix)
    rows = np.nan_to_num(matrix - severity, nan=0.0).sum(axis=1) / known.sum(axis=1)
    residual = matrix - severity - rows[:, None]
    # What a unit's mean took off its residuals is given back.
    per_unit = known.sum(axis=1).mean()
    residual *= float(np.sqrt(per_unit / max(per_unit - 1, 1.0)))
    pool = residual[known]
    spread = float(severity.std(ddof=1))
    low, high = float(np.nanmin(matrix)), float(np.nanmax(matrix))

    def simulate(_matrix: FloatArray, rng: np.random.Generator) -> FloatArray:
        drawn = rng.normal(0.0, spread, len(severity))
        values = rows[:, None] + (drawn - drawn.mean())
        values = np.where(known, values, np.nan)
        values[known] += rng.permutation(pool)
        rounded: FloatArray = np.clip(np.rint(values), low, high)
        return rounded

    return simulate
