"""Where the variance of ratings is, and how far means of them can be relied on: a generalizability
study of units × annotators, units nested in sources where several share one (Brennan 2001,
*Generalizability Theory*, chapters 3, 4 and 7).

Components by Henderson's method 1 (Searle, Casella and McCulloch 1992, *Variance Components*,
section 5.3), which with a full table is the analysis of variance and needs no full one. Intervals
are generalized confidence intervals (Weerahandi 1993; for this very design Burdick, Borror and
Montgomery 2005, section 3.4): each mean square is drawn from its chi-squared distribution. They
hold for other units *and* other annotators, also where these are few. `python -m bench.variance`
shows what they cover.

Where sources come out below 0 their line is left out and the others are solved again, in the
estimate and in each draw: with a full table this is restricted likelihood (Thompson 1962, *Annals
of Mathematical Statistics* 33, 273-289). That is the ordinary case where each source has an output
of each of several systems. Systems are fixed and counted with the items, between which they are a
difference; but they differ within sources and never between them, which takes their variance,
divided by their number, from the component of sources: it is the covariance of two items of one
source, and may well be below 0 (Nelder 1954, *Biometrika* 41, 544-548). Set to 0 alone, it would
leave more to the items than lies between them in all, and G and Φ too high. What lies between
items apart from systems is told where these are given: their means are taken out, and sums of
squares set equal to what they are expected to be without them (as in Henderson's method 2, section
5.4 there). Sources below 0 are then only set to 0, since items are to tell what a difference within
a source varies by, which is the same whatever items of one source have in common: of places given
within a source, say, much less than nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from annotation.agreement.result import NO_DRAWS, Interval, table_reason
from annotation.agreement.signature import Signature
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Wording

SOURCES, ITEMS, ANNOTATORS, REST = "sources", "items", "annotators", "rest"
NUMBERS = (1, 2, 3, 5, 10, 20)
"""Annotators per item for which is told what a mean of theirs would be worth, beside the number of
the table itself."""
METHOD = "generalized confidence interval"
TOO_FEW = Wording(
    "D'où vient la dispersion ne peut pas se dire\u00a0: il faudrait au moins deux personnes et "
    "deux éléments jugés par deux personnes ou plus, avec plus de jugements que d'éléments et de "
    "personnes ensemble.",
    "Where the variance is cannot be told: it would take at least two annotators and two items "
    "judged by two people or more, with more ratings than items and annotators together.",
)
TOO_FEW_OF_A_SYSTEM = Wording(
    "Ce qui distingue les sorties d'un même système ne peut pas se dire\u00a0: il faudrait "
    "plusieurs textes par système, jugés par au moins deux personnes.",
    "How outputs of one system differ cannot be told: it would take several texts of each system, "
    "judged by at least two annotators.",
)
NO_VARIANCE = Wording(
    "Tous les jugements ont la même valeur\u00a0: il n'y a aucune dispersion à répartir.",
    "All ratings have the same value: there is no variance to divide.",
)
NOT_SEPARABLE = Wording(
    "D'où vient la dispersion ne peut pas se dire\u00a0: qui a jugé et ce qui a été jugé ne se "
    "croisent pas assez pour être séparés.",
    "Where the variance is cannot be told: who judged and what was judged do not cross enough to "
    "be told apart.",
)
NOT_TOLD_FROM_NONE = Wording(
    "Ne se distingue pas d'une part nulle\u00a0: l'estimation est au-dessous de zéro, et aucun "
    "intervalle n'en dit l'étendue.",
    "Not told apart from none: it is estimated below zero, and no interval says how large it may "
    "be.",
)
_ENOUGH_PER_SOURCE = 1.5
# Below that share of the whole a variance is what rounding left.
_NOTHING = 1e-12
_Z = 1.959963984540054


@dataclass(frozen=True)
class Component:
    """One source of variance: its ``variance`` in points² (never below 0) with its
    ``variance_interval``, its ``share`` of the whole, with the ``interval`` of the share. Where
    every draw is cut at 0, too, there is no interval: from 0 to 0 would claim to know exactly."""

    name: str
    variance: float
    variance_interval: Interval
    share: float
    interval: Interval


@dataclass(frozen=True)
class Dependability:
    """What the mean of ``annotators`` ratings of an item is worth.

    ``relative`` (G, Eρ²) for putting items in order by the same annotators, their severity set
    aside; ``absolute`` (Φ) for the value itself, whoever judged; ``half_width``: of an item's mean,
    95 %, in points, for other annotators.
    """

    annotators: int
    relative: float
    relative_interval: Interval
    absolute: float
    absolute_interval: Interval
    half_width: float


@dataclass(frozen=True)
class Variance:
    """Components in the order sources (only where several items share one), items, annotators,
    rest; and what means of more
    annotators are worth. ``undefined`` says why there are none.
    ``typical``: annotators per item in this table (n0), to the nearest whole number. ``negative``
    names components whose estimate was below zero and is given as 0."""

    components: tuple[Component, ...] = ()
    dependability: tuple[Dependability, ...] = ()
    typical: int = 0
    negative: tuple[str, ...] = ()
    undefined: Wording | None = None
    signature: Signature | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe, shares 0–1, variances in points²."""
        if self.undefined is not None:
            return {"undefined": {"fr": self.undefined.fr, "en": self.undefined.en}}
        return {
            "components": [
                {
                    "name": component.name,
                    "variance": _plain(component.variance),
                    "variance_interval": _ends(component.variance_interval),
                    "share": _plain(component.share),
                    "interval": _ends(component.interval),
                    **_no_interval(component.interval),
                }
                for component in self.components
            ],
            "dependability": [
                {
                    "annotators": dependability.annotators,
                    "relative": _plain(dependability.relative),
                    "relative_interval": _ends(dependability.relative_interval),
                    "absolute": _plain(dependability.absolute),
                    "absolute_interval": _ends(dependability.absolute_interval),
                    "half_width": _plain(dependability.half_width),
                }
                for dependability in self.dependability
            ],
            "typical_annotators": self.typical,
            "negative": list(self.negative),
            "signature": str(self.signature),
        }


def variance_study(
    ratings: Ratings,
    *,
    level: str,
    sources: Mapping[Hashable, Hashable] | None = None,
    systems: Mapping[Hashable, Hashable] | None = None,
    draws: int,
    seed: int,
    confidence: float,
) -> Variance:
    """The components of the ratings taken as numbers. ``sources``: the source of each unit; it
    counts where its sources have 1.5 units or more on average. ``systems``: the system of each
    unit, whose means are to be no part of what lies between items. Without ``draws`` there are no
    intervals."""
    if (reason := table_reason(ratings)) is not None:
        return Variance(undefined=reason)
    design = _Design.of(ratings, sources, systems)
    if min(design.degrees.values()) < 1 or ratings.n_pairable < 2:
        return Variance(undefined=TOO_FEW if design.n_systems == 1 else TOO_FEW_OF_A_SYSTEM)
    if np.ptp(ratings.values) == 0:
        return Variance(undefined=NO_VARIANCE)
    components, absent = design.components(), {}
    if systems is None and components is not None and components.get(SOURCES, 0.0) < 0:
        absent = {SOURCES: components[SOURCES]}
        design = _Design.of(ratings, None, None)
        components = design.components()
    if components is None:
        return Variance(undefined=NOT_SEPARABLE)
    drawn = {name: np.zeros(draws) for name in absent} | design.drawn(components, draws, seed)
    typical = max(round(design.sizes[ITEMS]), 1)
    components = absent | components
    here = {name: np.array([max(value, 0.0)]) for name, value in components.items()}
    intervals = _Intervals(confidence, draws)
    return Variance(
        components=tuple(
            Component(
                name,
                float(here[name][0]),
                intervals.of(drawn[name]),
                float(share[0]),
                intervals.of(spread),
            )
            for name, share, spread in zip(components, _shares(here), _shares(drawn), strict=True)
        ),
        dependability=tuple(
            _dependability(here, drawn, k, intervals) for k in sorted({*NUMBERS, typical})
        ),
        typical=typical,
        negative=tuple(name for name, value in components.items() if value < 0),
        signature=Signature(
            coefficient="variance",
            level=level,
            items=ratings.n_rated,
            pairable=ratings.n_pairable,
            annotators=ratings.n_active,
            ratings=ratings.n_ratings,
            draws=draws,
            seed=seed,
            options=(
                ("components", "henderson1"),
                ("below_zero", "left_out" if systems is None else "set_to_0"),
                ("interval", "generalized"),
                *((("systems", "taken_out"),) if design.n_systems > 1 else ()),
            ),
        ),
    )


@dataclass(frozen=True)
class _Design:
    """The ratings as numbers around their mean, or around that of their system, each with the place
    of its system, source, unit and annotator; ``places`` in the order in which components are
    told."""

    values: FloatArray
    system: IntArray
    places: dict[str, IntArray]
    source_of: IntArray | None
    degrees: dict[str, int]
    sizes: dict[str, float]

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        sources: Mapping[Hashable, Hashable] | None,
        systems: Mapping[Hashable, Hashable] | None,
    ) -> _Design:
        units, unit = np.unique(ratings.unit_index, return_inverse=True)
        raters, rater = np.unique(ratings.rater_index, return_inverse=True)
        ids = [ratings.unit_ids[place] for place in units]
        source_of = _places([(sources or {}).get(name, name) for name in ids])
        system_of = _places([(systems or {}).get(name) for name in ids])
        n_sources, n_systems = int(source_of.max()) + 1, int(system_of.max()) + 1
        is_nested = n_sources > 1 and len(units) >= _ENOUGH_PER_SOURCE * n_sources
        places: dict[str, IntArray] = {ITEMS: unit, ANNOTATORS: rater}
        degrees = {ITEMS: len(units) - n_systems, ANNOTATORS: len(raters) - 1}
        if is_nested:
            places = {SOURCES: source_of[unit]} | places
            both = n_sources - _parts(source_of, system_of)
            degrees |= {SOURCES: both, ITEMS: len(units) - n_systems - both}
        degrees[REST] = len(unit) - len(units) - len(raters) + _parts(unit, rater)
        sizes = {ITEMS: _typical(unit), ANNOTATORS: _typical(rater)}
        if is_nested:
            sizes[SOURCES] = sizes[ITEMS] * _typical(source_of)
        system = system_of[unit]
        of_system = [ratings.values[system == place] for place in range(n_systems)]
        means = np.array([fsum(values) / len(values) for values in of_system])
        return cls(
            ratings.values - means[system],
            system,
            places,
            source_of if is_nested else None,
            degrees,
            sizes,
        )

    @property
    def n_systems(self) -> int:
        """1 where none are given."""
        return int(self.system.max()) + 1

    def components(self) -> dict[str, float] | None:
        """Henderson's method 1: sums of squares set equal to their expectations. None where these
        do not tell the components apart."""
        groups = {**self.places, REST: np.arange(len(self.values))}
        left, right = [], []
        # Sums that do not depend on the order in which units and annotators have their names.
        ascending = np.argsort(self.values, kind="stable")
        for place in groups.values():
            sums = np.bincount(place[ascending], weights=self.values[ascending])
            right.append(fsum(sums**2 / np.bincount(place)))
            left.append([_expected(place, of, self.system) for of in groups.values()])
        matrix = np.array(left)
        if np.linalg.cond(matrix / np.abs(matrix).max(axis=0)) > 1 / _NOTHING:
            return None
        solved = np.linalg.solve(matrix, np.array(right))
        largest = max(float(np.abs(solved).max()), _NOTHING)
        clean = np.where(np.abs(solved) < _NOTHING * largest, 0.0, solved)
        components = dict(zip(groups, (float(component) for component in clean), strict=True))
        return components if components[REST] >= 0 and max(components.values()) > 0 else None

    def drawn(
        self, components: Mapping[str, float], draws: int, seed: int
    ) -> dict[str, FloatArray]:
        """Generalized pivotal quantities of the components, none below 0, shape (draws,) each."""
        rng = np.random.default_rng(seed)
        squares = {
            name: self.degrees[name]
            * self._expected_square(components, name)
            / rng.chisquare(self.degrees[name], draws)
            for name in components
        }
        if SOURCES in components:
            lines = (SOURCES, ITEMS)
            is_below = squares[SOURCES] < squares[ITEMS]
            together = sum(self.degrees[name] * squares[name] for name in lines)
            pooled = together / sum(self.degrees[name] for name in lines)
            squares |= {name: np.where(is_below, pooled, squares[name]) for name in lines}
        pivots = {REST: squares[REST]}
        pivots[ITEMS] = (squares[ITEMS] - squares[REST]) / self.sizes[ITEMS]
        pivots[ANNOTATORS] = (squares[ANNOTATORS] - squares[REST]) / self.sizes[ANNOTATORS]
        if SOURCES in components:
            pivots[SOURCES] = (squares[SOURCES] - squares[ITEMS]) / self.sizes[SOURCES]
        return {name: np.maximum(pivots[name], 0.0) for name in components}

    def _expected_square(self, components: Mapping[str, float], name: str) -> float:
        """The mean square of that line as these components expect it."""
        square = components[REST]
        if name != REST:
            square += self.sizes[name] * components[name]
        if name == SOURCES:
            square += self.sizes[ITEMS] * components[ITEMS]
        return max(square, 0.0)


@dataclass(frozen=True)
class _Intervals:
    confidence: float
    draws: int

    def of(self, values: FloatArray) -> Interval:
        if not self.draws:
            return Interval(None, None, self.confidence, 0, undefined=NO_DRAWS, method=METHOD)
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(values, [tail, 1 - tail])
        if high <= 0:
            reason = NOT_TOLD_FROM_NONE
            return Interval(
                None, None, self.confidence, self.draws, undefined=reason, method=METHOD
            )
        return Interval(float(low), float(high), self.confidence, self.draws, method=METHOD)


def _places(names: list[Hashable]) -> IntArray:
    """Each name's place, by first appearance."""
    place_of = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([place_of[name] for name in names], dtype=np.int64)


def _parts(first: IntArray, second: IntArray) -> int:
    """Into how many parts fall what has places in both."""
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    n, whole = int(first.max()) + 1, int(first.max() + second.max()) + 2
    links = coo_array((np.ones(len(first)), (first, n + second)), shape=(whole, whole))
    return int(connected_components(links, directed=False)[0])


def _expected(place: IntArray, of: IntArray, system: IntArray) -> float:
    """What one point² of the component ``of`` adds to the sum of squares of the groups ``place``,
    once systems' means are taken out: Σ over groups of Σ (n − Σ over systems of n·n/n)² ÷ n over
    its levels."""
    together = place.astype(np.int64) * (int(of.max()) + 1) + of
    cells, numbers = np.unique(together, return_counts=True)
    group, level = np.divmod(cells, int(of.max()) + 1)
    sizes = np.bincount(place)
    alone = fsum(numbers.astype(np.float64) ** 2 / sizes[group])
    if not system.any():
        return alone - float((np.bincount(of).astype(np.float64) ** 2).sum()) / len(of)
    group_systems, level_systems = _with_systems(place, system), _with_systems(of, system)
    level_systems /= np.bincount(system)
    per_rating = group_systems / sizes[:, None]
    crossed = numbers @ (per_rating[group] * level_systems[level]).sum(axis=1)
    squared = (group_systems.T @ per_rating) * (level_systems.T @ level_systems)
    return alone - 2 * float(crossed) + float(squared.sum())


def _with_systems(place: IntArray, system: IntArray) -> FloatArray:
    """How many ratings each group has of each system, shape (groups, systems)."""
    systems = int(system.max()) + 1
    shape = (int(place.max()) + 1, systems)
    counts = np.bincount(place * systems + system, minlength=shape[0] * systems)
    return counts.reshape(shape).astype(np.float64)


def _typical(place: IntArray) -> float:
    """n0 of the unbalanced one-way analysis: (N − Σ n²/N) / (groups − 1)."""
    counts = np.bincount(place).astype(np.float64)
    total = counts.sum()
    return float((total - (counts**2).sum() / total) / max(len(counts) - 1, 1))


def _shares(parts: Mapping[str, FloatArray]) -> FloatArray:
    """The share of each component in their sum, shape (components, draws)."""
    stacked = np.stack(list(parts.values()))
    return np.asarray(stacked / np.maximum(stacked.sum(axis=0), _NOTHING))


def _dependability(
    here: Mapping[str, FloatArray], drawn: Mapping[str, FloatArray], k: int, intervals: _Intervals
) -> Dependability:
    relative, absolute = _coefficients(here, k)
    relative_drawn, absolute_drawn = _coefficients(drawn, k)
    error = float((here[ANNOTATORS] + here[REST])[0]) / k
    return Dependability(
        annotators=k,
        relative=float(relative[0]),
        relative_interval=intervals.of(relative_drawn),
        absolute=float(absolute[0]),
        absolute_interval=intervals.of(absolute_drawn),
        half_width=_Z * error**0.5,
    )


def _coefficients(parts: Mapping[str, FloatArray], k: int) -> tuple[FloatArray, FloatArray]:
    """Eρ² and Φ of the mean of ``k`` annotators who all judge all items (Brennan 2001, equations
    2.40 and 2.41). What is measured is an item: with its source, where that has a part."""
    measured = parts[ITEMS] + parts.get(SOURCES, 0.0)
    rest, severity = parts[REST] / k, parts[ANNOTATORS] / k
    return (
        np.asarray(measured / np.maximum(measured + rest, _NOTHING)),
        np.asarray(measured / np.maximum(measured + severity + rest, _NOTHING)),
    )


def _plain(value: float) -> float:
    return round(value, 12) + 0.0


def _ends(interval: Interval) -> list[float] | None:
    if interval.low is None or interval.high is None:
        return None
    return [_plain(interval.low), _plain(interval.high)]


def _no_interval(interval: Interval) -> dict[str, Any]:
    """Why there is none; empty where there is one."""
    reason = interval.undefined
    return {} if reason is None else {"no_interval": {"fr": reason.fr, "en": reason.en}}
