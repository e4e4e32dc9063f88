"""A protocol's file as a form: a field for whatever its classes take, by their own type hints.

What a file may say is what the classes say (``protocols/files.py``), so that a kind of question
that comes tomorrow has its form today. What somebody changes in it ``taking`` puts into the file:
what stands in no form (``hints``) and what is wrong stay as they are, and the latter is said.
"""

from __future__ import annotations

from dataclasses import replace

from annotation.protocols.protocol import Protocol
from annotation.web.composing.hints import (
    Unstructured,
    file_given,
    known_of,
)
from annotation.web.composing.parts import Part, parts_of

MOST = 900
"""Fields of a form: a server reads a thousand at most, with those that are none of the file's."""
_FIELDS_SENT = {"word": 2, "words": 2, "when": 2, "tick": 2, "ticks": 3}
"""How many fields a browser sends of a control; one of any other."""


def structure(text: str, shown: str = "") -> tuple[Part, ...]:
    """The form of a file; ``shown``: the way of what is to stand open. Raises ``Unstructured``."""
    given = file_given(text)
    parts = parts_of(Protocol, given, "", known_of(given))
    if sum(map(_number_sent, parts)) > MOST:
        raise Unstructured("too long")
    return tuple(_opened(part, f"{shown}.") for part in parts)


def _opened(part: Part, shown: str) -> Part:
    """With what leads to the shown one open, and that itself."""
    if not shown.startswith(f"{part.way}."):
        return part
    parts, more, rows = (
        tuple(_opened(inner, shown) for inner in group)
        for group in (part.parts, part.more, part.rows)
    )
    return replace(part, is_open=True, parts=parts, more=more, rows=rows)


def _number_sent(part: Part) -> int:
    """How many fields of it a browser sends."""
    inner = (*part.parts, *part.more, *part.rows)
    own = 0 if inner and not part.choices else _FIELDS_SENT.get(part.control, 1)
    return own + sum(map(_number_sent, inner))
