"""Coefficients each by itself, from the formulas of the report: what the literature and public
packages state."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np
import numpy.typing as npt

from annotation.agreement.formulas import ac2_formula
from annotation.agreement.kappa import KappaPairs, comparisons, kappa_pairs
from annotation.agreement.patterns import unit_patterns
from annotation.agreement.raters import rater_summaries
from annotation.agreement.result import ONE_CATEGORY, Coefficient, coefficient
from annotation.agreement.table import Ratings


def gwet_ac2(
    ratings: Ratings, weights: str = "identity", scale: Sequence[float] | None = None
) -> Coefficient:
    """Gwet's AC2 with "identity" (AC1), "linear", "ordinal", "quadratic" or "radical" weights.

    Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapters 2–5; equal to irrCAC 1.0
    ``gwet.ac1.raw``.
    """
    patterns = unit_patterns(ratings, scale)
    return coefficient(ratings, ac2_formula(patterns, weights).estimate(patterns), ONE_CATEGORY)


def cohen_kappa_pairs(
    ratings: Ratings, weights: str = "identity", scale: Sequence[float] | None = None
) -> KappaPairs:
    return kappa_pairs(ratings, comparisons(ratings, weights, scale))


def cohen_kappa(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    weights: str = "identity",
    scale: Sequence[float] | None = None,
) -> Coefficient:
    """Kappa of two raters' values of the same units: Cohen (1960); with weights Cohen (1968)."""
    table = Ratings.from_matrix(np.column_stack([first, second]))
    return cohen_kappa_pairs(table, weights, scale).between(0, 1).kappa


def human_ceiling(ratings: Ratings) -> float:
    """The mean of the raters' correlations with the rest, each weighted by the number of its
    ratings."""
    known = [
        (summary.with_rest.value, summary.with_rest.ratings)
        for summary in rater_summaries(ratings, level="ordinal")
        if summary.with_rest.value is not None
    ]
    return fsum(r * count for r, count in known) / sum(count for _, count in known)
