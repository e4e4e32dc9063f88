"""A file of pairs to score, in the columns or members original and simplification; whatever else it
holds is left."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.corpus.texts import LONGEST_CELL

COLUMNS = ("original", "simplification")
# A null character or half of one can neither be stored nor shown.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class PlainPairs:
    """The pairs as rows of both texts, or what is wrong with the file (``problem``): the row and
    its column where it is one row."""

    rows: tuple[tuple[str, ...], ...] = ()
    problem: str = ""


def read_plain_pairs(content: bytes, name: str) -> PlainPairs:
    """The pairs of a CSV, TSV or JSON-lines file, by its name. Rows are counted from 1: of a table
    those below its header, of JSON its lines."""
    is_json = name.lower().endswith((".jsonl", ".json"))
    pairs = []
    try:
        text = content.decode("utf-8-sig")
        for number, row in _json_rows(text) if is_json else _table_rows(text):
            if wrong := _not_texts(row):
                return PlainPairs(problem=f"{number} : {', '.join(wrong)}")
            pairs.append(tuple(row[column] for column in COLUMNS))
    except ValueError as error:
        return PlainPairs(problem=str(error)[:500])
    return PlainPairs(tuple(pairs))


def _not_texts(row: Any) -> list[str]:
    """The columns in which a row has no text, or one that cannot be stored."""
    members = row if isinstance(row, dict) else {}
    texts = {column: members.get(column) for column in COLUMNS}
    return [
        column
        for column, text in texts.items()
        if not isinstance(text, str) or _UNSTORABLE.search(text)
    ]


def _json_rows(text: str) -> Iterator[tuple[int, Any]]:
    """Raises ``ValueError`` that names the line."""
    # Not splitlines(): U+2028, U+0085 and the like may stand inside a JSON text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{number} : JSON") from error


def _table_rows(text: str) -> Iterator[tuple[int, Any]]:
    """Raises ``ValueError`` that names the row."""
    first = text.partition("\n")[0]
    separator = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    number = 0
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
        reader.fieldnames = _named(reader.fieldnames or ())
        for number, row in enumerate(reader, 1):
            if any(len(cell or "") > LONGEST_CELL for cell in row.values()):
                raise ValueError(f"{number} : field larger than field limit ({LONGEST_CELL})")
            yield number, row
    except csv.Error as error:
        raise ValueError(f"{number + 1} : {error}") from error
    if _is_unclosed(text, separator):
        raise ValueError(f'{number} : "')


def _named(names: Sequence[str]) -> list[str]:
    """The header with both columns named as they are looked for, where people wrote a capital or a
    blank ("Original", "simplification "). A name that is there as it should be stands alone."""
    plain = [name.strip().lower() for name in names]
    sure = {name for name in COLUMNS if name not in names and plain.count(name) == 1}
    return [known if known in sure else name for name, known in zip(names, plain, strict=True)]


def _is_unclosed(text: str, separator: str) -> bool:
    """Whether the last row begins a cell with a quotation mark and the file ends within it: its
    text would be whatever came after."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for _row in reader:
            pass
    except csv.Error as error:
        return str(error) == "unexpected end of data"
    return False
