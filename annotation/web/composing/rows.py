"""New parts of a protocol's file: what each cannot do without, named and numbered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.protocols.base import Better
from annotation.protocols.files import members
from annotation.protocols.kinds import KINDS, BracketedScale
from annotation.protocols.validity import CONTROLS
from annotation.web.composing.given import at, questions_at, rows_of, scales_of

_ALWAYS = ("choice", "scale", "choices", "slider", "bracketed")
"""Kinds of question that are mostly asked of every pair."""
_ROWS = ("options", "types", "brackets", "operations")
"""Lists that a question cannot do without, where its kind has them."""


def skeleton() -> str:
    """A file with one step and one question, to go on from."""
    step = _new_step([]) | {"fields": [_new_field("scale", {})]}
    given = {"key": "", "version": "1", "title": _no_words(), "steps": [step]}
    return json.dumps(given, ensure_ascii=False, indent=2) + "\n"


def row_added(given: Mapping[str, Any], way: str, kind: str, rows: Sequence[Any]) -> Any:
    """What a button adds to the list at this way, which has ``rows`` already; ``kind`` is that of a
    question. None for what is no such list."""
    holder, _dot, name = way.rpartition(".")
    if name == "fields":
        return _new_field(kind, given) if kind in KINDS else None
    if name in CONTROLS:
        return _new_expectation(name, given, rows)
    if name == "words":
        return _new_word(at(given, holder), rows)
    if name == "options" and holder.startswith("rulings."):
        return [_free("word", {str(row[0]) for row in rows if _is_pair(row)}), _no_words()]
    if name == "operations" and ".operations." in holder:
        # Numbers are told apart in all groups of a question.
        groups = rows_of(at(given, holder.rpartition(".")[0]))
        return _new_operation([row for group in groups for row in rows_of(group.get(name))])
    return _NEW[name](rows) if name in _NEW else None


def _no_words() -> dict[str, str]:
    return {"fr": "", "en": ""}


def _texts(rows: Sequence[Any], name: str) -> set[str]:
    return {row[name] for row in rows_of(list(rows)) if isinstance(row.get(name), str)}


def _numbers(rows: Sequence[Any], name: str) -> list[int]:
    return [row[name] for row in rows_of(list(rows)) if type(row.get(name)) is int]


def _free(word: str, taken: set[str]) -> str:
    """A name that nothing has yet."""
    return next(
        name for number in range(1, len(taken) + 2) if (name := f"{word}_{number}") not in taken
    )


def _new_step(rows: Sequence[Any]) -> dict[str, Any]:
    return {"key": _free("step", _texts(rows, "key")), "question": _no_words(), "fields": []}


def _new_field(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A question with what its kind cannot do without, named and numbered."""
    fields = [*questions_at(given).values()]
    field: dict[str, Any] = {
        "kind": kind,
        "name": _free(kind, _texts(fields, "name")),
        "label": _no_words(),
    }
    if kind in _ALWAYS:
        field["required"] = True
    known = members(KINDS[kind])
    if "dimension_name" in known:
        field["dimension_name"] = f"{field['name']}_score"
    if kind == "marks" and (wanted := _marks_wanted(fields)):
        field["name"] = wanted
    marks = [each["name"] for each in fields if each.get("kind") == "marks" and each.get("name")]
    if "deducts" in known and marks:
        field["deducts"] = marks[0]
    for name in known:
        if name in _ROWS:
            rows: list[Any] = []
            for _ in range(2 if name in ("options", "brackets") else 1):
                rows.append(_NEW[name](rows))
            field[name] = rows
    return field


def _marks_wanted(fields: Sequence[dict[str, Any]]) -> str:
    """What a bracketed scale takes points off by, where there is no such question yet."""
    names = _texts(fields, "name")
    scales = [each for each in fields if each.get("kind") == "bracketed"]
    wanted = [each.get("deducts", BracketedScale.deducts) for each in scales]
    return next((name for name in wanted if isinstance(name, str) and name not in names), "")


def _new_option(rows: Sequence[Any], word: str = "option") -> dict[str, Any]:
    value = max(_numbers(rows, "value"), default=0) + 1
    return {"value": value, "key": _free(word, _texts(rows, "key")), "label": _no_words()}


def _new_bracket(rows: Sequence[Any]) -> dict[str, Any]:
    """The first two halve a scale from 1 to 10, which new ones have."""
    bottom = max(_numbers(rows, "top"), default=0) + 1
    top = bottom + 4 if len(rows) < 2 else bottom
    return {**_new_option(rows, "bracket"), "bottom": bottom, "top": top, "short": _no_words()}


def _new_operation(rows: Sequence[Any]) -> dict[str, Any]:
    return _new_option(rows, "operation")


def _new_group(rows: Sequence[Any]) -> dict[str, Any]:
    groups = rows_of(list(rows))
    taken = [operation for row in groups for operation in rows_of(row.get("operations"))]
    return {
        "key": _free("group", _texts(groups, "key")),
        "label": _no_words(),
        "operations": [_new_operation(taken)],
    }


def _new_ruling(rows: Sequence[Any]) -> dict[str, Any]:
    """Yes or no: it has no words to choose among yet."""
    return {"name": _free("ruling", _texts(rows, "name")), "label": _no_words()}


def _new_expectation(kind: str, given: Mapping[str, Any], rows: Sequence[Any]) -> dict[str, Any]:
    """Of what a scorer learns, else of the first that nothing is expected of yet: the good end of
    identical texts, the other of unrelated ones."""
    scales = [scale for field in questions_at(given).values() for scale in scales_of(field)]
    free = [scale for scale in scales if scale.name not in _texts(rows, "dimension")] or scales
    free.sort(key=lambda scale: scale.name != given.get("predicted"))
    if not free:
        return {"dimension": "", "lowest": 0, "highest": 0}
    scale = free[0]
    is_top = (kind == "identical") == (scale.better != Better.LOWER)
    value = scale.scale[-1 if is_top else 0]
    return {"dimension": scale.name, "lowest": value, "highest": value}


def _new_word(question: Any, rows: Sequence[Any]) -> dict[str, str]:
    """What the next word says: itself, to begin with."""
    allowed = question.get("allowed") if isinstance(question, dict) else None
    if not isinstance(allowed, list) or len(rows) >= len(allowed):
        return _no_words()
    word = str(allowed[len(rows)])
    return {"fr": word, "en": word}


def _is_pair(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2


_NEW: dict[str, Callable[[Sequence[Any]], dict[str, Any]]] = {
    "steps": _new_step,
    "options": _new_option,
    "types": _new_option,
    "severities": _new_option,
    "brackets": _new_bracket,
    "operations": _new_group,
    "rulings": _new_ruling,
    "limits": lambda _rows: _no_words(),
}
"""What a button adds, by the name of its list, where that is all that there is to know."""
