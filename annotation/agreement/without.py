"""Alpha without each rater, paired with everybody's: is the change more than chance among items?

Items that share a source go together. A jackknife over groups of sources gives the difference its
standard error (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.6, with as
many groups as degrees of freedom need, and Student's t): both alphas lose the same items each time,
so that what they share falls out.

An item that fewer than two people rated says nothing of either alpha: it is in no group, and no
degree of freedom rests on it. Of one item alpha is 0 by construction (``alpha_coefficient``), and
so no difference is told from one.
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
    "Pas d'intervalle\u00a0: il faut au moins {fewest} textes originaux jugés par deux autres "
    "personnes ou plus, il y en a {sources}.",
    "No interval: it takes at least {fewest} original texts that two other people or more judged, "
    "and there are {sources}.",
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
    groups = _groups(ratings, sources or {}, seed)
    everybody = _leaving_out(ratings, level, groups)
    return tuple(
        _without(
            rater,
            _leaving_out(others, level, groups) - everybody,
            groups.left_to(others),
            confidence,
        )
        for rater in ratings.rater_ids
        for others in [ratings.without_rater(rater)]
    )


@dataclass(frozen=True, eq=False)
class _Groups:
    """What is left out in turn: the ``source`` of each unit and the group that it is in, codes of
    shape (units,), −1 for units that fewer than two people rated; ``number`` of groups."""

    source: IntArray
    of_unit: IntArray
    number: int

    def left_to(self, others: Ratings) -> int:
        """How many sources have a unit that two of these people or more rated."""
        return len(np.unique(self.source[others.ratings_per_unit >= 2]))


def _groups(ratings: Ratings, sources: Mapping[Hashable, Hashable], seed: int) -> _Groups:
    """The sources of the units that can be compared at all, in as many groups as there may be."""
    compared = np.flatnonzero(ratings.ratings_per_unit >= 2)
    units = [ratings.unit_ids[unit] for unit in compared.tolist()]
    named = np.array([str(sources.get(unit, unit)) for unit in units], dtype=object)
    distinct, code = np.unique(named, return_inverse=True)
    number = min(len(distinct), GROUPS)
    places = generator(seed).permutation(len(distinct)) % max(number, 1)
    source, of_unit = (np.full(ratings.n_units, -1, dtype=np.int64) for _ in range(2))
    source[compared], of_unit[compared] = code.ravel(), places[code.ravel()]
    return _Groups(source, of_unit, number)


def _leaving_out(ratings: Ratings, level: Level | str, groups: _Groups) -> FloatArray:
    """Alpha of all units, then without each group: (1 + groups,). NaN where fewer than two units
    are left that can be compared."""
    patterns, number = unit_patterns(ratings), groups.number
    kinds = len(patterns.frequency)
    if not kinds:
        return np.full(1 + number, np.nan)
    formula = alpha_formula(patterns, Level(level))
    inside = (patterns.of_unit >= 0) & (groups.of_unit >= 0)
    cells = groups.of_unit[inside] * kinds + patterns.of_unit[inside]
    held = np.bincount(cells, minlength=number * kinds).reshape(number, kinds)
    weights = np.vstack([patterns.frequency, patterns.frequency - held]).astype(np.float64)
    compared = weights @ (patterns.sizes >= 2)
    return np.where(compared >= 2, formula.evaluate(formula.sums(weights)), np.nan)


def _without(rater: Hashable, differences: FloatArray, left: int, confidence: float) -> Without:
    """``differences`` (1 + groups,): of all units, then without each group. ``left``: the sources
    that the others can be compared on. Where these are fewer than the groups, the degrees of
    freedom are theirs, since the others' alpha rests on them alone."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    value, parts = float(differences[0]), differences[1:]
    number = len(parts)
    reason = None
    if np.isnan(differences).any():
        reason = UNDEFINED
    elif left < FEWEST:
        reason = FEW_SOURCES.format(fewest=FEWEST, sources=left)
    known = None if np.isnan(value) else value
    if reason is not None:
        nothing = Interval(None, None, confidence, 0, undefined=reason, method=JACKKNIFE)
        return Without(rater, known, nothing)
    error = ((number - 1) / number * ((parts - parts.mean()) ** 2).sum()) ** 0.5
    student = float(stdtrit(min(number, left) - 1, 1 - (1 - confidence) / 2))
    half = student * float(error)
    interval = Interval(value - half, value + half, confidence, 0, method=JACKKNIFE)
    return Without(rater, value, interval)
