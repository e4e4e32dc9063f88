"""Marks as other programs write them, brought to the texts of a pair as they are stored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import Wording
from annotation.protocols.kinds import SPAN_NAMES
from annotation.protocols.kinds.field import listed

_SIDES = ("original", "simplification")
_DIGITS = 9
# Browsers count each character beyond it as two.
_LAST_OF_ONE_UNIT = "\uffff"
_OF_MARKS = frozenset(("ordinal", "type", "note", *SPAN_NAMES))
_OF_EDITS = frozenset(("ordinal", "type", "note", *_SIDES, "severity", "source"))


@dataclass(frozen=True)
class Sides:
    """A pair's texts, as the file has them and as they are stored, and which columns they are
    from."""

    raw: Mapping[str, str]
    texts: Mapping[str, str]
    fields: Mapping[str, int]
    columns: Sequence[str]

    def called(self, side: str) -> str:
        """The column of a side."""
        return self.columns[self.fields[side]].rsplit(".", 1)[-1]


def placed(cell: str, sides: Sides) -> tuple[str, Wording | None]:
    """A cell with marks as a list of marks of ours, or what is wrong with it. Offsets are counted
    in the text of the file, and a quotation beside them must stand there."""
    passages = listed(cell.strip())
    if not isinstance(passages, list) or not all(isinstance(passage, dict) for passage in passages):
        return cell, Wording(
            "Ce n'est pas une liste de passages marqués.", "This is no list of marked passages."
        )
    marks = []
    for passage in passages:
        if set(passage) <= _OF_MARKS or set(passage) <= _OF_EDITS:
            marks.append(passage)
            continue
        mark = _mark(passage, sides)
        if isinstance(mark, Wording):
            return cell, mark
        marks.append(mark)
    return json.dumps(marks, ensure_ascii=False), None


def _mark(passage: Mapping[str, Any], sides: Sides) -> dict[str, Any] | Wording:
    start, end = _place(passage.get("start")), _place(passage.get("end"))
    if start is None or end is None:
        return Wording(
            "Un passage n'a pas de début ou de fin.", "A passage has no beginning or end."
        )
    places = list(_places(passage, start, end, sides))
    if len(places) != 1:
        return Wording(
            f"On ne sait pas dans quel texte est le passage {start}–{end}, ou il n'y est pas.",
            f"Nothing says in which text the passage {start}–{end} is, or it is not there.",
        )
    side, start, end = places[0]
    note = passage.get("note")
    mark = {"type": str(passage.get("label") or passage.get("type") or ""), f"{side}_start": start}
    return mark | {f"{side}_end": end, "note": note if isinstance(note, str) else ""}


def _place(value: Any) -> int | None:
    """An offset, where this is one."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _DIGITS:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**_DIGITS:
        return value
    return None


def _places(
    passage: Mapping[str, Any], start: int, end: int, sides: Sides
) -> Iterator[tuple[str, int, int]]:
    """Where the passage may be: in the text that it names, else in each that has its quotation."""
    named = [side for side in _SIDES if passage.get("in") and sides.called(side) == passage["in"]]
    quote = passage.get("quote")
    for side in named or (_SIDES if quote else ()):
        raw = sides.raw[side]
        offsets = _counted(raw, start, end, quote if isinstance(quote, str) else None)
        if offsets is not None:
            yield (side, *stored_span(raw, sides.texts[side], *offsets))


def _counted(raw: str, start: int, end: int, quote: str | None) -> tuple[int, int] | None:
    """The offsets in code points: as they are, or counted as browsers do, whichever gives what is
    quoted. Where nothing is and the two differ, neither."""
    if not quote:
        return None if max(raw[:end], default="") > _LAST_OF_ONE_UNIT else (start, end)
    if _same(raw[start:end], quote):
        return start, end
    units = raw.encode("utf-16-le", "surrogatepass")
    before, inside = units[: 2 * start], units[2 * start : 2 * end]
    if _same(inside.decode("utf-16-le", "replace"), quote):
        length = len(before.decode("utf-16-le", "replace"))
        return length, length + len(inside.decode("utf-16-le", "replace"))
    return None


def _same(text: str, quote: str) -> bool:
    return text.split() == quote.replace("\\n", "\n").split() and bool(text)


def stored_span(raw: str, text: str, start: int, end: int) -> tuple[int, int]:
    """The same offsets in the text as it is stored: line ends are one character, and no space
    stands around it."""
    before = max(0, _lines(raw).find(text))
    return len(_lines(raw[:start])) - before, len(_lines(raw[:end])) - before


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
