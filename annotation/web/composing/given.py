"""A protocol's file as its form reads it: whatever stands in it, right or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.bodies import whole
from annotation.protocols.base import Dimension
from annotation.protocols.files import question_read
from annotation.protocols.validity.naming import is_choiceless


def rows_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def at(given: Any, way: str) -> Any:
    """What stands at a way; None where nothing does."""
    for name in way.split(".") if way else ():
        if isinstance(given, dict):
            given = given.get(name)
        elif isinstance(given, list) and (number := whole(name)) is not None:
            given = given[number] if number < len(given) else None
        else:
            return None
    return given


def questions_at(given: Mapping[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
    """Every question, by the numbers of its step and its own."""
    return {
        (first, second): field
        for first, step in enumerate(rows_of(given.get("steps")))
        for second, field in enumerate(rows_of(step.get("fields")))
    }


def scales_of(given: Mapping[str, Any]) -> tuple[Dimension, ...]:
    """What a question is rated on; nothing where it cannot be read, or has no values yet."""
    question = question_read(given)
    if question is None or is_choiceless(question):
        return ()
    return tuple(scale for scale in question.dimensions if _has_values(scale))


def _has_values(scale: Dimension) -> bool:
    return scale.step > 0 and scale.lowest <= scale.highest
