"""A table's rows written as files."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from annotation.cells import Sheet
from annotation.release.tables import BATCH, Row, Table, as_json, cell, ordered


def write_table(folder: Path, table: Table, rows: Iterable[Row]) -> int:
    """Write ``rows`` as ``name.jsonl``, ``.csv`` and ``.parquet``; how many there were. Memory
    stays flat.

    A value that a row lacks is None. Raises ``KeyError`` for one that the table has no column for.
    """
    # 30 MB of library that only whoever writes such a file needs.
    from annotation.release.parquet import parquet_table, parquet_writer

    names = [field.name for field in table.fields]
    count = 0
    with (
        (folder / f"{table.name}.jsonl").open("w", encoding="utf-8", newline="\n") as lines,
        (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as cells,
        parquet_writer(folder / f"{table.name}.parquet", table.fields) as columns,
    ):
        sheet = Sheet(cells, lineterminator="\r\n")
        sheet.writerow(names)
        remaining = iter(rows)
        while batch := [ordered(row, names) for row in islice(remaining, BATCH)]:
            lines.writelines(as_json(row) + "\n" for row in batch)
            sheet.writerows(
                [cell(field, row[field.name]) for field in table.fields] for row in batch
            )
            columns.write_table(parquet_table(table.fields, batch))
            count += len(batch)
    return count
