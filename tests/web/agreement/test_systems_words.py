"""What is said where the means of two systems and their difference disagree."""

from __future__ import annotations

import numpy as np
import pytest
from django.utils.translation import override

from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.report import Dimension, DimensionSystems, side_by_side
from annotation.agreement.systems.table import Output
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from annotation.web.agreement.systems.words import comparison_words

HOLES = np.nan


def of(*systems: list[list[float]]) -> DimensionSystems:
    """Systems a and b as matrices of texts × people."""
    ratings = Ratings.from_matrix(np.concatenate([np.array(matrix) for matrix in systems]))
    texts = len(systems[0])
    outputs = [Output(at, "ab"[at // texts], at % texts) for at in range(2 * texts)]
    dimension = Dimension(ratings, Level.ORDINAL, tuple(range(1, 11)))
    return side_by_side({"q": dimension}, outputs, flags={}, drawn=Drawn())["q"]


@pytest.mark.parametrize(
    ("second", "says"), [([[HOLES, 6.0, 9.0]] * 20, True), ([[HOLES, 6.0, 1.0]] * 20, False)]
)
def test_means_that_say_the_opposite_are_explained(second, says):
    """One person judged both, and prefers the first; its other judge is strict, the second's
    mild or stricter still."""
    dimension = of([[2.0, 7.0, HOLES]] * 20, second)
    (comparison,) = dimension.comparisons
    with override("en"):
        words = comparison_words(comparison, dimension)
    assert ("The means of the two say the opposite" in words) is says
    assert ("“a” 4.50, “b” 7.50" in words) is says
