"""Answers of two values as a normal that is cut in two (the threshold model; Pearson 1900), so that
they are simulated as longer scales are.

Their mean alone says how far they vary. What two answers share by text, output or annotator is less
on the scale than in the normal behind it: each part is looked for that shows as was seen.
"""

from __future__ import annotations

from typing import NamedTuple

_NEAREST = 1 - 1e-9
LOOSE = 0.25
"""By how much, of itself, a deviation may miss the one that the mean gives: parts that were
estimated from few answers do not add up to it exactly."""


class Cut(NamedTuple):
    """A normal of deviation 1 around ``mean``, cut at 0. ``parts``: deviations of what makes it up,
    in the order in which shares were given, and of the rest."""

    mean: float
    parts: tuple[float, float, float, float]


def cut(above: float, sources: float, outputs: float, annotators: float) -> Cut:
    """What gives the higher value to so many answers (a share between 0 and 1), of whose variance
    texts, outputs and annotators have these shares."""
    from scipy.special import ndtri  # type: ignore[import-untyped]

    mean = float(ndtri(above))
    by_text = _hidden(mean, above, sources)
    by_output = max(_hidden(mean, above, sources + outputs) - by_text, 0.0)
    by_person = _hidden(mean, above, annotators)
    explained = by_text + by_output + by_person
    fitted = [part / max(explained, 1.0) for part in (by_text, by_output, by_person)]
    text, output, person = (part**0.5 for part in fitted)
    return Cut(mean, (text, output, person, max(1 - sum(fitted), 0.0) ** 0.5))


def _hidden(mean: float, above: float, share: float) -> float:
    """The correlation in the normal of two answers that share so much of their variance."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]
    from scipy.stats import multivariate_normal  # type: ignore[import-untyped]

    def miss(correlation: float) -> float:
        cov: list[list[float]] = [[1.0, correlation], [correlation, 1.0]]
        both = float(multivariate_normal.cdf([mean, mean], cov=cov))
        return both - above**2 - share * above * (1 - above)

    if share <= 0 or miss(0.0) >= 0:
        return 0.0
    return float(brentq(miss, 0.0, _NEAREST)) if miss(_NEAREST) > 0 else _NEAREST
