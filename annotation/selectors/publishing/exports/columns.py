"""Columns: what each one holds, in both languages, and how its cells come from a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.protocols.columns import Column
from annotation.selectors.publishing.exports.formats import Format


@dataclass(frozen=True)
class Group:
    """Neighbouring columns whose cells are made from the same few values of a row.

    ``pick`` takes these values out of the row, ``cells`` makes the cells of them. ``shared``: few
    rows differ in them, so what was rendered once is kept (``pick`` is hashable then). ``often``:
    what many rows hold although most of the others differ; it is rendered once too.
    """

    columns: tuple[Column, ...]
    pick: Callable[[Any], Any]
    cells: Callable[[Any], Sequence[Any]]
    shared: bool = False
    often: Any = None

    def rendered(self, form: Format) -> Callable[[Any], bytes]:
        """This group's part of a line, by what ``pick`` takes out of a row."""
        write, cells = form.part(self.columns), self.cells
        if self.shared:
            # The method of the dictionary itself: every cell of an export passes here.
            return _Kept(lambda picked: write(cells(picked))).__getitem__
        if self.often is None:
            return lambda picked: write(cells(picked))
        often, once = self.often, write(cells(self.often))
        return lambda picked: once if picked == often else write(cells(picked))


class _Kept(dict[Any, bytes]):
    """Parts of lines that few rows differ in, made when they are first asked for."""

    def __init__(self, render: Callable[[Any], bytes]) -> None:
        super().__init__()
        self._render = render

    def __missing__(self, picked: Any) -> bytes:
        text = self[picked] = self._render(picked)
        return text


def all_columns(groups: Sequence[Group]) -> list[Column]:
    return [c for group in groups for c in group.columns]
