"""A number of agreement on edits, with its interval over pairs and what it was computed from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from annotation.agreement.bootstrap import (
    CONFIDENCE,
    DRAWS,
    SEED,
    percentile_interval,
    resampled_counts,
)
from annotation.agreement.result import Interval
from annotation.agreement.signature import Signature
from annotation.agreement.table import FloatArray
from annotation.protocols.base import Wording

DIGITS = 12
BOOTSTRAP = "percentile bootstrap over pairs"
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
FEW_PAIRS = Wording(
    "Un intervalle demande au moins deux paires.", "An interval takes at least two pairs."
)


@dataclass(frozen=True)
class Drawn:
    """How pairs are drawn for intervals."""

    draws: int = DRAWS
    seed: int = SEED
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Basis:
    """What a figure rests on: pairs, annotators, how many units (tokens of a side, or edits), and
    how often one was judged by somebody."""

    pairs: int
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
            self.basis.unit: self.basis.units,
            "signature": str(self.signature),
        }


class Draws:
    """The pairs of each draw: every figure of a report sees the same."""

    def __init__(self, n_pairs: int, drawn: Drawn) -> None:
        self.drawn = drawn
        once = np.ones(n_pairs, dtype=np.int64)
        self._counts = (
            np.concatenate(list(resampled_counts(once, drawn.draws, drawn.seed)))
            if n_pairs and drawn.draws
            else np.zeros((0, n_pairs))
        )

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
    interval = percentile_interval(
        values, confidence=drawn.confidence, n_pairable=basis.pairs, is_defined=is_defined
    )
    if is_defined and basis.pairs < 2:
        interval = replace(interval, undefined=FEW_PAIRS)
    signature = Signature(
        coefficient=name,
        level="",
        items=basis.units,
        pairable=basis.units,
        annotators=basis.annotators,
        ratings=basis.ratings,
        draws=drawn.draws,
        seed=drawn.seed,
        options=(*basis.options, ("unit", basis.unit), ("pairs", str(basis.pairs))),
    )
    return Figure(
        float(value) if is_defined else None,
        None if is_defined else reason if basis.pairs else NO_SHARED_PAIR,
        replace(interval, method=BOOTSTRAP),
        basis,
        signature,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0
