"""What stands in an object of JSON as cells of a table: what is nested is called by its way
(``meta.source``), and a list stands in one cell, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

from annotation.corpus.problems import HALF_CHARACTER

DEEPEST = 6
LONGEST_WAY = 200
"""How deep an object is followed, and how long the name of a way may be: what is deeper stands in
one cell as a list does."""


def flat(members: Mapping[str, Any]) -> dict[str, str]:
    """The cells by their ways. A name that is written with a dot itself comes before a way that
    reads like it."""
    own: dict[str, str] = {}
    nested: dict[str, str] = {}
    for name, value in members.items():
        if isinstance(value, Mapping) and value:
            nested |= dict(_within(str(name), value, DEEPEST))
        else:
            own[str(name)] = cell(value)
    return nested | own


def cell(value: Any) -> str:
    """A value as it stands in a cell; nothing is an empty one."""
    if isinstance(value, str):
        return value
    if value is None or value == {} or (isinstance(value, float) and isnan(value)):
        # NaN is how programs write that there is none, where JSON has null.
        return ""
    return json.dumps(value, ensure_ascii=False)


def is_list(text: str) -> bool:
    """Whether a cell holds a list or an object as JSON."""
    return text[:1] in ("[", "{") and text[-1:] in ("]", "}")


def _within(way: str, members: Mapping[str, Any], deep: int) -> Iterator[tuple[str, str]]:
    if any(len(way) + len(name) >= LONGEST_WAY or HALF_CHARACTER.search(name) for name in members):
        yield way, cell(members)
        return
    for name, value in members.items():
        if isinstance(value, Mapping) and value and deep:
            yield from _within(f"{way}.{name}", value, deep - 1)
        else:
            yield f"{way}.{name}", cell(value)
