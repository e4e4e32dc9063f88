"""What the intervals and the test about two studies promise, and what they keep: simulated studies
whose truth is known.

``python -m bench.studies`` (``--studies 1000``). Each study draws its source texts anew; ``others``
draws people anew too, and its leading interval is the one for other people. Coverage should be
93–97 %, and under no change 4–6 % of tests should find one where people stay.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.agreement.studies.change import change
from annotation.agreement.studies.matching import Match
from annotation.agreement.studies.table import Both, both
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from bench.record import record

FloatArray = npt.NDArray[np.float64]
DRAWS = 1000
SCALE = tuple(range(1, 101))
"""Fine and wide, so that the planted change is the true one: nothing is cut at an end."""


@dataclass(frozen=True)
class Design:
    """``texts`` source texts with ``outputs`` each, judged by ``common`` people in both studies and
    by ``first`` and ``second`` in one alone; ``shift`` points of change. ``others``: people are
    drawn anew for each study, with severities and changes of their own."""

    name: str
    texts: int
    outputs: int = 1
    common: int = 0
    first: int = 0
    second: int = 0
    shift: float = 0.0
    others: bool = True

    def table(self, rng: np.random.Generator) -> Both:
        """One pair of studies of this design."""
        number = self.texts * self.outputs
        source = np.repeat(np.arange(self.texts), self.outputs)
        quality = rng.normal(0, 10, self.texts)[source] + rng.normal(0, 5, number)
        # What the second study's texts gain by themselves, text by text, and people by people.
        gain = rng.normal(self.shift, 3, self.texts)[source]
        people = self.common + self.first + self.second
        fixed = np.random.default_rng(7) if not self.others else rng
        severity = fixed.normal(0, 6, people)
        own_gain = fixed.normal(0, 3, people) * self.others
        who = (
            [*range(self.common), *range(self.common, self.common + self.first)],
            [*range(self.common), *range(self.common + self.first, people)],
        )
        tables = [
            self._ratings(rng, quality + of * gain, severity + of * own_gain, team)
            for of, team in enumerate(who)
        ]
        matches = [Match(at, at, f"{source[at]:05}", "") for at in range(number)]
        known = tuple({person: person for person in team} for team in who)
        teams = (known[0], known[1])
        return both(tables[0], tables[1], matches, level=Level.INTERVAL, scale=SCALE, people=teams)

    def _ratings(
        self, rng: np.random.Generator, quality: FloatArray, severity: FloatArray, who: list[int]
    ) -> Ratings:
        noise = rng.normal(0, 6, (len(quality), len(who)))
        values = 50 + quality[:, None] + severity[who] + noise
        return Ratings.from_matrix(np.clip(np.rint(values), 1, 100), rater_ids=who)

    @property
    def truth(self) -> float:
        """The mean change for these people, or for all of their kind."""
        if self.others or not (self.first or self.second):
            return self.shift
        severity = np.random.default_rng(7).normal(0, 6, self.common + self.first + self.second)
        here = severity[: self.common + self.first].mean()
        other = [*severity[: self.common], *severity[self.common + self.first :]]
        return float(self.shift + np.mean(other) - here)


DESIGNS = (
    Design("same 5 people, 100 texts, no change", 100, common=5, others=False),
    Design("same 5 people, 40 texts × 2 outputs", 40, outputs=2, common=5, shift=2, others=False),
    Design("two teams of 5, these people", 60, first=5, second=5, others=False),
    Design("same 5 people, others like them", 60, common=5, shift=2),
    Design("two teams of 5, others like them", 60, first=5, second=5, shift=2),
    Design("two teams of 3, others like them", 60, first=3, second=3),
    Design("4 in both, 3 and 3 in one, others like them", 60, common=4, first=3, second=3),
    Design("two teams of 10, 30 texts × 3 outputs", 30, outputs=3, first=10, second=10, shift=2),
)


def measured(design: Design, studies: int) -> tuple[float, float]:
    """How often the leading interval holds the truth, and how often p is at most 0.05."""
    rng = np.random.default_rng(2026)
    held = significant = 0
    for _ in range(studies):
        changed = change(design.table(rng), Drawn(DRAWS, 42))
        interval = (changed.elsewhere if design.others else changed.difference).interval
        if interval is not None and interval.low is not None and interval.high is not None:
            held += interval.low <= design.truth <= interval.high
        significant += changed.test is not None and changed.test.p <= 0.05
    return held / studies, significant / studies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--only", default="", help="designs whose names hold this")
    options = parser.parse_args()
    studies = options.studies
    for design in DESIGNS:
        if options.only not in design.name:
            continue
        coverage, significant = measured(design, studies)
        record(f"coverage: {design.name}", 100 * coverage, "%")
        if not design.shift:
            record(f"p at most 0.05: {design.name}", 100 * significant, "%")


if __name__ == "__main__":
    main()
