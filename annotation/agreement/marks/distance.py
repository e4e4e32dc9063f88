"""How far two sets of labels are from each other."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from annotation.agreement.marks.layers import Labels
from annotation.agreement.table import FloatArray


def masi_distance(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """From 0 (equal) to 1 (nothing in common): 1 − Jaccard · m, with m = 1 for equal sets, 2/3
    where one holds the other, 1/3 where they overlap otherwise.

    Passonneau (2006), Measuring Agreement on Set-Valued Items (MASI), LREC. Two empty sets are
    equal; an empty one has nothing in common with any other.
    """
    if first == second:
        return 0.0
    common = len(first & second)
    if not common:
        return 1.0
    monotonicity = 2 / 3 if common == min(len(first), len(second)) else 1 / 3
    return 1 - common / len(first | second) * monotonicity


def masi_distances(classes: Sequence[Labels]) -> FloatArray:
    """Between all classes, shape (k, k)."""
    sets = [frozenset(labels) for labels in classes]
    return np.array([[masi_distance(labels, other) for other in sets] for labels in sets])
