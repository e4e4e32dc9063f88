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
        name="splits",
        label=Wording("Découpage en phrases", "Sentence splits"),
        direction=Direction.NEITHER,
        bounds=None,
        settings=(("unit", "sentence"), ("rules", "bareme")),
    ),
)


IN_CHARACTERS = (
    TextMetric(
        name="length_ratio_characters",
        label=Wording("Rapport de longueur, en caractères", "Length ratio in characters"),
        direction=Direction.HIGHER,
        bounds=(0, 100),
        settings=(("unit", "character"), ("most", "100")),
        is_baseline=True,
    ),
    TextMetric(
        name="compression",
        label=Wording("Compression", "Compression"),
        direction=Direction.NEITHER,
        bounds=None,
        settings=(("unit", "character"),),
        # 1: undefined of texts that are not cut into words.
        definition="2",
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
        "splits": len(sentences.split(pair.simplification)) / before,
    }


def _measure_characters(pair: MetricPair) -> dict[str, Reading]:
    """The same of characters, which every text has: where there are no words between spaces, what
    is to be beaten still stands in the table."""
    if not pair.original.strip():
        return {metric.name: NO_WORDS for metric in IN_CHARACTERS}
    kept = len(pair.simplification) / len(pair.original)
    return {"length_ratio_characters": min(100.0, 100 * kept), "compression": kept}


FAMILY = Family("lengths", METRICS, _measure)
CHARACTERS = Family("lengths_in_characters", IN_CHARACTERS, _measure_characters, needs_words=False)
