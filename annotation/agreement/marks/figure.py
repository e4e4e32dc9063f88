"""A number of agreement on edits, with its interval over source texts and what it was computed
from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import CONFIDENCE, DRAWS, SEED, resampled_counts
from annotation.agreement.result import Interval
from annotation.agreement.signature import Signature
from annotation.agreement.systems.resampling import sources_interval
from annotation.agreement.table import FloatArray, IntArray
from annotation.protocols.base import Wording

DIGITS = 12
_DRAWN_CELLS = 4_000_000

NO_SHARED_PAIR = Wording(
    "Aucune paire n'a été marquée par deux personnes ou plus : il n'y a rien à comparer.",
    "No pair was marked by two people or more: there is nothing to compare.",
)
ALL_ALIKE = Wording(
    "Tous les mots comparés portent la même chose : le désaccord attendu est nul, le coefficient "
    "est indéfini.",
    "All tokens that are compared bear the same: expected disagreement is zero, the coefficient is "
    "not defined.",
)
NO_COMMON_UNIT = Wording(
    "Aucun mot n'est marqué par deux personnes : il n'y a rien dont comparer le nom.",
    "No token is marked by two people: there is nothing whose name could be compared.",
)
NO_EDIT = Wording(
    "Personne n'a marqué cette opération : il n'y a rien à retrouver.",
    "Nobody marked this operation: there is nothing to find again.",
)


@dataclass(frozen=True)
class Drawn:
    """How source texts are drawn for intervals."""

    draws: int = DRAWS
    seed: int = SEED
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Basis:
    """What a figure rests on: pairs and their distinct source texts, annotators, how many units
    (tokens of a side, or edits), and how often one was judged by somebody."""

    pairs: int
    sources: int
    annotators: int
    units: int
    ratings: int
    unit: str
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Figure:
    """A value, or in ``undefined`` why there is none; exactly one of the two is None. Never NaN."""

    value: float | None
    undefined: Wording | None
    interval: Interval
    basis: Basis
    signature: Signature

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe; equal edits give equal bytes."""
        interval = self.interval
        has_bounds = interval.low is not None and interval.high is not None
        reason = self.undefined or interval.undefined
        return {
            "value": _rounded(self.value),
            "interval": [_rounded(interval.low), _rounded(interval.high)] if has_bounds else None,
            "confidence": interval.confidence,
            "undefined": None if reason is None else {"fr": reason.fr, "en": reason.en},
            "pairs": self.basis.pairs,
            "sources": self.basis.sources,
            self.basis.unit: self.basis.units,
            "signature": str(self.signature),
        }


class Draws:
    """The source texts of each draw, each with all of its pairs: every figure of a report sees the
    same. ``source_of``: the code of each pair's source, from 0 without gaps, shape (pairs,)."""

    def __init__(self, source_of: IntArray, drawn: Drawn) -> None:
        self.drawn = drawn
        self._source_of = source_of
        once = np.ones(len(np.unique(source_of)), dtype=np.int64)
        self._counts = (
            np.concatenate(list(resampled_counts(once, drawn.draws, drawn.seed)))[:, source_of]
            if len(source_of) and drawn.draws
            else np.zeros((0, len(source_of)))
        )

    def sources(self, pairs: Any = slice(None)) -> int:
        """How many source texts there are, of all or of these places of pairs."""
        return len(np.unique(self._source_of[pairs]))

    def values(self, features: Any, evaluate: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """What ``evaluate`` gives of the sums of the ``features`` of pairs, shape (pairs, f), in
        each draw: shape (draws,) or (draws, …)."""
        pieces = 1 + self._counts.shape[0] * features.shape[1] // _DRAWN_CELLS
        parts = np.array_split(self._counts, pieces)
        return np.concatenate([evaluate(np.asarray(part @ features)) for part in parts])


def figure(
    name: str, value: float, values: FloatArray, basis: Basis, drawn: Drawn, reason: Wording
) -> Figure:
    """The figure of a ``value`` and its bootstrap ``values`` (draws,); ``reason``: why there is
    none where it is NaN."""
    is_defined = not isnan(value)
    interval = sources_interval(
        value if is_defined else None,
        values,
        sources=basis.sources,
        confidence=drawn.confidence,
    )
    signature = Signature(
        coefficient=name,
        level="",
        items=basis.units,
        pairable=basis.units,
        annotators=basis.annotators,
        ratings=basis.ratings,
        draws=drawn.draws,
        seed=drawn.seed,
        options=(*basis.options, *_counted(basis)),
    )
    return Figure(
        float(value) if is_defined else None,
        None if is_defined else reason if basis.pairs else NO_SHARED_PAIR,
        interval,
        basis,
        signature,
    )


def _counted(basis: Basis) -> tuple[tuple[str, str], ...]:
    numbers = ("pairs", basis.pairs), ("sources", basis.sources)
    return ("unit", basis.unit), *((name, str(number)) for name, number in numbers)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0
