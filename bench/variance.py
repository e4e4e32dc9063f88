"""What the intervals of a generalizability study cover.

``python -m bench.variance`` (``--studies 1000``): simulated studies of each design with planted
components; how often each 95 % interval holds the truth, and the mean of what was estimated.
"""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from annotation.agreement.generalizability import (
    ANNOTATORS,
    ITEMS,
    REST,
    SOURCES,
    Variance,
    variance_study,
)
from annotation.agreement.table import Ratings
from bench.record import record

_MEAN_OF = 5


@dataclass(frozen=True)
class Design:
    """Items × annotators with these components, items dealt over ``sources``; each cell is kept
    with probability ``kept``. ``systems``: what each adds, the same in every study, to its item of
    every source; what they differ by lies between items."""

    items: int
    annotators: int
    parts: dict[str, float]
    sources: int = 0
    kept: float = 1.0
    systems: tuple[float, ...] = ()

    def truth(self) -> dict[str, float]:
        """Shares (with systems not that of items, to which systems are added), and G and Φ of the
        mean of five annotators."""
        measured = self.parts[ITEMS] + self.parts.get(SOURCES, 0.0)
        measured += float(np.var(self.systems)) if self.systems else 0.0
        whole = measured + self.parts[ANNOTATORS] + self.parts[REST]
        error = self.parts[REST] / _MEAN_OF
        severity = self.parts[ANNOTATORS] / _MEAN_OF
        told = {
            name: part for name, part in self.parts.items() if not self.systems or name != ITEMS
        }
        return {name: part / whole for name, part in told.items()} | {
            "G": measured / (measured + error),
            "Phi": measured / (measured + error + severity),
        }

    def study(self, seed: tuple[int, int], draws: int) -> Variance:
        """The figures of one such study."""
        rng = np.random.default_rng(seed)
        deviation = {name: part**0.5 for name, part in self.parts.items()}
        cells = rng.normal(0, deviation[REST], (self.items, self.annotators))
        cells += rng.normal(0, deviation[ITEMS], (self.items, 1))
        cells += rng.normal(0, deviation[ANNOTATORS], self.annotators)
        sources: dict[Hashable, Hashable] | None = None
        if self.sources:
            place = np.arange(self.items) % self.sources
            cells += rng.normal(0, deviation[SOURCES], self.sources)[place][:, None]
            sources = dict(enumerate(place.tolist()))
            if self.systems:
                cells += np.array(self.systems)[np.arange(self.items) // self.sources][:, None]
        cells[rng.random(cells.shape) >= self.kept] = np.nan
        return variance_study(
            Ratings.from_matrix(cells),
            level="interval",
            sources=sources,
            draws=draws,
            seed=seed[1],
            confidence=0.95,
        )


@dataclass(frozen=True)
class Covered:
    """Of one figure: its planted ``truth``, the ``mean`` of the estimates, and the share of
    intervals that ``held`` it, where any were ``given``."""

    truth: float
    mean: float
    held: float
    given: int


DESIGNS = {
    "100 items × 3": Design(100, 3, {ITEMS: 0.35, ANNOTATORS: 0.24, REST: 0.41}),
    "297 items × 5": Design(297, 5, {ITEMS: 0.35, ANNOTATORS: 0.24, REST: 0.41}),
    "30 items × 10": Design(30, 10, {ITEMS: 0.5, ANNOTATORS: 0.05, REST: 0.45}),
    "120 items of 40 sources × 5": Design(
        120, 5, {SOURCES: 0.25, ITEMS: 0.2, ANNOTATORS: 0.15, REST: 0.4}, sources=40
    ),
    "72 items: 24 sources × 3 systems × 5": Design(
        *(72, 5, {SOURCES: 0.0, ITEMS: 0.36, ANNOTATORS: 0.09, REST: 0.16}),
        sources=24,
        systems=(0.75, 0.0, -0.75),
    ),
    "the same, sources differ": Design(
        *(72, 5, {SOURCES: 0.5, ITEMS: 0.36, ANNOTATORS: 0.09, REST: 0.16}),
        sources=24,
        systems=(0.75, 0.0, -0.75),
    ),
    "100 items × 6, half of the cells": Design(
        100, 6, {ITEMS: 0.35, ANNOTATORS: 0.1, REST: 0.55}, kept=0.5
    ),
}


def covered(design: Design, studies: int, draws: int = 1000, seed: int = 3) -> dict[str, Covered]:
    """By component, ``G`` and ``Phi``."""
    truth = design.truth()
    values: dict[str, list[float]] = {name: [] for name in truth}
    held: dict[str, list[bool]] = {name: [] for name in truth}
    for number in range(studies):
        variance = design.study((seed, number), draws)
        mean = next(mean for mean in variance.dependability if mean.annotators == _MEAN_OF)
        figures = [
            (component.name, component.share, component.interval)
            for component in variance.components
        ] + [
            ("G", mean.relative, mean.relative_interval),
            ("Phi", mean.absolute, mean.absolute_interval),
        ]
        for name, value, interval in figures:
            if name not in truth:
                continue
            values[name].append(value)
            if interval.low is not None and interval.high is not None:
                held[name].append(interval.low <= truth[name] <= interval.high)
    return {
        name: Covered(
            truth[name],
            float(np.mean(values[name])),
            sum(held[name]) / max(len(held[name]), 1),
            len(held[name]),
        )
        for name in truth
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    for name, design in DESIGNS.items():
        for part, coverage in covered(design, studies).items():
            record(
                f"variance, {name}: {part}",
                100 * coverage.held,
                "%",
                note=f"truth {coverage.truth:.3f}, mean of the estimates {coverage.mean:.3f}, "
                f"{coverage.given} intervals",
            )


if __name__ == "__main__":
    main()
