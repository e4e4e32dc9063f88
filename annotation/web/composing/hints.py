"""What of a protocol's file has a form, by the type hints of its classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from typing import Any, NamedTuple, get_args, get_origin

from annotation.bodies import UnreadableBody, json_body
from annotation.protocols.base import Wording
from annotation.protocols.files import LARGEST, members
from annotation.protocols.kinds import KINDS, Field
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Protocol
from annotation.web.composing.acts import rows_of

MOST_PARTS = 500
"""Objects of a file that has a form: each brings two fields or more."""
_OF_THE_FILE = {
    (Protocol, name)
    for name in ("imported", "layouts", "classified", "judge", "controls", "rulings", "about")
} | {(Field, "asks"), (Field, "helps")}
SIDES = (ORIGINAL, SIMPLIFICATION)
LANGUAGES = ("fr", "en")
Questions = Mapping[str, Mapping[str, Any]]
"""Every question as the file has it, by its name."""


class Unstructured(ValueError):
    """The file is no object, or too long for a form: it is changed as text."""


def file_given(text: str) -> dict[str, Any]:
    """What a file holds that has a form. Raises ``Unstructured``."""
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


def questions_of(given: Mapping[str, Any]) -> Questions:
    """Those of all its steps."""
    return {
        field["name"]: field
        for step in rows_of(given.get("steps"))
        for field in rows_of(step.get("fields"))
        if isinstance(field.get("name"), str)
    }


def kind_of(given: Mapping[str, Any]) -> type[Any] | None:
    """Of a question; None for a kind that there is not."""
    name = given.get("kind")
    return KINDS.get(name) if isinstance(name, str) else None


class Shown(NamedTuple):
    """A member that has a form; ``default`` is what holds where a file is silent."""

    name: str
    hint: Any
    is_needed: bool
    default: Any


def shown_members(kind: type[Any]) -> Iterator[Shown]:
    """What of this class has a form, in its order."""
    defaults = {member.name: member.default for member in fields(kind)}
    for name, member in members(kind).items():
        if _OF_THE_FILE & {(kind, name), (Field if issubclass(kind, Field) else kind, name)}:
            continue
        default = defaults[name]
        yield Shown(name, member.hint, member.is_needed, None if default is MISSING else default)


def under(way: str, name: object) -> str:
    """The way of a member or a row of what stands at a way."""
    return f"{way}.{name}" if way else str(name)


def words_of(value: Any) -> dict[str, str]:
    """Words as a file has them, by language; "" for what is none."""
    given = value if isinstance(value, dict) else {}
    return {
        language: words if isinstance(words := given.get(language), str) else ""
        for language in LANGUAGES
    }


def plain(value: Any) -> Any:
    """A default as a file would say it."""
    if isinstance(value, tuple):
        return [plain(row) for row in value]
    if isinstance(value, Wording):
        return {"fr": value.fr, "en": value.en}
    if is_dataclass(value) and not isinstance(value, type):
        said = {member.name: getattr(value, member.name) for member in fields(value)}
        return {
            member.name: plain(said[member.name])
            for member in shown_members(type(value))
            if member.is_needed or said[member.name] != member.default
        }
    return value.value if isinstance(value, StrEnum) else value


def inner_hint(hint: Any) -> Any:
    """What a tuple of any length is of; None for any other hint."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and inner[1:] == (Ellipsis,) else None


def has_parts(inner: Any) -> bool:
    """Whether a list of these has a row with fields of its own for each."""
    return inner is not None and is_dataclass(inner) and inner is not Wording
