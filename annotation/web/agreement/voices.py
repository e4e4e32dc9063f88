"""Several judgments of one pair side by side: what each decided, and everybody's errors drawn on
the same two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Study
from annotation.protocols.base import Answers
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.voices import Voice
from annotation.web.agreement.overlay import SIDES, Span, overlay
from annotation.web.base.presenters import dimension_label, error_type_labels, value_labels
from annotation.web.judging.own_presenters import answers_in_words


def unsubmitted_voice(study: Study, name: str, answers: Answers) -> Voice:
    """Answers that no judgment holds, as a reference, as one more voice."""
    ratings = study.protocol.ratings(answers, study.protocol_settings)
    return Voice(name, answers, {rating.dimension: rating.value for rating in ratings}, mark=name)


def voices_legend(protocol: Protocol) -> dict[str, Any]:
    """What the voices' table is headed by, and the types of error that may be drawn."""
    return {
        "headings": [dimension_label(protocol, name) for name in protocol.dimensions],
        "types": [
            {"key": key, "label": label} for key, label in error_type_labels(protocol).items()
        ],
    }


def voices_context(
    protocol: Protocol, texts: Mapping[str, str], voices: Sequence[Voice]
) -> dict[str, Any]:
    """The texts with everybody's errors on them, and a row for each judgment."""
    spans = {side: [span for voice in voices for span in _spans(voice, side)] for side in SIDES}
    kinds = error_type_labels(protocol)
    return {
        **{side: overlay(texts[side], spans[side]) for side in SIDES},
        "voices": [_row(protocol, voice, texts, kinds) for voice in voices],
    }


def _spans(voice: Voice, side: str) -> list[Span]:
    return [
        Span(error[f"{side}_start"], error[f"{side}_end"], error["type"], f"{voice.mark}.{number}")
        for number, error in enumerate(voice.answers["errors"], start=1)
        if error[f"{side}_start"] is not None and error[f"{side}_end"] is not None
    ]


def _row(
    protocol: Protocol, voice: Voice, texts: Mapping[str, str], kinds: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "name": voice.mark,
        "person": voice.name if voice.name != voice.mark else "",
        "judgment": voice.judgment,
        "is_imported": voice.is_imported,
        "late": voice.late,
        "values": [
            (
                voice.ratings.get(name),
                value_labels(protocol, name).get(voice.ratings.get(name, -1), ""),
            )
            for name in protocol.dimensions
        ],
        "bracket": answers_in_words(protocol, voice.answers).get("bracket", ""),
        "comment": voice.answers.get("comment", ""),
        "explanation": voice.answers.get("explanation", ""),
        "errors": [
            {
                "label": f"{voice.mark}.{number}",
                "kind": error["type"],
                "type": kinds.get(error["type"], error["type"]),
                "note": error["note"],
                "quotes": [
                    texts[side][error[f"{side}_start"] : error[f"{side}_end"]]
                    for side in SIDES
                    if error[f"{side}_start"] is not None
                ],
            }
            for number, error in enumerate(voice.answers["errors"], start=1)
        ],
    }
