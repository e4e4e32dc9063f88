"""A file of any kind as a long table, a pair and an annotator a row: as its author made it, or made
of another program's export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from annotation.corpus import jsonl
from annotation.corpus.edit_tables import read_edit_table
from annotation.corpus.edits import EditsFile
from annotation.corpus.encodings import Confidence, decode, detect
from annotation.corpus.long_archives import is_archive, objects_of
from annotation.corpus.long_edits import (
    COLUMNS,
    archived,
    columns_in,
    is_edit_table,
    is_thresh,
    rows_of_edits,
)
from annotation.corpus.long_objects import (
    BEFORE,
    START,
    Numbered,
    cas_of,
    document_of,
    members_of,
    rows_of,
)
from annotation.corpus.peers import FILE, PEERS, Peer
from annotation.corpus.problems import RowProblem
from annotation.corpus.summaries import as_pairs
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import JSON, JSONL, MAX_ROWS, Layout, Table, too_many_rows
from annotation.corpus.thresh import read_thresh
from annotation.protocols.base import NO_WORDING, Wording


@dataclass(frozen=True)
class LongFile:
    """``peer``: the key of the program whose export it is, "" where it is a table of its author's.
    ``left_out``: how many answers their annotators passed over or took back themselves.
    ``numbers_tasks``, ``refusal``, ``beside``: see ``Peer``."""

    table: Table
    peer: str = ""
    left_out: int = 0
    numbers_tasks: bool = False
    refusal: tuple[str, str] = ("", "")
    beside: Wording = NO_WORDING


def read_long(content: bytes, layout: Layout | None = None, name: str = "") -> LongFile:
    """The rows of a file. ``name``: what it is called, which in some exports says who annotated.

    Raises ``TableError`` where there are none to be had.
    """
    layout = layout or Layout()
    file = _no_table(content, layout, _stem(name)) or _table(content, layout, _stem(name))
    summaries = None if file.peer else as_pairs(file.table)
    return file if summaries is None else replace(file, table=summaries)


def _no_table(content: bytes, layout: Layout, name: str) -> LongFile | None:
    """What is no table: an archive, a document, columns. Raises ``TableError``."""
    document = Table(Layout(format=JSON), (), [])
    if (edits := archived(content, name)) is not None:
        return _of_edits(*edits)
    if (columns := columns_in(content, name)) is not None:
        return _of_edits("edit_columns", columns)
    if is_archive(content):
        return _of_objects(objects_of(content), document, "")
    if (cas := cas_of(content)) is not None:
        return _of_objects([(1, cas)], document, name)
    if (text := document_of(content, layout)) is not None:
        members = list(members_of(text))
        if is_thresh(members[0][1]):
            return _of_edits("thresh", read_thresh(content, name))
        return _of_objects(members, document, name)
    return None


def _table(content: bytes, layout: Layout, name: str) -> LongFile:
    """A row for each object, or as a table has them. Raises ``TableError``."""
    lines = _lines(content, layout, name) if layout.format in ("", JSONL) else None
    table = read_table(content, layout) if lines is None else lines.table
    if is_edit_table(table):
        return _of_edits("edits", read_edit_table(content, name))
    if lines is not None:
        return lines
    made = _of_objects(rows_of(table), table, name)
    return made if made.peer else LongFile(table)


def _of_edits(layout: str, edits: EditsFile) -> LongFile:
    """Raises ``TableError``."""
    table = jsonl.table_of(rows_of_edits(edits), Layout(format=JSON))
    # Where every row is wrong, what is wrong is said, not that there is no column.
    return LongFile(table if table.rows else replace(table, columns=COLUMNS), layout)


def _lines(content: bytes, layout: Layout, name: str) -> LongFile | None:
    """Objects line by line; None where the file does not begin with one."""
    if content[:START].lstrip(BEFORE)[:1] != b"{":
        return None
    encoding, confidence = detect(content)
    text = decode(content, layout.encoding or encoding, damaged=confidence is Confidence.DAMAGED)
    layout = replace(layout, format=JSONL, encoding=layout.encoding or encoding)
    return _of_objects(jsonl.objects(text), Table(layout, (), [], confidence=confidence), name)


def _of_objects(objects: Numbered, table: Table, name: str) -> LongFile:
    """As the peer reads them that knows the first; else as they stand."""
    records = list(objects)
    peer = _peer_of(records)
    if peer is None:
        made = jsonl.table_of(records, table.layout)
        return LongFile(replace(made, confidence=table.confidence))
    rows = _Rows(peer, records, name)
    made = jsonl.table_of(rows, table.layout)
    made = replace(made, confidence=table.confidence, sheets=table.sheets, hidden=table.hidden)
    return LongFile(made, peer.key, rows.left_out, peer.numbers_tasks, peer.refusal, peer.beside)


def _peer_of(records: Numbered) -> Peer | None:
    """Whoever knows the first object; in an archive, the first of one of its files."""
    seen: set[Any] = set()
    for _number, record in records:
        if isinstance(record, Mapping) and record.get(FILE) not in seen:
            seen.add(record.get(FILE))
            if peer := next((peer for peer in PEERS if peer.knows(record)), None):
                return peer
    return None


class _Rows:
    """What a peer makes of the objects; those of another shape are named."""

    def __init__(self, peer: Peer, records: Numbered, name: str) -> None:
        self.peer, self.records, self.name, self.left_out = peer, records, name, 0
        self.items = _items(peer, records)
        self.question_names = _question_names(peer, records)

    def __iter__(self) -> Iterator[tuple[int, Mapping[str, Any] | RowProblem]]:
        made = 0
        for number, record in self.records:
            if isinstance(record, RowProblem):
                yield number, record
            elif not self.peer.knows(record):
                if self.peer.item is not None and self.peer.item(record) in self.items:
                    continue
                yield number, _other_shape(number, self.peer)
            else:
                for row in self.peer.rows(
                    {FILE: self.name, **self.peer.without(record, self.question_names)}
                ):
                    self.left_out += row is None
                    if row is not None:
                        made += 1
                        if made > MAX_ROWS:
                            raise too_many_rows()
                        yield number, self._joined(row)

    def _joined(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row with its item, where the archive has that."""
        joined = {**self.items.get(str(row.get("id")), {}), **row}
        return self.peer.joined(joined) if self.peer.joined else joined


def _question_names(peer: Peer, records: Numbered) -> frozenset[str]:
    """The questions of the whole file: not every object has an answer to each."""
    if peer.question_names is None:
        return frozenset()
    known = [
        record for _number, record in records if isinstance(record, Mapping) and peer.knows(record)
    ]
    return frozenset(name for record in known for name in peer.question_names(record))


def _items(peer: Peer, records: Numbered) -> dict[str, dict[str, Any]]:
    """The items of an archive whose annotations only name them, by what they are known."""
    if peer.item is None:
        return {}
    return {
        name: {key: value for key, value in record.items() if key != FILE}
        for _number, record in records
        if isinstance(record, Mapping) and FILE in record and not peer.knows(record)
        if (name := peer.item(record))
    }


def _stem(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).stem


def _other_shape(number: int, peer: Peer) -> RowProblem:
    return RowProblem(
        "",
        "other_shape",
        Wording(
            f"Cette ligne n'a pas la forme d'un export de {peer.title}, comme la première.",
            f"This row does not have the shape of an export of {peer.title}, as the first has.",
        ),
        row=number,
        remedy=Wording(
            "Exportez-le de nouveau, ou supprimez la ligne.", "Export it again, or delete the row."
        ),
    )
