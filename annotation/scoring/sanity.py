"""The two sanity checks (MeaningBERT §3, protocol 1.8 and 2): identical pairs at the top, unrelated
ones at the bottom.

What holds by a stated rule and what was learned are counted apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.metrics import FloatArray, Metric

NO_PAIR = Wording("Aucune paire de contrôle.", "No control pair.")
TOP, BOTTOM = (0.99, 0.95), (0.01, 0.05)


@dataclass(frozen=True)
class SanityCheck:
    """Shares (0…1) of control pairs inside the strict and the lenient bound.

    ``name`` "identical" (≥ 99 %, ≥ 95 % of the scale) or "unrelated" (≤ 1 %, ≤ 5 %). ``by_rule``:
    share of the pairs that a rule decided; None where the source of the scores is not known.
    """

    name: str
    source: str
    pairs: int
    strict: Metric
    lenient: Metric
    by_rule: float | None = None


def sanity(
    name: str,
    source: str,
    scores: FloatArray,
    lowest: float,
    highest: float,
    *,
    ruled: FloatArray | None = None,
) -> SanityCheck:
    """``scores`` (n,) on the scale, rounded to whole per cent of the scale first, as published.

    ``source``: "learned" for scores without rules, "ruled" for the scores as served; ``ruled`` (n,)
    1 where a rule decided.
    """
    if not len(scores):
        return SanityCheck(name, source, 0, Metric(None, NO_PAIR), Metric(None, NO_PAIR))
    shares = np.round(100 * (np.asarray(scores) - lowest) / (highest - lowest)) / 100
    strict, lenient = TOP if name == "identical" else BOTTOM
    away = shares if name == "unrelated" else -shares
    sign = 1 if name == "unrelated" else -1
    return SanityCheck(
        name,
        source,
        len(shares),
        Metric(float(np.mean(away <= sign * strict))),
        Metric(float(np.mean(away <= sign * lenient))),
        None if ruled is None else float(np.mean(ruled)),
    )
