"""Whether one metric agrees with people better than another, both on the same outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.metrics.report.people import FloatArray

_ONE = 1 - 1e-12


@dataclass(frozen=True)
class Williams:
    """``t`` with ``degrees`` of freedom; ``p`` one-sided: the first agrees better."""

    t: float
    degrees: int
    p: float


def williams(with_first: float, with_second: float, between: float, n: int) -> Williams | None:
    """Williams's test (1959) of two correlations with the same scores, by Steiger's formula (1980,
    Psychological Bulletin 87, equation 7), as Graham and Baldwin (2014) take it to metrics.

    ``with_first``, ``with_second``: correlations with the scores; ``between``: of one metric with
    the other; ``n`` outputs. None below four outputs, or where both metrics are one.
    """
    if n < 4 or abs(between) >= _ONE:
        return None
    from scipy.special import stdtr  # type: ignore[import-untyped]

    apart = with_first - with_second
    rest = 1 - with_first**2 - with_second**2 - between**2 + 2 * with_first * with_second * between
    mean = (with_first + with_second) / 2
    below = 2 * rest * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if below <= 0:
        return None
    t = apart * float(np.sqrt((n - 1) * (1 + between) / below))
    return Williams(t, n - 3, float(stdtr(n - 3, -t)))


def is_one_number(between: float) -> bool:
    """Whether two metrics that correlate so say the same of every output: which of them agrees
    better in a draw is then decided by their last digits."""
    return between >= _ONE


def bootstrap_p(first: FloatArray, second: FloatArray) -> float | None:
    """One-sided p of a paired bootstrap (Koehn 2004): how often, among the draws (draws,) in which
    both are defined, the first agrees no better; one more than counted, so that it is never 0."""
    both = ~np.isnan(first) & ~np.isnan(second)
    if not both.any():
        return None
    return float((1 + np.count_nonzero(first[both] <= second[both])) / (1 + both.sum()))
