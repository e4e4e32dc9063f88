"""How often camps are announced in studies that have none.

``python -m bench.camps`` (``--studies 1000 --seed 11``): simulated studies of each design, of
people who are strict or lenient by degrees, unequally careful, or differ in which class they like,
but fall into no two groups; the share in which camps are announced all the same. And, so that the
rule is no way of never announcing any, the share in which planted camps are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.agreement.camps import camps_announced
from annotation.agreement.raters import camps
from annotation.agreement.table import Ratings
from bench.record import record

Array = npt.NDArray[np.float64]
Severities = Callable[[np.random.Generator, int], Array]
SEED = 11


def ordinary(rng: np.random.Generator, people: int) -> Array:
    return rng.normal(0, 0.9, people)


def wide(rng: np.random.Generator, people: int) -> Array:
    return rng.normal(0, 2, people)


def none(_rng: np.random.Generator, people: int) -> Array:
    return np.zeros(people)


def evenly(rng: np.random.Generator, people: int) -> Array:
    return rng.uniform(-3.2, 3.2, people)


def skewed(rng: np.random.Generator, people: int) -> Array:
    return rng.exponential(0.9, people)


def two_sides(apart: float) -> Severities:
    """Camps: half of the people ``apart`` points above the others."""
    return lambda rng, people: (
        np.where(np.arange(people) % 2, apart / 2, -apart / 2) + rng.normal(0, 0.3, people)
    )


@dataclass(frozen=True)
class Scores:
    """Ratings on 1 to ``top``: items × people, around ``level``; ``unequal``: some people answer
    with several times the noise of others; ``kept`` of the people judge each item."""

    items: int
    people: int
    severities: Severities = ordinary
    level: float = 5.5
    top: int = 10
    unequal: bool = False
    kept: int = 0
    scale: str = "ordinal"

    def ratings(self, rng: np.random.Generator) -> Ratings:
        shape = (self.items, self.people)
        step = self.top / 10
        noise = 1.5 * (rng.uniform(0.4, 2.0, self.people) if self.unequal else 1.0)
        value = self.level + step * (
            rng.normal(0, 1.5, (self.items, 1))
            + self.severities(rng, self.people)
            + rng.normal(0, 1, shape) * noise
        )
        cells = np.clip(np.rint(value), 1, self.top)
        if self.kept:
            order = rng.random(shape).argsort(axis=1)
            cells = np.where(order < self.kept, cells, np.nan)
        return Ratings.from_matrix(cells)


@dataclass(frozen=True)
class Classes:
    """Answers of ``classes`` without an order: each person gives the item's own with probability
    ``right`` (one per person where two bounds are given), else one that they like. ``liking``: how
    unequally people like the classes (0: all of them alike). ``sides``: half of the people see
    another class in every second item."""

    items: int
    people: int
    right: tuple[float, float] = (0.7, 0.7)
    classes: int = 6
    liking: float = 0.0
    sides: bool = False
    scale: str = "nominal"

    def ratings(self, rng: np.random.Generator) -> Ratings:
        own = np.broadcast_to(rng.integers(self.classes, size=(self.items, 1)), self.shape).copy()
        if self.sides:
            other = own[:, :1] + 1 + rng.integers(self.classes - 1, size=(self.items, 1))
            own[::2, 1::2] = (other % self.classes)[::2]
        taste = self.liking * rng.normal(0, 1, (self.people, self.classes))
        share = np.exp(taste) / np.exp(taste).sum(axis=1, keepdims=True)
        liked = np.column_stack(
            [rng.choice(self.classes, self.items, p=share[person]) for person in range(self.people)]
        )
        sure = rng.random(self.shape) < rng.uniform(*self.right, self.people)
        return Ratings.from_matrix(np.where(sure, own, liked).astype(float))

    @property
    def shape(self) -> tuple[int, int]:
        return self.items, self.people


Design = Scores | Classes
WITHOUT: dict[str, Design] = {
    "30 items × 4 people": Scores(30, 4),
    "60 × 5": Scores(60, 5),
    "60 × 6": Scores(60, 6),
    "60 × 10": Scores(60, 10),
    "300 × 5": Scores(300, 5),
    "300 × 12": Scores(300, 12),
    "60 × 6, nobody stricter": Scores(60, 6, none),
    "60 × 6, wide severities": Scores(60, 6, wide),
    "300 × 6, wide severities": Scores(300, 6, wide),
    "300 × 10, wide severities": Scores(300, 10, wide),
    "300 × 10, wide and evenly spread": Scores(300, 10, evenly),
    "60 × 6, skewed severities": Scores(60, 6, skewed),
    "60 × 6, unequal care": Scores(60, 6, unequal=True),
    "60 × 6, 3 of 6 people each": Scores(60, 6, kept=3),
    "60 × 6, answers at the top": Scores(60, 6, level=9),
    "60 × 6, four values": Scores(60, 6, level=2.5, top=4),
    "classes, 60 × 5": Classes(60, 5),
    "classes, 300 × 6, unequal care and liking": Classes(300, 6, (0.4, 0.95), liking=1.5),
}
PLANTED: dict[str, Design] = {
    "camps 3 points apart, 300 × 6": Scores(300, 6, two_sides(3)),
    "camps 3 points apart, 60 × 10": Scores(60, 10, two_sides(3)),
    "camps of classes, 60 × 6": Classes(60, 6, sides=True),
}


def announced(design: Design, studies: int, seed: int = SEED) -> float:
    """The share of studies in which camps are announced."""
    hits = 0
    for number in range(studies):
        ratings = design.ratings(np.random.default_rng((seed, number)))
        tree = camps(ratings, level=design.scale)
        hits += camps_announced(ratings, tree, level=design.scale, seed=number)
    return hits / studies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    for kind, designs in (("no camps", WITHOUT), ("planted", PLANTED)):
        for name, design in designs.items():
            share = announced(design, given.studies, given.seed)
            record(f"camps announced, {kind}: {name}", 100 * share, "%")


if __name__ == "__main__":
    main()
