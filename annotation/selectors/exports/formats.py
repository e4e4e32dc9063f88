"""File formats, a few cells at a time: cells that many rows share are rendered once. Pure.

CSV and TSV are quoted as RFC 4180 says. A spreadsheet runs a cell that starts like a formula, so such a
cell gets an apostrophe in front; JSONL has no such readers and is never altered.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from annotation.release.cells import neutralised

if TYPE_CHECKING:
    from annotation.selectors.exports.columns import Column

Part = Callable[[Sequence[Any]], str]

# Numbers, moments and words of our own vocabulary: nothing in them needs quotes or can start a formula.
_VERBATIM = ("integer", "time", "category")

# Made once: ``json.dumps`` with options makes an encoder per call.
as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def _json_as_it_is(text: str | None) -> str:
    """A value that is JSON already."""
    return text or "null"


class Format(ABC):
    """A way to write rows: ``part`` renders some neighbouring cells, ``row`` puts a row together."""

    key: str
    content_type: str

    @abstractmethod
    def part(self, columns: Sequence[Column]) -> Part:
        """A function from the values of these columns to their part of a row."""

    @abstractmethod
    def row(self, parts: Sequence[str]) -> str:
        """A whole row with its line end."""

    def header(self, columns: Sequence[Column], *, bom: bool = False) -> str:
        """What comes before the first row."""
        return ""


@dataclass(frozen=True)
class Delimited(Format):
    """CSV and TSV. ``bom`` is for Excel, which takes UTF-8 without it for the machine's own encoding."""

    key: str
    content_type: str
    delimiter: str

    def part(self, columns: Sequence[Column]) -> Part:
        delimiter = self.delimiter
        if all(c.kind in _VERBATIM for c in columns):
            return lambda values: delimiter.join(["" if value is None else str(value) for value in values])
        writers = [self._writers[c.kind] for c in columns]
        return lambda values: delimiter.join([write(value) for write, value in zip(writers, values, strict=True)])

    def row(self, parts: Sequence[str]) -> str:
        return self.delimiter.join(parts) + "\r\n"

    def header(self, columns: Sequence[Column], *, bom: bool = False) -> str:
        return ("\ufeff" if bom else "") + self.row([self._text(c.name) for c in columns])

    @cached_property
    def _writers(self) -> dict[str, Callable[[Any], str]]:
        return {
            **dict.fromkeys(_VERBATIM, lambda value: "" if value is None else str(value)),
            "text": self._text,
            "boolean": lambda value: "" if value is None else ("true" if value else "false"),
            "json": lambda text: self._quoted(text or ""),
        }

    def _text(self, text: str | None) -> str:
        return self._quoted(neutralised(text)) if text else ""

    def _quoted(self, text: str) -> str:
        if '"' in text or self.delimiter in text or "\n" in text or "\r" in text:
            return '"' + text.replace('"', '""') + '"'
        return text


@dataclass(frozen=True)
class JsonLines(Format):
    """One object per line."""

    key: str = "jsonl"
    content_type: str = "application/jsonl; charset=utf-8"

    def part(self, columns: Sequence[Column]) -> Part:
        names = [c.name for c in columns]
        if all(c.kind != "json" for c in columns):
            return lambda values: as_json(dict(zip(names, values, strict=True)))[1:-1]
        members = [(as_json(c.name), _json_as_it_is if c.kind == "json" else as_json) for c in columns]
        return lambda values: ", ".join(
            [f"{name}: {write(value)}" for (name, write), value in zip(members, values, strict=True)]
        )

    def row(self, parts: Sequence[str]) -> str:
        return "{" + ", ".join(parts) + "}\n"


@dataclass(frozen=True)
class JsonDocument(JsonLines):
    """One document; only a layout that is no table knows how to make it."""

    key: str = "json"
    content_type: str = "application/json"


FORMATS: dict[str, Format] = {
    "csv": Delimited("csv", "text/csv; charset=utf-8", ","),
    "tsv": Delimited("tsv", "text/tab-separated-values; charset=utf-8", "\t"),
    "jsonl": JsonLines(),
    "json": JsonDocument(),
}
