"""A protocol's file as a form: a field for whatever its classes take, by their own type hints.

What a file may say is what the classes say (``protocols/files.py``), so that a kind of question
that comes tomorrow has its form today. What somebody changes in it ``taking`` puts into the file:
what stands in no form (``hints``) and what is wrong stay as they are, and the latter is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import NoneType
from typing import Any, get_args

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.protocols.base import Wording
from annotation.protocols.kinds import KINDS, Field, When
from annotation.protocols.protocol import Protocol, Step
from annotation.web.composing.acts import REFERS
from annotation.web.composing.hints import (
    SIDES,
    Questions,
    Shown,
    Unstructured,
    file_given,
    has_parts,
    inner_hint,
    kind_of,
    plain,
    questions_of,
    shown_members,
    under,
    words_of,
)
from annotation.web.composing.words import ABOUT, ADDING, KIND_NAMES, LABELS, VALUES

MOST = 900
"""Fields of a form: a server reads a thousand at most, with those that are none of the file's."""
_FIRST = (
    *("name", "label", "required", "options", "types", "brackets", "operations", "allowed"),
    *("lowest", "highest", "step", "low", "high", "deducts", "is_remark", "is_doubt", "confirms"),
)
"""Of a question, what is looked at before anything else; the rest folds away."""
_LONG = ("help", "example")
"""Words of several lines."""
_FIELDS_SENT = {"word": 2, "words": 2, "when": 2, "tick": 2, "ticks": 3}
"""How many fields a browser sends of a control; one of any other."""


@dataclass(frozen=True)
class Part:
    """One field of the form, or a group of them. ``way``: its name in the form, by members and
    numbers from 0 (``steps.0.fields.1.label``). ``control``: which template draws it. ``value``:
    what it shows, a text, whether it is ticked, those that are ticked, or texts by name."""

    way: str
    label: str
    control: str
    value: Any = None
    about: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()
    more: tuple[Part, ...] = ()
    rows: tuple[Part, ...] = ()
    is_open: bool = False

    @property
    def adding(self) -> str:
        """What the button says that adds a row; "" for a list that does not grow."""
        name = self.way.rpartition(".")[2]
        if name == "operations" and self.way.count("operations") == 1:
            name = "groups"
        return str(ADDING.get(name, ""))

    @property
    def can_move(self) -> bool:
        """Whether its row can be moved and removed."""
        return self.way.split(".")[-2:-1] != ["panels"]

    @property
    def is_more_open(self) -> bool:
        """Whether what is shown stands in what folds away."""
        return any(part.is_open for part in self.more)


def structure(text: str, shown: str = "") -> tuple[Part, ...]:
    """The form of a file; ``shown``: the way of what is to stand open. Raises ``Unstructured``."""
    given = file_given(text)
    parts = _parts(Protocol, given, "", questions_of(given))
    if sum(map(_number_sent, parts)) > MOST:
        raise Unstructured("too long")
    return tuple(_opened(part, f"{shown}.") for part in parts)


# -- shown ----------------------------------------------------------------------------------------


def _opened(part: Part, shown: str) -> Part:
    """With what leads to the shown one open, and that itself."""
    if not shown.startswith(f"{part.way}."):
        return part
    parts, more, rows = (
        tuple(_opened(inner, shown) for inner in group)
        for group in (part.parts, part.more, part.rows)
    )
    return replace(part, is_open=True, parts=parts, more=more, rows=rows)


def _number_sent(part: Part) -> int:
    """How many fields of it a browser sends."""
    inner = (*part.parts, *part.more, *part.rows)
    own = 0 if inner and not part.choices else _FIELDS_SENT.get(part.control, 1)
    return own + sum(map(_number_sent, inner))


def _parts(
    kind: type[Any], given: Mapping[str, Any], way: str, questions: Questions
) -> tuple[Part, ...]:
    parts = (part_of(member, given, way, questions) for member in shown_members(kind))
    return tuple(part for part in parts if part is not None)


def part_of(member: Shown, given: Mapping[str, Any], way: str, questions: Questions) -> Part | None:
    """None for what has no form."""
    name, hint = member.name, member.hint
    value = given.get(name, plain(member.default))
    part = Part(
        under(way, name),
        str(LABELS.get(name, name)),
        "line",
        "" if value is None else str(value),
        about=str(ABOUT.get(name, "")),
    )
    if hint is str:
        return replace(part, control="name") if name in REFERS else part
    if hint is int:
        return replace(part, control="number")
    if hint is bool:
        return replace(part, control="tick", value=value is True)
    if hint is Wording:
        control = "words" if name in _LONG else "word"
        return replace(part, control=control, value=words_of(value))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        known = {word.value: str(VALUES.get(word.value, word.value)) for word in hint}
        return replace(part, control="list", choices=_with_present(known, part.value))
    if {*get_args(hint)} == {When, NoneType}:
        when = _when(value)
        others = {other: field for other, field in questions.items() if other != given.get("name")}
        known = {"": "–"} | {other: _question_name(other, f) for other, f in others.items()}
        choices = _with_present(known, when["field"])
        return replace(part, control="when", value=when, choices=choices)
    return _list_part(part, hint, value, questions)


def _with_present(known: Mapping[str, str], present: str) -> tuple[tuple[str, str], ...]:
    """What may be chosen, and what is chosen though there is no such thing: a browser would take
    the first for it."""
    odd = {} if present in known else {present: _("%(name)s (unknown)") % {"name": present}}
    return tuple({**known, **odd}.items())


def _question_name(name: str, field: Mapping[str, Any]) -> str:
    words = _in_words(field.get("label"))
    return f"{words} ({name})" if words else name


def _list_part(part: Part, hint: Any, value: Any, questions: Questions) -> Part | None:
    inner = inner_hint(hint)
    if inner is str:
        if part.way.endswith(".sides"):
            choices = tuple((side, str(VALUES[side])) for side in SIDES)
            chosen = [side for side in SIDES if side in _texts(value)]
            return replace(part, control="ticks", value=chosen, choices=choices)
        return replace(part, value=", ".join(_texts(value)))
    if not has_parts(inner):
        return None
    value = [] if value is None else value
    if not isinstance(value, list):
        return Part(part.way, part.label, "odd")
    rows = tuple(
        _row(inner, row, under(part.way, number), questions) for number, row in enumerate(value)
    )
    kinds = tuple((kind, str(KIND_NAMES.get(kind, kind))) for kind in KINDS)
    choices = kinds if inner is Field else ()
    return replace(part, control="rows", value=None, rows=rows, choices=choices)


def _row(kind: type[Any], row: Any, way: str, questions: Questions) -> Part:
    if not isinstance(row, dict):
        return Part(way, str(row)[:80], "odd")
    label = _called(row)
    if kind is not Field:
        control = "step" if kind is Step else "row"
        return Part(way, label, control, parts=_parts(kind, row, way, questions))
    own = kind_of(row)
    if own is None:
        return Part(way, label, "odd", value=str(row.get("kind", "")))
    parts = _parts(own, row, way, questions)
    first = {under(way, name) for name in _FIRST}
    return Part(
        way,
        label,
        "question",
        value=str(KIND_NAMES.get(row["kind"], row["kind"])),
        parts=tuple(part for part in parts if part.way in first),
        more=tuple(part for part in parts if part.way not in first),
    )


def _called(row: Mapping[str, Any]) -> str:
    for name in ("question", "label", "heading", "short"):
        if words := _in_words(row.get(name)):
            return words
    return next((str(row[name]) for name in ("key", "name", "side") if row.get(name)), "")


def _in_words(value: Any) -> str:
    """In the language of the page, else in French."""
    words = words_of(value)
    return words.get(get_language() or "fr", "") or words["fr"]


def _texts(value: Any) -> list[str]:
    return [str(text) for text in value] if isinstance(value, list) else []


def _when(value: Any) -> dict[str, str]:
    given = value if isinstance(value, dict) else {}
    values = given.get("values")
    said = values if isinstance(values, list) else []
    return {
        "field": given["field"] if isinstance(given.get("field"), str) else "",
        "values": ", ".join(json.dumps(v) if isinstance(v, bool) else str(v) for v in said),
    }
