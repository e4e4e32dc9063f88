"""Which items are of one source text. The rule is that of splits, metrics and releases: texts that
differ in case, spacing or punctuation alone are one (``scoring.splits.source_key``)."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import Item
from annotation.scoring.splits import source_key


def sources_by_item(items: QuerySet[Item]) -> dict[str, str]:
    """The source of each item, by the item's key; one query. Equal sources are equal strings."""
    known: dict[str, str] = {}
    by_item = {}
    for key, digest, original in items.order_by().values_list("key", "original_digest", "original"):
        if digest not in known:
            known[digest] = source_key(original)
        by_item[key] = known[digest]
    return by_item
