"""Intervals for other texts *and* other people of the same kind.

Texts and people are two random factors that cross. The variance of a mean has a part of each, and
what both share is taken off once (Brennan 2001, Generalizability Theory, chapter 6; for designs
with holes as Cameron, Gelbach and Miller 2011 take the clusters of each). Student's t is that of
texts and that of people, weighed by their parts (Cochran 1964, Biometrics 20): few people make wide
intervals. `python -m bench.systems` shows what it covers; Satterthwaite's degrees of freedom cover
92 % with three to five people.
"""

from __future__ import annotations

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE
from annotation.agreement.result import Interval
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.agreement.systems.table import counted
from annotation.agreement.systems.wording import FEW_PEOPLE, FEW_SOURCES, NO_VARIATION
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

WIDENED = "never narrower than the interval with these annotators"
CROSSED = f"two-way random effects over source texts and annotators, Cochran's t, {WIDENED}"
FEWEST_PEOPLE = 3
_ROUNDS = 30
_SAME = 1e-9


def crossed_interval(
    value: float,
    deviations: FloatArray,
    weights: FloatArray,
    *,
    source: IntArray,
    person: IntArray,
    here: Interval | None = None,
    confidence: float = CONFIDENCE,
    few: Wording = FEW_PEOPLE,
) -> Interval:
    """The interval of ``value``, the mean of what ``deviations`` are deviations from.

    One entry for each text × person, all of shape (cells,): ``weights`` add up to 1, ``source`` and
    ``person`` are codes. ``here`` is the interval for the same people: what holds for others too is
    never told more exactly. ``few`` says which people there are too few of.
    """
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    texts, source = dense(source)
    people, person = dense(person)
    reason = None
    if texts < FEWEST_SOURCES:
        reason = FEW_SOURCES.format(fewest=FEWEST_SOURCES, sources=texts)
    elif people < FEWEST_PEOPLE:
        reason = few.format(fewest=FEWEST_PEOPLE, people=people)
    elif float(np.abs(deviations).max()) < _SAME:
        reason = NO_VARIATION
    if reason is not None:
        return Interval(None, None, confidence, 0, undefined=reason, method=CROSSED)
    shares = weights * deviations
    of_texts, of_people = (
        float((counted(codes, shares, (number,)) ** 2).sum()) * number / (number - 1)
        for codes, number in ((source, texts), (person, people))
    )
    if of_texts + of_people < _SAME**2:
        # What varies cancels out within each text and within each person.
        return Interval(None, None, confidence, 0, undefined=NO_VARIATION, method=CROSSED)
    left = len(weights) - texts - people + 1
    of_both = unexplained(deviations, source, person, texts, people) / left if left > 0 else 0.0
    of_both *= float((weights**2).sum())
    variance = max(of_texts + of_people - of_both, of_texts, of_people)
    tails = stdtrit([texts - 1, people - 1], 1 - (1 - confidence) / 2)
    parts = np.array([of_texts, of_people])
    half = float(tails @ parts / parts.sum()) * variance**0.5
    low, high = value - half, value + half
    if here is not None and here.low is not None and here.high is not None:
        low, high = min(low, here.low), max(high, here.high)
    return Interval(low, high, confidence, 0, method=CROSSED)


def dense(codes: IntArray) -> tuple[int, IntArray]:
    """How many distinct codes there are, and the same numbered from 0 without holes."""
    distinct, numbered = np.unique(codes, return_inverse=True)
    return len(distinct), numbered.astype(np.int64)


def unexplained(
    values: FloatArray, source: IntArray, person: IntArray, texts: int, people: int
) -> float:
    """The sum of squares that neither texts nor people explain: means of each are taken off in turn
    until they are gone."""
    left = values - values.mean()
    sizes = [counted(codes, None, (n,)) for codes, n in ((source, texts), (person, people))]
    for _ in range(_ROUNDS):
        for codes, size in ((source, sizes[0]), (person, sizes[1])):
            left = left - (counted(codes, left, size.shape) / size)[codes]
    return float((left**2).sum())
