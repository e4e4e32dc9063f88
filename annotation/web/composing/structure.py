"""A protocol's file as a form: a field for whatever its classes take, by their own type hints.

What a file may say is what the classes say (``protocols/files.py``), so that a kind of question
that comes tomorrow has its form today. What stands in no form (``_OF_THE_FILE``, and whatever hint
has none) stays in the file as it is. The form changes the file's text: what is wrong is kept and
said, as it is of a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin

from django.http import QueryDict

from annotation.bodies import UnreadableBody, json_body
from annotation.protocols.base import Wording
from annotation.protocols.files import members
from annotation.protocols.kinds import KINDS, Field, When
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Protocol, Step
from annotation.web.composing.words import ABOUT, ADDING, KIND_NAMES, LABELS, VALUES

MOST = 900
"""Fields of a form: a server reads a thousand at most."""
_OF_THE_FILE = {
    (Protocol, name)
    for name in ("imported", "layouts", "classified", "judge", "controls", "rulings", "about")
} | {(Field, "asks"), (Field, "helps"), (Field, "stored_with")}
_FIRST = (
    *("name", "label", "required", "options", "types", "brackets", "operations", "allowed"),
    *("lowest", "highest", "step", "low", "high", "deducts", "is_remark", "is_doubt", "confirms"),
)
"""Of a question, what is looked at before anything else; the rest folds away."""
_SIDES = (ORIGINAL, SIMPLIFICATION)
_ALWAYS = ("choice", "scale", "choices", "slider", "bracketed", "whole")
"""Kinds of question that are mostly asked of every pair."""


@dataclass(frozen=True)
class Part:
    """One field of the form, or a group of them. ``way``: its name in the form, by members and
    numbers from 0 (``steps.0.fields.1.label``). ``control``: which template draws it."""

    way: str
    label: str
    control: str
    value: Any = None
    about: str = ""
    is_needed: bool = False
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


class Unstructured(ValueError):
    """The file is no object of the right shape, or too long for a form: it is changed as text."""


def structure(text: str, shown: str = "") -> tuple[Part, ...]:
    """The form of a file; ``shown``: the way of what is to stand open. Raises ``Unstructured``."""
    given = _given(text)
    parts = _parts(Protocol, given, "", _names(given))
    if sum(1 for _ in _leaves(parts)) > MOST:
        raise Unstructured("too long")
    return tuple(_opened(part, f"{shown}.") for part in parts)


def _opened(part: Part, shown: str) -> Part:
    """With what leads to the shown one open, and that itself."""
    if not shown.startswith(f"{part.way}."):
        return part
    return replace(
        part,
        is_open=True,
        parts=tuple(_opened(inner, shown) for inner in part.parts),
        rows=tuple(_opened(inner, shown) for inner in part.rows),
    )


class Restructured(NamedTuple):
    """A file after its form; ``shown`` is the way of what its button made or moved, "" for none."""

    text: str
    shown: str = ""


def restructured(text: str, posted: QueryDict) -> Restructured:
    """The file with what the form says, and with what its button did: ``add:<way>``,
    ``remove:<way>``, ``up:<way>``, ``down:<way>``. Raises ``Unstructured``."""
    given = _given(text)
    _take(Protocol, given, "", posted)
    verb, _colon, way = posted.get("action", "").partition(":")
    shown = _ACTS[verb](given, way, posted) if verb in _ACTS and way else ""
    return Restructured(json.dumps(given, ensure_ascii=False, indent=2) + "\n", shown)


def skeleton() -> str:
    """A file with one step and one question, to go on from."""
    given: dict[str, Any] = {
        "key": "",
        "version": "1",
        "title": _no_words(),
        "steps": [_new_step([]) | {"fields": [_new_field("scale", set())]}],
    }
    return json.dumps(given, ensure_ascii=False, indent=2) + "\n"


def _given(text: str) -> dict[str, Any]:
    try:
        # One of two members of one name would be dropped.
        given = json_body(text.encode("utf-8", "replace"))
    except UnreadableBody as error:
        raise Unstructured("no JSON") from error
    if not isinstance(given, dict):
        raise Unstructured("no object")
    return given


# -- shown ----------------------------------------------------------------------------------------


def _names(given: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        field["name"]
        for step in _list(given.get("steps"))
        for field in _list(step.get("fields"))
        if isinstance(field.get("name"), str)
    )


def _list(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _kind(given: Mapping[str, Any]) -> type[Any] | None:
    """Of a question; None for a kind that there is not."""
    name = given.get("kind")
    return KINDS.get(name) if isinstance(name, str) else None


def _parts(
    kind: type[Any], given: Mapping[str, Any], way: str, names: tuple[str, ...]
) -> tuple[Part, ...]:
    return tuple(
        part
        for name, hint, is_needed, default in _shown(kind)
        if (
            part := _part(
                name, hint, given.get(name, default), _under(way, name), names, is_needed=is_needed
            )
        )
    )


def _under(way: str, name: object) -> str:
    return f"{way}.{name}" if way else str(name)


def _shown(kind: type[Any]) -> Iterator[tuple[str, Any, bool, Any]]:
    """Name, hint, whether it is needed, and what holds where a file is silent, of each member that
    has a form."""
    defaults = {member.name: member.default for member in fields(kind)}
    for name, member in members(kind).items():
        if (kind, name) in _OF_THE_FILE or (
            issubclass(kind, Field) and (Field, name) in _OF_THE_FILE
        ):
            continue
        default = defaults[name]
        yield name, member.hint, member.is_needed, None if default is MISSING else default


def _part(
    name: str, hint: Any, value: Any, way: str, names: tuple[str, ...], *, is_needed: bool
) -> Part | None:
    """None for what has no form."""
    part = Part(
        way,
        str(LABELS.get(name, name)),
        "line",
        _shown_value(value),
        about=str(ABOUT.get(name, "")),
        is_needed=is_needed,
    )
    if hint in (str, int):
        return part if hint is str else replace(part, control="number")
    if hint is Wording:
        return replace(part, control="words", value=_words(value))
    if hint is bool:
        return replace(part, control="tick", value=value is True)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        choices = tuple((word.value, str(VALUES.get(word.value, word.value))) for word in hint)
        return replace(part, control="list", value=str(value), choices=choices)
    if _is_when(hint):
        choices = (("", "–"), *((known, known) for known in names))
        return replace(part, control="when", value=_when(value), choices=choices)
    return _rows(part, hint, value, names)


def _rows(part: Part, hint: Any, value: Any, names: tuple[str, ...]) -> Part | None:
    inner = _inner(hint)
    if inner is str:
        if part.way.endswith(".sides"):
            choices = tuple((side, str(VALUES[side])) for side in _SIDES)
            return replace(part, control="ticks", value=_texts(value), choices=choices)
        return replace(part, value=", ".join(_texts(value)))
    if not _is_of_parts(inner):
        return None
    given = value if isinstance(value, list) else _plain(value or ())
    rows = tuple(
        _row(inner, row, _under(part.way, number), names) for number, row in enumerate(given)
    )
    kinds = tuple((kind, str(KIND_NAMES.get(kind, kind))) for kind in KINDS)
    return replace(
        part, control="rows", value=None, rows=rows, choices=kinds if inner is Field else ()
    )


def _row(kind: type[Any], row: Any, way: str, names: tuple[str, ...]) -> Part:
    if not isinstance(row, dict):
        return Part(way, str(row), "odd")
    label, control = _called(row), "row"
    if kind is Field:
        own = _kind(row)
        if own is None:
            return Part(way, label, "odd", value=row.get("kind", ""))
        parts = _parts(own, row, way, names)
        first = {_under(way, name) for name in _FIRST}
        return Part(
            way,
            label,
            "question",
            value=str(KIND_NAMES.get(row["kind"], row["kind"])),
            parts=tuple(part for part in parts if part.way in first),
            more=tuple(part for part in parts if part.way not in first),
        )
    if kind is Step:
        control = "step"
    return Part(way, label, control, parts=_parts(kind, row, way, names))


def _called(row: Mapping[str, Any]) -> str:
    for name in ("question", "label", "heading", "short"):
        if words := _words(row.get(name))["fr"]:
            return words
    return next((str(row[name]) for name in ("key", "name", "side") if row.get(name)), "")


def _leaves(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        inner = (*part.parts, *part.more, *part.rows)
        yield from _leaves(inner) if inner else (part,)
        if part.control in ("words", "when"):
            yield part  # two fields


def _words(value: Any) -> dict[str, str]:
    if isinstance(value, Wording):
        return {"fr": value.fr, "en": value.en}
    given = value if isinstance(value, dict) else {}
    return {
        language: words if isinstance(words := given.get(language), str) else ""
        for language in ("fr", "en")
    }


def _no_words() -> dict[str, str]:
    return {"fr": "", "en": ""}


def _shown_value(value: Any) -> str:
    return "" if value is None else str(value)


def _texts(value: Any) -> list[str]:
    return [str(text) for text in value] if isinstance(value, list | tuple) else []


def _plain(value: Any) -> Any:
    """A default as a file would say it."""
    if isinstance(value, tuple):
        return [_plain(row) for row in value]
    if isinstance(value, Wording):
        return _words(value)
    if is_dataclass(value) and not isinstance(value, type):
        said = {member.name: getattr(value, member.name) for member in fields(value)}
        return {
            name: _plain(said[name])
            for name, _hint, is_needed, default in _shown(type(value))
            if is_needed or said[name] != default
        }
    return value.value if isinstance(value, StrEnum) else value


def _inner(hint: Any) -> Any:
    """What a tuple of any length is of; None for any other hint."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and inner[1:] == (Ellipsis,) else None


def _is_when(hint: Any) -> bool:
    return {*get_args(hint)} == {When, NoneType}


def _when(value: Any) -> dict[str, str]:
    given = value if isinstance(value, dict) else {}
    values = given.get("values")
    return {
        "field": given["field"] if isinstance(given.get("field"), str) else "",
        "values": ", ".join(json.dumps(v) if isinstance(v, bool) else str(v) for v in values)
        if isinstance(values, list)
        else "",
    }


# -- taken ----------------------------------------------------------------------------------------


def _take(kind: type[Any], given: dict[str, Any], way: str, posted: QueryDict) -> None:
    """Change ``given`` by what the form says of it."""
    for name, hint, is_needed, default in _shown(kind):
        place, inner = _under(way, name), _inner(hint)
        if not _is_of_parts(inner):
            if (said := _said(name, hint, place, posted)) is not _SILENT:
                _put(given, name, said, _plain(default), is_needed=is_needed)
            continue
        rows = given.get(name, _plain(default))
        if not isinstance(rows, list):
            continue
        for number, row in enumerate(rows):
            if isinstance(row, dict) and (own := _kind(row) if inner is Field else inner):
                _take(own, row, _under(place, number), posted)
        if rows != _plain(default):
            given[name] = rows


def _is_of_parts(inner: Any) -> bool:
    """Whether a list of these has a row with fields of its own for each."""
    return inner is not None and is_dataclass(inner) and inner is not Wording


_SILENT = object()
"""Of what stands in no form."""


def _said(name: str, hint: Any, way: str, posted: QueryDict) -> Any:
    if hint is Wording:
        if f"{way}.fr" not in posted:
            return _SILENT
        return {language: posted.get(f"{way}.{language}", "") for language in ("fr", "en")}
    if hint is bool:
        return way in posted if f"{way}.asked" in posted else _SILENT
    if _is_when(hint):
        return _when_said(way, posted) if f"{way}.field" in posted else _SILENT
    if name == "sides":
        said = posted.getlist(way)
        return [side for side in _SIDES if side in said] if f"{way}.asked" in posted else _SILENT
    if way not in posted:
        return _SILENT
    if _inner(hint) is str:
        return [word for part in posted.get(way, "").split(",") if (word := part.strip())]
    return _number(str(posted[way])) if hint is int else posted[way]


def _when_said(way: str, posted: QueryDict) -> dict[str, Any] | None:
    if not (name := posted.get(f"{way}.field", "")):
        return None
    words = [word.strip() for word in posted.get(f"{way}.values", "").split(",")]
    values = [_value(word) for word in words if word]
    return {"field": name} | ({"values": values} if values else {})


def _value(word: str) -> int | str | bool:
    return {"true": True, "false": False}.get(word, _number(word))


def _number(typed: str) -> int | str:
    """What is no number stays as it was typed, and is said to be none."""
    try:
        return int(typed.strip())
    except ValueError:
        return typed


def _put(given: dict[str, Any], name: str, said: Any, default: Any, *, is_needed: bool) -> None:
    """What says no more than silence would is not written, unless the file had said something."""
    if said == default or (said == "" and isinstance(default, int)):
        if not is_needed:
            given.pop(name, None)
    elif name in given or default is not None or said not in ("", _no_words()):
        given[name] = said


# -- rows added, removed, moved -------------------------------------------------------------------


def _at(given: Any, way: str) -> Any:
    """What stands at a way; None where nothing does."""
    for name in way.split(".") if way else ():
        if isinstance(given, dict):
            given = given.get(name)
        elif (
            isinstance(given, list) and name.isascii() and name.isdigit() and int(name) < len(given)
        ):
            given = given[int(name)]
        else:
            return None
    return given


# Each changes ``given`` by a way of its, and says the way of what is to be looked at then.


def _add(given: dict[str, Any], way: str, posted: QueryDict) -> str:
    holder, _dot, name = way.rpartition(".")
    owner = _at(given, holder)
    if not isinstance(owner, dict) or name not in _NEW:
        return holder
    rows = owner.setdefault(name, [])
    kind = posted.get(f"{way}.kind", "")
    if not isinstance(rows, list) or (name == "fields" and kind not in KINDS):
        return holder
    if name == "fields":
        rows.append(_new_field(kind, {*_names(given)}))
    elif name == "operations" and "kind" not in owner:
        # Numbers are told apart in all groups of a question.
        groups = _list(_at(given, holder.rpartition(".")[0]))
        rows.append(_new_operation([row for g in groups for row in _list(g.get(name))]))
    else:
        rows.append(_NEW[name](rows))
    return f"{way}.{len(rows) - 1}"


def _remove(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
    rows, number = _place(given, way)
    if rows is not None:
        del rows[number]
    return way.rpartition(".")[0]


def _move(by: int) -> Callable[[dict[str, Any], str, QueryDict], str]:
    def move(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
        rows, number = _place(given, way)
        if rows is None or not 0 <= number + by < len(rows):
            return way
        rows[number], rows[number + by] = rows[number + by], rows[number]
        return f"{way.rpartition('.')[0]}.{number + by}"

    return move


def _place(given: dict[str, Any], way: str) -> tuple[list[Any] | None, int]:
    """The list and the number in it of a row; None where there is no such row."""
    holder, _dot, number = way.rpartition(".")
    rows = _at(given, holder)
    if _at(given, way) is None or not isinstance(rows, list):
        return None, 0
    return rows, int(number)


_ACTS = {"add": _add, "remove": _remove, "up": _move(-1), "down": _move(1)}


def _new_step(rows: Sequence[Any]) -> dict[str, Any]:
    keys = {row.get("key") for row in rows if isinstance(row, dict)}
    return {"key": _free("step", keys), "question": _no_words(), "fields": []}


def _new_field(kind: str, names: set[str]) -> dict[str, Any]:
    """A question with the rows that its kind cannot do without, named and numbered."""
    field: dict[str, Any] = {"kind": kind, "name": _free(kind, names), "label": _no_words()}
    if kind in _ALWAYS:
        field["required"] = True
    for name, _hint, _is_needed, _default in _shown(KINDS[kind]):
        if name == "dimension_name":
            field[name] = f"{field['name']}_score"
        if name in _NEW and name != "severities":
            rows: list[Any] = []
            for _ in range(2 if name == "options" else 1):
                rows.append(_NEW[name](rows))
            field[name] = rows
    return field


def _new_option(rows: Sequence[Any], word: str = "option") -> dict[str, Any]:
    values = [row["value"] for row in rows if isinstance(row, dict) and _is_whole(row.get("value"))]
    keys = {row.get("key") for row in rows if isinstance(row, dict)}
    value = max(values, default=0) + 1
    return {"value": value, "key": _free(word, keys), "label": _no_words()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _new_bracket(rows: Sequence[Any]) -> dict[str, Any]:
    option = _new_option(rows, "bracket")
    tops = [row["top"] for row in rows if isinstance(row, dict) and _is_whole(row.get("top"))]
    bottom = max(tops, default=0) + 1
    top = max(bottom, 10) if not rows else bottom
    return {**option, "bottom": bottom, "top": top, "short": _no_words()}


def _new_operation(rows: Sequence[Any]) -> dict[str, Any]:
    return _new_option(rows, "operation")


def _new_group(rows: Sequence[Any]) -> dict[str, Any]:
    groups = [row for row in rows if isinstance(row, dict)]
    keys = {row.get("key") for row in groups}
    taken = [operation for row in groups for operation in _list(row.get("operations"))]
    return {
        "key": _free("group", keys),
        "label": _no_words(),
        "operations": [_new_operation(taken)],
    }


def _free(word: str, taken: set[Any]) -> str:
    """A name that nothing has yet."""
    return next(
        name for number in range(1, len(taken) + 2) if (name := f"{word}_{number}") not in taken
    )


_NEW: dict[str, Callable[[Sequence[Any]], dict[str, Any]]] = {
    "steps": _new_step,
    "fields": _new_step,  # by its kind, see ``_add``
    "options": _new_option,
    "types": _new_option,
    "severities": _new_option,
    "brackets": _new_bracket,
    "operations": _new_group,
}
"""What a button adds, by the name of its list."""
