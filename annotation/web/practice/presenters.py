"""The practice round as its pages show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Item, PracticeNote, Simplification, Study
from annotation.protocols.base import Answers
from annotation.protocols.kinds import Field
from annotation.selectors.agreement.voices import Voice
from annotation.selectors.base.languages import languages_of, languages_of_texts
from annotation.selectors.practice.practice import OwnFeedback
from annotation.web.agreement.voices import unsubmitted_voice, voices_context, voices_legend
from annotation.web.base.presenters import field_context
from annotation.web.judging.own_presenters import pair_name
from annotation.web.platform.markdown import render_guide
from annotation.web.practice.forms import Row, reference_rows, with_blank_rows

# The name under which a reference's errors are drawn: pseudonyms are letters.
REFERENCE = "★"


def texts_of(pair: Simplification) -> dict[str, str]:
    return {"original": pair.item.original, "simplification": pair.text}


def pair_context(study: Study, pair: Simplification, voices: Sequence[Voice]) -> dict[str, Any]:
    """One practice pair at the meeting: everybody's judgment, and the reference after them."""
    note = note_of(pair)
    if note and note.reference:
        voices = [*voices, unsubmitted_voice(study, REFERENCE, note.reference)]
    return {
        "pair": pair,
        "item": pair.item,
        "note": note,
        "note_html": render_guide(note.note) if note else "",
        "reference_name": REFERENCE,
        **voices_context(study.protocol, texts_of(pair), voices, languages_of(study, pair)),
        **voices_legend(study.protocol),
    }


def note_of(pair: Simplification) -> PracticeNote | None:
    note: PracticeNote | None = getattr(pair, "practice_note", None)
    return note


def reference_form(
    study: Study,
    pair: Simplification,
    posted: Mapping[str, Any],
) -> dict[str, Any]:
    """The form of the reference: what was typed (``answers``, ``rows`` of marks, and what is
    ``unread``), else what is stored."""
    typed: Answers | None = posted.get("answers")
    rows: Mapping[str, list[Row]] | None = posted.get("rows")
    unread: Mapping[str, str] = posted.get("unread", {})
    note, protocol = note_of(pair), study.protocol
    stored = note.reference if note else None
    answers = typed if typed is not None else stored or protocol.empty_answers()
    shown = reference_rows(protocol, stored, texts_of(pair)) if rows is None else rows
    # An annotator's own remarks: the lead's stand in the note.
    left_out = {*protocol.remarks, *protocol.doubts}
    return {
        "fields": [
            _reference_field(field, answers, unread.get(field.name))
            for field in protocol.fields
            if not field.marks and field.name not in left_out
        ],
        "lists": [
            field_context(field, answers, []) | {"rows": with_blank_rows(shown[field.name])}
            for field in protocol.marked
        ],
        "is_open": typed is not None or stored is not None,
    }


def _reference_field(field: Field, answers: Answers, unread: str | None) -> dict[str, Any]:
    """The field with what may be chosen; a plain select needs no more than values and words.
    ``unread``: what was typed of which no answer can be made."""
    context = field_context(field, answers, [])
    choices: list[tuple[object, str]] = [
        *((option["value"], _option_words(option)) for option in context.get("options", ())),
        *((bracket["value"], bracket["short"]) for bracket in context.get("brackets", ())),
    ]
    if "none" in context:
        choices.append((context["none_value"], context["none"]))
    value = answers.get(field.name)
    several = value if isinstance(value, list) else [] if value is None else [value]
    chosen = [context["none_value"]] if context.get("is_none") else several
    bounds = context.get("bounds") or (context.get("lowest"), context.get("highest"))
    return context | {
        "control": field.control,
        "written": field.plain(value) if unread is None else unread,
        "typed": value if unread is None else unread,
        "choices": [(value, label, value in chosen) for value, label in choices],
        "bounds": bounds,
    }


def _option_words(option: Mapping[str, Any]) -> str:
    value = option["value"]
    return f"{value} · {option['label']}" if isinstance(value, int) else option["label"]


def feedback_row(study: Study, own: OwnFeedback) -> dict[str, Any]:
    """One pair of an annotator's feedback: their own answer beside the reference, and the note."""
    you = _("You")
    voices = [Voice(you, own.answers, own.ratings, mark=you)]
    if own.reference:
        voices.append(unsubmitted_voice(study, _("Reference"), own.reference))
    return {
        "position": own.position,
        "name": pair_name(Item.Round.PRACTICE, own.number),
        "note_html": render_guide(own.note),
        "has_reference": bool(own.reference),
        **voices_context(
            study.protocol,
            {"original": own.original, "simplification": own.simplification},
            voices,
            languages_of_texts(study, own.original, own.simplification, detected=own.language),
        ),
        **voices_legend(study.protocol),
    }
