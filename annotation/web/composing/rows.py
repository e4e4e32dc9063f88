"""New parts of a protocol's file: what each cannot do without, named and numbered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any
from unicodedata import combining, normalize

from annotation.protocols.base import Better
from annotation.protocols.files import members
from annotation.protocols.kinds import KINDS, BracketedScale
from annotation.protocols.validity import CONTROLS
from annotation.web.composing.following import REFERS, where_silent
from annotation.web.composing.given import at, questions_at, rows_of, scales_of

_ALWAYS = ("choice", "scale", "choices", "slider", "bracketed", "edits")
"""Kinds of question that are mostly asked of every pair."""
_ROWS = ("options", "types", "brackets", "operations")
"""Lists that a question cannot do without, where its kind has them."""

PASTED = ("options", "types", "severities", "operations")
"""Lists whose rows can be pasted, a line each."""
COPIED = (*PASTED, "steps", "fields", "brackets", "groups", "rulings")
"""Lists whose rows have a name, by which a copy is told apart."""
_CALLED = ("name", "dimension_name", "deductions_name")
"""Members by which a question, and what is stored of it, are called."""
_LONGEST_BEGINNING = 34
"""Characters of a name that a number can follow."""
_LONGEST_KEY = 20
"""Of a pasted row: of several of many it stands behind the question's name."""
_WORD = re.compile(r"[a-z0-9]+")


def skeleton() -> str:
    """A file with one step and one question, to go on from."""
    step = _new_step([]) | {"fields": [_new_field("scale", {})]}
    given = {"key": "", "version": "1", "title": _no_words(), "steps": [step]}
    return json.dumps(given, ensure_ascii=False, indent=2) + "\n"


def row_added(given: Mapping[str, Any], way: str, kind: str, rows: Sequence[Any]) -> Any:
    """What a button adds to the list at this way, which has ``rows`` already; ``kind`` is that of a
    question. None for what is no such list."""
    holder, name = way.rpartition(".")[0], list_name(way)
    match name:
        case "fields":
            return _new_field(kind, given) if kind in KINDS else None
        case "words":
            return _new_word(at(given, holder), rows)
        case "ruled":
            return [_free("word", {str(row[0]) for row in rows if _is_pair(row)}), _no_words()]
        case "operations":
            return _new_operation(_in_all_groups(given, way, rows))
    if name in CONTROLS:
        return _new_expectation(name, given, rows)
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
                rows.append(_NEW["groups" if name == "operations" else name](rows))
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


def list_name(way: str) -> str:
    """How the list at this way is called in the file; "ruled" for the words of a ruling, "groups"
    for those of operations: both are called as others are."""
    name = way.rpartition(".")[2]
    if name == "options" and way.startswith("rulings."):
        return "ruled"
    return "groups" if name == "operations" and way.count("operations") == 1 else name


def row_copied(given: Mapping[str, Any], way: str, rows: Sequence[Any], number: int) -> Any:
    """A copy of a row of the list at this way, named and numbered anew, with all that it holds.
    None for what has no name."""
    name, copy = list_name(way), deepcopy(rows[number])
    if not isinstance(copy, dict) or name not in COPIED:
        return None
    questions = [copy] if name == "fields" else rows_of(copy.get("fields"))
    if name != "fields":
        by = "name" if name == "rulings" else "key"
        copy[by] = _free_like(str(copy.get(by, "")), _texts(rows, by))
    if "value" in copy:
        copy["value"] = max(_numbers(_in_all_groups(given, way, rows), "value"), default=0) + 1
    if name == "groups":
        taken = [*_in_all_groups(given, f"{way}.{number}.operations", rows)]
        for operation in rows_of(copy.get("operations")):
            operation["key"] = _free_like(str(operation.get("key", "")), _texts(taken, "key"))
            operation["value"] = max(_numbers(taken, "value"), default=0) + 1
            taken.append(operation)
    _name_anew(questions, given)
    return copy


def _in_all_groups(given: Mapping[str, Any], way: str, rows: Sequence[Any]) -> Sequence[Any]:
    """The operations of all groups of a question, by the way of those of one; other rows alone."""
    if list_name(way) != "operations":
        return rows
    groups = rows_of(at(given, way.rpartition(".")[0].rpartition(".")[0]))
    return [row for group in groups for row in rows_of(group.get("operations"))]


def _name_anew(questions: Sequence[dict[str, Any]], given: Mapping[str, Any]) -> None:
    """Copies of questions are called as nothing is yet, and name each other instead of what they
    were copied from. A remark and a doubt are asked once."""
    there = [*questions_at(given).values()]
    taken = {name for by in _CALLED for name in _texts(there, by)}
    became: dict[Any, str] = {}
    for question in questions:
        for by in _CALLED:
            former = question.get(by, where_silent(question, by))
            if isinstance(former, str) and former:
                question[by] = _free_like(former, taken)
                taken.add(question[by])
                became |= {former: question[by]} if by == "name" else {}
        for once in ("is_remark", "is_doubt"):
            question.pop(once, None)
    for question in questions:
        for member in REFERS:
            if (named := question.get(member, where_silent(question, member))) in became:
                question[member] = became[named]
        for member in ("shown_when", "required_when"):
            condition = question.get(member)
            if isinstance(condition, dict) and condition.get("field") in became:
                condition["field"] = became[condition["field"]]


def _free_like(name: str, taken: set[str]) -> str:
    """A name that nothing has yet, like this one."""
    word = re.sub(r"_[0-9]{1,4}$", "", name)[:_LONGEST_BEGINNING]
    return next(
        free for number in range(2, len(taken) + 3) if (free := f"{word}_{number}") not in taken
    )


def rows_pasted(given: Mapping[str, Any], way: str, pasted: str, rows: Sequence[Any]) -> list[Any]:
    """Rows for the list at this way, one a line: what each says in French, in English, and what
    explains it in either, by tabs (as cells are copied from a table) or "|". What is said in one
    language alone stands for both. A key is made of the words."""
    added: list[Any] = []
    for line in pasted.splitlines():
        cells = [cell.strip() for cell in line.split("\t" if "\t" in line else "|")]
        french, english, help_french, help_english = (*cells, "", "", "", "")[:4]
        if not (french or english):
            continue
        there = [*_in_all_groups(given, way, rows), *added]
        row = _new_option(there)
        words = "_".join(_WORD.findall(_plain_letters(english or french)))[:_LONGEST_KEY]
        if words[:1].isalpha():
            keys = _texts(there, "key")
            row["key"] = words if words not in keys else _free_like(words, keys)
        row["label"] = {"fr": french or english, "en": english or french}
        if help_french or help_english:
            row["help"] = {"fr": help_french or help_english, "en": help_english or help_french}
        added.append(row)
    return added


def is_blank(row: Any) -> bool:
    """Whether a row says nothing yet, as those that a new question brings."""
    label = row.get("label") if isinstance(row, dict) else None
    return isinstance(label, dict) and not any(label.values()) and {*row} <= {*_new_option([])}


def _plain_letters(words: str) -> str:
    return "".join(c for c in normalize("NFKD", words.lower()) if not combining(c))


def _is_pair(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2


_NEW: dict[str, Callable[[Sequence[Any]], dict[str, Any]]] = {
    "steps": _new_step,
    "options": _new_option,
    "types": _new_option,
    "severities": _new_option,
    "brackets": _new_bracket,
    "groups": _new_group,
    "rulings": _new_ruling,
    "limits": lambda _rows: _no_words(),
}
"""What a button adds, by the name of its list, where that is all that there is to know."""
