"""JSON Lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.corpus import tables
from annotation.corpus.nested import flat
from annotation.corpus.problems import HALF_CHARACTER, RowProblem, TableError, half_character, shown
from annotation.corpus.tables import MAX_COLUMNS, Layout, Row, Table, limited
from annotation.protocols.base import NO_WORDING, Wording

_ONE_PER_LINE = Wording(
    'Écrivez un objet JSON complet par ligne : {"original": …, "simplification": …}.',
    'Write one whole JSON object per line: {"original": …, "simplification": …}.',
)

LONGEST_KEY = 200


class Repeated(ValueError):
    """A key that stands twice in one object."""


def objects(text: str) -> Iterator[tuple[int, dict[str, Any] | RowProblem]]:
    """Each line's number and its object, or what is wrong with it. Blank lines are passed over.

    Raises ``TableError`` for a JSON document that is not written line by line.
    """
    start = text.lstrip()[:200].split("\n", 1)[0].strip()
    if start in ("{", "[") or start.startswith(("[{", "[ {")):
        _check_document(text)
        raise TableError(
            "not_lines",
            Wording(
                "C'est un seul document JSON, et non un objet par ligne.",
                "This is a single JSON document, not one object per line.",
            ),
            _ONE_PER_LINE,
        )
    # Not splitlines(): U+2028, U+0085 and the like may stand inside a JSON text.
    lines = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.isspace():
            lines += 1
            if lines > tables.MAX_ROWS:
                raise tables.too_many_rows()
            yield number, _object(number, line)


def _check_document(text: str) -> None:
    """Refuse what is no document of JSON. Raises ``TableError``."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise broken_off(error) from error
    except (ValueError, RecursionError):
        return  # out of all proportion, but a document


def broken_off(error: json.JSONDecodeError) -> TableError:
    """The refusal of a document of JSON that stops being one at a line and a column."""
    return TableError(
        "not_json",
        Wording(
            f"Ce document JSON s'interrompt ou se contredit (ligne {error.lineno}, colonne "
            f"{error.colno}).",
            f"This JSON document breaks off or contradicts itself (line {error.lineno}, column "
            f"{error.colno}).",
        ),
        Wording(
            "Exportez-le de nouveau : un fichier coupé n'est pas importé à moitié.",
            "Export it again: half a file is not imported by halves.",
        ),
        row=error.lineno,
    )


def _object(number: int, line: str) -> dict[str, Any] | RowProblem:
    try:
        parsed = loads(line)
    except Repeated as error:
        key = shown(str(error))
        return _bad_line(
            number,
            "duplicate_key",
            Wording(f"La clé « {key} » y est deux fois.", f"The key “{key}” is in it twice."),
            Wording("Gardez-en une.", "Keep one of the two."),
        )
    except json.JSONDecodeError as error:
        where = Wording(
            f"Ce n'est pas du JSON (ligne {number}, colonne {error.colno}).",
            f"This is not JSON (line {number}, column {error.colno}).",
        )
        return _bad_line(number, "not_json", where, _ONE_PER_LINE)
    except (ValueError, RecursionError):
        # A number with thousands of digits, or brackets nested beyond reason.
        where = Wording("Ce JSON est démesuré.", "This JSON is out of all proportion.")
        return _bad_line(number, "not_json", where, _ONE_PER_LINE)
    if not isinstance(parsed, dict):
        return _bad_line(
            number,
            "not_an_object",
            Wording("Ce n'est pas un objet.", "This is not an object."),
            _ONE_PER_LINE,
        )
    return checked(number, parsed)


def loads(text: str) -> Any:
    """What JSON says. Raises ``Repeated`` for a key that stands twice in one object, and whatever
    ``json.loads`` raises."""
    return json.loads(text, object_pairs_hook=_once)


def checked(number: int, members: dict[str, Any]) -> dict[str, Any] | RowProblem:
    """An object, or why its keys name no columns."""
    problems = (_key_problem(number, key) for key in members)
    return next(filter(None, problems), members)


def _key_problem(number: int, key: str) -> RowProblem | None:
    """A key names a column, on pages and in addresses: halves of characters stand in neither."""
    if HALF_CHARACTER.search(key):
        return half_character(number, key)
    if len(key) > LONGEST_KEY:
        name = shown(key)
        return _bad_line(
            number,
            "key_too_long",
            Wording(
                f"La clé « {name}… » a {len(key)} caractères; le maximum est {LONGEST_KEY}.",
                f"The key “{name}…” has {len(key)} characters; {LONGEST_KEY} are the most.",
            ),
            Wording("Donnez-lui un nom plus court.", "Give it a shorter name."),
        )
    return None


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    by_key = dict(members)
    if len(by_key) < len(members):
        seen: set[str] = set()
        for key, _value in members:
            if key in seen:
                raise Repeated(key)
            seen.add(key)
    return by_key


def _bad_line(number: int, code: str, message: Wording, remedy: Wording = NO_WORDING) -> RowProblem:
    return RowProblem("", code, message, row=number, remedy=remedy)


def read(text: str, layout: Layout) -> Table:
    """The objects of a text as a table: a column for each key, in the order of first appearance."""
    return table_of(objects(text), layout)


def table_of(
    objects: Iterable[tuple[int, Mapping[str, Any] | RowProblem]], layout: Layout
) -> Table:
    """Objects, each with its number, as a table: what is nested is called by its way."""
    columns: dict[str, None] = {}
    lists: set[str] = set()
    lines: list[tuple[int, dict[str, str]]] = []
    problems: list[RowProblem] = []
    for number, members in objects:
        if isinstance(members, RowProblem):
            problems.append(members)
            continue
        line = flat(members)
        if half := [key for key, value in line.items() if HALF_CHARACTER.search(value)]:
            problems.append(half_character(number, half[0]))
            continue
        lists |= {key for key, value in members.items() if isinstance(value, list)}
        columns |= dict.fromkeys(line)
        _refuse_too_many(len(columns))
        lines.append((number, line))
    rows = [Row(number, [line.get(key, "") for key in columns]) for number, line in lines]
    # Where every line is bad, the lines are what there is to say.
    kept = limited(rows) if rows or not problems else []
    of_lists = tuple(place for place, key in enumerate(columns) if key in lists)
    return Table(layout, tuple(columns), kept, problems, lists=of_lists)


def _refuse_too_many(columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise TableError(
            "too_many_columns",
            Wording(
                f"Il y a plus de {MAX_COLUMNS} clés.", f"There are more than {MAX_COLUMNS} keys."
            ),
            Wording("Gardez celles des paires.", "Keep those of the pairs."),
        )
