"""Released tables as Parquet: the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from annotation.release.tables import Field, Row, as_json


def parquet_writer(path: Path, fields: Sequence[Field]) -> Any:
    """A writer whose bytes follow from the rows alone; data pages of version 1 are read by
    everything."""
    schema = pa.schema([pa.field(field.name, _stored_as(field)) for field in fields])
    return pq.ParquetWriter(path, schema, version="2.6", compression="zstd", store_schema=False)


def parquet_table(fields: Sequence[Field], batch: Sequence[Row]) -> Any:
    """One row group; nested values become JSON text."""

    def column(field: Field) -> list[Any]:
        values = [row[field.name] for row in batch]
        if field.kind == "json":
            return [None if value is None else as_json(value) for value in values]
        if field.kind == "number":
            return [None if value is None else float(value) for value in values]
        return values

    return pa.table({field.name: pa.array(column(field), _stored_as(field)) for field in fields})


def _stored_as(field: Field) -> Any:
    """The type in Parquet; moments and nested values are text there."""
    return {"integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}.get(
        field.kind, pa.string()
    )
