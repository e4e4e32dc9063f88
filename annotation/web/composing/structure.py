"""A protocol's file as a form: a field for whatever its classes take, by their own type hints.

What a file may say is what the classes say (``protocols/files.py``), so that a kind of question
that comes tomorrow has its form today. The form changes in the file what somebody changed in it and
nothing else: what stands in no form (``_OF_THE_FILE``, and whatever hint has none) and what is
wrong stay as they are, and the latter is said as it is of a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin

from django.http import QueryDict
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.bodies import UnreadableBody, json_body
from annotation.protocols.base import Wording
from annotation.protocols.files import LARGEST, members
from annotation.protocols.kinds import KINDS, Field, When
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Protocol, Step
from annotation.web.composing.acts import ACTS, REFERS, kept_references, rows_of
from annotation.web.composing.words import ABOUT, ADDING, KIND_NAMES, LABELS, VALUES

MOST = 900
"""Fields of a form: a server reads a thousand at most, with those that are none of the file's."""
MOST_PARTS = 500
"""Objects of a file that has a form: each brings two fields or more."""
_OF_THE_FILE = {
    (Protocol, name)
    for name in ("imported", "layouts", "classified", "judge", "controls", "rulings", "about")
} | {(Field, "asks"), (Field, "helps")}
_FIRST = (
    *("name", "label", "required", "options", "types", "brackets", "operations", "allowed"),
    *("lowest", "highest", "step", "low", "high", "deducts", "is_remark", "is_doubt", "confirms"),
)
"""Of a question, what is looked at before anything else; the rest folds away."""
_LONG = ("help", "example")
"""Words of several lines."""
_SIDES = (ORIGINAL, SIMPLIFICATION)
_WORDED = ("text", "keyword", "marks", "edits")
"""Kinds whose answers conditions name by words, whatever these look like."""
_FIELDS_SENT = {"word": 2, "words": 2, "when": 2, "tick": 2, "ticks": 3}
"""How many fields a browser sends of a control; one of any other."""
_LANGUAGES = ("fr", "en")

Questions = Mapping[str, Mapping[str, Any]]
"""Every question as the file has it, by its name."""


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


class Unstructured(ValueError):
    """The file is no object, or too long for a form: it is changed as text."""


class Restructured(NamedTuple):
    """A file after its form; ``shown`` is the way of what its button made or moved, "" for none."""

    text: str
    shown: str = ""


def structure(text: str, shown: str = "") -> tuple[Part, ...]:
    """The form of a file; ``shown``: the way of what is to stand open. Raises ``Unstructured``."""
    given = _given(text)
    parts = _parts(Protocol, given, "", _questions(given))
    if sum(map(_number_sent, parts)) > MOST:
        raise Unstructured("too long")
    return tuple(_opened(part, f"{shown}.") for part in parts)


def restructured(text: str, posted: QueryDict) -> Restructured:
    """The file with what the form says, and with what its button did (``acts``). Raises
    ``Unstructured``."""
    given = _given(text)
    with kept_references(given):
        _take(Protocol, given, "", posted, _questions(given))
    verb, _colon, way = posted.get("action", "").partition(":")
    shown = ACTS[verb](given, way, posted) if verb in ACTS and way else ""
    return Restructured(json.dumps(given, ensure_ascii=False, indent=2) + "\n", shown)


def _given(text: str) -> dict[str, Any]:
    if len(text) > LARGEST:
        raise Unstructured("too long")
    try:
        # One of two members of one name would be dropped.
        given = json_body(text.encode("utf-8", "replace"))
    except UnreadableBody as error:
        raise Unstructured("no JSON") from error
    if not isinstance(given, dict):
        raise Unstructured("no object")
    if _objects(given) > MOST_PARTS:
        raise Unstructured("too long")
    return given


def _objects(given: Any) -> int:
    """How many lists and objects there are: never deeper than ``json_body`` lets them be."""
    if isinstance(given, dict):
        return 1 + sum(map(_objects, given.values()))
    return 1 + sum(map(_objects, given)) if isinstance(given, list) else 0


def _questions(given: Mapping[str, Any]) -> Questions:
    return {
        field["name"]: field
        for step in rows_of(given.get("steps"))
        for field in rows_of(step.get("fields"))
        if isinstance(field.get("name"), str)
    }


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


def _kind(given: Mapping[str, Any]) -> type[Any] | None:
    """Of a question; None for a kind that there is not."""
    name = given.get("kind")
    return KINDS.get(name) if isinstance(name, str) else None


class _Shown(NamedTuple):
    """A member that has a form; ``default`` is what holds where a file is silent."""

    name: str
    hint: Any
    is_needed: bool
    default: Any


def _shown(kind: type[Any]) -> Iterator[_Shown]:
    defaults = {member.name: member.default for member in fields(kind)}
    for name, member in members(kind).items():
        if _OF_THE_FILE & {(kind, name), (Field if issubclass(kind, Field) else kind, name)}:
            continue
        default = defaults[name]
        yield _Shown(name, member.hint, member.is_needed, None if default is MISSING else default)


def _under(way: str, name: object) -> str:
    return f"{way}.{name}" if way else str(name)


def _parts(
    kind: type[Any], given: Mapping[str, Any], way: str, questions: Questions
) -> tuple[Part, ...]:
    parts = (_part(member, given, way, questions) for member in _shown(kind))
    return tuple(part for part in parts if part is not None)


def _part(member: _Shown, given: Mapping[str, Any], way: str, questions: Questions) -> Part | None:
    """None for what has no form."""
    name, hint = member.name, member.hint
    value = given.get(name, _plain(member.default))
    part = Part(
        _under(way, name),
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
        return replace(part, control=control, value=_words(value))
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
    inner = _inner(hint)
    if inner is str:
        if part.way.endswith(".sides"):
            choices = tuple((side, str(VALUES[side])) for side in _SIDES)
            chosen = [side for side in _SIDES if side in _texts(value)]
            return replace(part, control="ticks", value=chosen, choices=choices)
        return replace(part, value=", ".join(_texts(value)))
    if not _has_parts(inner):
        return None
    value = [] if value is None else value
    if not isinstance(value, list):
        return Part(part.way, part.label, "odd")
    rows = tuple(
        _row(inner, row, _under(part.way, number), questions) for number, row in enumerate(value)
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
    own = _kind(row)
    if own is None:
        return Part(way, label, "odd", value=str(row.get("kind", "")))
    parts = _parts(own, row, way, questions)
    first = {_under(way, name) for name in _FIRST}
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
    words = _words(value)
    return words.get(get_language() or "fr", "") or words["fr"]


def _words(value: Any) -> dict[str, str]:
    given = value if isinstance(value, dict) else {}
    return {
        language: words if isinstance(words := given.get(language), str) else ""
        for language in _LANGUAGES
    }


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


def _plain(value: Any) -> Any:
    """A default as a file would say it."""
    if isinstance(value, tuple):
        return [_plain(row) for row in value]
    if isinstance(value, Wording):
        return {"fr": value.fr, "en": value.en}
    if is_dataclass(value) and not isinstance(value, type):
        said = {member.name: getattr(value, member.name) for member in fields(value)}
        return {
            member.name: _plain(said[member.name])
            for member in _shown(type(value))
            if member.is_needed or said[member.name] != member.default
        }
    return value.value if isinstance(value, StrEnum) else value


def _inner(hint: Any) -> Any:
    """What a tuple of any length is of; None for any other hint."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and inner[1:] == (Ellipsis,) else None


def _has_parts(inner: Any) -> bool:
    """Whether a list of these has a row with fields of its own for each."""
    return inner is not None and is_dataclass(inner) and inner is not Wording


# -- taken ----------------------------------------------------------------------------------------


def _take(
    kind: type[Any], given: dict[str, Any], way: str, posted: QueryDict, questions: Questions
) -> None:
    """Change ``given`` by what the form says of it."""
    for member in _shown(kind):
        part = _part(member, given, way, questions)
        if part is None or part.control == "odd":
            continue
        if part.control == "rows":
            _take_rows(member, given, part.way, posted, questions)
            continue
        typed = _typed(part, posted)
        if typed is not None and typed != part.value:
            _put(given, member, _meant(member, part, typed, given, questions))


def _take_rows(
    member: _Shown, given: dict[str, Any], way: str, posted: QueryDict, questions: Questions
) -> None:
    inner = _inner(member.hint)
    rows = given.get(member.name, _plain(member.default or ()))
    for number, row in enumerate(rows):
        if isinstance(row, dict) and (own := _kind(row) if inner is Field else inner):
            _take(own, row, _under(way, number), posted, questions)
    if rows != _plain(member.default or ()):
        given[member.name] = rows


def _typed(part: Part, posted: QueryDict) -> Any:
    """What the form says, as the part shows it; None where it says nothing of it."""
    way = part.way
    match part.control:
        case "word" | "words":
            return _texts_at(posted, way, _LANGUAGES)
        case "when":
            return _texts_at(posted, way, ("field", "values"))
        case "tick":
            return way in posted if f"{way}.asked" in posted else None
        case "ticks":
            said = posted.getlist(way)
            chosen = [side for side in _SIDES if side in said]
            return chosen if f"{way}.asked" in posted else None
        case _:
            return _text_at(posted, way) if way in posted else None


def _texts_at(posted: QueryDict, way: str, names: Sequence[str]) -> dict[str, str] | None:
    if any(f"{way}.{name}" not in posted for name in names):
        return None
    return {name: _text_at(posted, f"{way}.{name}") for name in names}


def _text_at(posted: QueryDict, way: str) -> str:
    """As a file holds it: browsers send line ends of their own."""
    return str(posted[way]).replace("\r\n", "\n").replace("\r", "\n")


def _meant(
    member: _Shown, part: Part, typed: Any, given: Mapping[str, Any], questions: Questions
) -> Any:
    """What the file is to say for what was typed."""
    match part.control:
        case "number":
            return _number(typed)
        case "word" | "words":
            former = given.get(member.name)
            return {**(former if isinstance(former, dict) else {}), **typed}
        case "when":
            return _condition(typed, questions)
        case "line" if _inner(member.hint) is str:
            return _separated(typed)
        case _:
            return typed


def _separated(typed: str) -> list[str]:
    return [word for part in typed.split(",") if (word := part.strip())]


def _condition(typed: Mapping[str, str], questions: Questions) -> dict[str, Any] | None:
    if not typed["field"]:
        return None
    field = questions.get(typed["field"], {})
    values = [_value(word, field) for word in _separated(typed["values"])]
    return {"field": typed["field"], **({"values": values} if values else {})}


def _value(word: str, field: Mapping[str, Any]) -> int | str | bool:
    """An answer to that question: an option by its value or its key, a flag by true or false."""
    if field.get("kind") in _WORDED:
        return word
    for option in rows_of(field.get("options")):
        if option.get("key") == word and isinstance(option.get("value"), int):
            return int(option["value"])
    return {"true": True, "false": False}.get(word, _number(word))


def _number(typed: str) -> int | str:
    """What is no number stays as it was typed, and is said to be none."""
    digits = typed.strip().removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 9
    return int(typed.strip()) if is_number else typed


def _put(given: dict[str, Any], member: _Shown, said: Any) -> None:
    """What says no more than silence would is not written."""
    is_cleared = said == "" and isinstance(member.default, int)
    if not member.is_needed and (said == _plain(member.default) or is_cleared):
        given.pop(member.name, None)
    else:
        given[member.name] = said
