"""Several judgments of one pair side by side: what each decided, and everybody's errors drawn on
the same two texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Study
from annotation.protocols.base import Answers, Passages
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.voices import Voice
from annotation.web.agreement.overlay import SIDES, Span, overlay
from annotation.web.base.presenters import (
    dimension_label,
    option_labels,
    text,
    value_labels,
)


def unsubmitted_voice(study: Study, name: str, answers: Answers) -> Voice:
    """Answers that no judgment holds, as a reference, as one more voice."""
    ratings = study.protocol.ratings(answers, study.rulings)
    return Voice(name, answers, {rating.dimension: rating.value for rating in ratings}, mark=name)


def voices_legend(protocol: Protocol) -> dict[str, Any]:
    """What the voices' table is headed by, and the types of error that may be drawn."""
    return {
        "headings": [dimension_label(protocol, name) for name in protocol.dimensions],
        "types": [
            {"key": key, "label": label}
            for key, label in dict.fromkeys(
                (option.key, text(option.label)) for option in protocol.mark_types
            )
        ],
    }


def voices_context(
    protocol: Protocol,
    texts: Mapping[str, str],
    voices: Sequence[Voice],
    languages: Mapping[str, str],
) -> dict[str, Any]:
    """The texts with everybody's marks on them, and a row for each judgment. ``languages``: of the
    texts, by side."""
    spans = {
        side: [span for voice in voices for span in _spans(protocol, voice, side)] for side in SIDES
    }
    return {
        **{side: overlay(texts[side], spans[side]) for side in SIDES},
        "languages": languages,
        "voices": [_row(protocol, voice, texts, languages) for voice in voices],
    }


def _marks(protocol: Protocol, voice: Voice) -> list[tuple[str, Field, Passages]]:
    """Every mark with what it is drawn under («A.2») and the field that it answers."""
    marks = [
        (field, mark)
        for field in protocol.marked
        for mark in field.passages(voice.answers.get(field.name, ()))
    ]
    return [
        (f"{voice.mark}.{number}", field, mark)
        for number, (field, mark) in enumerate(marks, start=1)
    ]


def _type_of(protocol: Protocol, field: Field, mark: Passages) -> str:
    """The word for a mark's type, with its severity where it has one: of several lists of marks,
    with the list that it stands in."""
    word = option_labels(field.marks).get(mark.type, mark.type)
    if mark.beside:
        word = f"{word} ({', '.join(map(text, mark.beside))})"
    if len(protocol.marked) == 1:
        return word
    return _("%(list)s: %(type)s") % {"list": text(field.label), "type": word}


def _spans(protocol: Protocol, voice: Voice, side: str) -> list[Span]:
    return [
        Span(start, end, mark.type, label)
        for label, _field, mark in _marks(protocol, voice)
        for start, end in mark.spans(side)
    ]


def _row(
    protocol: Protocol, voice: Voice, texts: Mapping[str, str], languages: Mapping[str, str]
) -> dict[str, Any]:
    derived = {
        scale.dimension_name: scale.brief(voice.answers.get(scale.name), text)
        for scale in protocol.bracketed
    }
    return {
        "name": voice.mark,
        "person": voice.name if voice.name != voice.mark else "",
        "judgment": voice.judgment,
        "is_imported": voice.is_imported,
        "late": voice.late,
        # The value, its words, and what it was derived from.
        "values": [
            (
                voice.ratings.get(name),
                value_labels(protocol, name).get(voice.ratings[name], "")
                if name in voice.ratings
                else "",
                derived.get(name, ""),
            )
            for name in protocol.dimensions
        ],
        "lines": list(_lines(protocol, voice.answers)),
        "errors": [
            {
                "label": label,
                "kind": mark.type,
                "type": _type_of(protocol, field, mark),
                "note": mark.note,
                "quotes": [
                    {"text": texts[side][start:end], "language": languages[side]}
                    for side in SIDES
                    for start, end in mark.spans(side)
                ],
            }
            for label, field, mark in _marks(protocol, voice)
        ],
    }


def _lines(protocol: Protocol, answers: Answers) -> Iterator[dict[str, Any]]:
    """What was answered beside the dimensions: texts as they are, anything else with its label; and
    an answer that several dimensions hold, said once. A doubt is its annotator's word to the leads,
    not to whoever reads the answers. A remark, and a protocol's only text, need no label."""
    texts = [f.name for f in protocol.fields if f.sides and f.free_members]
    unlabelled = {*protocol.remarks, *([] if len({*texts} - {*protocol.remarks}) > 1 else texts)}
    for field in protocol.fields:
        is_said = field in protocol.beside or len(field.dimensions) > 1
        if not is_said or field.name in protocol.doubts or field.name not in answers:
            continue
        lines = field.lines(answers[field.name], text)
        for said in lines if field.free_members else filter(None, [", ".join(lines)]):
            yield {
                "label": "" if field.name in unlabelled else text(field.label),
                "text": said,
                "is_remark": field.name in protocol.remarks,
            }
