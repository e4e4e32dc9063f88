"""What buttons do to a protocol's file: rows added, removed and moved. Each changes ``given`` by a
way of its, and says the way of what is to be looked at then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import QueryDict

from annotation.bodies import whole
from annotation.protocols.validity import CONTROLS
from annotation.web.composing.given import at
from annotation.web.composing.rows import row_added

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
    holder, _dot, typed = way.rpartition(".")
    rows, number = at(given, holder), whole(typed)
    if not isinstance(rows, list) or number is None or number >= len(rows):
        return None, 0
    return rows, number


ACTS = {"add": _add, "remove": _remove, "up": _move(-1), "down": _move(1)}
"""What a button does, by the word before the colon of its value."""
