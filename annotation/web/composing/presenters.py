"""Protocols in words: what one asks, when, and what is rated by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.protocols.base import Answers, Dimension, Level, RatingValue, Ruling, Rulings
from annotation.protocols.kinds import Field, When
from annotation.protocols.protocol import JUDGE, Protocol
from annotation.web.base.presenters import side_heading, text
from annotation.web.composing.conditions import numbers_of, runs
from annotation.web.composing.words import KIND_NAMES, VALUES


def titles(protocols: Sequence[Protocol]) -> dict[str, str]:
    """Title by name; with the name where another is called so too."""
    number = Counter(text(protocol.title) for protocol in protocols)
    return {
        protocol.name: f"{title} ({protocol.name})" if number[title] > 1 else title
        for protocol in protocols
        if (title := text(protocol.title))
    }


def outline(protocol: Protocol) -> dict[str, Any]:
    """What whoever composed it may compare with what they meant."""
    return {
        "steps": [
            {
                "question": text(step.question),
                "texts": [side_heading(protocol, side) for side in step.sides],
                "fields": [_question(protocol, field) for field in step.fields],
            }
            for step in protocol.steps
        ],
        "rated": [_rated(dimension) for dimension in protocol.scales],
        "rulings": [_ruling(ruling) for ruling in protocol.rulings],
        "controls": list(_controls(protocol)),
        "published": [
            said
            for wording in (protocol.about.summary, protocol.about.score, *protocol.about.limits)
            if (said := text(wording))
        ],
        "source": protocol.about.source,
        "prompt": "" if protocol.judge == JUDGE else protocol.judge.prompt,
        "predicted": (
            text(protocol.dimension(protocol.predicted).label) if protocol.predicted else ""
        ),
    }


def _question(protocol: Protocol, field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "label": text(field.label),
        "said": [
            str(KIND_NAMES.get(field.kind, field.kind)),
            *([_("required")] if field.required else []),
            *_conditions(protocol, field),
        ],
        "answers": list(_answers(field)),
    }


def _answers(field: Field) -> Iterator[str]:
    for option in (*getattr(field, "options", ()), *field.marks):
        yield text(option.label)
    for bracket in getattr(field, "brackets", ()):
        yield f"{text(bracket.label)} ({bracket.bottom}–{bracket.top})"


def _ruling(ruling: Ruling) -> str:
    """How it is called, what may be decided, and what holds unless it is."""
    values = tuple(word for word, _label in ruling.options) or (True, False)
    return _("%(ruling)s (%(words)s; unless decided otherwise: %(held)s)") % {
        "ruling": text(ruling.label),
        "words": _(" or ").join(text(ruling.said(value)) for value in values),
        "held": text(ruling.said(ruling.default)),
    }


def _conditions(protocol: Protocol, field: Field) -> Iterator[str]:
    if field.shown_when is not None:
        yield _("asked where %(condition)s") % {"condition": _when(protocol, field.shown_when)}
    if field.required_when is not None:
        yield _("needed where %(condition)s") % {"condition": _when(protocol, field.required_when)}


def _when(protocol: Protocol, when: When) -> str:
    question = protocol.field(when.field)
    # No mapping: True is 1 to Python, and would take its word.
    names = [
        *((option.value, text(option.label)) for option in getattr(question, "options", ())),
        *((option.key, text(option.label)) for option in question.marks),
        (True, _("ticked")),
        (False, _("not ticked")),
    ]
    if not when.values:
        return _("“%(question)s” is answered") % {"question": text(question.label)}
    said = _(" or ").join(_said_values(question, names, when.values))
    return _("“%(question)s” is: %(answers)s") % {"question": text(question.label), "answers": said}


def _said_values(
    question: Field, names: Sequence[tuple[Any, str]], values: Sequence[Any]
) -> Iterator[str]:
    """Each by what it is called; several numbers that follow one another as a range."""
    for run in runs(values, numbers_of(question)):
        yield _range(run[0], run[-1]) if len(run) > 1 else _named(names, run[0])


def _named(names: Sequence[tuple[Any, str]], value: Any) -> str:
    return next(
        (word for known, word in names if known == value and type(known) is type(value)),
        str(value),
    )


def _rated(dimension: Dimension) -> dict[str, Any]:
    has_order = dimension.level != Level.NOMINAL
    return {
        "name": dimension.name,
        "label": text(dimension.label),
        "said": [
            str(VALUES[dimension.level]),
            _range(dimension.scale[0], dimension.scale[-1]),
            *([str(VALUES[dimension.better])] if has_order else []),
            *([] if dimension.required else [_("not of every pair")]),
        ],
    }


def _range(lowest: int, highest: int) -> str:
    return (
        str(lowest)
        if lowest == highest
        else _("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}
    )


def _controls(protocol: Protocol) -> Iterator[dict[str, Any]]:
    words = {
        "identical": _("A pair of identical texts must get"),
        "unrelated": _("A pair of unrelated texts must get"),
    }
    for kind, expectations in protocol.controls.items():
        yield {
            "said": _("%(kind)s: %(expected)s.")
            % {
                "kind": words[kind],
                "expected": "; ".join(
                    f"{text(protocol.dimension(expected.dimension).label)} "
                    f"{_range(expected.lowest, expected.highest)}"
                    for expected in expectations
                ),
            }
        }


def stored(protocol: Protocol, answers: Answers, rulings: Rulings) -> dict[str, Sequence[Any]]:
    """What a judgment of these answers would hold, under the names that files give it. Only for
    answers without problems."""
    parts = protocol.parts(answers, rulings)
    labels = {side: text(field.label) for field in protocol.fields for side in field.sides}
    return {
        "ratings": [
            {
                "name": name,
                "label": text(protocol.dimension(name).label),
                "value": rating.value,
                "word": _meaning(protocol, answers, rating),
            }
            for name, rating in parts.ratings.items()
        ],
        "sides": [
            {"name": name, "label": labels.get(name, ""), "value": value}
            for name, value in parts.sides.items()
        ],
    }


def _meaning(protocol: Protocol, answers: Answers, rating: RatingValue) -> str:
    """What the value means, or what it was derived from."""
    for scale in protocol.bracketed:
        if scale.dimension_name == rating.dimension:
            bracket = scale.brief(answers.get(scale.name), text)
            points = rating.deductions or 0
            return ngettext(
                "%(bracket)s, less %(points)s point", "%(bracket)s, less %(points)s points", points
            ) % {"bracket": bracket, "points": points}
    options = protocol.dimension(rating.dimension).options
    return next((text(option.label) for option in options if option.value == rating.value), "")
