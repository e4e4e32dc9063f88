"""What changed between two studies on the outputs that both judged.

The change of an output is the second study's mean answer less the first one's; each output counts
the same. Source texts are drawn with all of their outputs (a cluster bootstrap), and the test
exchanges the two studies on each source text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.studies.own import OwnAnswers, own_answers
from annotation.agreement.studies.people import people_interval
from annotation.agreement.studies.table import Both
from annotation.agreement.studies.wording import FEW_FOR_TEST, NO_TEST
from annotation.agreement.systems.comparison import FEWEST_FOR_TEST
from annotation.agreement.systems.figure import (
    Counts,
    Drawn,
    Figure,
    figure,
    rounded,
    undefined,
    wording_facts,
)
from annotation.agreement.systems.permutation import SignFlip, sign_flip_test
from annotation.agreement.systems.resampling import (
    drawn_totals,
    ratios,
    share_difference_interval,
    sources_interval,
)
from annotation.agreement.systems.wording import NO_MEAN
from annotation.agreement.table import FloatArray
from annotation.protocols.base import Wording


@dataclass(frozen=True)
class Change:
    """``difference``: mean of the second less mean of the first, with the interval for other source
    texts; ``elsewhere``: the same with the interval for other people too; ``means`` of the two.
    ``shares``: the change of each answer's share, in the order of the scale. ``own``: the answers
    of those who judged an output in both. ``people``: how many rated in the first, in the second,
    in both.

    ``test`` is None with ``no_test`` saying why; ``adjusted`` is its p after Holm's correction over
    ``family`` tests. For classes, what needs an order is undefined in words.
    """

    counts: Counts
    people: tuple[int, int, int]
    means: tuple[float | None, float | None]
    difference: Figure
    elsewhere: Figure
    shares: tuple[Figure, ...]
    own: OwnAnswers
    test: SignFlip | None
    no_test: Wording | None
    adjusted: float | None = None
    family: int = 0

    def corrected(self, adjusted: float, family: int) -> Change:
        """With its p among all others'."""
        return replace(self, adjusted=adjusted, family=family)

    @property
    def signature(self) -> str:
        """Of the test."""
        return "" if self.test is None else self.test.signature("studies", self.family)

    def as_dict(self) -> dict[str, Any]:
        test = self.test
        return {
            "means": [rounded(mean) for mean in self.means],
            "difference": self.difference.as_dict(),
            "difference_with_other_annotators": self.elsewhere.as_dict(),
            "share_differences": [share.as_dict() for share in self.shares],
            "annotators": dict(zip(("first", "second", "both"), self.people, strict=True)),
            "same_annotators": self.own.as_dict(),
            "test": None
            if test is None
            else test.as_dict(self.adjusted, self.family, self.signature),
            "no_test": wording_facts(self.no_test),
        }


def change(table: Both, drawn: Drawn) -> Change:
    """Everything about one dimension, but Holm's correction; there is at least one pair."""
    first, second = (set(np.unique(side.person).tolist()) for side in table.sides)
    people = (len(first), len(second), len(first & second))
    shares = [table.shares(side) for side in table.sides]
    gaps = shares[1] - shares[0]
    by_text = table.by_source(gaps @ table.scale[:, None] if table.is_scale else gaps)
    test = sign_flip_test(by_text, seed=drawn.seed)
    no_test = _no_test(test)
    difference, share_differences = _differences(table, shares[0], shares[1], drawn)
    means = [
        float((answers @ table.scale).mean()) if table.is_scale else None for answers in shares
    ]
    return Change(
        counts=table.counts,
        people=people,
        means=(means[0], means[1]),
        difference=difference,
        elsewhere=_elsewhere(table, difference, drawn),
        shares=share_differences,
        own=own_answers(table, drawn),
        test=test if no_test is None else None,
        no_test=no_test,
    )


def _no_test(test: SignFlip | None) -> Wording | None:
    if test is None:
        return NO_TEST
    if test.differing >= FEWEST_FOR_TEST:
        return None
    numbers = {"texts": test.differing, "fewest": FEWEST_FOR_TEST}
    least = f"{test.smallest:g}"
    return Wording(
        FEW_FOR_TEST.fr.format(smallest=least.replace(".", ","), **numbers),
        FEW_FOR_TEST.en.format(smallest=least, **numbers),
    )


def _differences(
    table: Both, first: FloatArray, second: FloatArray, drawn: Drawn
) -> tuple[Figure, tuple[Figure, ...]]:
    """Of means and of shares, (pairs, values) in each study, from one set of draws."""
    counts, texts, v = table.counts, table.sources, len(table.scale)
    columns = table.by_source(np.column_stack([first, second, np.ones(len(first))]))
    totals = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed)
    draws = ratios(totals[:, :-1], np.repeat(totals[:, -1:], 2 * v, axis=1))
    point, before, after = (second - first).mean(axis=0), draws[:, :v], draws[:, v:]

    def of(at: int, answer: float) -> Figure:
        interval = share_difference_interval(
            (float(second[:, at].mean()), float(first[:, at].mean())),
            (after[:, at], before[:, at]),
            sources=texts,
            confidence=drawn.confidence,
        )
        value = float(point[at])
        return figure("study_share_change", value, interval, counts, drawn, answer=answer)

    shares = tuple(of(at, answer) for at, answer in enumerate(table.scale.tolist()))
    if not table.is_scale:
        return undefined(NO_MEAN, counts), shares
    value, draws = float(point @ table.scale), (after - before) @ table.scale
    interval = sources_interval(value, draws, sources=texts, confidence=drawn.confidence)
    return figure("study_change", value, interval, counts, drawn), shares


def _elsewhere(table: Both, here: Figure, drawn: Drawn) -> Figure:
    """The difference with the interval for other texts and other people."""
    if here.value is None:
        return here
    interval = people_interval(table, here.value, here=here.interval, confidence=drawn.confidence)
    over = {"interval_over": "sources,annotators"}
    return figure(
        "study_change", here.value, interval, here.counts, replace(drawn, draws=0), **over
    )
