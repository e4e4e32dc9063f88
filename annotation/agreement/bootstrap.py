"""Seeded bootstrap over units for several coefficients at once.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13 (percentile intervals).
Drawing n units with replacement from n units that show k distinct patterns is a multinomial draw
over the patterns with their frequencies: the two are exactly equal in distribution, and the second
one's cost hardly grows with n.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from annotation.agreement.formulas import Formula
from annotation.agreement.patterns import Patterns
from annotation.agreement.result import (
    NO_DRAWS,
    NO_VALUE_NO_INTERVAL,
    NO_VARIATION,
    NO_WIDTH,
    TOO_FEW_UNITS,
    TOO_MANY_UNDEFINED,
    Interval,
)
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

DRAWS = 1000
SEED = 42
CONFIDENCE = 0.95
FEWEST_DRAWS = 100
"""From fewer no interval can be told; with none at all there are figures without intervals."""
UNDEFINED_SHARE = 0.05
"""No interval where the coefficient is undefined in more than this share of the draws."""

_MARGIN = 4.0
_UNITS_PER_PATTERN = 4
_BLOCK_CELLS = 1_000_000


def gives_figures(draws: int, most: int) -> bool:
    """Whether so many draws may be asked for: enough for intervals, or none at all."""
    return draws == 0 or FEWEST_DRAWS <= draws <= most


def generator(seed: int) -> np.random.Generator:
    """The source of every draw: PCG64 of that seed."""
    return np.random.Generator(np.random.PCG64(seed))


def resampled_counts(frequency: IntArray, draws: int, seed: int) -> Iterator[FloatArray]:
    """How often each pattern occurs in each draw, in blocks of shape (some draws, patterns); rows
    sum to n units.

    Independent Poisson counts are, given their total, a multinomial of that total. So counts are
    drawn with a mean total that stays below n, a draw whose total still passes n is drawn again,
    and what is missing is drawn unit by unit. Where patterns have few units each, all is drawn unit
    by unit, because that is faster.
    """
    rng = generator(seed)
    n, k = int(frequency.sum()), len(frequency)
    in_counts = max(0.0, n - _MARGIN * n**0.5) if n > _UNITS_PER_PATTERN * k else 0.0
    means = frequency * (in_counts / n)
    unit_patterns = np.repeat(np.arange(k), frequency)
    block = max(1, _BLOCK_CELLS // k)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        counts = (
            rng.poisson(means, size=(size, k)) if in_counts else np.zeros((size, k), dtype=np.int64)
        )
        missing = n - counts.sum(axis=1)
        while len(over := np.flatnonzero(missing < 0)):
            counts[over] = rng.poisson(means, size=(len(over), k))
            missing[over] = n - counts[over].sum(axis=1)
        rows = np.repeat(np.arange(size) * k, missing)
        picked = rows + unit_patterns[rng.integers(n, size=len(rows))]
        yield (
            (counts.reshape(-1) + np.bincount(picked, minlength=size * k))
            .reshape(size, k)
            .astype(np.float64)
        )


def bootstrap_values(
    patterns: Patterns, formulas: Mapping[str, Formula], *, draws: int = DRAWS, seed: int
) -> dict[str, FloatArray]:
    """The value of each coefficient in each draw, shape (draws,); NaN where undefined. All see the
    same draws."""
    if draws < 1 or not len(patterns.frequency):
        return {name: np.zeros(0) for name in formulas}
    parts: dict[str, list[FloatArray]] = {name: [] for name in formulas}
    for weights in resampled_counts(patterns.frequency, draws, seed):
        for name, formula in formulas.items():
            parts[name].append(formula.evaluate(formula.sums(weights)))
    return {name: np.concatenate(values) for name, values in parts.items()}


def percentile_interval(
    value: float | None, drawn: FloatArray, *, confidence: float = CONFIDENCE, n_pairable: int
) -> Interval:
    """The percentile interval of ``value`` from its ``drawn`` values (draws,), or in words why
    there is none.

    There is none for a coefficient without value, fewer than two units to compare, more than
    ``UNDEFINED_SHARE`` of undefined draws, or ends that fall together: where nothing differs among
    the units there is nothing to draw from, and an interval without width would say that the value
    is exact. (Of six units that all agree, the exact interval of the share that does begins at
    54 %: Clopper and Pearson 1934, Biometrika 26.) It reaches its own value at least: a draw holds
    fewer different units, so that what is estimated too low from few units, as alpha is, comes out
    lower still in nearly every draw, and an interval beside its value would tell of the draws, not
    of it. Raises ``ValueError`` where ``confidence`` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is between 0 and 1, not {confidence}")
    undefined = int(np.count_nonzero(np.isnan(drawn)))
    reason = _refusal(value, len(drawn), undefined, n_pairable)
    if value is None or reason is not None:
        return Interval(None, None, confidence, len(drawn), undefined, reason)
    tail = (1 - confidence) / 2
    ordered = np.sort(drawn[~np.isnan(drawn)])
    # Linear between order statistics: NumPy's default quantile, without its overhead.
    low, high = np.interp(
        [tail * (len(ordered) - 1), (1 - tail) * (len(ordered) - 1)],
        np.arange(len(ordered)),
        ordered,
    ).tolist()
    if high - low < NO_WIDTH:
        return Interval(None, None, confidence, len(drawn), undefined, NO_VARIATION)
    return Interval(min(low, value), max(high, value), confidence, len(drawn), undefined)


def _refusal(value: float | None, draws: int, undefined: int, n_pairable: int) -> Wording | None:
    if value is None:
        return NO_VALUE_NO_INTERVAL
    if n_pairable < 2:
        return TOO_FEW_UNITS
    if draws == 0:
        return NO_DRAWS
    if undefined > UNDEFINED_SHARE * draws:
        return TOO_MANY_UNDEFINED.format(undefined=undefined, draws=draws)
    return None
