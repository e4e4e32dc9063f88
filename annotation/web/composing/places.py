"""Where in a protocol's form what is wrong with it stands: the row or the field that a fault is of,
by its English words (``fault_words``, ``shapes``, ``files``), which name it."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.files import members
from annotation.protocols.protocol import Protocol
from annotation.web.composing.given import questions_at, rows_of
from annotation.web.composing.hints import under

_NAME = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PART = re.compile(rf"its (field|step|panel|ruling) ({_NAME})")
_INNER = re.compile(
    rf"(?:, (?:option|bracket|operation|operationgroup)"
    rf"| has an option without a French label,| has an option whose key"
    rf"| has the (?:operation|group|severity)) ({_NAME})"
)
_HEAD = re.compile(r"(?:its|it has no|it says nothing under) (key|version|title)\b")
_SILENT = re.compile(r" says nothing under ([a-z_]+)")
_OF_RATED = (
    (re.compile(r"it predicts "), "predicted"),
    (
        re.compile(r"it expects of '?([a-z]+)'? pairs|it expects something of '([a-z]+)'"),
        "controls",
    ),
    (re.compile(r"it classifies pairs by "), "classified"),
    (re.compile(r"it says something of '([^']*)'"), "about.notes"),
    (re.compile(r"it (?:tells|says of) the quality of '([^']*)'"), "about.quality"),
    (re.compile(r"it takes (?:'|\"|one of no)"), "imported"),
    (re.compile(r"it names the layout |its layout "), "layouts"),
)
"""What is said of something that is rated, or of what there is not, and where."""
_MEMBER = re.compile(r"\.?([a-z_]+)((?:\[[^\]]*\])?)")
_LISTS = {"step": ("steps", "key"), "panel": ("panels", "side"), "ruling": ("rulings", "name")}
"""Where rows stand that faults name, and by which of their members."""


def place_of(fault: Wording, given: Mapping[str, Any]) -> str:
    """The way of what a fault is said of; "" for what is said of the whole."""
    if head := _HEAD.match(fault.en):
        return head[1]
    for said, at_member in _OF_RATED:
        if of_rated := said.match(fault.en):
            return ".".join((at_member, *filter(None, of_rated.groups())))
    part = _PART.match(fault.en)
    if part is None:
        return _followed(fault.en, given)
    way, row = _named(part[1], literal_eval(part[2]), given)
    at = part.end()
    while way and (inner := _INNER.match(fault.en, at)):
        key = literal_eval(inner[1])
        way, row = next(_within(row, way, key), (way, {}))
        at = inner.end()
    silent = _SILENT.match(fault.en, at) if way else None
    return under(way, silent[1]) if silent else way


def _named(kind: str, name: str, given: Mapping[str, Any]) -> tuple[str, Any]:
    if kind == "field":
        for (first, second), row in questions_at(given).items():
            if row.get("name") == name:
                return f"steps.{first}.fields.{second}", row
        return "", {}
    rows, by = _LISTS[kind]
    for number, row in enumerate(rows_of(given.get(rows))):
        if row.get(by) == name:
            return f"{rows}.{number}", row
    return "", {}


def _within(row: Any, way: str, key: str) -> Iterator[tuple[str, Any]]:
    """The rows of this key in the lists of a row."""
    for member, value in row.items() if isinstance(row, dict) else ():
        for number, inner in enumerate(value if isinstance(value, list) else ()):
            place = under(under(way, member), number)
            if isinstance(inner, dict) and inner.get("key") == key:
                yield place, inner
            yield from _within(inner, place, key)


def _followed(words: str, given: Mapping[str, Any]) -> str:
    """A place as the reader of files names it: ``steps[reading].fields[2].label``."""
    value: Any = given
    way, at = "", 0
    while isinstance(value, Mapping) and (member := _MEMBER.match(words, at)):
        name, entry = member[1], member[2][1:-1]
        if not (way or name in members(Protocol)):
            return ""
        way, value = under(way, name), value.get(name)
        if entry:
            number = _numbered(entry, value)
            if number is None:
                return way
            way, value = under(way, number), value[number]
        at = member.end()
    return way


def _numbered(entry: str, rows: Any) -> int | None:
    """Which of the rows is called so, else has this number from 1."""
    if not isinstance(rows, list):
        return None
    for number, row in enumerate(rows):
        if isinstance(row, dict) and entry in (row.get("key"), row.get("name"), row.get("side")):
            return number
    number = int(entry) - 1 if entry.isascii() and entry.isdigit() and len(entry) < 6 else -1
    return number if 0 <= number < len(rows) else None
