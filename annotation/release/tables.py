"""One table in three formats that say the same: JSONL, CSV, Parquet. Same rows, same bytes.

JSONL keeps nested values; in CSV and Parquet they are JSON text. CSV is UTF-8, RFC 4180, with
formulas neutralised.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.cells import JsonText, Sheet

FORMATS = ("jsonl", "csv", "parquet")
BATCH = 10_000
"""Rows per Parquet row group; part of the bytes, as a change of it changes them."""

Row = Mapping[str, Any]
as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False).encode


@dataclass(frozen=True)
class Field:
    """A column of a released table. ``kind``: "text", "integer", "number", "boolean", "time" or
    "json"."""

    name: str
    kind: str
    fr: str
    en: str


@dataclass(frozen=True)
class Table:
    """A released table: its name, what a row of it is, and its columns in order."""

    name: str
    title: str
    fields: tuple[Field, ...]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, one at a time."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield json.loads(line)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A small CSV document of texts and numbers."""
    out = io.StringIO(newline="")
    sheet = Sheet(out, lineterminator="\r\n")
    sheet.writerow(header)
    sheet.writerows(rows)
    return out.getvalue()


def ordered(row: Row, names: Sequence[str]) -> dict[str, Any]:
    if unknown := [name for name in row if name not in names]:
        raise KeyError(unknown[0])
    return {name: row.get(name) for name in names}


def cell(field: Field, value: Any) -> Any:
    if value is None:
        return ""
    if field.kind == "boolean":
        return "true" if value else "false"
    if field.kind == "json":
        return JsonText(as_json(value))
    if field.kind == "number":
        return float(value)
    return value
