"""The interval of alpha for other items *and* other annotators of the same kind.

The bootstrap draws items and keeps the people, and so says what these people would agree on other
items. How alpha changes when each of them is left out says what it owes to who they are (the
jackknife: Efron and Tibshirani 1993, chapter 11). Both variances are added, with Satterthwaite's
degrees of freedom. What people and items share is in both: with few people the interval is a little
wider than it need be. `python -m bench.intervals` shows what it covers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.agreement.result import Coefficient, Interval
from annotation.agreement.systems import resampling
from annotation.protocols.base import Wording

FEWEST_ANNOTATORS = 4
METHOD = "bootstrap over items and jackknife over annotators, Satterthwaite's t"
FEW_ANNOTATORS = Wording(
    "Ce que d'autres personnes auraient donné ne peut pas se dire\u00a0: il en faudrait au moins "
    "{fewest} dont l'absence se calcule, il y en a {annotators}.",
    "What other people would have given cannot be told: it would take at least {fewest} without "
    "whom alpha can be computed, and there are {annotators}.",
)
NOT_EVERYBODY = Wording(
    "Ce que d'autres personnes auraient donné ne peut pas se dire\u00a0: il faudrait calculer "
    "l'alpha sans chaque personne, et il ne se calcule que sans {annotators} des {all}.",
    "What other people would have given cannot be told: it would take alpha without each of the "
    "people, and it can be computed without {annotators} of the {all} only.",
)
NOTHING_VARIES = Wording(
    "Ce que d'autres personnes auraient donné ne peut pas se dire\u00a0: ni d'autres éléments ni "
    "l'absence de quelqu'un ne changent l'alpha, et rien ne dit de combien il pourrait varier.",
    "What other people would have given cannot be told: neither other items nor anybody's absence "
    "changes alpha, and nothing tells by how much it might vary.",
)
_SAME = 1e-9


def other_annotators(found: Coefficient, without: Sequence[float | None]) -> Interval | None:
    """The interval of ``found``, an alpha with its interval over items; ``without`` is alpha
    without each annotator. None where there is no interval over items either; with too few
    annotators, one without whom there is no alpha, or nothing that varies, its ``undefined`` says
    so."""
    from scipy.special import ndtri, stdtrit  # type: ignore[import-untyped]

    over_items = found.interval
    if found.value is None or over_items is None:
        return None
    if over_items.low is None or over_items.high is None:
        return None
    left = np.array([value for value in without if value is not None])
    people, confidence = len(left), over_items.confidence
    if people < FEWEST_ANNOTATORS:
        few = FEW_ANNOTATORS.format(fewest=FEWEST_ANNOTATORS, annotators=people)
        return Interval(None, None, confidence, 0, undefined=few, method=METHOD)
    if people < found.annotators:
        some = NOT_EVERYBODY.format(annotators=people, all=found.annotators)
        return Interval(None, None, confidence, 0, undefined=some, method=METHOD)
    tail = 1 - (1 - confidence) / 2
    # What a standard error was multiplied by: the interval over sources is Student's already.
    is_over_sources = over_items.method == resampling.BOOTSTRAP
    times = stdtrit(found.items - 1, tail) if is_over_sources else ndtri(tail)
    of_items = ((over_items.high - over_items.low) / (2 * times)) ** 2
    of_people = float((people - 1) / people * ((left - left.mean()) ** 2).sum())
    variance = of_items + of_people
    if variance < _SAME**2:
        return Interval(None, None, confidence, 0, undefined=NOTHING_VARIES, method=METHOD)
    loose = of_items**2 / max(found.items - 1, 1) + of_people**2 / (people - 1)
    half = float(stdtrit(variance**2 / loose, tail)) * variance**0.5
    return Interval(
        max(found.value - half, -1.0), min(found.value + half, 1.0), confidence, 0, method=METHOD
    )
