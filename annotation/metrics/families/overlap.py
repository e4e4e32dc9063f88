"""What a simplification keeps of its original's words, copies, adds and leaves out. Words are those
of ROUGE here: lower case, accents whole, punctuation left out."""

from __future__ import annotations

from collections import Counter

from annotation.metrics.families.rouge import ngrams
from annotation.metrics.metric import (
    NO_WORDS,
    Direction,
    Family,
    MetricPair,
    Reading,
    TextMetric,
)
from annotation.metrics.tokens import Tokens, plain_words
from annotation.protocols.base import Wording

RUN = 3
"""Words in a row that count as copied; two are often nothing but grammar."""
_WORDS = (("case", "lc"), ("tok", "words"))


def _metric(
    name: str,
    label: Wording,
    direction: Direction,
    *settings: tuple[str, str],
    is_baseline: bool = False,
) -> TextMetric:
    return TextMetric(
        name, label, direction, (0, 100), (*_WORDS, *settings), is_baseline=is_baseline
    )


METRICS = (
    _metric(
        "word_overlap",
        Wording("Mots distincts de l'original gardés", "Distinct words of the original kept"),
        Direction.HIGHER,
    ),
    _metric(
        "copy_rate",
        Wording("Part copiée", "Share that is copied"),
        Direction.HIGHER,
        ("run", str(RUN)),
        is_baseline=True,
    ),
    _metric(
        "added_share", Wording("Part de mots ajoutés", "Share of words added"), Direction.LOWER
    ),
    _metric(
        "deleted_share",
        Wording("Part de mots supprimés", "Share of words deleted"),
        Direction.LOWER,
    ),
)


def _measure(pair: MetricPair) -> dict[str, Reading]:
    original, ours = plain_words(pair.original), plain_words(pair.simplification)
    if not original or not ours:
        return {metric.name: NO_WORDS for metric in METRICS}
    before, after = Counter(original), Counter(ours)
    distinct = set(original)
    return {
        "word_overlap": 100 * len(distinct & set(ours)) / len(distinct),
        "copy_rate": 100 * copied(original, ours) / len(ours),
        "added_share": 100 * (after - before).total() / len(ours),
        "deleted_share": 100 * (before - after).total() / len(original),
    }


def copied(original: Tokens, ours: Tokens) -> int:
    """How many of our words stand in a run of at least ``RUN`` that the original holds too."""
    known = ngrams(original, RUN).keys()
    inside: set[int] = set()
    for start, run in enumerate(zip(*(ours[at:] for at in range(RUN)), strict=False)):
        if run in known:
            inside.update(range(start, start + RUN))
    return len(inside)


FAMILY = Family("overlap", METRICS, _measure)
