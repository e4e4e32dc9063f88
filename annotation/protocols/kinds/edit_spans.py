"""Spans of edits, as they are stored, exported and found by what a model quotes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.protocols.base import Problem, Wording
from annotation.protocols.columns import OF_A_MARK
from annotation.protocols.edits import SIDES
from annotation.protocols.kinds.edit_rules import TEXTS
from annotation.protocols.kinds.field import Schema, ShapeError, as_int, shape_error
from annotation.protocols.tokens import Cut, tokens

MOST_READ = 5_000
"""Edits of one answer, and spans of one edit on a side, beyond which nothing is read at all."""


def stored_spans(spans: str, start: int | None, end: int | None) -> list[list[int]]:
    """The spans of a stored mark: several stand beside the stretch that they lie in."""
    if spans:
        several: list[list[int]] = json.loads(spans)
        return several
    return [] if start is None or end is None else [[start, end]]


def exported(mark: Sequence[Any]) -> dict[str, Any]:
    """An edit as exports write it, of a row that ends on the parts of its mark."""
    parts = dict(zip(OF_A_MARK, mark[-len(OF_A_MARK) :], strict=True))
    spans = {
        side: stored_spans(parts[f"{side}_spans"], parts[f"{side}_start"], parts[f"{side}_end"])
        for side in SIDES
    }
    return {
        "ordinal": parts["ordinal"],
        "type": parts["type"],
        **spans,
        "note": parts["note"],
        "severity": parts["severity"] or None,
        "source": parts["source"],
    }


def located(name: str, number: int, edit: Any, texts: Mapping[str, str], called: Wording) -> Any:
    """A model's edit with spans instead of quotations. Raises ``ShapeError`` for one that is not in
    its text."""
    if not isinstance(edit, dict):
        return edit
    placed = {key: value for key, value in edit.items() if not key.endswith("_quotes")}
    for side in SIDES:
        spans: list[list[int]] = []
        quotes = edit.get(f"{side}_quotes") or []
        for quote in quotes if isinstance(quotes, list) else [quotes]:
            place = _place(str(quote).strip(), texts[side], spans)
            if place is None:
                text = TEXTS[side]
                shown = str(quote)[:60]
                message = Wording(
                    f"L'{called.fr} {number} cite « {shown} », qui n'est pas dans {text.fr} : "
                    "citez mot pour mot.",
                    f"{called.en.capitalize()} {number} quotes “{shown}”, which is not in "
                    f"{text.en}: quote word for word.",
                )
                raise ShapeError(Problem(f"{name}.{side}", "quote", message))
            spans.append(place)
        placed[side] = spans
    return placed


def _place(quote: str, text: str, taken: Sequence[Sequence[int]]) -> list[int] | None:
    """Where a quotation stands: at whole words rather than within one, and where the edit has no
    other span; None where it does not."""
    if not quote:
        return None
    cut = tokens(text, Cut.WORDS)
    starts, ends = {token.start for token in cut}, {token.end for token in cut}
    places, start = [], text.find(quote)
    while start >= 0:
        end = start + len(quote)
        if all(end <= other[0] or other[1] <= start for other in taken):
            places.append([start, end])
        start = text.find(quote, start + 1)
    whole = [place for place in places if place[0] in starts and place[1] in ends]
    return next(iter((*whole, *places)), None)


def clean_spans(name: str, received: Any) -> list[list[int]]:
    """Spans as they are kept. Raises ``ShapeError``."""
    if received is None:
        return []
    if (
        not isinstance(received, list)
        or len(received) > MOST_READ
        or not all(isinstance(span, list | tuple) and len(span) == 2 for span in received)
    ):
        raise shape_error(
            name, received, "une liste de [début, fin]", "a list of [start, end] pairs"
        )
    return [[as_int(name, start), as_int(name, end)] for start, end in received]


def spans_schema() -> Schema:
    """Spans of one text, as a JSON Schema."""
    span = {
        "type": "array",
        "minItems": 2,
        "maxItems": 2,
        "items": {"type": "integer", "minimum": 0},
        "description": "Code points; start included, end excluded.",
    }
    return {"type": "array", "items": span}
