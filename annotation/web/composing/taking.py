"""What somebody changed in the form of a protocol, put into its file: nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.http import QueryDict

from annotation.protocols.base import Wording
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.web.composing.acts import ACTS, row_at, take_pasted
from annotation.web.composing.following import kept_references
from annotation.web.composing.given import rows_of
from annotation.web.composing.hints import (
    LANGUAGES,
    SIDES,
    Known,
    Row,
    Shown,
    file_given,
    inner_hint,
    is_group,
    is_row,
    kind_of,
    known_of,
    plain,
    said_of,
    shown_members,
    table_members,
    under,
    words_of,
)
from annotation.web.composing.parts import Part, Removed, part_of

_WORDED = ("text", "keyword", "marks", "edits")
"""Kinds whose answers conditions name by words, whatever these look like."""


class Restructured(NamedTuple):
    """A file after its form; ``shown`` is the way of what its button made or moved, "" for none."""

    text: str
    shown: str = ""
    removed: Removed | None = None


def restructured(text: str, posted: QueryDict) -> Restructured:
    """The file with what the form says, and with what its button did (``acts``). Raises
    ``Unstructured``."""
    given = file_given(text)
    with kept_references(given):
        _take(Protocol, given, "", posted, known_of(given))
    verb, _colon, way = posted.get("action", "").partition(":")
    pasted = take_pasted(given, posted, are_blank_kept=verb in ACTS)
    row = row_at(given, way) if verb == "remove" else None
    shown = ACTS[verb](given, way, posted) if verb in ACTS and way else pasted
    after = json.dumps(given, ensure_ascii=False, indent=2) + "\n"
    removed = None if row is None else Removed(way, row)
    return Restructured(after, shown, removed)


def _take(kind: Any, given: Row, way: str, posted: QueryDict, known: Known) -> None:
    """Change ``given`` by what the form says of it."""
    for member in shown_members(kind):
        part = part_of(member, given, way, known)
        if part is None or part.control == "odd":
            continue
        if isinstance(given, dict) and part.control == "group":
            _take_group(member, given, part.way, posted, known)
        elif isinstance(given, dict) and part.control == "rows":
            _take_rows(member, given, part.way, posted, known)
        else:
            typed = _typed(part, posted)
            if typed is not None and typed != part.value:
                _put(given, member, _meant(member, part, typed, given, known))


def _take_group(
    member: Shown, given: dict[str, Any], way: str, posted: QueryDict, known: Known
) -> None:
    name = str(member.name)
    inside = given.get(name, {})
    was_silent = not any(inside.values())
    if is_group(member.hint):
        _take(member.hint, inside, way, posted, known)
    else:
        for each in table_members(member):
            _take_rows(each, inside, under(way, each.name), posted, known)
    if any(inside.values()):
        given[name] = inside
    elif not was_silent:
        del given[name]


def _take_rows(
    member: Shown, given: dict[str, Any], way: str, posted: QueryDict, known: Known
) -> None:
    inner, name = inner_hint(member.hint), str(member.name)
    rows = given.get(name, plain(member.default or ()))
    if not isinstance(rows, list):
        return
    for number, row in enumerate(rows):
        if not is_row(row, inner):
            continue
        place = under(way, number)
        if inner is Wording:
            typed = _texts_at(posted, place, LANGUAGES)
            rows[number] = row | typed if typed is not None and typed != words_of(row) else row
        elif own := kind_of(row) if inner is Field else inner:
            _take(own, row, place, posted, known)
    if rows != plain(member.default or ()):
        given[name] = rows


def _typed(part: Part, posted: QueryDict) -> Any:
    """What the form says, as the part shows it; None where it says nothing of it."""
    way = part.way
    match part.control:
        case "word" | "words":
            return _texts_at(posted, way, LANGUAGES)
        case "when":
            return _texts_at(posted, way, ("field", "values"))
        case "tick":
            return way in posted if f"{way}.asked" in posted else None
        case "ticks":
            said = posted.getlist(way)
            chosen = [side for side in SIDES if side in said]
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


def _meant(member: Shown, part: Part, typed: Any, given: Row, known: Known) -> Any:
    """What the file is to say for what was typed."""
    match part.control:
        case "yes_no":
            return typed == "true"
        case "number":
            return _number(typed)
        case "word" | "words":
            former = said_of(given, member)
            return {**(former if isinstance(former, dict) else {}), **typed}
        case "when":
            return _condition(typed, known)
        case "line" if inner_hint(member.hint) is str:
            return _separated(typed)
        case _:
            return typed


def _separated(typed: str) -> list[str]:
    return [word for part in typed.split(",") if (word := part.strip())]


def _condition(typed: Mapping[str, str], known: Known) -> dict[str, Any] | None:
    if not typed["field"]:
        return None
    field = known.questions.get(typed["field"], {})
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


def _put(given: Row, member: Shown, said: Any) -> None:
    """What says no more than silence would is not written."""
    if isinstance(given, list):
        given[int(member.name)] = said
        return
    name = str(member.name)
    is_cleared = (said == "" and isinstance(member.default, int)) or (
        isinstance(member.default, Wording) and not any(words_of(said).values())
    )
    if not member.is_needed and (said == plain(member.default) or is_cleared):
        given.pop(name, None)
    else:
        given[name] = said
