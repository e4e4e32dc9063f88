"""ROUGE-1, ROUGE-2 and ROUGE-L with precision and recall (Lin 2004), accents kept whole.

Precision is of the simplification's words, recall of those of what it is compared with. Of several
references the one with the best F1 counts, as in rouge-score.
"""

from __future__ import annotations

from collections import Counter

from annotation.metrics.metric import (
    NO_WORDS,
    Direction,
    Family,
    MetricPair,
    Reading,
    References,
    TextMetric,
)
from annotation.metrics.tokens import Tokens, plain_words
from annotation.protocols.base import Wording
from annotation.scoring.similarity import longest_common_subsequence

_ORDERS = ("1", "2", "l")
_SIDES = {
    "": Wording("", ""),
    "_precision": Wording(", précision", ", precision"),
    "_recall": Wording(", rappel", ", recall"),
}
Parts = tuple[float, float, float]
"""F1, precision, recall, each 0–100."""


def _metric(order: str, side: str) -> TextMetric:
    name, words = f"ROUGE-{order.upper()}", _SIDES[side]
    return TextMetric(
        name=f"rouge{order}{side}",
        label=Wording(f"{name}{words.fr}", f"{name}{words.en}"),
        direction=Direction.HIGHER,
        bounds=(0, 100),
        settings=(("case", "lc"), ("tok", "words"), ("stem", "no"), ("side", side[1:] or "f1")),
    )


def _measure(pair: MetricPair) -> dict[str, Reading]:
    ours = plain_words(pair.simplification)
    others = [theirs for text in pair.against if (theirs := plain_words(text))]
    names = [(order, side) for order in _ORDERS for side in _SIDES]
    if not ours or not others:
        return {f"rouge{order}{side}": NO_WORDS for order, side in names}
    best = {order: max(_parts(order, ours, theirs) for theirs in others) for order in _ORDERS}
    return {
        f"rouge{order}{side}": best[order][place]
        for order in _ORDERS
        for place, side in enumerate(_SIDES)
    }


def _parts(order: str, ours: Tokens, theirs: Tokens) -> Parts:
    if order == "l":
        shared = longest_common_subsequence(theirs, ours)
        return _f1(shared, len(ours), len(theirs))
    mine, other = ngrams(ours, int(order)), ngrams(theirs, int(order))
    return _f1((mine & other).total(), mine.total(), other.total())


def _f1(shared: int, ours: int, theirs: int) -> Parts:
    precision = 100 * shared / ours if ours else 0.0
    recall = 100 * shared / theirs if theirs else 0.0
    return (200 * shared / (ours + theirs) if ours + theirs else 0.0, precision, recall)


def ngrams(tokens: Tokens, order: int) -> Counter[tuple[str, ...]]:
    """How often each run of ``order`` tokens occurs."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


FAMILY = Family(
    "rouge",
    tuple(_metric(order, side) for order in _ORDERS for side in _SIDES),
    _measure,
    References.INSTEAD,
)
