"""BLEU of one sentence (Papineni et al. 2002, as sacrebleu computes it: Post 2018)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from annotation.metrics.metric import Direction, Family, MetricPair, References, TextMetric
from annotation.protocols.base import Wording

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

BLEU_METRIC = TextMetric(
    name="bleu",
    label=Wording("BLEU", "BLEU"),
    direction=Direction.HIGHER,
    bounds=(0, 100),
    settings=(("case", "mixed"), ("tok", "13a"), ("smooth", "exp"), ("eff", "yes")),
    library="sacrebleu",
)


def _measure(pair: MetricPair) -> dict[str, float]:
    score = _bleu().sentence_score(pair.simplification, list(pair.against))
    return {"bleu": float(score.score)}


@cache
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)


FAMILY = Family("bleu", (BLEU_METRIC,), _measure, References.INSTEAD)
