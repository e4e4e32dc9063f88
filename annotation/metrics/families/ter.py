"""Translation edit rate (Snover et al. 2006, as sacrebleu computes it): edits and shifts of words,
for a hundred words of what is compared with."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from annotation.metrics.metric import Direction, Family, MetricPair, References, TextMetric
from annotation.protocols.base import Wording

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TER

TER_METRIC = TextMetric(
    name="ter",
    label=Wording("TER", "TER"),
    direction=Direction.LOWER,
    # It may pass 100; brought to the human scale, that is its end.
    bounds=(0, 100),
    settings=(("case", "lc"), ("tok", "tercom"), ("norm", "no"), ("punct", "yes")),
    library="sacrebleu",
)


def _measure(pair: MetricPair) -> dict[str, float]:
    return {"ter": float(_ter().sentence_score(pair.simplification, list(pair.against)).score)}


@cache
def _ter() -> TER:
    from sacrebleu.metrics.ter import TER

    return TER()


FAMILY = Family("ter", (TER_METRIC,), _measure, References.INSTEAD, is_slow=True)
