"""Alpha without each rater, paired with everybody's: is the change more than chance among items?

Items that share a source go together. A jackknife over groups of sources gives the difference its
standard error (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.6, with as
many groups as degrees of freedom need, and Student's t): both alphas lose the same items each time,
so that what they share falls out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE, generator
from annotation.agreement.formulas import alpha_formula
from annotation.agreement.patterns import unit_patterns
from annotation.agreement.result import Interval
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level, Wording

GROUPS = 200
FEWEST = 8
JACKKNIFE = "jackknife over groups of source texts, paired (Student's t)"
FEW_SOURCES = Wording(
    "Pas d'intervalle\u00a0: il faut au moins {fewest} textes originaux, il y en a {sources}.",
    "No interval: it takes at least {fewest} original texts, and there are {sources}.",
)
UNDEFINED = Wording(
    "Indéfini\u00a0: sans cette personne, ou sans certains textes, l'alpha ne se calcule pas.",
    "Not defined: without this person, or without some texts, alpha cannot be computed.",
)


@dataclass(frozen=True)
class Without:
    """Alpha without a rater less everybody's: above zero the others agree better among
    themselves. None where the interval says why."""

    rater: Hashable
    difference: float | None
    interval: Interval


def alphas_without(
    ratings: Ratings,
    *,
    level: Level | str,
    seed: int,
    sources: Mapping[Hashable, Hashable] | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[Without, ...]:
    """For every rater in order of ids. ``sources``: of each unit; by default each is its own. Which
    sources make a group is drawn by ``seed`` where there are more than ``GROUPS``."""
    group, number = _groups(ratings, sources or {}, seed)
    everybody = _leaving_out(ratings, level, group, number)
    return tuple(
        _without(
            rater,
            _leaving_out(ratings.without_rater(rater), level, group, number) - everybody,
            number,
            confidence,
        )
        for rater in ratings.rater_ids
    )


def _groups(
    ratings: Ratings, sources: Mapping[Hashable, Hashable], seed: int
) -> tuple[IntArray, int]:
    """The group of each unit, (units,), and how many there are."""
    of_unit = [str(sources.get(unit, unit)) for unit in ratings.unit_ids]
    distinct, code = np.unique(np.array(of_unit, dtype=object), return_inverse=True)
    number = min(len(distinct), GROUPS)
    places = generator(seed).permutation(len(distinct)) % max(number, 1)
    return places[code].astype(np.int64), number


def _leaving_out(ratings: Ratings, level: Level | str, group: IntArray, number: int) -> FloatArray:
    """Alpha of all units, then without each group: (1 + groups,)."""
    patterns = unit_patterns(ratings)
    kinds = len(patterns.frequency)
    if not kinds:
        return np.full(1 + number, np.nan)
    formula = alpha_formula(patterns, Level(level))
    rated = patterns.of_unit >= 0
    cells = group[rated] * kinds + patterns.of_unit[rated]
    held = np.bincount(cells, minlength=number * kinds).reshape(number, kinds)
    weights = np.vstack([patterns.frequency, patterns.frequency - held]).astype(np.float64)
    return formula.evaluate(formula.sums(weights))


def _without(rater: Hashable, differences: FloatArray, number: int, confidence: float) -> Without:
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    value, parts = float(differences[0]), differences[1:]
    reason = None
    if np.isnan(differences).any():
        reason = UNDEFINED
    elif number < FEWEST:
        reason = FEW_SOURCES.format(fewest=FEWEST, sources=number)
    known = None if np.isnan(value) else value
    if reason is not None:
        nothing = Interval(None, None, confidence, 0, undefined=reason, method=JACKKNIFE)
        return Without(rater, known, nothing)
    error = ((number - 1) / number * ((parts - parts.mean()) ** 2).sum()) ** 0.5
    half = float(stdtrit(number - 1, 1 - (1 - confidence) / 2)) * float(error)
    interval = Interval(value - half, value + half, confidence, 0, method=JACKKNIFE)
    return Without(rater, value, interval)
