"""chrF2 and chrF++ (Popović 2015, 2017, as sacrebleu computes them)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from annotation.metrics.metric import Direction, Family, MetricPair, References, TextMetric
from annotation.protocols.base import Wording

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF

_WORD_ORDERS = {"chrf2": 0, "chrf++": 2}


def _metric(name: str, label: str) -> TextMetric:
    return TextMetric(
        name=name,
        label=Wording(label, label),
        direction=Direction.HIGHER,
        bounds=(0, 100),
        settings=(
            ("case", "mixed"),
            ("nc", "6"),
            ("nw", str(_WORD_ORDERS[name])),
            ("beta", "2"),
            ("space", "no"),
        ),
        library="sacrebleu",
    )


def _measure(pair: MetricPair) -> dict[str, float]:
    against = list(pair.against)
    return {
        name: float(_chrf(order).sentence_score(pair.simplification, against).score)
        for name, order in _WORD_ORDERS.items()
    }


@cache
def _chrf(word_order: int) -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(word_order=word_order)


# Characters need no words; chrF++ is nearly all characters too.
FAMILY = Family(
    "chrf",
    (_metric("chrf2", "chrF2"), _metric("chrf++", "chrF++")),
    _measure,
    References.INSTEAD,
    needs_words=False,
)
