"""Everybody's errors drawn on the same two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from annotation.models import Study
from annotation.protocols.fields import ErrorList
from annotation.selectors.agreement.item import ItemReading, PairReading, Voice
from annotation.web.dashboard.words import dimension_label, value_labels
from annotation.web.own_presenters import answers_in_words
from annotation.web.presenters import text

SIDES = ("original", "simplification")


@dataclass(frozen=True)
class Span:
    """A marked passage: ``label`` names annotator and error («A2»)."""

    start: int
    end: int
    kind: str
    label: str


@dataclass(frozen=True)
class Piece:
    """A stretch of text that the same errors cover; ``opening`` are those that begin here."""

    text: str
    spans: tuple[Span, ...]
    opening: tuple[Span, ...]

    @property
    def kind(self) -> str:
        """The type of error, or "several" where they differ."""
        kinds = {span.kind for span in self.spans}
        return kinds.pop() if len(kinds) == 1 else "several"

    @property
    def people(self) -> str:
        return ", ".join(span.label for span in self.spans)


def overlay(content: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """The text cut wherever an error begins or ends, so that marks may overlap as they please."""
    inside = [span for span in spans if 0 <= span.start < min(span.end, len(content))]
    cuts = sorted({0, len(content), *(span.start for span in inside), *(min(s.end, len(content)) for s in inside)})
    return tuple(
        Piece(
            content[start:end],
            tuple(span for span in inside if span.start <= start and end <= span.end),
            tuple(span for span in inside if span.start == start),
        )
        for start, end in pairwise(cuts)
    )


def item_context(study: Study, reading: ItemReading) -> dict[str, Any]:
    """The page of one item."""
    return {
        "item": reading.item,
        "pairs": [_pair(study, reading, pair) for pair in reading.pairs],
        "types": [
            {"key": option.key, "label": text(option.label)}
            for field in study.protocol.fields
            if isinstance(field, ErrorList)
            for option in field.types
        ],
        "headings": [dimension_label(study.protocol, name) for name in study.protocol.dimensions],
    }


def _pair(study: Study, reading: ItemReading, pair: PairReading) -> dict[str, Any]:
    texts = {"original": reading.item.original, "simplification": pair.simplification.text}
    spans = {side: [span for voice in pair.voices for span in _spans(voice, side)] for side in SIDES}
    return {
        "system": pair.simplification.system,
        "language": pair.simplification.language or "fr",
        "original": overlay(texts["original"], spans["original"]),
        "simplification": overlay(texts["simplification"], spans["simplification"]),
        "voices": [_voice(study, voice, texts) for voice in pair.voices],
        "has_imported": any(voice.is_imported for voice in pair.voices),
    }


def _spans(voice: Voice, side: str) -> list[Span]:
    return [
        Span(error[f"{side}_start"], error[f"{side}_end"], error["type"], f"{voice.pseudonym}{number}")
        for number, error in enumerate(voice.errors, start=1)
        if error.get(f"{side}_start") is not None and error.get(f"{side}_end") is not None
    ]


def _voice(study: Study, voice: Voice, texts: dict[str, str]) -> dict[str, Any]:
    protocol = study.protocol
    kinds = {
        option.key: text(option.label)
        for field in protocol.fields
        if isinstance(field, ErrorList)
        for option in field.types
    }
    values = []
    for name in protocol.dimensions:
        value = voice.values.get(name)
        label = value_labels(protocol, name).get(value, "") if value is not None else ""
        values.append({"value": "–" if value is None else value, "label": label})
    return {
        "pseudonym": voice.pseudonym,
        "is_imported": voice.is_imported,
        "values": values,
        "bracket": answers_in_words(protocol, voice.answers).get("bracket", ""),
        "deductions": voice.deductions,
        "comment": voice.answers.get("comment", ""),
        "errors": [
            {
                "label": f"{voice.pseudonym}{number}",
                "kind": error["type"],
                "type": kinds.get(error["type"], error["type"]),
                "note": error.get("note", ""),
                "quotes": [
                    texts[side][error[f"{side}_start"] : error[f"{side}_end"]]
                    for side in SIDES
                    if error.get(f"{side}_start") is not None
                ],
            }
            for number, error in enumerate(voice.errors, start=1)
        ],
    }
