"""A number with what it rests on, its interval and the line that says how to compute it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE, SEED
from annotation.agreement.result import Interval
from annotation.agreement.signature import Signature
from annotation.agreement.systems.resampling import DRAWS
from annotation.agreement.table import IntArray
from annotation.protocols.base import Wording

DIGITS = 12


@dataclass(frozen=True)
class Drawn:
    """How intervals are drawn, and with which seed signs are exchanged."""

    draws: int = DRAWS
    seed: int = SEED
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Counts:
    """What a figure rests on: outputs, their distinct source texts, people, ratings."""

    outputs: int
    sources: int
    people: int
    ratings: int

    def as_dict(self) -> dict[str, int]:
        return {
            "outputs": self.outputs,
            "sources": self.sources,
            "annotators": self.people,
            "ratings": self.ratings,
        }


def counts_of(units: IntArray, sources: IntArray, people: IntArray) -> Counts:
    """Of ratings, given by one code each."""
    distinct = (len(np.unique(codes)) for codes in (units, sources, people))
    outputs, texts, raters = distinct
    return Counts(outputs, texts, raters, len(units))


@dataclass(frozen=True)
class Figure:
    """A value, or in ``undefined`` why there is none; exactly one of the two is None. Never NaN.
    ``interval`` says itself why it is missing."""

    value: float | None
    counts: Counts
    interval: Interval | None = None
    signature: str = ""
    undefined: Wording | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe; equal ratings give equal bytes."""
        interval = self.interval
        bounds = None
        if interval is not None and interval.low is not None and interval.high is not None:
            bounds = [rounded(interval.low), rounded(interval.high)]
        no_interval = None if interval is None else interval.undefined
        return {
            "value": rounded(self.value),
            "interval": bounds,
            "method": interval.method if interval is not None and bounds else None,
            "n": self.counts.as_dict(),
            "undefined": wording_facts(self.undefined or no_interval),
            "signature": self.signature or None,
        }


def figure(
    name: str,
    value: float,
    interval: Interval | None,
    counts: Counts,
    drawn: Drawn,
    **options: object,
) -> Figure:
    """A figure with its signature; ``options`` are further parts of it, in their order."""
    signature = Signature(
        coefficient=name,
        level="",
        items=counts.outputs,
        pairable=counts.outputs,
        annotators=counts.people,
        ratings=counts.ratings,
        draws=drawn.draws,
        seed=drawn.seed,
        options=(
            *((key, _plain(part)) for key, part in options.items()),
            ("sources", str(counts.sources)),
        ),
    )
    return Figure(round(float(value), DIGITS), counts, interval, str(signature))


def undefined(reason: Wording, counts: Counts) -> Figure:
    """A figure that there is not."""
    return Figure(None, counts, undefined=reason)


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0


def wording_facts(wording: Wording | None) -> dict[str, str] | None:
    return None if wording is None else {"fr": wording.fr, "en": wording.en}


def _plain(part: object) -> str:
    # The parts of a signature are divided by «|», which a system's name may hold.
    return f"{part:g}" if isinstance(part, float) else str(part).replace("|", "/")
