"""What was found in each system's outputs, judgment by judgment: brackets, errors of each type."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.systems.figure import Counts, Drawn, Figure, counts_of, figure
from annotation.agreement.systems.resampling import (
    drawn_totals,
    ratios,
    share_interval,
    sources_interval,
)
from annotation.agreement.systems.table import Output, counted
from annotation.agreement.table import FloatArray, IntArray


class Finding(NamedTuple):
    """One judgment of a unit by a person, and how often each thing was found in it."""

    unit: Hashable
    person: Hashable
    numbers: Mapping[str, int]


@dataclass(frozen=True)
class Rates:
    """One system: of each thing the mean number in a judgment. Each output counts the same."""

    system: str
    counts: Counts
    figures: Mapping[str, Figure]

    def as_dict(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "rates": {key: rate.as_dict() for key, rate in self.figures.items()},
        }


def rates(
    findings: Sequence[Finding],
    outputs: Sequence[Output],
    things: Sequence[str],
    *,
    name: str,
    drawn: Drawn,
    are_shares: bool,
) -> tuple[Rates, ...]:
    """The rates of each system that has a finding, by name; ``things`` are what may be found.
    ``are_shares``: each is there or not, so that a rate of 0 has an exact interval."""
    known = {output.unit: output for output in outputs if output.system}
    rows = [finding for finding in findings if finding.unit in known]
    if not rows:
        return ()
    systems = sorted({known[finding.unit].system for finding in rows})
    sources = sorted({known[finding.unit].source for finding in rows}, key=str)
    unit = _codes([finding.unit for finding in rows])
    person = _codes([finding.person for finding in rows])
    source = _codes([known[finding.unit].source for finding in rows], sources)
    system = _codes([known[finding.unit].system for finding in rows], systems)
    numbers = np.array(
        [[finding.numbers.get(key, 0) for key in things] for finding in rows], dtype=np.float64
    )
    numbers = numbers.reshape(len(rows), len(things))
    weights = 1 / np.bincount(unit)[unit]
    k, j, s = len(systems), len(things), len(sources)
    sums = _sums(source * k + system, weights[:, None] * numbers, (s, k, j))
    outputs_of = counted(source * k + system, weights, (s, k))
    columns = np.concatenate([sums.reshape(s, k * j), outputs_of], axis=1)
    totals = drawn_totals(columns, draws=drawn.draws, seed=drawn.seed)
    drawn_rates = ratios(
        totals[:, : k * j].reshape(-1, k, j), np.repeat(totals[:, k * j :, None], j, axis=2)
    )
    result = []
    for code, own in enumerate(systems):
        at = np.flatnonzero(system == code)
        counts = counts_of(unit[at], source[at], person[at])
        points = sums[:, code].sum(axis=0) / outputs_of[:, code].sum()
        interval_of = share_interval if are_shares else sources_interval
        figures = {
            key: figure(
                name,
                value,
                interval_of(
                    value,
                    drawn_rates[:, code, place],
                    sources=counts.sources,
                    confidence=drawn.confidence,
                ),
                counts,
                drawn,
                system=own,
                of=key,
            )
            for place, (key, value) in enumerate(zip(things, points.tolist(), strict=True))
        }
        result.append(Rates(own, counts, figures))
    return tuple(result)


def _codes(ids: Sequence[Hashable], known: Sequence[Hashable] | None = None) -> IntArray:
    order = {key: code for code, key in enumerate(known or dict.fromkeys(ids))}
    return np.array([order[key] for key in ids], dtype=np.int64)


def _sums(codes: IntArray, columns: FloatArray, shape: tuple[int, int, int]) -> FloatArray:
    return (
        np.stack([counted(codes, columns[:, at], shape[:2]) for at in range(shape[2])], axis=2)
        if shape[2]
        else np.zeros(shape)
    )
