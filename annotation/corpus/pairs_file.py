"""A file of pairs read whole, from its bytes to the pairs that it would bring, under the choices
made so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from annotation.corpus.columns import guess_mapping
from annotation.corpus.frjudge import FrjudgeFile, is_frjudge, read_frjudge
from annotation.corpus.pairs import Pairs, pairs_of
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import JSONL, Layout, Table
from annotation.protocols.base import Wording


@dataclass(frozen=True)
class PairsFile:
    """What a file holds. ``fatal`` is why it cannot be read at all, or no pairs be made of its
    table."""

    table: Table | None = None
    """Without its rows: ``row_count`` says how many there are."""
    row_count: int = 0
    mapping: dict[str, int] = field(default_factory=dict)
    pairs: Pairs | None = None
    released: FrjudgeFile | None = None
    fatal: RowProblem | None = None

    @property
    def is_released_file(self) -> bool:
        """Whether the file is FrJUDGE's, however it is to be brought in."""
        return (
            self.table is not None
            and self.table.layout.format == JSONL
            and is_frjudge(self.table.columns)
        )


def read_pairs_file(
    content: bytes,
    layout: Layout | None = None,
    *,
    mapping: Mapping[str, int] | None = None,
    names: Mapping[str, str] | None = None,
    take_released: bool = True,
) -> PairsFile:
    """Read a file. Columns by field as ``mapping`` or as ``names`` says, else as their own names
    suggest.

    A file of FrJUDGE's comes with its judgments where ``take_released``.
    """
    found = PairsFile()
    try:
        table = read_table(content, layout or Layout())
        found = PairsFile(replace(table, rows=[]), len(table.rows))
        if found.is_released_file and take_released:
            return replace(found, released=read_frjudge(content))
        chosen = dict(mapping) if mapping is not None else _named(table, names)
        found = replace(found, mapping=chosen)
        return replace(found, pairs=pairs_of(table, chosen))
    except TableError as error:
        return replace(found, fatal=error.problem)


def _named(table: Table, names: Mapping[str, str] | None) -> dict[str, int]:
    """Columns by field, as they are called. Raises ``TableError`` for a name that no column has."""
    if names is None:
        return guess_mapping(table.columns)
    for name in names.values():
        if name not in table.columns:
            there = ", ".join(table.columns)
            raise TableError(
                "no_such_column",
                Wording(
                    f"Le fichier n'a pas de colonne « {name} ».",
                    f"The file has no column “{name}”.",
                ),
                Wording(f"Il a : {there}.", f"It has: {there}."),
                field="columns",
            )
    return {field_: table.columns.index(name) for field_, name in names.items()}
