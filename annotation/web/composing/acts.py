"""What buttons do to a protocol's file: rows added, removed and moved. Each changes ``given`` by a
way of its, and says the way of what is to be looked at then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.http import QueryDict

from annotation.bodies import UnreadableBody, json_body, whole
from annotation.protocols.validity import CONTROLS
from annotation.web.composing.given import at
from annotation.web.composing.hints import LANGUAGES
from annotation.web.composing.rows import (
    PASTED,
    is_blank,
    list_name,
    row_added,
    row_copied,
    rows_pasted,
)

_GROUPS = ("controls", "about")
"""Objects that a file need not have, with lists in them."""
_CLEARED = ("rulings", "limits", "severities", "words", *CONTROLS)
"""Lists that a file need not have."""


def _add(given: dict[str, Any], way: str, posted: QueryDict) -> str:
    holder, _dot, name = way.rpartition(".")
    is_made = holder in _GROUPS and holder not in given
    owner = {} if is_made else at(given, holder)
    rows = owner.get(name, []) if isinstance(owner, dict) else None
    if not isinstance(rows, list):
        return holder
    added = row_added(given, way, posted.get(f"{way}.kind", ""), rows)
    if added is None:
        return holder
    owner[name] = [*rows, added]
    if isinstance(added, list) and not isinstance(owner.get("default"), str):
        owner["default"] = added[0]  # a ruling with words holds by one of them
    given |= {holder: owner} if is_made else {}
    return f"{way}.{len(rows)}"


def _remove(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
    rows, number = _place(given, way)
    holder = way.rpartition(".")[0]
    if rows is not None:
        del rows[number]
        _clear(given, holder)
    return holder


def _clear(given: dict[str, Any], way: str) -> None:
    """Take out an empty list that a file need not have, and what held it alone; a ruling without
    words holds by no word."""
    holder, _dot, name = way.rpartition(".")
    owner = at(given, holder)
    is_of_ruling = name == "options" and holder.startswith("rulings.")
    if not (isinstance(owner, dict) and owner.get(name) == []):
        return
    if name in _CLEARED or is_of_ruling:
        del owner[name]
    if is_of_ruling and isinstance(owner.get("default"), str):
        del owner["default"]
    if holder in _GROUPS and not any(owner.values()):
        del given[holder]


def _copy(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
    rows, number = _place(given, way)
    holder = way.rpartition(".")[0]
    copy = None if rows is None else row_copied(given, holder, rows, number)
    if rows is None or copy is None:
        return holder
    rows.insert(number + 1, copy)
    return f"{holder}.{number + 1}"


def _move(by: int) -> Callable[[dict[str, Any], str, QueryDict], str]:
    def move(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
        rows, number = _place(given, way)
        if rows is None or not 0 <= number + by < len(rows):
            return way
        rows[number], rows[number + by] = rows[number + by], rows[number]
        return f"{way.rpartition('.')[0]}.{number + by}"

    return move


def row_at(given: dict[str, Any], way: str) -> Any:
    """The row of a list that a button is of; None where there is none."""
    rows, number = _place(given, way)
    return None if rows is None else rows[number]


def _place(given: dict[str, Any], way: str) -> tuple[list[Any] | None, int]:
    """The list and the number in it of a row; None where there is no such row."""
    holder, _dot, typed = way.rpartition(".")
    rows, number = at(given, holder), whole(typed)
    if not isinstance(rows, list) or number is None or number >= len(rows):
        return None, 0
    return rows, number


def _restore(given: dict[str, Any], way: str, posted: QueryDict) -> str:
    """Put back what the page before took out, as it sends it along."""
    holder, _dot, typed = way.rpartition(".")
    owner_way, _dot, name = holder.rpartition(".")
    is_made = owner_way in _GROUPS and owner_way not in given
    owner, number = {} if is_made else at(given, owner_way), whole(typed)
    try:
        row = json_body(posted.get("removed", "").encode("utf-8", "replace"))
    except UnreadableBody:
        return holder
    rows = owner.get(name, []) if isinstance(owner, dict) else None
    if number is None or not isinstance(rows, list) or not isinstance(row, dict | list):
        return holder
    owner[name] = [*rows[:number], row, *rows[number:]]
    given |= {owner_way: owner} if is_made else {}
    return f"{holder}.{min(number, len(rows))}"


def _say_in_both(given: dict[str, Any], _way: str, _posted: QueryDict) -> str:
    for words in half_said(given):
        said = str(words.get("fr") or words.get("en"))
        words |= {language: said for language in LANGUAGES if not _has_words(words, language)}
    return ""


def half_said(given: Any) -> Iterator[dict[str, Any]]:
    """The words of a file that stand in one language alone."""
    if isinstance(given, dict) and given and {*given} <= {*LANGUAGES}:
        if sum(_has_words(given, language) for language in LANGUAGES) == 1:
            yield given
    elif isinstance(given, dict | list):
        for inner in given.values() if isinstance(given, dict) else given:
            yield from half_said(inner)


def _has_words(words: dict[str, Any], language: str) -> bool:
    said = words.get(language)
    return isinstance(said, str) and bool(said.strip())


def take_pasted(given: dict[str, Any], posted: QueryDict, *, are_blank_kept: bool) -> str:
    """Add the rows that stand in the form as lines, and say the way of the list that got the last.
    Rows that say nothing yet give way to them, unless they are kept (a button counts them)."""
    shown = ""
    for name in posted:
        way, _dot, member = name.rpartition(".")
        holder, _dot, last = way.rpartition(".")
        owner = at(given, holder)
        rows = owner.get(last, []) if isinstance(owner, dict) else None
        if member != "pasted" or list_name(way) not in PASTED or not isinstance(rows, list):
            continue
        stay = rows if are_blank_kept else [row for row in rows if not is_blank(row)]
        owner[last] = stay
        if added := rows_pasted(given, way, str(posted[name]), stay):
            owner[last], shown = [*stay, *added], way
        else:
            owner[last] = rows
    return shown


ACTS = {
    "add": _add,
    "copy": _copy,
    "remove": _remove,
    "restore": _restore,
    "both": _say_in_both,
    "up": _move(-1),
    "down": _move(1),
}
"""What a button does, by the word before the colon of its value."""
