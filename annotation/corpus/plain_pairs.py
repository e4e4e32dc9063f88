"""A file of pairs to score, in the columns or members original and simplification; whatever else it
holds is left."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

COLUMNS = ("original", "simplification")


@dataclass(frozen=True)
class PlainPairs:
    """The pairs as rows of both texts, or what is wrong with the file (``problem``)."""

    rows: tuple[tuple[str, ...], ...] = ()
    problem: str = ""


def read_plain_pairs(content: bytes, name: str) -> PlainPairs:
    """The pairs of a CSV, TSV or JSON-lines file, by its name."""
    try:
        text = content.decode("utf-8-sig")
        is_json = name.lower().endswith((".jsonl", ".json"))
        rows = _json_rows(text) if is_json else _table_rows(text)
    except (ValueError, RecursionError, csv.Error) as error:
        return PlainPairs(problem=str(error)[:500])
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not all(_is_text(row.get(column)) for column in COLUMNS):
            return PlainPairs(problem=f"{number} : {', '.join(COLUMNS)}")
    return PlainPairs(tuple(tuple(row[column] for column in COLUMNS) for row in rows))


def _is_text(value: Any) -> bool:
    """Half a character (a lone surrogate) can neither be stored nor shown."""
    return isinstance(value, str) and not any("\ud800" <= one <= "\udfff" for one in value)


def _json_rows(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _table_rows(text: str) -> list[Any]:
    first = text.partition("\n")[0]
    separator = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
