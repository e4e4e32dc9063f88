"""Several judgments of one pair side by side: what each decided, and everybody's errors drawn on the same two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation.models import Study
from annotation.protocols.base import Answers
from annotation.protocols.fields import ErrorList
from annotation.protocols.protocol import Protocol
from annotation.web.dashboard.item import SIDES, Span, overlay
from annotation.web.dashboard.words import dimension_label, value_labels
from annotation.web.own_presenters import answers_in_words
from annotation.web.presenters import text


class Heard(NamedTuple):
    """One judgment under the name that the page gives it. ``person`` only where names were asked for."""

    name: str
    answers: Answers
    ratings: Mapping[str, int]
    person: str = ""
    judgment: int | None = None
    late: bool = False


def reference_heard(study: Study, name: str, answers: Answers) -> Heard:
    """A reference judgment as one more voice."""
    ratings = study.protocol.ratings(answers, study.protocol_settings)
    return Heard(name, answers, {rating.dimension: rating.value for rating in ratings})


def voices_context(study: Study, texts: Mapping[str, str], heard: Sequence[Heard]) -> dict[str, Any]:
    """The texts with everybody's errors on them, and a row for each judgment."""
    spans = {side: [span for voice in heard for span in _spans(voice, side)] for side in SIDES}
    kinds = _error_types(study.protocol)
    return {
        **{side: overlay(texts[side], spans[side]) for side in SIDES},
        "voices": [_row(study.protocol, voice, texts, kinds) for voice in heard],
        "headings": [dimension_label(study.protocol, name) for name in study.protocol.dimensions],
        "types": [{"key": key, "label": label} for key, label in kinds.items()],
    }


def _error_types(protocol: Protocol) -> dict[str, str]:
    return {
        option.key: text(option.label)
        for field in protocol.fields
        if isinstance(field, ErrorList)
        for option in field.types
    }


def _spans(voice: Heard, side: str) -> list[Span]:
    return [
        Span(error[f"{side}_start"], error[f"{side}_end"], error["type"], f"{voice.name}.{number}")
        for number, error in enumerate(voice.answers["errors"], start=1)
        if error[f"{side}_start"] is not None and error[f"{side}_end"] is not None
    ]


def _row(protocol: Protocol, voice: Heard, texts: Mapping[str, str], kinds: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": voice.name,
        "person": voice.person,
        "judgment": voice.judgment,
        "late": voice.late,
        "values": [
            (voice.ratings.get(name), value_labels(protocol, name).get(voice.ratings.get(name, -1), ""))
            for name in protocol.dimensions
        ],
        "bracket": answers_in_words(protocol, voice.answers).get("bracket", ""),
        "comment": voice.answers.get("comment", ""),
        "explanation": voice.answers.get("explanation", ""),
        "errors": [
            {
                "label": f"{voice.name}.{number}",
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
