"""Conditions of questions on each other's answers, as a form has them: a question, and values of
its answers in a line. Of numbers on a line those that follow one another are a range, ``0-50``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.protocols.files import FARTHEST
from annotation.protocols.kinds import Field
from annotation.web.composing.following import where_silent
from annotation.web.composing.given import rows_of

_WORDED = ("text", "keyword", "marks", "edits")
"""Kinds whose answers conditions name by words, whatever these look like."""
_RANGE = re.compile(r"(-?[0-9]{1,6})\s*(?:-|\u2013|\u2026)\s*(-?[0-9]{1,6})")
_OF_A_LINE = ("lowest", "highest", "step")
_FEWEST = 3
"""Numbers that are said as a range."""
_MOST = 500
"""Values that a file may name."""


def condition_said(value: Any, questions: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """A condition of a file as its form shows it."""
    given = value if isinstance(value, dict) else {}
    field = given["field"] if isinstance(given.get("field"), str) else ""
    values = given.get("values")
    said = values if isinstance(values, list) else []
    there = _numbers(questions.get(field, {}))
    # A word is none of a line's answers: in quotation marks, it is seen to be one, and typed anew.
    shown = [json.dumps(v, ensure_ascii=False) if there and isinstance(v, str) else v for v in said]
    return {"field": field, "values": ", ".join(map(_as_typed, runs(shown, there)))}


def condition_meant(
    typed: Mapping[str, str], questions: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """A condition as a file has it; None for none."""
    if not typed["field"]:
        return None
    field = questions.get(typed["field"], {})
    values: list[int | str | bool] = []
    for word in separated(typed["values"]):
        values += _values(word, field, _MOST - len(values))
    return {"field": typed["field"], **({"values": values} if values else {})}


def separated(typed: str) -> list[str]:
    """What stands between commas."""
    return [word for part in typed.split(",") if (word := part.strip())]


def number_meant(typed: str) -> int | str:
    """What is no number stays as it was typed, and is said to be none."""
    digits = typed.strip().removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 9
    return int(typed.strip()) if is_number else typed


def numbers_of(question: Field) -> range:
    """All that can be answered where the answer is a number of a line; none of other questions."""
    return _line(*(getattr(question, name, None) for name in _OF_A_LINE))


def _numbers(question: Mapping[str, Any]) -> range:
    """Likewise of a file's, also none where nobody can tell."""
    return _line(*(question.get(name, where_silent(question, name)) for name in _OF_A_LINE))


def _line(lowest: Any, highest: Any, step: Any) -> range:
    numbers = (lowest, highest, 1 if step is None else step)
    # No file is read that has others (``files``), and a longer range has no length.
    if not all(type(number) is int and abs(number) <= FARTHEST for number in numbers):
        return range(0)
    if numbers[2] < 1:
        return range(0)
    return range(lowest, highest + 1, numbers[2])


def runs(values: Sequence[Any], there: range) -> Iterator[Sequence[Any]]:
    """Values one by one, or several that follow one another among the numbers that there are."""
    at = 0
    while at < len(values):
        end = at + 1
        while end < len(values) and _follows(values[end - 1], values[end], there):
            end += 1
        end = end if end - at >= _FEWEST else at + 1
        yield values[at:end]
        at = end


def _follows(before: Any, after: Any, there: range) -> bool:
    are_numbers = type(before) is int and type(after) is int
    return are_numbers and before in there and after in there and after - before == there.step


def _as_typed(run: Sequence[Any]) -> str:
    if len(run) > 1:
        return f"{run[0]}-{run[-1]}"
    return json.dumps(run[0]) if isinstance(run[0], bool) else str(run[0])


def _values(word: str, field: Mapping[str, Any], most: int) -> list[int | str | bool]:
    there = _numbers(field)
    word = word.strip('"') if there else word
    if there and (ends := _RANGE.fullmatch(word)):
        within = _within(there, int(ends[1]), int(ends[2]))
        if 0 < len(within) <= most:
            return [*within]
    return [_value(word, field)]


def _within(there: range, lowest: int, highest: int) -> range:
    first = max(0, -((there.start - lowest) // there.step))
    return there[first : max(0, (highest - there.start) // there.step + 1)]


def _value(word: str, field: Mapping[str, Any]) -> int | str | bool:
    """An answer to that question: an option by its value or its key, a flag by true or false."""
    if field.get("kind") in _WORDED:
        return word
    for option in rows_of(field.get("options")):
        if option.get("key") == word and isinstance(option.get("value"), int):
            return int(option["value"])
    return {"true": True, "false": False}.get(word, number_meant(word))
