"""What a score lets through: false accepts of edits and false rejects of twins, by kind and by
place, at the protocol's own threshold.

Only cases whose unchanged text the score accepts are counted: a change can be missed, or held
against a text, only where the text was accepted before it. How many were, stands beside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.bootstrap import CONFIDENCE
from annotation.scoring.errors import ScoringError
from annotation.scoring.legal.cases import RULES_VERSION, Case
from annotation.scoring.legal.kinds import PROBE_FORMAT, Change, Place
from annotation.scoring.metrics import FloatArray

UPPER_THIRD = 2 / 3
FEWEST, FEWEST_SOURCES = 5, 8
DRAWS = 1000
BY_SOURCE, WILSON = "sources", "wilson"
_EPSILON = 1e-9
Predict = Callable[[list[tuple[str, str]]], Sequence[float]]
"""Pairs of original and text to scores; NaN where there is none."""
NO_CASE = Wording(
    "Aucun texte ne se prête à une modification : la sonde n'a rien à mesurer.",
    "No text lends itself to a change: the probe has nothing to measure.",
)
NONE_FOUND = Wording("Aucun cas.", "No case.")
UNSCORED = Wording("La mesure ne donne pas de valeur.", "The metric gives no value.")
TOO_FEW = Wording(
    f"Moins de {FEWEST} textes acceptés avant la modification.",
    f"Fewer than {FEWEST} texts accepted before the change.",
)
NO_ENDS = Wording(
    "La mesure n'a pas de bornes ou pas de sens : aucun seuil.",
    "The metric has no ends or no direction: no threshold.",
)


@dataclass(frozen=True)
class Threshold:
    """A text is accepted from ``at`` on a scale from ``lowest`` to ``highest``."""

    at: float
    lowest: float
    highest: float
    by: str

    @classmethod
    def of_scale(cls, lowest: float, highest: float, tops: Sequence[float] = ()) -> Threshold:
        """The lowest whole score of the protocol's highest bracket (``tops``: upper ends of the
        lower ones; 7 on FrJUDGE's 1–10); two thirds up a scale without brackets."""
        if tops:
            return cls(max(tops) + 1, lowest, highest, "bracket")
        return cls(lowest + UPPER_THIRD * (highest - lowest), lowest, highest, "two_thirds")

    def on(self, bounds: tuple[float, float]) -> Threshold:
        """The same share of another range, whose ends are laid on the scale's."""
        share = (self.at - self.lowest) / (self.highest - self.lowest)
        low, high = bounds
        return Threshold(low + share * (high - low), low, high, self.by)


@dataclass(frozen=True)
class Rate:
    """A share (0…1) of ``n`` accepted texts of ``sources`` originals, out of ``cases``. Exactly one
    of ``value`` and ``undefined`` is None. ``method`` of the interval: originals drawn with all
    their cases (percentiles), or Wilson (1927) on the number of originals where fewer than eight
    or where all cases say the same."""

    cases: int
    n: int
    sources: int
    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""
    undefined: Wording | None = None


def measure(
    predict: Predict,
    cases: Sequence[Case],
    threshold: Threshold | None,
    seed: int,
    unscored: Wording = UNSCORED,
) -> dict[str, Any]:
    """JSON-safe: ``false_accept`` and ``false_reject`` of each place (``rates``), and of each of
    its kinds (``kinds``); ``ranked``: how often a twin scores above an edit of the same text, which
    needs no threshold, ties a half. ``scores``: of each case, before and after. ``unscored``: what
    is said where none of the cases has both.

    Raises ``ScoringError`` ("no_cases") without any.
    """
    if not cases:
        raise ScoringError("no_cases", NO_CASE.fr, NO_CASE.en)
    before, after = _scored(predict, cases)
    rate = partial(_rate, cases, before, after, threshold, seed, unscored)
    kinds = [
        {
            "place": place,
            "kind": kind,
            "is_twin": kind.is_twin,
            "rate": asdict(rate(place, _same_kind(kind))),
        }
        for place in Place
        for kind in Change
    ]
    rates = {
        place: {
            "false_accept": asdict(rate(place, lambda kind: not kind.is_twin)),
            "false_reject": asdict(rate(place, lambda kind: kind.is_twin)),
            "ranked": _ranked(cases, after, place),
        }
        for place in Place
    }
    return {
        "format": PROBE_FORMAT,
        "rules": RULES_VERSION,
        "seed": seed,
        "confidence": CONFIDENCE,
        "draws": DRAWS,
        "threshold": asdict(threshold) if threshold else None,
        "cases": len(cases),
        "rates": {str(place): of_place for place, of_place in rates.items()},
        "kinds": [{**row, "place": str(row["place"]), "kind": str(row["kind"])} for row in kinds],
        "scores": [
            [_finite(first), _finite(second)] for first, second in zip(before, after, strict=True)
        ],
    }


def _finite(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None


def _scored(predict: Predict, cases: Sequence[Case]) -> tuple[FloatArray, FloatArray]:
    """Scores before and after; each distinct text is asked about once."""
    text_pairs = list(
        dict.fromkeys(
            (case.original, text) for case in cases for text in (case.unchanged, case.changed)
        )
    )
    scores = dict(zip(text_pairs, map(float, predict(text_pairs)), strict=True))
    before = np.array([scores[case.original, case.unchanged] for case in cases])
    after = np.array([scores[case.original, case.changed] for case in cases])
    return before, after


def _same_kind(kind: Change) -> Callable[[Change], bool]:
    return lambda other: other is kind


def _rate(
    cases: Sequence[Case],
    before: FloatArray,
    after: FloatArray,
    threshold: Threshold | None,
    seed: int,
    unscored: Wording,
    place: Place,
    wanted: Callable[[Change], bool],
) -> Rate:
    chosen = np.array([case.place is place and wanted(case.kind) for case in cases])
    total = int(chosen.sum())
    if not total or threshold is None:
        return Rate(total, 0, 0, None, undefined=NO_ENDS if total else NONE_FOUND)
    if not (chosen & np.isfinite(before) & np.isfinite(after)).any():
        return Rate(total, 0, 0, None, undefined=unscored)
    chosen &= np.isfinite(after) & (before >= threshold.at - _EPSILON)
    kept: list[int] = np.flatnonzero(chosen).tolist()
    sources = np.unique([cases[number].source for number in kept], return_inverse=True)[1]
    groups = int(sources.max()) + 1 if len(kept) else 0
    if len(kept) < FEWEST:
        return Rate(total, len(kept), groups, None, undefined=TOO_FEW)
    twins = np.array([cases[number].kind.is_twin for number in kept])
    accepted = after[kept] >= threshold.at - _EPSILON
    wrong = np.where(twins, ~accepted, accepted).astype(np.float64)
    value = float(wrong.mean())
    if groups >= FEWEST_SOURCES and 0 < value < 1:
        low, high = _drawn(wrong, sources, groups, seed)
        return Rate(total, len(kept), groups, value, low, high, BY_SOURCE)
    low, high = wilson(value, groups)
    return Rate(total, len(kept), groups, value, low, high, WILSON)


def _drawn(wrong: FloatArray, sources: Any, groups: int, seed: int) -> tuple[float, float]:
    sums = np.bincount(sources, weights=wrong, minlength=groups)
    counts = np.bincount(sources, minlength=groups)
    chosen = np.random.default_rng(seed).integers(0, groups, size=(DRAWS, groups))
    shares = sums[chosen].sum(axis=1) / counts[chosen].sum(axis=1)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(shares, [tail, 100 - tail])
    return float(low), float(high)


def wilson(share: float, n: int) -> tuple[float, float]:
    """The score interval of a share of ``n`` (Wilson 1927), 95 %."""
    z = 1.959963984540054
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _ranked(cases: Sequence[Case], after: FloatArray, place: Place) -> dict[str, Any]:
    """Over all pairs of a twin and an edit of one text."""
    texts: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for case, score in zip(cases, after, strict=True):
        if case.place is place and math.isfinite(score):
            twins, edits = texts.setdefault((case.original, case.unchanged), ([], []))
            (twins if case.kind.is_twin else edits).append(float(score))
    wins = [
        (twin > edit) + 0.5 * (twin == edit)
        for twins, edits in texts.values()
        for twin in twins
        for edit in edits
    ]
    value = float(np.mean(wins)) if len(wins) >= FEWEST else None
    return {"n": len(wins), "value": value}
