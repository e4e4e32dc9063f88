"""Each system's mean with everybody's severity taken out, beside the raw one.

Severities are those of ``consensus.rater_severities`` (two-way additive model: Searle 1971, Linear
Models, chapter 7), estimated again in each draw of source texts, as they are part of what varies.
Where everybody judged everything, raw and adjusted means are the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotation.agreement.systems.figure import Drawn, Figure, counts_of, figure, undefined
from annotation.agreement.systems.resampling import drawn_totals, ratios, sources_interval
from annotation.agreement.systems.table import SystemRatings, counted
from annotation.agreement.systems.wording import (
    APART_PEOPLE,
    NO_MEAN,
    NO_RATING_OF_SYSTEM,
    SEVERITY_OF_ONE,
)
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

MOST_PEOPLE = 12
"""With more, no interval is drawn: severities would be estimated anew from too large matrices, one
for each source text."""


def adjusted_means(table: SystemRatings, drawn: Drawn) -> tuple[Figure, ...]:
    """The adjusted mean of each system, in their order, or in words why there is none: classes, no
    rating, one person, or people whom no common output connects. No interval for more than
    ``MOST_PEOPLE``."""
    counts = [
        counts_of(table.unit[at], table.source[at], table.rater[at])
        for at in map(table.of, range(len(table.systems)))
    ]
    people, rater = np.unique(table.rater, return_inverse=True)
    reason = _reason(table, rater, len(people))
    if reason is not None:
        return tuple(
            undefined(reason if of_system.outputs else NO_RATING_OF_SYSTEM, of_system)
            for of_system in counts
        )
    few = len(people) <= MOST_PEOPLE
    columns = _columns(table, rater, len(people), by_source=few)
    means = _means(columns.sum(axis=0)[None], len(table.systems), len(people))[0]
    totals = drawn_totals(columns, draws=drawn.draws if few else 0, seed=drawn.seed)
    varied = _means(totals, len(table.systems), len(people))
    return tuple(
        figure(
            "severity_adjusted_mean",
            float(means[code]),
            sources_interval(
                float(means[code]),
                varied[:, code],
                sources=of_system.sources,
                confidence=drawn.confidence,
            ),
            of_system,
            drawn if few else replace(drawn, draws=0),
            system=table.systems[code],
        )
        if of_system.outputs
        else undefined(NO_RATING_OF_SYSTEM, of_system)
        for code, of_system in enumerate(counts)
    )


def _reason(table: SystemRatings, rater: IntArray, people: int) -> Wording | None:
    if not table.is_scale:
        return NO_MEAN
    if people < 2:
        return SEVERITY_OF_ONE if people else NO_RATING_OF_SYSTEM
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    units, unit = np.unique(table.unit, return_inverse=True)
    size = people + len(units)
    common = coo_array((np.ones(len(rater)), (rater, people + unit)), shape=(size, size))
    groups = connected_components(common, directed=False, return_labels=False)
    return APART_PEOPLE if groups > 1 else None


def _columns(table: SystemRatings, rater: IntArray, people: int, *, by_source: bool) -> FloatArray:
    """By source (or in one row) all that sums make means of: for each system the sum of its
    outputs' means, its outputs, and what each person weighs in them; then the normal equations of
    the severities."""
    k, r = len(table.systems), people
    s, source = (len(table.sources), table.source) if by_source else (1, 0 * table.source)
    own = 1 / np.bincount(table.unit)[table.unit]
    values = table.scale[table.place]
    system = source * k + table.system
    sums = counted(system, own * values, (s, k))
    outputs = counted(system, own, (s, k))
    weights = counted(system * r + rater, own, (s, k * r))
    means = np.bincount(table.unit, weights=values)[table.unit] * own
    right = counted(source * r + rater, values - means, (s, r))
    left = _left(table.unit, source, rater, (s, r))
    return np.concatenate([sums, outputs, weights, right, left], axis=1)


def _left(unit: IntArray, source: IntArray, rater: IntArray, shape: tuple[int, int]) -> FloatArray:
    """diag(N) − Σ_u 1_u 1_uᵀ / m_u of each source's outputs, shape (sources, raters²)."""
    s, r = shape
    units, first, place = np.unique(unit, return_index=True, return_inverse=True)
    rated = np.zeros((len(units), r))
    rated[place, rater] = 1
    shared = rated / rated.sum(axis=1, keepdims=True)
    if s == 1:
        return np.asarray(np.diag(rated.sum(axis=0)) - rated.T @ shared).reshape(1, r * r)
    matrices = np.zeros((s, r, r))
    of_unit = source[first]
    for person in range(r):
        matrices[:, person, person] = counted(of_unit, rated[:, person], (s,))
        for other in range(r):
            matrices[:, person, other] -= counted(
                of_unit, rated[:, person] * shared[:, other], (s,)
            )
    return matrices.reshape(s, r * r)


def _means(totals: FloatArray, k: int, r: int) -> FloatArray:
    """The adjusted means of each row of totals, shape (rows, systems); NaN where a system has no
    output in it."""
    at = np.cumsum([k, k, k * r, r])
    sums, outputs, weights, right, left = np.split(totals, at, axis=1)
    inverse = np.linalg.pinv(left.reshape(-1, r, r), rcond=1e-10, hermitian=True)
    severities = np.einsum("dij,dj->di", inverse, right)
    taken = np.einsum("dkr,dr->dk", weights.reshape(-1, k, r), severities)
    return ratios(sums - taken, outputs)
