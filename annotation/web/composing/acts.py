"""What buttons do to a protocol's file: rows added, removed and moved; and what is said of a
question elsewhere when its name is changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from django.http import QueryDict

from annotation.bodies import whole
from annotation.protocols.files import members
from annotation.protocols.kinds import KINDS

REFERS = ("deducts", "confirms", "crossing", "moved_from", "refused", "stored_with", "predicted")
"""Members that name another question."""
_ALWAYS = ("choice", "scale", "choices", "slider", "bracketed", "whole")
"""Kinds of question that are mostly asked of every pair."""
_ROWS = ("options", "types", "brackets", "operations")
"""Lists that a question cannot do without, where its kind has them."""


def skeleton() -> str:
    """A file with one step and one question, to go on from."""
    step = _new_step([]) | {"fields": [_new_field("scale", {})]}
    given = {"key": "", "version": "1", "title": _no_words(), "steps": [step]}
    return json.dumps(given, ensure_ascii=False, indent=2) + "\n"


def rows_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _fields(given: Mapping[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
    """Every question, by the numbers of its step and its own."""
    return {
        (first, second): field
        for first, step in enumerate(rows_of(given.get("steps")))
        for second, field in enumerate(rows_of(step.get("fields")))
    }


# -- what others say of a question ----------------------------------------------------------------


@contextmanager
def kept_references(given: dict[str, Any]) -> Iterator[None]:
    """Whoever changes the name of a question within, or the value of one of its options, means it
    wherever that stands; what was changed there itself stays as it was changed."""
    former = deepcopy(given)
    yield
    before, now = _fields(former), _fields(given)
    known = {
        field["name"]: (field, now[place])
        for place, field in before.items()
        if place in now and isinstance(field.get("name"), str)
    }
    names = {name: after.get("name") for name, (_was, after) in known.items()}
    values = {name: _values_changed(was, after) for name, (was, after) in known.items()}
    for was, part in zip(_referring(former), _referring(given), strict=True):
        for name in ("shown_when", "required_when"):
            if isinstance(part.get(name), dict) and isinstance(was.get(name), dict):
                _follow(part[name], was[name], names, values)
        for name in (*REFERS, "dimension"):
            if isinstance(part.get(name), str) and part[name] == was.get(name):
                part[name] = names.get(part[name], part[name])


def _referring(given: Mapping[str, Any]) -> list[Any]:
    """Everything that names a question."""
    controls = given.get("controls")
    rows: Iterable[Any] = controls.values() if isinstance(controls, dict) else ()
    return [given, *_fields(given).values(), *(each for row in rows for each in rows_of(row))]


def _values_changed(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[int, Any]:
    """What became of the values of options that kept their keys."""
    present = {option["key"]: option.get("value") for option in _keyed(now)}
    return {
        option["value"]: present[option["key"]]
        for option in _keyed(was)
        if type(option.get("value")) is int and option["key"] in present
    }


def _keyed(field: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in rows_of(field.get("options")) if isinstance(row.get("key"), str)]


def _follow(
    when: dict[str, Any],
    was: Mapping[str, Any],
    names: Mapping[str, Any],
    values: Mapping[str, Mapping[int, Any]],
) -> None:
    """A condition that names the question that it named before."""
    field = when.get("field")
    if not isinstance(field, str) or field != was.get("field"):
        return
    when["field"] = names.get(field, field)
    if isinstance(when.get("values"), list) and when["values"] == was.get("values"):
        new = values.get(field, {})
        when["values"] = [new.get(v, v) if type(v) is int else v for v in when["values"]]


# -- rows added, removed, moved -------------------------------------------------------------------
# Each changes ``given`` by a way of its, and says the way of what is to be looked at then.


def _at(given: Any, way: str) -> Any:
    """What stands at a way; None where nothing does."""
    for name in way.split(".") if way else ():
        if isinstance(given, dict):
            given = given.get(name)
        elif isinstance(given, list) and (number := whole(name)) is not None:
            given = given[number] if number < len(given) else None
        else:
            return None
    return given


def _add(given: dict[str, Any], way: str, posted: QueryDict) -> str:
    holder, _dot, name = way.rpartition(".")
    owner = _at(given, holder)
    if not isinstance(owner, dict) or name not in _NEW:
        return holder
    rows = owner.setdefault(name, [])
    kind = posted.get(f"{way}.kind", "")
    if not isinstance(rows, list) or (name == "fields" and kind not in KINDS):
        return holder
    if name == "fields":
        rows.append(_new_field(kind, given))
    elif name == "operations" and "kind" not in owner:
        # Numbers are told apart in all groups of a question.
        groups = rows_of(_at(given, holder.rpartition(".")[0]))
        rows.append(_new_operation([row for g in groups for row in rows_of(g.get(name))]))
    else:
        rows.append(_NEW[name](rows))
    return f"{way}.{len(rows) - 1}"


def _remove(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
    rows, number = _place(given, way)
    if rows is not None:
        del rows[number]
    return way.rpartition(".")[0]


def _move(by: int) -> Callable[[dict[str, Any], str, QueryDict], str]:
    def move(given: dict[str, Any], way: str, _posted: QueryDict) -> str:
        rows, number = _place(given, way)
        if rows is None or not 0 <= number + by < len(rows):
            return way
        rows[number], rows[number + by] = rows[number + by], rows[number]
        return f"{way.rpartition('.')[0]}.{number + by}"

    return move


def _place(given: dict[str, Any], way: str) -> tuple[list[Any] | None, int]:
    """The list and the number in it of a row; None where there is no such row."""
    holder, _dot, typed = way.rpartition(".")
    rows, number = _at(given, holder), whole(typed)
    if not isinstance(rows, list) or number is None or number >= len(rows):
        return None, 0
    return rows, number


ACTS = {"add": _add, "remove": _remove, "up": _move(-1), "down": _move(1)}
"""What a button does, by the word before the colon of its value."""


# -- new rows -------------------------------------------------------------------------------------


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
    fields = [*_fields(given).values()]
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


_NEW: dict[str, Callable[[Sequence[Any]], dict[str, Any]]] = {
    "steps": _new_step,
    "fields": _new_step,  # by its kind, see ``_add``
    "options": _new_option,
    "types": _new_option,
    "severities": _new_option,
    "brackets": _new_bracket,
    "operations": _new_group,
}
"""What a button adds, by the name of its list."""
