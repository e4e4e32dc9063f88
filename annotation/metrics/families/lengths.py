"""Lengths alone. The length ratio reads no meaning at all, and where outputs were cut off it still
agrees with people: it stands in every table."""

from __future__ import annotations

from annotation.corpus import sentences
from annotation.metrics.metric import (
    NO_WORDS,
    Direction,
    Family,
    MetricPair,
    Reading,
    TextMetric,
)
from annotation.metrics.tokens import plain_words
from annotation.protocols.base import Wording

METRICS = (
    TextMetric(
        name="length_ratio",
        label=Wording("Rapport de longueur", "Length ratio"),
        direction=Direction.HIGHER,
        bounds=(0, 100),
        settings=(("unit", "word"), ("tok", "words"), ("most", "100")),
        is_baseline=True,
    ),
    TextMetric(
        name="compression",
        label=Wording("Compression", "Compression"),
        direction=Direction.NEITHER,
        bounds=None,
        settings=(("unit", "character"),),
    ),
    TextMetric(
        name="splits",
        label=Wording("Découpage en phrases", "Sentence splits"),
        direction=Direction.NEITHER,
        bounds=None,
        settings=(("unit", "sentence"), ("rules", "bareme")),
    ),
)


def _measure(pair: MetricPair) -> dict[str, Reading]:
    """Each is of the simplification's length over the original's; the first in per cent, and at
    most 100: a longer text is no better."""
    original, ours = plain_words(pair.original), plain_words(pair.simplification)
    before = len(sentences.split(pair.original))
    if not original or not before:
        return {metric.name: NO_WORDS for metric in METRICS}
    return {
        "length_ratio": min(100.0, 100 * len(ours) / len(original)),
        "compression": len(pair.simplification) / len(pair.original),
        "splits": len(sentences.split(pair.simplification)) / before,
    }


FAMILY = Family("lengths", METRICS, _measure)
