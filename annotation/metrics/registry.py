"""Every family of metrics, one line each. A new one is one file in ``families`` and a line here."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.metrics.families import (
    bleu,
    chrf,
    edits,
    lengths,
    overlap,
    reading,
    rouge,
    sari,
    ter,
)
from annotation.metrics.metric import Family, TextMetric

FAMILIES: tuple[Family, ...] = (
    bleu.FAMILY,
    chrf.FAMILY,
    ter.FAMILY,
    rouge.FAMILY,
    sari.FAMILY,
    overlap.FAMILY,
    edits.FAMILY,
    lengths.FAMILY,
    lengths.CHARACTERS,
    reading.FRENCH,
    reading.ENGLISH,
)


def metrics(families: Sequence[Family] | None = None) -> dict[str, TextMetric]:
    """Every metric by its name, in the order of the registry. Raises ``ValueError`` where two have
    one name."""
    by_name: dict[str, TextMetric] = {}
    for family in FAMILIES if families is None else families:
        for metric in family.metrics:
            if metric.name in by_name:
                raise ValueError(f"two metrics are called {metric.name!r}")
            by_name[metric.name] = metric
    return by_name
