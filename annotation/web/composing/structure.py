"""A protocol's file as a form: a field for whatever its classes take, by their own type hints.

What a file may say is what the classes say (``protocols/files.py``), so that a kind of question
that comes tomorrow has its form today. What somebody changes in it ``taking`` puts into the file:
what stands in no form (``hints``) and what is wrong stay as they are, and the latter is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from annotation.protocols.base import Wording
from annotation.protocols.protocol import Protocol
from annotation.web.base.presenters import text as in_language
from annotation.web.composing.acts import half_said
from annotation.web.composing.hints import (
    Unstructured,
    file_given,
    known_of,
)
from annotation.web.composing.parts import Part, Removed, parts_of
from annotation.web.composing.places import place_of
from annotation.web.composing.rated import ENDS

MOST = 900
"""Fields of a form: a server reads a thousand at most, with those that are none of the file's."""
_FIELDS_SENT = {"word": 2, "words": 2, "when": 2, "tick": 2, "ends": 2}
"""How many fields a browser sends of a control; one of any other."""

_FIRST_CONTROLS = {
    "word": ".fr",
    "words": ".fr",
    "when": ".field",
    "ends": f".{ENDS[0]}",
}
"""What controls that have several fields call the first."""


class Said(NamedTuple):
    """What is wrong, in the language of the page, and the control of the form (its way) that it is
    mended by; "" for none."""

    words: str
    control: str = ""


class Structure(NamedTuple):
    """A form, and what is wrong with its file, in the order in which that was found;
    ``is_half_said``: whether words stand in one language alone."""

    parts: tuple[Part, ...]
    faults: tuple[Said, ...]
    is_half_said: bool


def structure(text: str, shown: str = "") -> tuple[Part, ...]:
    """The form of a file; ``shown``: the way of what is to stand open. Raises ``Unstructured``."""
    return structured(text, (), shown).parts


def structured(
    text: str, faults: Sequence[Wording], shown: str = "", removed: Removed | None = None
) -> Structure:
    """Likewise, with what is wrong with the file, each beside what it is said of, which stands
    open, and with what was just taken out beside where it was."""
    given = file_given(text)
    parts = parts_of(Protocol, given, "", known_of(given))
    if sum(map(_number_sent, parts)) > MOST:
        raise Unstructured("too long")
    controls, said = dict(_controls(parts)), list[Said]()
    beside: dict[str, tuple[str, ...]] = {}
    for fault in faults:
        way = place_of(fault, given)
        while way and way not in controls:
            way = way.rpartition(".")[0]
        said.append(Said(in_language(fault), controls.get(way, "")))
        beside[way] = (*beside.get(way, ()), said[-1].words)
    opened = {f"{way}." for way in (shown, *beside) if way}
    seen = tuple(_opened(part, opened, beside) for part in parts)
    if removed is not None:
        seen = tuple(_removed(part, removed, removed.way.rpartition(".")[0]) for part in seen)
    return Structure(seen, tuple(said), is_half_said=any(True for _ in half_said(given)))


def _removed(part: Part, removed: Removed, holder: str) -> Part:
    if part.way == holder and part.control == "rows":
        return replace(part, removed=removed)
    if not holder.startswith(f"{part.way}."):
        return part
    parts, more, rows = (
        tuple(_removed(inner, removed, holder) for inner in group)
        for group in (part.parts, part.more, part.rows)
    )
    return replace(part, parts=parts, more=more, rows=rows)


def _controls(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Each way of the form, and that of the first control of its part."""
    for part in parts:
        first = f".{part.choices[0][0]}" if part.control == "ticks" else ""
        yield part.way, part.way + (first or _FIRST_CONTROLS.get(part.control, ""))
        yield from _controls((*part.parts, *part.more, *part.rows))


def _opened(part: Part, opened: set[str], beside: Mapping[str, tuple[str, ...]]) -> Part:
    """With what leads to something that is to stand open, and that itself, open; with its
    faults."""
    parts, more, rows = (
        # Words in a row of their own have its way.
        tuple(_opened(inner, opened, {} if inner.way == part.way else beside) for inner in group)
        for group in (part.parts, part.more, part.rows)
    )
    is_open = any(way.startswith(f"{part.way}.") for way in opened)
    faults = beside.get(part.way, ())
    return replace(part, is_open=is_open, parts=parts, more=more, rows=rows, faults=faults)


def _number_sent(part: Part) -> int:
    """How many fields of it a browser sends."""
    inner = (*part.parts, *part.more, *part.rows)
    own = 0 if inner and not part.choices else _FIELDS_SENT.get(part.control, 1)
    if part.control == "ticks":
        own = 1 + len(part.choices)
    if part.control == "rows":
        own = bool(part.choices) + part.can_be_pasted
    return own + sum(map(_number_sent, inner))
