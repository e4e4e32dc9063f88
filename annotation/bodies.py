"""What comes in with a request, read without trust: JSON bodies, and whole numbers typed into
addresses and forms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from math import isfinite
from typing import Any

DEEPEST = 50
"""Levels of lists and objects: the deepest answer of any protocol has four."""
# What PostgreSQL does not hold, and what no encoding writes.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class UnreadableBody(ValueError):
    """``code`` says why, for whoever words it: ``syntax``, ``depth``, ``number``, ``twice`` (an
    object has two members of one name) or ``character``; of the last, ``path`` is the way to the
    text, by names and places in lists."""

    def __init__(self, code: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(code)
        self.code, self.path = code, path


def json_body(body: bytes) -> Any:
    """The value of a JSON body in UTF-8.

    Raises ``UnreadableBody`` for what is no JSON, and for what is but can be neither stored nor
    answered: more than ``DEEPEST`` levels, a number that no column holds, ``NaN`` and the like, NUL
    or half of a surrogate pair. Nor is one of two values of one name taken, whichever it be.
    """
    try:
        value = _JSON.decode(body.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UnreadableBody("syntax") from error
    except RecursionError as error:
        raise UnreadableBody("depth") from error
    if _is_deep(value):
        raise UnreadableBody("depth")
    # Only an escape can bring one in: UTF-8 has no surrogates, and JSON no bare NUL.
    path = _unstorable_at(value) if b"\\u" in body else None
    if path is not None:
        raise UnreadableBody("character", path)
    return value


def _is_deep(value: Any) -> bool:
    """Whether there are more than ``DEEPEST`` levels; a level at a time, so that looking goes no
    deeper itself."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            part
            for container in level
            if isinstance(container, dict | list)
            for part in (container.values() if isinstance(container, dict) else container)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> Any:
    raise UnreadableBody("number")


def _whole(digits: str) -> int:
    # Python itself refuses thousands of digits, and does so as if the program were wrong.
    if len(digits) > 400:
        raise UnreadableBody("number")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise UnreadableBody("number")
    return number


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableBody("twice")
    return members


# Made once: ``json.loads`` makes one for each body that is read in a way of its own.
_JSON = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_constant=_refuse_constant,
    parse_int=_whole,
    parse_float=_finite,
)


def _unstorable_at(value: Any) -> tuple[str | int, ...] | None:
    """The way to the first text that is not storable; None where there is none."""
    if isinstance(value, str):
        return None if is_storable(value) else ()
    if isinstance(value, dict):
        if not all(map(is_storable, value)):
            return ()
        parts: Iterable[tuple[str | int, Any]] = value.items()
    else:
        parts = enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        path = _unstorable_at(part)
        if path is not None:
            return name, *path
    return None


def whole(typed: str | None, *, digits: int = 9) -> int | None:
    """A whole number from 0 of at most so many digits, as it was typed; None for anything else.

    ``str.isdigit`` takes «²» for a digit, which ``int`` does not.
    """
    if typed and typed.isascii() and typed.isdigit() and len(typed) <= digits:
        return int(typed)
    return None


def is_storable(typed: str) -> bool:
    """Whether a text holds nothing that databases refuse: NUL, or half of a surrogate pair."""
    return _UNSTORABLE.search(typed) is None
