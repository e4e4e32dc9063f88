"""One column of an export, and what its values mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.protocols.base import Wording


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
