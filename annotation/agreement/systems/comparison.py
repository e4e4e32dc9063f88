"""What is said of two systems on one dimension."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.systems.crossed import crossed_interval
from annotation.agreement.systems.differences import Matched, cliffs_delta, matched
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
    centred,
    drawn_totals,
    share_difference_interval,
    sources_interval,
)
from annotation.agreement.systems.table import SystemRatings
from annotation.agreement.systems.wording import (
    DIFFERENT_PEOPLE,
    FEW_COMPARED,
    FEW_FOR_TEST,
    FEW_WHO_JUDGED_BOTH,
    NO_ANSWER,
    NO_ANSWER_OF,
    NO_COMMON_ANSWER,
    NO_COMMON_PERSON,
    NO_COMMON_SOURCE,
    NO_DIFFERENCE,
    NO_MEAN,
    ONE_FOR_TEST,
)
from annotation.agreement.table import FloatArray
from annotation.protocols.base import Better, Wording

FEWEST_FOR_TEST = 6
"""Texts that differ: with five, p is at least 0.0625 whatever they say."""
LARGEST = 20


class Gap(NamedTuple):
    """A text on which two systems differ: their means (of classes: None), and by how much (of
    classes: the share of answers that would have to change)."""

    source: Hashable
    first: float | None
    second: float | None
    difference: float


class PersonSays(NamedTuple):
    """One person's own mean difference, over the texts on which they judged both."""

    person: Hashable
    difference: float
    sources: int


@dataclass(frozen=True)
class Comparison:
    """``first`` against ``second``; the differences and Cliff's delta are above zero where the
    first is higher, ``superiority`` is that it is judged better (where neither is better: higher).

    ``elsewhere`` is the difference again with the interval for other people too.
    ``undefined``: nothing can be compared, and why. ``test`` is None with ``no_test`` saying why;
    ``adjusted`` is its p after Holm's correction over ``family`` tests. ``people`` and the figures
    that need an order are empty or undefined for classes.
    """

    first: str
    second: str
    counts: Counts
    difference: Figure
    elsewhere: Figure
    shares: tuple[Figure, ...]
    superiority: Figure
    delta: Figure
    test: SignFlip | None
    no_test: Wording | None
    people: tuple[PersonSays, ...] = ()
    largest: tuple[Gap, ...] = ()
    notes: tuple[Wording, ...] = ()
    undefined: Wording | None = None
    adjusted: float | None = None
    family: int = 0

    def corrected(self, adjusted: float, family: int) -> Comparison:
        """With its p among all others'."""
        return replace(self, adjusted=adjusted, family=family)

    @property
    def signature(self) -> str:
        """Of the test."""
        of = f"first:{self.first}|second:{self.second}"
        return "" if self.test is None else self.test.signature(of, self.family)

    def as_dict(self) -> dict[str, Any]:
        test = self.test
        return {
            "first": self.first,
            "second": self.second,
            "undefined": wording_facts(self.undefined),
            "difference": self.difference.as_dict(),
            "difference_with_other_annotators": self.elsewhere.as_dict(),
            "share_differences": [share.as_dict() for share in self.shares],
            "superiority": self.superiority.as_dict(),
            "cliffs_delta": self.delta.as_dict(),
            "test": None
            if test is None
            else test.as_dict(self.adjusted, self.family, self.signature),
            "no_test": wording_facts(self.no_test),
            "annotators": [
                {
                    "annotator": str(person.person),
                    "difference": rounded(person.difference),
                    "sources": person.sources,
                }
                for person in self.people
            ],
            "notes": [wording_facts(note) for note in self.notes],
        }


def compared(table: SystemRatings, first: int, second: int, drawn: Drawn) -> Comparison:
    """Everything about two systems, given by their codes, but Holm's correction."""
    common = matched(table, first, second)
    counts = Counts(common.outputs, len(common.sources), common.raters, common.ratings)
    names = (table.systems[first], table.systems[second])
    reason = _refusal(table, common, first, second)
    if reason is not None:
        nothing = undefined(reason, counts)
        return Comparison(
            *names, counts, nothing, nothing, (), nothing, nothing, None, reason, undefined=reason
        )
    gaps = common.first - common.second
    test = sign_flip_test(gaps @ table.scale if table.is_scale else gaps, seed=drawn.seed)
    no_test = _no_test(test)
    difference, shares, superior, delta = _figures(table, common, counts, names, drawn)
    return Comparison(
        *names,
        counts,
        difference,
        _elsewhere(table, common, difference, names, drawn),
        shares,
        superior,
        delta,
        test=test if no_test is None else None,
        no_test=no_test,
        people=tuple(PersonSays(*row) for row in common.people) if table.is_scale else (),
        largest=_largest(table, common),
        notes=(DIFFERENT_PEOPLE.format(number=common.apart, sources=len(common.sources)),)
        if common.apart
        else (),
    )


def _refusal(table: SystemRatings, common: Matched, first: int, second: int) -> Wording | None:
    if not len(common.sources):
        return _unanswered(table, first, second)
    here = np.isin(table.source, common.sources)
    people = [set(table.rater[here & (table.system == code)].tolist()) for code in (first, second)]
    return None if people[0] & people[1] else NO_COMMON_PERSON


def _unanswered(table: SystemRatings, first: int, second: int) -> Wording:
    """What two systems lack that are rated on no text in common: texts, or answers on them."""
    texts = table.texts()
    if texts[first].isdisjoint(texts[second]):
        return NO_COMMON_SOURCE
    without = [table.systems[code] for code in (first, second) if not len(table.of(code))]
    if len(without) == 1:
        return NO_ANSWER_OF.format(system=without[0])
    return NO_ANSWER if without else NO_COMMON_ANSWER


def _no_test(test: SignFlip | None) -> Wording | None:
    if test is None:
        return NO_DIFFERENCE
    if test.differing < FEWEST_FOR_TEST:
        least = f"{test.smallest:g}"
        said = ONE_FOR_TEST if test.differing == 1 else FEW_FOR_TEST
        return Wording(
            said.fr.format(sources=test.differing, smallest=least.replace(".", ",")),
            said.en.format(sources=test.differing, smallest=least),
        )
    return None


def _figures(
    table: SystemRatings, common: Matched, counts: Counts, names: tuple[str, str], drawn: Drawn
) -> tuple[Figure, tuple[Figure, ...], Figure, Figure]:
    """Difference of means, of shares, probability of superiority, Cliff's delta: one set of draws.
    The delta alone compares texts with each other, and has its interval centred."""
    n, v = common.first.shape
    columns = np.column_stack([common.first, common.second, common.superior])
    draws = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed) / n
    point = columns.mean(axis=0)

    def of(name: str, value: float, values: FloatArray, **options: object) -> Figure:
        interval = sources_interval(value, values, sources=n, confidence=drawn.confidence)
        if name == "cliffs_delta":
            interval = centred(value, values, interval)
        named = {"first": names[0], "second": names[1], **options}
        return figure(name, value, interval, counts, drawn, **named)

    gap, gaps = point[:v] - point[v:-1], draws[:, :v] - draws[:, v:-1]
    shares = _shares(table, point, draws, counts, names, drawn)
    if not table.is_scale:
        nothing = undefined(NO_MEAN, counts)
        return nothing, shares, nothing, nothing
    delta = cliffs_delta(point[:v], point[v:-1])
    turned = {"better": table.better.value} if table.better == Better.LOWER else {}
    return (
        of("difference", float(gap @ table.scale), gaps @ table.scale),
        shares,
        of("superiority", float(point[-1]), draws[:, -1], **turned),
        of("cliffs_delta", float(delta), cliffs_delta(draws[:, :v], draws[:, v:-1])),
    )


def _shares(
    table: SystemRatings,
    point: FloatArray,
    draws: FloatArray,
    counts: Counts,
    names: tuple[str, str],
    drawn: Drawn,
) -> tuple[Figure, ...]:
    """The difference of each answer's shares. Of ``point`` and each draw, the first columns are the
    first system's shares, then the second's."""

    def of(at: int, answer: float) -> Figure:
        other = len(table.scale) + at
        interval = share_difference_interval(
            (float(point[at]), float(point[other])),
            (draws[:, at], draws[:, other]),
            sources=counts.sources,
            confidence=drawn.confidence,
        )
        named = {"first": names[0], "second": names[1], "answer": answer}
        value = float(point[at] - point[other])
        return figure("share_difference", value, interval, counts, drawn, **named)

    return tuple(of(at, answer) for at, answer in enumerate(table.scale.tolist()))


def _elsewhere(
    table: SystemRatings, common: Matched, here: Figure, names: tuple[str, str], drawn: Drawn
) -> Figure:
    """The difference with the interval for other texts and other people."""
    if here.value is None:
        return here
    value = here.value
    interval = crossed_interval(
        value,
        common.deviations,
        common.weights,
        source=common.cells // len(table.raters),
        person=common.cells % len(table.raters),
        here=here.interval,
        confidence=drawn.confidence,
        # On texts that nobody judged both outputs of, others count too.
        few=FEW_COMPARED if common.apart else FEW_WHO_JUDGED_BOTH,
    )
    return figure(
        "difference",
        value,
        interval,
        here.counts,
        replace(drawn, draws=0),
        first=names[0],
        second=names[1],
        interval_over="sources,annotators",
    )


def _largest(table: SystemRatings, common: Matched) -> tuple[Gap, ...]:
    """The texts on which the two differ most, equal ones in the order of their ids."""
    gaps = common.first - common.second
    if table.is_scale:
        means = (common.first @ table.scale, common.second @ table.scale)
        sizes = means[0] - means[1]
    else:
        sizes = np.abs(gaps).sum(axis=1) / 2
    order = np.argsort(-np.round(np.abs(sizes), 9), kind="stable")[:LARGEST]
    return tuple(
        Gap(
            table.sources[int(common.sources[at])],
            float(means[0][at]) if table.is_scale else None,
            float(means[1][at]) if table.is_scale else None,
            float(sizes[at]),
        )
        for at in order.tolist()
        if abs(sizes[at]) > 1e-9
    )
