"""Coefficients of agreement among any number of raters with holes, each by itself (``report`` gives
all at once)."""

from __future__ import annotations

from annotation.agreement.formulas import agreement_formula, alpha_formula
from annotation.agreement.patterns import unit_patterns
from annotation.agreement.result import NO_PAIR, Coefficient, alpha_coefficient, coefficient
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level


def percent_agreement(ratings: Ratings) -> Coefficient:
    """Share (0–1) of agreeing pairs among all pairs of ratings of the same unit, pooled over units.

    Beauchemin et al. (2025), JUDGEBERT, table 2. Undefined, in words, where no unit has two
    ratings.
    """
    return agreement_within(ratings, tolerance=0)


def agreement_within(ratings: Ratings, tolerance: float = 1) -> Coefficient:
    """Share (0–1) of pairs of ratings of the same unit that differ by at most ``tolerance`` points
    of the scale.

    Raises ``ValueError`` for a negative tolerance. Undefined, in words, where no unit has two
    ratings.
    """
    if tolerance < 0:
        raise ValueError(f"a tolerance is not negative: {tolerance}")
    patterns = unit_patterns(ratings)
    return coefficient(ratings, agreement_formula(patterns, tolerance).estimate(patterns), NO_PAIR)


def alpha(ratings: Ratings, level: Level | str) -> Coefficient:
    """Krippendorff's alpha at ``level`` ("nominal", "ordinal" or "interval"), for any number of
    raters with holes.

    Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section E. At most 1; 0 is
    chance. Raises ``ValueError`` for another level. Undefined, in words, where fewer than two units
    have two ratings or all ratings that can be compared are the same value.
    """
    patterns = unit_patterns(ratings)
    return alpha_coefficient(ratings, alpha_formula(patterns, Level(level)).estimate(patterns))
