"""One item with what everybody decided about it."""

from __future__ import annotations

from typing import Any

from annotation.models import Study
from annotation.selectors.agreement.item import ItemReading, PairReading
from annotation.web.agreement.voices import voices_context, voices_legend


def item_context(study: Study, reading: ItemReading) -> dict[str, Any]:
    """The page of one item."""
    return {
        "item": reading.item,
        "pairs": [_pair(study, reading, pair) for pair in reading.pairs],
        **voices_legend(study.protocol),
    }


def _pair(study: Study, reading: ItemReading, pair: PairReading) -> dict[str, Any]:
    texts = {"original": reading.item.original, "simplification": pair.simplification.text}
    return {
        "name": f"{reading.item.key}/{pair.simplification.position}",
        "system": pair.simplification.system,
        "language": pair.simplification.language or "fr",
        "has_imported": any(voice.is_imported for voice in pair.voices),
        **voices_context(study.protocol, texts, pair.voices),
    }
