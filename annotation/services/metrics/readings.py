"""What metrics say of texts: computed once, and kept by content for every study and report that
holds the same texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence

from annotation.metrics.metric import Family, MetricPair, Reading
from annotation.models import KeptReadings

_AT_ONCE = 32
_NOTHING: dict[str, Reading] = {}


def content_of(pair: MetricPair) -> str:
    """SHA-256 over the texts, in their places, and the language."""
    texts = [pair.original, pair.simplification, list(pair.references), pair.language]
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()


def pair_readings(
    pairs: Sequence[MetricPair],
    families: Sequence[Family],
    progress: Callable[[int], None] = lambda _done: None,
) -> list[dict[str, Reading]]:
    """Of each pair, every metric's reading by its name. ``progress``: how many pairs are done.

    Kept as they are made, a few at a time: a worker that dies loses little. Raises
    ``MetricUnavailable`` where a family can measure nothing here.
    """
    readings: list[dict[str, Reading]] = []
    for start in range(0, len(pairs), _AT_ONCE):
        readings += _part_readings(pairs[start : start + _AT_ONCE], families)
        progress(len(readings))
    return readings


def _part_readings(
    pairs: Sequence[MetricPair], families: Sequence[Family]
) -> list[dict[str, Reading]]:
    contents = [content_of(pair) for pair in pairs]
    refused = [[family.refusal(pair) for family in families] for pair in pairs]
    by_content = dict(zip(contents, pairs, strict=True))
    kept = dict(
        KeptReadings.objects.filter(content__in=by_content).values_list("content", "readings")
    )
    new: dict[str, dict[str, Reading]] = {}
    for family in families:
        for content, more in _measured(family, by_content, kept).items():
            kept[content] = new[content] = kept.get(content, _NOTHING) | more
    _keep(new)
    return [
        {
            # What is refused now may have been measured, and kept, by a former rule.
            metric.name: code or kept[content][metric.signature]
            for family, code in zip(families, codes, strict=True)
            for metric in family.metrics
        }
        for content, codes in zip(contents, refused, strict=True)
    ]


def _measured(
    family: Family,
    by_content: Mapping[str, MetricPair],
    kept: Mapping[str, Mapping[str, Reading]],
) -> dict[str, dict[str, Reading]]:
    """By content and signature, what was not known before: each distinct pair once."""
    new = [
        content
        for content in by_content
        if any(metric.signature not in kept.get(content, _NOTHING) for metric in family.metrics)
    ]
    measured = family.all_readings([by_content[content] for content in new])
    return {
        content: {metric.signature: readings[metric.name] for metric in family.metrics}
        for content, readings in zip(new, measured, strict=True)
    }


def _keep(new: dict[str, dict[str, Reading]]) -> None:
    """What another worker kept meanwhile of the same texts is written over: it is the same."""
    KeptReadings.objects.bulk_create(
        [KeptReadings(content=content, readings=readings) for content, readings in new.items()],
        update_conflicts=True,
        unique_fields=["content"],
        update_fields=["readings"],
    )
