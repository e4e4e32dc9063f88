"""How far the individual judgments of two studies agree: within each, and between them.

Two judgments of one output, of different people, are a couple; the share of couples that give the
same answer is the percent agreement of Beauchemin et al. (2025), JUDGEBERT, table 2, here taken
between studies too. Were both studies draws from one population of judgments, couples across them
would agree as often as couples within.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.agreement.formulas import alpha_formula
from annotation.agreement.patterns import unit_patterns
from annotation.agreement.result import ONE_UNIT
from annotation.agreement.studies.table import Both, Side
from annotation.agreement.studies.wording import NO_ALPHA, NO_COUPLE, NO_OTHER_COUPLE
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    counts_of,
    figure,
    undefined,
)
from annotation.agreement.systems.resampling import drawn_totals, ratios, sources_interval
from annotation.agreement.systems.table import counted
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Wording

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class JudgmentsAgreement:
    """Shares of couples that give the same answer: of two people of the first study, of the second,
    of one of each; ``excess`` is the last less the mean of the first two. ``alphas``:
    Krippendorff's, at the dimension's own level, of the first, of the second, and of all judgments
    as if they were of one study."""

    first: Figure
    second: Figure
    between: Figure
    excess: Figure
    alphas: tuple[Figure, Figure, Figure]

    def as_dict(self) -> dict[str, Any]:
        names = ("first", "second", "together")
        return {
            "within_first": self.first.as_dict(),
            "within_second": self.second.as_dict(),
            "between": self.between.as_dict(),
            "between_less_within": self.excess.as_dict(),
            "alpha": {
                name: alpha.as_dict() for name, alpha in zip(names, self.alphas, strict=True)
            },
        }


def judgments_agreement(table: Both, drawn: Drawn) -> JudgmentsAgreement:
    """All of it; source texts are drawn once for all shares. Each figure rests on the outputs that
    have a couple of its kind: its tails, and whether it has an interval, go by their texts. What
    takes all three shares is as sure as the one of fewest texts."""
    couples = [_within(table, side) for side in table.sides] + [_between(table)]
    columns = table.by_source(np.column_stack([column for couple in couples for column in couple]))
    totals = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed)
    points = ratios(columns.sum(axis=0)[::2], columns.sum(axis=0)[1::2])
    draws = ratios(totals[:, ::2], totals[:, 1::2])
    sides = [(side,) for side in table.sides] + [table.sides]
    bases = [
        _counts(table, of, all_couples > 0)
        for of, (_agreeing, all_couples) in zip(sides, couples, strict=True)
    ]
    names = ("agreement_within_first", "agreement_within_second", "agreement_between")
    reasons = (NO_COUPLE, NO_COUPLE, NO_OTHER_COUPLE)
    shares = [
        _figure(name, float(points[at]), draws[:, at], bases[at], drawn, reasons[at])
        for at, name in enumerate(names)
    ]
    excess = _figure(
        "agreement_between_less_within",
        float(points[2] - points[:2].mean()),
        draws[:, 2] - draws[:, :2].mean(axis=1),
        min(bases, key=lambda counts: counts.sources),
        drawn,
        shares[2].undefined or NO_COUPLE,
    )
    return JudgmentsAgreement(shares[0], shares[1], shares[2], excess, _alphas(table, drawn))


def _figure(
    name: str, value: float, draws: FloatArray, counts: Counts, drawn: Drawn, reason: Wording
) -> Figure:
    if np.isnan(value):
        return undefined(reason, counts)
    interval = sources_interval(value, draws, sources=counts.sources, confidence=drawn.confidence)
    return figure(name, value, interval, counts, drawn)


def _counts(table: Both, sides: tuple[Side, ...], kept: BoolArray) -> Counts:
    """Of the ratings of these studies to the outputs that are ``kept``, (pairs,)."""
    pair = np.concatenate([side.pair for side in sides])
    person = np.concatenate([side.person for side in sides])
    inside = kept[pair]
    return counts_of(pair[inside], table.source[pair[inside]], person[inside])


def _within(table: Both, side: Side) -> tuple[FloatArray, FloatArray]:
    """Agreeing couples and all couples of each output, (pairs,) both."""
    counts = table.answers(side)
    judged = counts.sum(axis=1)
    return (counts * (counts - 1)).sum(axis=1) / 2, judged * (judged - 1) / 2


def _between(table: Both) -> tuple[FloatArray, FloatArray]:
    """The same of one judgment of each study, without people met in both."""
    first, second = (table.answers(side) for side in table.sides)
    agreeing = (first * second).sum(axis=1)
    couples = first.sum(axis=1) * second.sum(axis=1)
    width = max(len(table.people), 1)
    cells = [side.pair * width + side.person for side in table.sides]
    common, at_first, at_second = np.intersect1d(cells[0], cells[1], return_indices=True)
    same = table.first.place[at_first] == table.second.place[at_second]
    shape = (len(table.pairs),)
    agreeing = agreeing - counted(common // width, same * 1.0, shape)
    return agreeing, couples - counted(common // width, None, shape)


def _alphas(table: Both, drawn: Drawn) -> tuple[Figure, Figure, Figure]:
    first, second = table.sides
    return (
        _alpha(table, (first,), "first", drawn),
        _alpha(table, (second,), "second", drawn),
        _alpha(table, (first, second), "together", drawn),
    )


def _alpha(table: Both, sides: tuple[Side, ...], name: str, drawn: Drawn) -> Figure:
    """Alpha of these judgments. Taken together, who judged in both counts as two."""
    ratings = Ratings.from_long(
        [pair for side in sides for pair in side.pair.tolist()],
        [(of, person) for of, side in enumerate(sides) for person in side.person.tolist()],
        [value for side in sides for value in table.scale[side.place].tolist()],
    )
    counts = _counts(table, sides, ratings.ratings_per_unit >= 2)
    return alpha_figure(table, ratings, table.source, name, counts, drawn)


def alpha_figure(
    table: Both, ratings: Ratings, source: IntArray, name: str, counts: Counts, drawn: Drawn
) -> Figure:
    """Alpha of ``ratings`` at the level of ``table``. ``source`` (units,): the code of each unit's
    text; texts are drawn with all of their units. Units with fewer than two ratings say nothing of
    it, and neither they nor texts that have no others are in ``counts`` or drawn."""
    patterns = unit_patterns(ratings, table.scale.tolist())
    formula = alpha_formula(patterns, table.level)
    value = formula.estimate(patterns)
    if ratings.n_pairable == 1:
        return undefined(ONE_UNIT, counts)
    if np.isnan(value):
        return undefined(NO_ALPHA, counts)
    kept, width = ratings.ratings_per_unit >= 2, len(patterns.frequency)
    texts, text = np.unique(source[kept], return_inverse=True)
    cells = text.ravel() * width + patterns.of_unit[kept]
    weights = counted(cells, None, (len(texts), width))
    sums = drawn_totals(formula.sums(weights), draws=drawn.draws, seed=drawn.seed)
    draws = formula.evaluate(sums) if len(sums) else np.zeros(0)
    interval = sources_interval(value, draws, sources=counts.sources, confidence=drawn.confidence)
    named = {"studies": name, "at": str(table.level)}
    return figure("alpha", value, interval, counts, drawn, **named)
