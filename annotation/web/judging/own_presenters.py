"""An annotator's own list and history, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.answers import restore
from annotation.models import Assignment, Draft, DraftVersion, Item, Judgment, Study
from annotation.protocols.base import Answers
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.selectors.base.languages import language_of_original
from annotation.selectors.judging.blinded import BlindedPair
from annotation.selectors.judging.own import OwnRevision, OwnVersion
from annotation.selectors.watching.own_work import OwnWork
from annotation.web.base.presenters import option_labels, text

ORIGINS = {
    DraftVersion.Origin.OVERWRITTEN: gettext_lazy("It was saved, and you chose another version."),
    DraftVersion.Origin.REFUSED: gettext_lazy(
        "It stood in one of your windows, and you chose another version."
    ),
    DraftVersion.Origin.FOUND: gettext_lazy(
        "A copy on a computer of yours; you chose another version."
    ),
    DraftVersion.Origin.REPLACED: gettext_lazy(
        "It was your draft until you brought another version back."
    ),
    DraftVersion.Origin.TAKEN_BACK: gettext_lazy("You submitted it and took it back."),
}


def pair_name(round_: str, number: int) -> str:
    """What a pair is called wherever its annotator meets it. ``number`` is of ``queue.place`` or
    ``queue.ordinals``."""
    named = _("Practice %(number)s") if round_ == Item.Round.PRACTICE else _("Pair %(number)s")
    return named % {"number": number}


def hours_text(seconds: float) -> str:
    """A length of working time, to the minute: «1 h 05», «12 min»."""
    hours, minutes = divmod(round(seconds / 60), 60)
    return (
        _("%(hours)s h %(minutes)s") % {"hours": hours, "minutes": f"{minutes:02}"}
        if hours
        else (_("%(minutes)s min") % {"minutes": minutes})
    )


def work_context(work: OwnWork) -> dict[str, Any]:
    """One's own hours, pace and pay, in words."""
    budget = work.study.hours_budget * 3600
    spans = [
        (_("Today"), work.worked.today),
        (_("This week"), work.worked.week),
        (_("This month"), work.worked.month),
        (_("In all"), work.worked.whole),
    ]
    return {
        "spans": [(label, hours_text(seconds), work.pay(seconds)) for label, seconds in spans],
        "week": hours_text(work.worked.week),
        "whole": hours_text(work.worked.whole),
        "whole_seconds": work.worked.whole,
        "pay": work.pay(work.worked.whole),
        "has_pay": work.study.hourly_rate is not None,
        "rate": work.study.hourly_rate,
        "currency": work.study.pay_currency,
        "budget": work.study.hours_budget,
        "budget_seconds": budget,
        "budget_left": hours_text(max(0, budget - work.worked.whole)),
        "over_budget": 0 < budget < work.worked.whole,
        "pair_minutes": None if work.pair_seconds is None else work.pair_seconds / 60,
        "timed": work.timed,
        "recent": work.recent,
        "left": work.left,
        "forecast": _about(work.forecast_seconds),
        "end_at": work.end_at,
    }


def _about(seconds: float | None) -> str:
    """A forecast no finer than it can be: half hours, and below one hour minutes by five."""
    if seconds is None:
        return ""
    step = 1800 if seconds >= 3600 else 300
    return hours_text(max(step, round(seconds / step) * step))


FILTERS = (
    ("", gettext_lazy("All")),
    ("submitted", gettext_lazy("Submitted")),
    ("begun", gettext_lazy("Begun")),
    ("open", gettext_lazy("Not yet submitted")),
    ("aside", gettext_lazy("For later")),
    ("again", gettext_lazy("To judge again")),
    ("answered", gettext_lazy("Answered by the lead")),
    ("doubt", gettext_lazy("With a doubt")),
    ("noted", gettext_lazy("With a note")),
)


def own_filters(shown: str) -> list[dict[str, Any]]:
    """The states that one's own list may be narrowed to."""
    return [{"state": state, "label": label, "current": state == shown} for state, label in FILTERS]


def recent_pair(study: Study, assignment: Assignment, number: int) -> dict[str, Any]:
    """One of the pairs worked on last: its name, its address and when."""
    return {
        "name": pair_name(assignment.simplification.item.round, number),
        "url": reverse("annotate", args=[study.key, assignment.position]),
        "saved_at": assignment.draft.saved_at,
    }


def own_row(study: Study, assignment: Assignment, number: int) -> dict[str, Any]:
    """A row of one's own list, from an ``Assignment`` of ``selectors.judging.own``."""
    draft: Draft | None = getattr(assignment, "draft", None)
    judgment: Judgment | None = getattr(assignment, "judgment", None)
    submitted_at = judgment.submitted_at if judgment else None
    changed = bool(submitted_at and draft and draft.saved_at > submitted_at)
    answers = study.protocol.empty_answers()
    if judgment and submitted_at:
        answers = restore(judgment, study.protocol)
        scores: dict[str, int | None] = {r.dimension: r.value for r in judgment.ratings.all()}
    else:
        answers |= draft.answers if draft else {}
        scores = {
            scale.dimension_name: scale.running_score(answers, study.rulings)
            for scale in study.protocol.bracketed
        }
    state = "changed" if changed else "submitted" if submitted_at else "begun" if draft else "open"
    if assignment.again:  # type: ignore[attr-defined]  # annotated by the selector
        state = "again"
    is_corrected = judgment is not None and judgment.revision > 1
    has_history = is_corrected or assignment.put_aside  # type: ignore[attr-defined]  # annotated by the selector
    return {
        "number": number,
        "name": pair_name(assignment.round, number),  # type: ignore[attr-defined]  # annotated by the selector
        "url": reverse("annotate", args=[study.key, assignment.position]),
        "history_url": reverse("annotate_history", args=[study.key, assignment.position])
        if has_history
        else "",
        "opening": assignment.opening,  # type: ignore[attr-defined]  # annotated by the selector
        "language": language_of_original(study, assignment.opening),  # type: ignore[attr-defined]  # annotated by the selector
        "round": assignment.round,  # type: ignore[attr-defined]  # annotated by the selector
        "state": state,
        "when": submitted_at
        if state in ("submitted", "again")
        else draft.saved_at
        if draft
        else None,
        "cells": _cells(study.protocol, answers, scores),
        "aside": assignment.set_aside_at is not None and state not in ("submitted", "changed"),
        "note": note.text if (note := getattr(assignment, "private_note", None)) else "",
        "later_url": reverse("annotate_later", args=[study.key, assignment.position]),
        "unread": assignment.unread,  # type: ignore[attr-defined]  # annotated by the selector
        "doubt": any(answers[name] for name in study.protocol.doubts),
        "answered": assignment.answered,  # type: ignore[attr-defined]  # annotated by the selector
    }


def own_columns(protocol: Protocol) -> list[dict[str, Any]]:
    """The columns of one's own list that the protocol makes: one for each field that is rated."""
    return [
        {"label": text(field.label), "is_number": field in protocol.bracketed}
        for field in protocol.fields
        if field.dimensions
    ]


def _cells(
    protocol: Protocol, answers: Answers, scores: Mapping[str, int | None]
) -> list[dict[str, Any]]:
    """What stands in ``own_columns``: a score where it is derived, else the answer in brief."""
    derived = {scale.name: scores.get(scale.dimension_name) for scale in protocol.bracketed}
    return [
        {"is_number": True, "text": derived[field.name]}
        if field.name in derived
        else {"is_number": False, "text": field.brief(answers[field.name], text) or None}
        for field in protocol.fields
        if field.dimensions
    ]


def has_marks(field: Field, value: Any) -> bool:
    """Whether the answer is told by what it marks in the texts, nothing among it: of types, or of
    none, as suggestions are. What a protocol that is no longer installed marked has its lines."""
    return bool(field.marks) or any(not mark.type for mark in field.passages(value))


def marks_in_words(
    field: Field, pair: BlindedPair, marks: list[dict[str, Any]]
) -> list[dict[str, str]]:
    """Each mark with the label of its type, what else is answered of it, its note, and the words
    that it marks in either text. What has no types are suggestions of the page."""
    types = option_labels(field.marks) | {"": "" if field.marks else _("suggestion")}
    texts = {"original": pair.original, "simplification": pair.simplification}
    return [
        {
            "type": types[mark.type],
            "beside": " · ".join(text(words) for words in mark.beside),
            "note": mark.note,
        }
        | {
            side: " … ".join(whole[start:end] for start, end in mark.spans(side))
            for side, whole in texts.items()
        }
        for mark in field.passages(marks)
    ]


def own_revision(study: Study, pair: BlindedPair, revision: OwnRevision) -> dict[str, Any]:
    """A former submission, with the words that its marks quote."""
    return {
        "number": revision.number,
        "submitted_at": revision.submitted_at,
        "active_seconds": revision.active_seconds,
        "score": revision.score,
        "has_score": bool(study.protocol.bracketed),
        "answers": list(_said(study.protocol, pair, revision.answers)),
    }


def _said(protocol: Protocol, pair: BlindedPair, answers: Answers) -> Iterator[dict[str, Any]]:
    """Each answer with its lines, those that qualify it beside it; what is rated or marked also
    where it says nothing."""
    for field in protocol.fields:
        value = answers[field.name]
        is_marks = has_marks(field, value)
        lines = [] if field.marks else field.lines(value, text)
        if field.stored_with or not (lines or field.dimensions or is_marks):
            continue
        beside = [qualifier for qualifier in protocol.fields if qualifier.stored_with == field.name]
        yield {
            "label": text(field.label),
            "lines": lines,
            "is_free_text": bool(field.free_members),
            "is_marks": is_marks,
            "marks": marks_in_words(field, pair, value) if is_marks else [],
            "beside": [
                line
                for qualifier in beside
                for line in qualifier.lines(answers[qualifier.name], text)
            ],
        }


def own_version(version: OwnVersion) -> dict[str, Any]:
    """A version of the draft that was put aside."""
    return {
        "number": version.number,
        "saved_at": version.saved_at,
        "origin": ORIGINS[DraftVersion.Origin(version.origin)],
    }
