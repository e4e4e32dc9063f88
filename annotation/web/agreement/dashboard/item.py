"""One item with what everybody decided about it."""

from __future__ import annotations

from typing import Any

from annotation.models import Item, Study
from annotation.selectors.agreement.item import ItemReading, PairReading
from annotation.selectors.base.languages import languages_of_texts
from annotation.web.agreement.marks.consensus import consensus_context
from annotation.web.agreement.voices import voices_context, voices_legend
from annotation.web.base.presenters import text


def item_context(study: Study, reading: ItemReading) -> dict[str, Any]:
    """The page of one item."""
    return {
        "item": reading.item,
        "pairs": [_pair(study, reading, pair) for pair in reading.pairs],
        "rulable": [
            (field.counted, text(field.label), field.are_errors)
            for field in study.protocol.fields
            if field.counted and reading.item.round == Item.Round.MAIN
        ],
        **voices_legend(study.protocol),
    }


def _pair(study: Study, reading: ItemReading, pair: PairReading) -> dict[str, Any]:
    texts = {"original": reading.item.original, "simplification": pair.simplification.text}
    languages = languages_of_texts(study, *texts.values(), detected=pair.simplification.language)
    return {
        "name": f"{reading.item.key}/{pair.simplification.position}",
        "system": pair.simplification.system,
        "has_imported": bool(study.protocol.bracketed)
        and any(voice.is_imported for voice in pair.voices),
        "pk": pair.simplification.pk,
        "consensus": consensus_context(study, pair.simplification, pair.voices),
        **voices_context(study.protocol, texts, pair.voices, languages),
    }
