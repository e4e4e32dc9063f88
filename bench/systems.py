"""What the intervals and tests about systems promise, and what they keep: simulated studies whose
truth is known.

``python -m bench.systems`` (``--studies 1000``). Each study draws source texts anew and keeps its
people, as the intervals say: its truth is what those people would find on 200,000 such texts.
Coverage should be 93–97 %, and under no difference 4–6 % of tests should find one. ``--gaps`` tries
differences of shares alone, of rare answers and of common ones.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.agreement.systems.comparison import compared
from annotation.agreement.systems.differences import cliffs_delta, matched
from annotation.agreement.systems.figure import Drawn, Figure
from annotation.agreement.systems.profiles import profiles
from annotation.agreement.systems.resampling import (
    drawn_totals,
    share_difference_interval,
    sources_interval,
)
from annotation.agreement.systems.table import Output, SystemRatings, system_ratings
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from bench.record import record

FloatArray = npt.NDArray[np.float64]
SEVERITIES = (1.2, 0.4, -0.2, -0.5, -0.9, 0.0)
"""In points of the scale, as far apart as FrJUDGE's people."""
TRUTH = 200_000
DRAWS = 1000


@dataclass(frozen=True)
class Design:
    """``sources`` texts, each with an output of both systems for each of its ``items`` (1 to
    that many); ``people`` judge, ``team`` of them each text. ``gap``: points by which the first
    system is better; ``values`` on the scale; ``skewed``: most answers stand at its top.
    ``spread`` of texts, in points; ``apart``: times what one answer on a text differs from
    another by chance. ``others``: people are drawn anew for each study too, with tastes of
    their own for each system."""

    name: str
    sources: int
    items: int = 1
    people: int = 5
    team: int = 5
    gap: float = 0.0
    values: int = 10
    skewed: bool = False
    spread: float = 1.5
    apart: float = 1.0
    others: bool = False

    @property
    def rare(self) -> int:
        """The place on the scale of an answer that few outputs get."""
        return 4 if self.skewed else self.values // 5

    def study(self, rng: np.random.Generator, sources: int | None = None) -> SystemRatings:
        """One study of this design."""
        texts = self.sources if sources is None else sources
        times = rng.integers(1, self.items + 1, texts)
        source = np.repeat(np.arange(texts), times)
        hard = rng.normal(0, self.spread, texts)
        matrix, outputs = [], []
        severities = np.array(SEVERITIES)[: self.people]
        if self.others:
            severities = rng.normal(0, 0.9, self.people)
        # The team of a text judges both of its outputs.
        order = rng.random((texts, self.people)).argsort(axis=1) < self.team
        for code, gain in enumerate((self.gap, 0.0)):
            own = rng.normal(0, 1.2, texts)[source] + rng.normal(0, 0.8, len(source))
            level = (1.0 if self.skewed else 0.6) * self.values + gain + hard[source]
            level += self.apart * own
            taste = rng.normal(0, 0.4, self.people) if self.others else 0.0
            severity = severities + taste
            noise = self.apart * rng.normal(0, 1.5, (len(source), self.people))
            values = np.clip(np.round(level[:, None] + severity + noise), 1, self.values)
            matrix.append(np.where(order[source], values, np.nan))
            outputs += [
                Output(code * len(source) + at, "ab"[code], int(text))
                for at, text in enumerate(source.tolist())
            ]
        return system_ratings(
            Ratings.from_matrix(np.concatenate(matrix)),
            outputs,
            level=Level.ORDINAL,
            scale=range(1, self.values + 1),
        )


ALIKE: dict[str, Any] = {"people": 1, "team": 1, "gap": 1.0, "spread": 2.5, "apart": 0.12}
"""Both outputs of a text are judged alike but for what one system is better by."""
DESIGNS = (
    *(Design(f"{texts} texts × 2 systems × 5 people", texts, gap=0.6) for texts in (8, 12, 20, 30)),
    *(Design(f"{texts} texts × 2 systems × 5 people", texts, gap=0.6) for texts in (50, 100, 300)),
    Design("60 texts, 1 to 4 items of each", 60, items=4, gap=0.6),
    Design("60 texts, 3 of 6 people each", 60, people=6, team=3, gap=0.6),
    Design("60 texts, one person", 60, people=1, team=1, gap=0.6),
    Design("60 texts, answers at the top", 60, gap=0.6, skewed=True),
    Design("60 texts, four values", 60, values=4, gap=0.3),
    *(
        Design(f"{texts} texts, one person, alike but for a small gap", texts, **ALIKE)
        for texts in (8, 12, 20, 40)
    ),
)
OTHERS = (
    *(
        Design(f"60 texts, {people} people drawn anew", 60, people=people, team=people, others=True)
        for people in (3, 5, 10)
    ),
    Design("300 texts, 5 people drawn anew", 300, others=True),
    Design("12 texts, 5 people drawn anew", 12, others=True),
    Design("60 texts, 3 of 6 people drawn anew", 60, people=6, team=3, others=True),
    Design("60 texts, 1 to 4 items of each, 5 people drawn anew", 60, items=4, others=True),
)


GAPS = tuple(
    Design(f"{texts} texts{said}", texts, people=people, team=people, gap=0.6, skewed=skewed)
    for texts in (30, 100)
    for said, people, skewed in (
        ("", 5, False),
        (", answers at the top", 5, True),
        (", one person", 1, False),
    )
)
"""Whose differences of shares are tried."""


def truth(design: Design, texts: int = TRUTH) -> dict[str, float]:
    """What the people of the design find on very many texts."""
    table = design.study(np.random.default_rng(1), texts)
    matches = matched(table, 0, 1)
    first, second = matches.first.mean(axis=0), matches.second.mean(axis=0)
    means = [float(table.scale[table.place[table.of(code)]].mean()) for code in (0, 1)]
    if design.items > 1:
        # An output weighs 1; so does a text in a difference.
        per_unit = np.bincount(table.unit)
        means = [
            float(np.average(table.scale[table.place[at]], weights=1 / per_unit[table.unit[at]]))
            for at in (table.of(0), table.of(1))
        ]
    top = table.of(0)
    return {
        "mean": means[0],
        "share": float((table.place[top] == design.values // 2).mean()),
        "rare share": float((table.place[top] == design.rare).mean()),
        "difference": float((first - second) @ table.scale),
        "superiority": float(matches.superior.mean()),
        "cliffs_delta": float(cliffs_delta(first, second)),
    }


def covers(figure: Figure, value: float) -> bool | None:
    """Whether the interval holds the value; None where there is none, and a reason instead."""
    interval = figure.interval
    if interval is None or interval.low is None or interval.high is None:
        return None
    return interval.low <= value <= interval.high


def covered(
    design: Design, studies: int, seed: int = 20, texts: int = TRUTH, draws: int = DRAWS
) -> dict[str, float]:
    """The share of studies whose interval holds the truth, found on so many ``texts``, of those
    that give one, by figure."""
    true = truth(design, texts)
    hits: dict[str, list[bool]] = {name: [] for name in true}
    for number in range(studies):
        table = design.study(np.random.default_rng((seed, number)))
        drawn = Drawn(draws=draws, seed=number)
        first = profiles(table, drawn)[0]
        pair = compared(table, 0, 1, drawn)
        figures = {
            "mean": first.mean,
            "share": first.shares[design.values // 2],
            "rare share": first.shares[design.rare],
            "difference": pair.difference,
            "superiority": pair.superiority,
            "cliffs_delta": pair.delta,
        }
        for name, figure in figures.items():
            if (held := covers(figure, true[name])) is not None:
                hits[name].append(held)
    return {name: sum(held) / len(held) for name, held in hits.items()}


def covered_gaps(
    design: Design, studies: int, seed: int = 23, texts: int = TRUTH
) -> dict[float, tuple[float, float, float, float]]:
    """By answer (the lowest, the rare one, the middle, the highest) the true shares of both systems
    and the share of studies whose interval of their difference holds the truth: percentiles over
    texts (none counts as a miss), and the one that is given."""
    matches = matched(design.study(np.random.default_rng(1), texts), 0, 1)
    true = np.array([matches.first.mean(axis=0), matches.second.mean(axis=0)])
    answers = sorted({0, design.rare, design.values // 2, design.values - 1})
    held = np.zeros((2, len(answers)))
    for number in range(studies):
        matches = matched(design.study(np.random.default_rng((seed, number))), 0, 1)
        n, v = matches.first.shape
        columns = np.column_stack([matches.first, matches.second])
        drawn = drawn_totals(columns, draws=DRAWS, seed=number) / n
        point = columns.mean(axis=0)
        for place, at in enumerate(answers):
            value, gaps = float(true[0, at] - true[1, at]), drawn[:, at] - drawn[:, v + at]
            intervals = (
                sources_interval(float(point[at] - point[v + at]), gaps, sources=n),
                share_difference_interval(
                    (float(point[at]), float(point[v + at])),
                    (drawn[:, at], drawn[:, v + at]),
                    sources=n,
                ),
            )
            for row, interval in enumerate(intervals):
                ends = (
                    (1.0, -1.0)
                    if interval.low is None or interval.high is None
                    else (interval.low, interval.high)
                )
                held[row, place] += ends[0] <= value <= ends[1]
    return {
        at + 1.0: (*true[:, at].tolist(), *(held[:, place] / studies).tolist())
        for place, at in enumerate(answers)
    }


def covered_elsewhere(
    design: Design, studies: int, seed: int = 22, draws: int = DRAWS
) -> dict[str, float]:
    """The share of studies whose intervals hold what very many people find on very many texts: the
    one for these people, and the one for others. No system is better here; their mean is found by
    2,400 people on 12,000 texts."""
    many = Design("", 2_000, people=400, team=400, values=design.values, others=True)
    true = float(np.mean([_mean(many.study(np.random.default_rng((3, at)))) for at in range(6)]))
    hits: dict[str, list[bool]] = {}
    for number in range(studies):
        table = design.study(np.random.default_rng((seed, number)))
        drawn = Drawn(draws=draws, seed=number)
        first, pair = profiles(table, drawn)[0], compared(table, 0, 1, drawn)
        for name, figure, value in (
            ("mean, these people", first.mean, true),
            ("mean, others too", first.elsewhere, true),
            ("difference, these people", pair.difference, 0.0),
            ("difference, others too", pair.elsewhere, 0.0),
        ):
            if (held := covers(figure, value)) is not None:
                hits.setdefault(name, []).append(held)
    return {name: sum(held) / len(held) for name, held in hits.items()}


def _mean(table: SystemRatings) -> float:
    return float(table.scale[table.place].mean())


def false_alarms(design: Design, studies: int, seed: int = 21) -> float:
    """The share of studies with p at most 0.05 although the systems are alike."""
    alarms = 0
    for number in range(studies):
        table = design.study(np.random.default_rng((seed, number)))
        test = compared(table, 0, 1, Drawn(draws=0, seed=number)).test
        alarms += test is not None and test.p <= 0.05
    return alarms / studies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--only", default="", help="designs whose names hold this")
    parser.add_argument("--gaps", action="store_true", help="differences of shares alone")
    options = parser.parse_args()
    studies = options.studies
    if options.gaps:
        for design in (design for design in GAPS if options.only in design.name):
            for answer, (first, second, before, now) in covered_gaps(design, studies).items():
                note = f"shares {first:.3f} and {second:.3f}; percentiles {100 * before:.1f} %"
                record(f"share difference of {answer:g}: {design.name}", 100 * now, "%", note=note)
        return
    for design in DESIGNS:
        if options.only not in design.name:
            continue
        for name, share in covered(design, studies).items():
            record(f"coverage of {name}: {design.name}", 100 * share, "%")
        alike = Design(**{**vars(design), "gap": 0.0})
        record(f"false alarms: {design.name}", 100 * false_alarms(alike, studies), "%")
    for design in OTHERS:
        if options.only not in design.name:
            continue
        for name, share in covered_elsewhere(design, studies).items():
            record(f"coverage of {name}: {design.name}", 100 * share, "%")


if __name__ == "__main__":
    main()
