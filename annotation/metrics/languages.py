"""The language of pairs that came without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from annotation.corpus.language import detect_language
from annotation.metrics.metric import MetricPair

_MOST = 0.9


def with_languages(pairs: Sequence[MetricPair]) -> tuple[MetricPair, ...]:
    """The same pairs. One of unknown language gets that of its two texts together, and where these
    are too short to tell, that of nine tenths of the others; else it stays unknown."""
    known = [
        metric_pair.language
        or detect_language(f"{metric_pair.original}\n{metric_pair.simplification}")
        for metric_pair in pairs
    ]
    usual = _usual(known)
    return tuple(
        replace(metric_pair, language=language or usual)
        for metric_pair, language in zip(pairs, known, strict=True)
    )


def _usual(languages: Sequence[str]) -> str:
    known = Counter(filter(None, languages))
    if not known:
        return ""
    ((language, number),) = known.most_common(1)
    return language if number >= _MOST * known.total() else ""
