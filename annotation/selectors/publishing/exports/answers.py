"""Columns of the answers themselves: each field says which it has and how their cells are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from annotation.protocols.columns import ColumnGroup
from annotation.selectors.publishing.exports.columns import Group
from annotation.selectors.publishing.exports.source import ErrorRow, Row, Source


def answer_groups(source: Source) -> list[Group]:
    """One group per field that is stored by itself, in the order in which the questions are
    asked."""
    exported = (field.export() for field in source.protocol.fields)
    return [group_of(source, columns) for columns in exported if columns is not None]


def group_of(source: Source, exported: ColumnGroup) -> Group:
    """What a field says of its columns, read from the rows of this source."""
    return Group(
        exported.columns,
        pick=_pick(source, exported),
        cells=exported.cells,
        shared=exported.shared,
        often=exported.often,
    )


def _of_field(marks: Sequence[ErrorRow] | None, field: str) -> Sequence[ErrorRow] | None:
    """The marks of one field, where a protocol has several whose answers are marks."""
    return None if marks is None else [mark for mark in marks if mark[1] == field]


def _pick(source: Source, exported: ColumnGroup) -> Callable[[Row], Any]:
    if exported.marks:
        if len(source.protocol.marked) == 1:
            return source.errors_of
        return lambda row: _of_field(source.errors_of(row), exported.marks)
    return itemgetter(*(source.place[name] for name in exported.reads))
