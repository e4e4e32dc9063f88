"""Columns: what each one holds, in both languages, and how its cells come from a row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.protocols.base import Wording
from annotation.selectors.exports.formats import Format


@dataclass(frozen=True)
class Value:
    """One value that a column may hold."""

    value: int | str
    label: Wording
    key: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a layout, as its codebook describes it."""

    name: str
    kind: str
    """"text", "integer", "boolean", "time", "category" or "json" (whose cells are JSON already)."""
    description: Wording
    values: tuple[Value, ...] = ()
    """Every value that occurs, where they are few."""


def column(name: str, kind: str, fr: str, en: str, values: Iterable[Value] = ()) -> Column:
    return Column(name, kind, Wording(fr, en), tuple(values))


@dataclass(frozen=True)
class Group:
    """Neighbouring columns whose cells are made from the same few values of a row.

    ``pick`` takes these values out of the row, ``cells`` makes the cells of them. ``shared``: few
    rows differ in them, so what was rendered once is kept.
    """

    columns: tuple[Column, ...]
    pick: Callable[[Any], Hashable]
    cells: Callable[[Any], Sequence[Any]]
    shared: bool = False

    def rendered(self, form: Format) -> Rendered:
        """This group's part of a line, by what ``pick`` takes out of a row."""
        write, cells = form.part(self.columns), self.cells
        return Rendered(lambda picked: write(cells(picked)), shared=self.shared)


class Rendered(dict[Any, str]):
    """Parts of lines, made when they are first asked for; what few rows share is kept, and so is what is empty.

    A dictionary, because every cell of an export passes here: a part that is there costs no call.
    """

    def __init__(self, render: Callable[[Any], str], *, shared: bool) -> None:
        super().__init__()
        self._render, self._shared = render, shared

    def __missing__(self, picked: Any) -> str:
        text = self._render(picked)
        if self._shared or not picked:
            self[picked] = text
        return text


def all_columns(groups: Sequence[Group]) -> list[Column]:
    return [c for group in groups for c in group.columns]
