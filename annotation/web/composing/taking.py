"""What somebody changed in the form of a protocol, put into its file: nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.http import QueryDict

from annotation.protocols.base import Wording
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.web.composing.acts import ACTS, row_at, take_pasted
from annotation.web.composing.conditions import condition_meant, number_meant, separated
from annotation.web.composing.following import kept_references
from annotation.web.composing.hints import (
    LANGUAGES,
    Known,
    Row,
    Shown,
    file_given,
    inner_hint,
    is_group,
    is_of_scales,
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
from annotation.web.composing.rated import ENDS, NEEDED, needed_of, ticked_names


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
            _take_group(member, given, part, posted, known)
        elif isinstance(given, dict) and part.control == "rows":
            _take_rows(member, given, part.way, posted, known)
        else:
            typed = _typed(part, posted)
            if typed is not None and typed != part.value:
                _put(given, member, _meant(member, part, typed, given, known))


def _take_group(
    member: Shown, given: dict[str, Any], part: Part, posted: QueryDict, known: Known
) -> None:
    name, way = str(member.name), part.way
    inside = given.get(name, {})
    was_silent = not any(inside.values())
    if is_of_scales(member.hint):
        _take_of_scales(part, inside, posted)
    elif is_group(member.hint):
        _take(member.hint, inside, way, posted, known)
    else:
        for each in table_members(member):
            _take_rows(each, inside, under(way, each.name), posted, known)
    if any(inside.values()):
        given[name] = inside
    elif not was_silent:
        del given[name]


def _take_of_scales(part: Part, inside: dict[str, Any], posted: QueryDict) -> None:
    for each in part.parts:
        name, typed = each.way.removeprefix(f"{part.way}."), _typed(each, posted)
        if typed is None or typed == each.value:
            continue
        said = typed.split() if each.control == "list" else {**(inside.get(name) or {}), **typed}
        if any(words_of(said).values() if isinstance(said, dict) else said):
            inside[name] = said
        else:
            inside.pop(name, None)


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
        case "ends":
            return _texts_at(posted, way, ENDS)
        case "tick":
            return way in posted if f"{way}.asked" in posted else None
        case "ticks":
            said = posted.getlist(way)
            chosen = [value for value, _label in part.choices if value in said]
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
            return number_meant(typed)
        case "word" | "words":
            former = said_of(given, member)
            return {**(former if isinstance(former, dict) else {}), **typed}
        case "when":
            return condition_meant(typed, known.questions)
        case "ends" | "ticks" | "lines":
            return _meant_of_rated(str(member.name), part.control, typed, known)
        case "line" if inner_hint(member.hint) is str:
            return separated(typed)
        case _:
            return typed


def _meant_of_rated(name: str, control: str, typed: Any, known: Known) -> Any:
    """Of what has a range, boxes or lines; all classes are what a file need not name."""
    if control == "ends":
        return [number_meant(typed[end]) for end in ENDS] if any(typed.values()) else None
    if name == "classified" and typed == [*ticked_names(name, known)]:
        return None
    return needed_of(typed) if name == NEEDED else typed


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
