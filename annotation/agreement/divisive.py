"""Where disagreement is: the units that divide raters most, and what a derived score's disagreement
comes from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from annotation.agreement.patterns import unit_patterns
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Wording

MEASURES = ("variance", "entropy", "minority")
NO_DISAGREEMENT = Wording(
    (
        "Aucun désaccord sur le score entre personnes qui ont jugé le même élément : il n'y a rien "
        "à répartir."
    ),
    (
        "No disagreement on the score among people who judged the same item: there is nothing to "
        "divide up."
    ),
)


@dataclass(frozen=True)
class DivisiveUnit:
    """A unit with its number of ratings ``n`` (two or more), its disagreement, and its distribution
    (value, count)."""

    unit: Hashable
    n: int
    disagreement: float
    distribution: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class DerivedScore:
    """A judgment whose score was derived: ``bracket`` picked, ``errors`` in all, and how many of
    each type."""

    unit: Hashable
    score: float
    bracket: int
    errors: int
    types: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Decomposition:
    """Shares of the disagreement on a derived score; ``bracket`` + ``errors`` + ``rest`` = 1,
    ``by_type`` adds up to ``errors``. A share can be below zero where a component offsets the
    others. All None where ``undefined`` says why.

    ``units`` and ``judgments`` count those that can disagree; ``squares`` is the sum that is
    divided up, in points².
    """

    bracket: float | None
    errors: float | None
    rest: float | None
    by_type: tuple[tuple[str, float | None], ...]
    units: int
    judgments: int
    squares: float
    undefined: Wording | None = None


def divisive_units(
    ratings: Ratings, *, level: Level | str, measure: str | None = None, limit: int | None = None
) -> tuple[DivisiveUnit, ...]:
    """The units with two ratings or more, most divisive first, equal ones in order of ids; at most
    ``limit``.

    ``variance``: sample variance in points² (half the mean squared difference of two ratings), the
    default for scales. ``entropy``: Shannon (1948), in bits, the default for classes. ``minority``:
    share (0–1) not given the most frequent value. Raises ``ValueError`` for an unknown level or
    measure.
    """
    chosen = measure or ("entropy" if Level(level) == Level.NOMINAL else "variance")
    if chosen not in MEASURES:
        raise ValueError(f"measure {chosen!r}: one of {', '.join(MEASURES)}")
    patterns = unit_patterns(ratings)
    # Rounded, so that two units with the same disagreement are equal whatever their values are.
    scores = np.round(_disagreements(patterns.counts, patterns.scale, chosen), 12)
    comparable = np.flatnonzero(ratings.ratings_per_unit >= 2)
    of_unit = patterns.of_unit[comparable]
    order = np.argsort(-scores[of_unit], kind="stable")[:limit]
    scale = patterns.scale.tolist()
    ranked = []
    for unit, pattern in zip(comparable[order].tolist(), of_unit[order].tolist(), strict=True):
        counts = patterns.counts[pattern].astype(int).tolist()
        distribution = tuple(
            (value, count) for value, count in zip(scale, counts, strict=True) if count
        )
        ranked.append(
            DivisiveUnit(ratings.unit_ids[unit], sum(counts), float(scores[pattern]), distribution)
        )
    return tuple(ranked)


def decomposition(judgments: Iterable[DerivedScore], tops: Mapping[int, int]) -> Decomposition:
    """How much of the disagreement on a score comes from the bracket, the number of errors, and the
    rest.

    score = top(bracket) − errors + rest, where the rest is the floor and the crossing policy (the
    score of Beauchemin et al. (2025), JUDGEBERT, section 3.2.3). With deviations from the unit's
    mean, Σ Δscore² = Σ Δscore·Δtop + Σ Δscore·(−Δerrors) + Σ Δscore·Δrest: the covariance
    decomposition of a sum (Shorrocks 1982, Econometrica 50, section 3), pooled within units.
    ``tops`` maps a bracket to its top; errors without type stand under "". Raises ``KeyError`` for
    a bracket without top, and ``ValueError`` where types add up to more than the errors.
    """
    listed = list(judgments)
    types = [_types(judgment) for judgment in listed]
    places = {
        unit: place
        for place, unit in enumerate(dict.fromkeys(judgment.unit for judgment in listed))
    }
    unit = np.array([places[judgment.unit] for judgment in listed], dtype=np.int64)
    names = sorted({name for counted in types for name in counted})
    score = np.array([judgment.score for judgment in listed], dtype=np.float64)
    top = np.array([tops[judgment.bracket] for judgment in listed], dtype=np.float64)
    taken = -np.array([judgment.errors for judgment in listed], dtype=np.float64)
    by_type = [
        -np.array([counted.get(name, 0) for counted in types], dtype=np.float64) for name in names
    ]
    moved = _within(score, unit)
    products = [
        float(moved @ _within(part, unit))
        for part in (score, top, taken, score - top - taken, *by_type)
    ]
    sizes = np.bincount(unit, minlength=len(places))
    units, compared = int(np.count_nonzero(sizes >= 2)), int(sizes[sizes >= 2].sum())
    if not np.any(np.abs(moved) > 1e-12):
        nothing = tuple((name, None) for name in names)
        return Decomposition(None, None, None, nothing, units, compared, 0.0, NO_DISAGREEMENT)
    total, *parts = products
    bracket, errors, rest, *typed = (part / total for part in parts)
    return Decomposition(
        bracket, errors, rest, tuple(zip(names, typed, strict=True)), units, compared, total
    )


def _types(judgment: DerivedScore) -> dict[str, int]:
    """Errors by type; those without type stand under ""."""
    untyped = judgment.errors - sum(judgment.types.values())
    if untyped < 0:
        raise ValueError(
            f"unit {judgment.unit!r}: the types add up to more than {judgment.errors} errors"
        )
    return {**judgment.types, **({"": untyped} if untyped else {})}


def _within(column: FloatArray, unit: IntArray) -> FloatArray:
    """Deviations from the mean of each unit, shape (judgments,)."""
    sizes = np.maximum(np.bincount(unit), 1)
    return np.asarray(column - (np.bincount(unit, weights=column) / sizes)[unit], dtype=np.float64)


def _disagreements(counts: FloatArray, scale: FloatArray, measure: str) -> FloatArray:
    """The disagreement within each pattern of counts, shape (patterns,); 0 for a single rating."""
    sizes = counts.sum(axis=1)
    shares = counts / np.maximum(sizes, 1)[:, None]
    if measure == "minority":
        return np.asarray(1 - shares.max(axis=1, initial=0.0))
    if measure == "entropy":
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(np.abs(-(shares * logs).sum(axis=1)))
    gaps = scale[None, :] - (shares @ scale)[:, None]
    return np.asarray((counts * gaps**2).sum(axis=1) / np.maximum(sizes - 1, 1))
