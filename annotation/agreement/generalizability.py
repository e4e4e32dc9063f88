"""Where the variance of ratings is, and how far means of them can be relied on: a generalizability
study of units × annotators, units nested in sources where several share one (Brennan 2001,
*Generalizability Theory*, chapters 3, 4 and 7).

Components by Henderson's method 1 (Searle, Casella and McCulloch 1992, *Variance Components*,
section 5.3), which with a full table is the analysis of variance and needs no full one. Intervals
are generalized confidence intervals (Weerahandi 1993; for this very design Burdick, Borror and
Montgomery 2005, section 3.4): each mean square is drawn from its chi-squared distribution. They
hold for other units *and* other annotators, also where these are few. `python -m bench.variance`
shows what they cover.
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
_ENOUGH_PER_SOURCE = 1.5
# Below that share of the whole a variance is what rounding left.
_NOTHING = 1e-12
_Z = 1.959963984540054


@dataclass(frozen=True)
class Component:
    """One source of variance: its ``variance`` in points² (never below 0) with its
    ``variance_interval``, its ``share`` of the whole, with the ``interval`` of the share."""

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
    draws: int,
    seed: int,
    confidence: float,
) -> Variance:
    """The components of the ratings taken as numbers. ``sources``: the source of each unit; it
    counts where its sources have 1.5 units or more on average. Without ``draws`` there are no
    intervals."""
    if (reason := table_reason(ratings)) is not None:
        return Variance(undefined=reason)
    design = _Design.of(ratings, sources)
    if min(design.degrees.values()) < 1 or ratings.n_pairable < 2:
        return Variance(undefined=TOO_FEW)
    if np.ptp(ratings.values) == 0:
        return Variance(undefined=NO_VARIANCE)
    components = design.components()
    if components is None:
        return Variance(undefined=NOT_SEPARABLE)
    drawn = design.drawn(components, draws, seed)
    typical = max(round(design.sizes[ITEMS]), 1)
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
            options=(("components", "henderson1"), ("interval", "generalized")),
        ),
    )


@dataclass(frozen=True)
class _Design:
    """The ratings as numbers around their mean, each with the place of its source, unit and
    annotator; ``places`` in the order in which components are told."""

    values: FloatArray
    places: dict[str, IntArray]
    source_of: IntArray | None
    degrees: dict[str, int]
    sizes: dict[str, float]

    @classmethod
    def of(cls, ratings: Ratings, sources: Mapping[Hashable, Hashable] | None) -> _Design:
        from scipy.sparse import coo_array  # type: ignore[import-untyped]
        from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

        units, unit = np.unique(ratings.unit_index, return_inverse=True)
        raters, rater = np.unique(ratings.rater_index, return_inverse=True)
        known = sources or {}
        names = [known.get(ratings.unit_ids[place], ratings.unit_ids[place]) for place in units]
        place_of = {name: place for place, name in enumerate(dict.fromkeys(names))}
        source_of = np.array([place_of[name] for name in names], dtype=np.int64)
        is_nested = len(place_of) > 1 and len(units) >= _ENOUGH_PER_SOURCE * len(place_of)
        links = coo_array(
            (np.ones(len(unit)), (unit, len(units) + rater)),
            shape=(len(units) + len(raters),) * 2,
        )
        parts = int(connected_components(links, directed=False)[0])
        places: dict[str, IntArray] = {ITEMS: unit, ANNOTATORS: rater}
        degrees = {ITEMS: len(units) - 1, ANNOTATORS: len(raters) - 1}
        if is_nested:
            places = {SOURCES: source_of[unit]} | places
            degrees |= {SOURCES: len(place_of) - 1, ITEMS: len(units) - len(place_of)}
        degrees[REST] = len(unit) - len(units) - len(raters) + parts
        sizes = {ITEMS: _typical(unit), ANNOTATORS: _typical(rater)}
        if is_nested:
            sizes[SOURCES] = sizes[ITEMS] * _typical(source_of)
        return cls(
            ratings.values - fsum(ratings.values) / len(ratings.values),
            places,
            source_of if is_nested else None,
            degrees,
            sizes,
        )

    def components(self) -> dict[str, float] | None:
        """Henderson's method 1: uncorrected sums of squares set equal to their expectations. None
        where these do not tell the components apart."""
        total = len(self.values)
        whole = np.zeros(total, dtype=np.int64)
        groups = {"mean": whole, **self.places, REST: np.arange(total)}
        names = [*self.places, REST]
        left, right = [], []
        # Sums that do not depend on the order in which units and annotators have their names.
        ascending = np.argsort(self.values, kind="stable")
        for place in groups.values():
            counts = np.bincount(place)
            sums = np.bincount(place[ascending], weights=self.values[ascending])
            right.append(fsum(sums**2 / counts))
            # The mean's own square comes n times into each sum, and the rest once for each group.
            left.append(
                [float(total)]
                + [_expected(place, counts, self.places[name]) for name in self.places]
                + [float(len(counts))]
            )
        matrix = np.array(left)
        if np.linalg.cond(matrix / np.abs(matrix).max(axis=0)) > 1 / _NOTHING:
            return None
        solved = np.linalg.solve(matrix, np.array(right))[1:]
        largest = max(float(np.abs(solved).max()), _NOTHING)
        clean = np.where(np.abs(solved) < _NOTHING * largest, 0.0, solved)
        components = dict(zip(names, (float(component) for component in clean), strict=True))
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
        return Interval(float(low), float(high), self.confidence, self.draws, method=METHOD)


def _expected(place: IntArray, counts: IntArray, of: IntArray) -> float:
    """What one point² of the component ``of`` adds to the sum of squares of the groups ``place``:
    Σ over groups of Σ n²/n over its levels within the group."""
    together = place.astype(np.int64) * (int(of.max()) + 1) + of
    cells, numbers = np.unique(together, return_counts=True)
    group = cells // (int(of.max()) + 1)
    return fsum(numbers.astype(np.float64) ** 2 / counts[group])


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
