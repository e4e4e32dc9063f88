"""What of a protocol's file has a form, by the type hints of its classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin

from django.utils.translation import get_language

from annotation.bodies import UnreadableBody, json_body
from annotation.protocols.base import Dimension, Wording
from annotation.protocols.files import LARGEST, members
from annotation.protocols.kinds import KINDS
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION
from annotation.protocols.validity import CONTROLS
from annotation.web.composing.given import questions_at, rows_of, scales_of

MOST_PARTS = 500
"""Objects of a file that has a form: each brings two fields or more."""
_HELPED = {"options", "types", "brackets"}
"""What answers are called that may have an explanation each."""
_TABLES = {"controls": CONTROLS}
"""What a table may say something of, by its member's name."""
SIDES = (ORIGINAL, SIMPLIFICATION)
LANGUAGES = ("fr", "en")
Row = dict[str, Any] | list[Any]
"""What has members: an object, or a list of so many."""


@dataclass(frozen=True)
class Known:
    """What of a file other parts of it name. ``questions`` and ``rulings``: as the file has them,
    by name. ``scales``: what is rated, as far as the questions can be read; called as before a form
    is taken, by which names it was shown."""

    questions: Mapping[str, Mapping[str, Any]]
    rulings: Mapping[str, Mapping[str, Any]]
    scales: tuple[Dimension, ...]

    @cached_property
    def question_names(self) -> Mapping[str, str]:
        """What each is called in lists, in the language of the page."""
        return {name: named_row(name, field) for name, field in self.questions.items()}


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


def named_row(name: str, row: Mapping[str, Any]) -> str:
    """A question or a ruling by its label and its name."""
    words = in_words(row.get("label"))
    return f"{words} ({name})" if words else name


def in_words(value: Any) -> str:
    """Words of a file in the language of the page, else in French."""
    words = words_of(value)
    return words.get(get_language() or "fr", "") or words["fr"]


def known_of(given: Mapping[str, Any]) -> Known:
    """The questions of all its steps, what is rated by them, and its rulings."""
    questions, rulings = (
        {row["name"]: row for row in rows if isinstance(row.get("name"), str)}
        for rows in (questions_at(given).values(), rows_of(given.get("rulings")))
    )
    scales = tuple(scale for question in questions.values() for scale in scales_of(question))
    return Known(questions, rulings, scales)


def kind_of(given: Mapping[str, Any]) -> type[Any] | None:
    """Of a question; None for a kind that there is not."""
    name = given.get("kind")
    return KINDS.get(name) if isinstance(name, str) else None


class Shown(NamedTuple):
    """A member that has a form; ``default`` is what holds where a file is silent. Its ``name`` is a
    number in what is a list."""

    name: str | int
    hint: Any
    is_needed: bool
    default: Any


def shown_members(kind: Any) -> Iterator[Shown]:
    """What of this class, or of a list of so many, has a form, in its order."""
    if get_origin(kind) is tuple:
        for number, hint in enumerate(get_args(kind)):
            yield Shown(number, hint, True, None)
        return
    defaults = {member.name: member.default for member in fields(kind)}
    for name, member in members(kind).items():
        if name == "helps" and not _HELPED & {*defaults}:
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
            str(member.name): plain(said[str(member.name)])
            for member in shown_members(type(value))
            if member.is_needed or said[str(member.name)] != member.default
        }
    return value.value if isinstance(value, StrEnum) else value


def inner_hint(hint: Any) -> Any:
    """What a tuple of any length is of; None for any other hint."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and inner[1:] == (Ellipsis,) else None


def has_parts(inner: Any) -> bool:
    """Whether a list of these has a row with fields of its own for each."""
    return is_dataclass(inner) or get_origin(inner) is tuple


def is_row(given: Any, inner: Any) -> bool:
    """Whether this is what such a list has as a row."""
    if get_origin(inner) is tuple:
        return isinstance(given, list) and len(given) == len(get_args(inner))
    return isinstance(given, dict)


def is_group(hint: Any) -> bool:
    """Whether it is one object with members of its own."""
    return is_dataclass(hint) and hint is not Wording


def table_hint(hint: Any) -> Any:
    """What a table has a list of for each of its names; None for any other hint."""
    inner = get_args(hint)[1:] if get_origin(hint) is Mapping else ()
    return inner[0] if inner and inner_hint(inner[0]) is not None else None


def is_of_scales(hint: Any) -> bool:
    """Whether it is a table that says something of what is rated, by its name."""
    return get_origin(hint) is Mapping and table_hint(hint) is None


def is_range(hint: Any) -> bool:
    """Whether it is two ends, or nothing."""
    return {*get_args(hint)} == {tuple[int, int], NoneType}


def table_members(member: Shown) -> Iterator[Shown]:
    """The list of each of the names that the table may say something of."""
    for name in _TABLES[str(member.name)]:
        yield Shown(name, table_hint(member.hint), False, ())


def said_of(given: Row, member: Shown) -> Any:
    """What the file says of a member, or what holds where it is silent."""
    if isinstance(given, list):
        return given[int(member.name)]
    return given.get(str(member.name), plain(member.default))
