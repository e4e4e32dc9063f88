"""Values of any size: rounded by the digits that count, and brought to a size that can be computed
with. Correlations do not depend on a metric's scale, and neither may what is computed of them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from annotation.agreement.systems.figure import DIGITS

FloatArray = npt.NDArray[np.float64]


def significant(value: float) -> float:
    """Twelve digits that count, however small the value is; never minus zero."""
    return float(f"{value:.{DIGITS}g}") + 0.0


def significants(values: FloatArray) -> FloatArray:
    """``significant`` of each; NaN stays."""
    return np.array([significant(value) for value in values.tolist()], dtype=np.float64)


def settled(values: FloatArray, lowest: float, highest: float) -> FloatArray:
    """Means of scores on a scale with these ends, to twelve digits from the first one of the larger
    end, of which the sum has lost none: (.1 + .2 + .3) / 3 and .2 are one mean, and one rank. NaN
    stays; never minus zero."""
    end = max(abs(lowest), abs(highest)) or 1.0
    digits = DIGITS - math.floor(math.log10(end))
    return np.array([round(value, digits) + 0.0 for value in values.tolist()], dtype=np.float64)


def differences(values: FloatArray, others: FloatArray) -> FloatArray:
    """Of each two finite values, to fourteen digits of the larger, of which subtracting has lost
    none: .3 - .2 and .2 - .1 are of one size. What would be no number is the largest that is
    one."""
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        apart: FloatArray = np.clip(values - others, -largest, largest)
    larger = np.maximum(np.abs(values), np.abs(others))
    powers = np.floor(np.log10(np.where(larger > 0, larger, 1.0))).astype(np.int64)
    for power in np.unique(powers).tolist():
        at, digits = powers == power, 13 - power
        # Powers of ten beyond the 22nd are no exact floats: the same digits would be two numbers.
        apart[at] = (
            np.round(apart[at], digits)
            if abs(digits) <= 22
            else [round(gap, digits) for gap in apart[at].tolist()]
        )
    return apart


def exponent(*arrays: FloatArray) -> int:
    """The power of two that brings the largest of these, whatever its sign, below 1; 0 without any
    but zeros."""
    largest = max((float(np.max(np.abs(array), initial=0.0)) for array in arrays), default=0.0)
    return int(np.frexp(largest)[1])


def unit(values: FloatArray) -> FloatArray:
    """Divided by that power of two, which changes no digit: squares and sums of squares are then
    neither 0 nor infinite."""
    shifted: FloatArray = np.ldexp(values, -exponent(values))
    return shifted


def centred(values: FloatArray) -> FloatArray:
    """Around 0, with a spread of 1: what is computed of these is the same wherever a scale begins
    and however wide it is. They differ from one another."""
    whole = unit(values)
    apart: FloatArray = whole - whole.mean()
    return apart / (apart.std() or 1.0)


def ranks(values: FloatArray) -> FloatArray:
    """Places in the order of the distinct values, from 0. What looks at the order alone takes
    these: differences of very large or very small values are no numbers any more."""
    places: FloatArray = np.unique(values, return_inverse=True)[1].ravel().astype(np.float64)
    return places
