"""Conditions of questions on each other's answers, as a form has them: a question, and values of
its answers in a line. Of numbers on a line those that follow one another are a range, ``0-50``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.protocols.kinds import Field, Slider, Whole
from annotation.web.composing.following import where_silent
from annotation.web.composing.given import rows_of

_WORDED = ("text", "keyword", "marks", "edits")
"""Kinds whose answers conditions name by words, whatever these look like."""
_RANGE = re.compile(r"(-?[0-9]{1,6})\s*(?:-|\u2013|\u2026)\s*(-?[0-9]{1,6})")
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
    values = [value for word in separated(typed["values"]) for value in _values(word, field)]
    return {"field": typed["field"], **({"values": values} if values else {})}


def separated(typed: str) -> list[str]:
    """What stands between commas."""
    return [word for part in typed.split(",") if (word := part.strip())]


def number_meant(typed: str) -> int | str:
    """What is no number stays as it was typed, and is said to be none."""
    digits = typed.strip().removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 9
    return int(typed.strip()) if is_number else typed


def numbers_of(question: Field) -> Sequence[int]:
    """All that can be answered by a number on a line, or a whole one; none of other questions."""
    if not isinstance(question, Slider | Whole):
        return ()
    return range(question.lowest, question.highest + 1, getattr(question, "step", 1))


def _numbers(question: Mapping[str, Any]) -> Sequence[int]:
    """Likewise of a file's, also none where nobody can tell."""
    ends = [question.get(end, where_silent(question, end)) for end in ("lowest", "highest")]
    step = question.get("step", where_silent(question, "step") or 1)
    if not all(type(number) is int for number in (*ends, step)) or step < 1:
        return ()
    return range(ends[0], ends[1] + 1, step)


def runs(values: Sequence[Any], there: Sequence[int]) -> Iterator[Sequence[Any]]:
    """Values one by one, or several that follow one another among the numbers that there are."""
    at = 0
    while at < len(values):
        run = 1
        while _follows(values[at : at + run + 1], run, there):
            run += 1
        run = run if run >= _FEWEST else 1
        yield values[at : at + run]
        at += run


def _follows(values: Sequence[Any], run: int, there: Sequence[int]) -> bool:
    """Whether the last of these is the number after the one before."""
    if len(values) <= run or not all(type(value) is int for value in values[-2:]):
        return False
    before, after = values[-2:]
    return before in there and after in there and there.index(after) == there.index(before) + 1


def _as_typed(run: Sequence[Any]) -> str:
    if len(run) > 1:
        return f"{run[0]}-{run[-1]}"
    return json.dumps(run[0]) if isinstance(run[0], bool) else str(run[0])


def _values(word: str, field: Mapping[str, Any]) -> list[int | str | bool]:
    there = _numbers(field)
    word = word.strip('"') if there else word
    if there and (ends := _RANGE.fullmatch(word)):
        lowest, highest = int(ends[1]), int(ends[2])
        within = [number for number in there if lowest <= number <= highest]
        if 0 < len(within) <= _MOST:
            return [*within]
    return [_value(word, field)]


def _value(word: str, field: Mapping[str, Any]) -> int | str | bool:
    """An answer to that question: an option by its value or its key, a flag by true or false."""
    if field.get("kind") in _WORDED:
        return word
    for option in rows_of(field.get("options")):
        if option.get("key") == word and isinstance(option.get("value"), int):
            return int(option["value"])
    return {"true": True, "false": False}.get(word, number_meant(word))
