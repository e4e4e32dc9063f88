"""Parquet: columns of a table with their types, as ``datasets`` and data frames are saved."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from annotation.corpus.jsonl import table_of
from annotation.corpus.problems import TableError, shown
from annotation.corpus.tables import (
    MAX_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    Layout,
    Table,
    too_many_rows,
)
from annotation.protocols.base import Wording

_BATCH = 1000


def read(content: bytes, layout: Layout) -> Table:
    """The rows of a file, counted from 1; what is nested as in JSONL. Raises ``TableError``."""
    # Imported late: no other reader needs what it takes to load.
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        file = pq.ParquetFile(io.BytesIO(content), memory_map=False)
        _refuse_too_much(file.metadata)
        return table_of(_rows(file), layout)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            "not_a_table",
            Wording(
                "Ce fichier Parquet est incomplet ou abîmé.",
                "This Parquet file is incomplete or damaged.",
            ),
            Wording("Écrivez-le de nouveau, ou en .jsonl.", "Write it again, or as .jsonl."),
        ) from error


def _refuse_too_much(metadata: Any) -> None:
    """By what the file says of itself, before any of it is unpacked."""
    if metadata.num_rows > MAX_ROWS:
        raise too_many_rows()
    if metadata.num_columns > MAX_COLUMNS:
        raise TableError(
            "too_many_columns",
            Wording(
                f"Il y a {metadata.num_columns} colonnes; le maximum est {MAX_COLUMNS}.",
                f"There are {metadata.num_columns} columns; {MAX_COLUMNS} are the most.",
            ),
            Wording("Gardez celles des paires.", "Keep those of the pairs."),
        )


def _rows(file: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    number, characters = 0, 0
    for batch in file.iter_batches(batch_size=_BATCH, use_threads=False):
        for row in batch.to_pylist():
            number += 1
            record = {str(name): _cell(str(name), value) for name, value in row.items()}
            characters += sum(len(cell) for cell in record.values() if isinstance(cell, str))
            if number > MAX_ROWS or characters > MAX_CHARACTERS:
                raise too_many_rows()
            yield number, record


def _cell(name: str, value: Any) -> Any:
    """A cell as JSON has it. Raises ``TableError`` for bytes that are no text."""
    try:
        return _plain(value)
    except UnicodeDecodeError as error:
        raise TableError(
            "not_text",
            Wording(
                f"La colonne « {shown(name)} » contient des octets qui ne sont pas du texte.",
                f"The column “{shown(name)}” holds bytes that are no text.",
            ),
            Wording(
                "Retirez cette colonne, ou écrivez-la en texte (UTF-8).",
                "Take this column out, or write it as text (UTF-8).",
            ),
        ) from error


def _plain(value: Any) -> Any:
    """A value as JSON has it; a column of a map has pairs. Raises ``UnicodeDecodeError``."""
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, str | int | bool) or value is None:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value  # a gap, as data frames write it
    return str(value)
