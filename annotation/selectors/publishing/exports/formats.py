"""File formats, a few cells at a time, in UTF-8: cells that many rows share are rendered and
encoded once. Pure.

CSV and TSV are quoted as RFC 4180 says. A spreadsheet runs a cell that starts like a formula, so
such a cell gets an apostrophe in front; JSONL has no such readers and is never altered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring as json_text
from typing import Any

from annotation.cells import json_neutralised, neutralised
from annotation.protocols.columns import Column

Part = Callable[[Sequence[Any]], bytes]

# Numbers, moments and words of our own vocabulary: nothing in them needs quotes or can start a
# formula.
_VERBATIM = ("integer", "time", "category")

__all__ = [
    "FORMATS",
    "Delimited",
    "ForSpreadsheets",
    "Format",
    "JsonDocument",
    "JsonLines",
    "Part",
    "Sheets",
    "json_text",
]


def _json_plain(value: Any) -> str | int:
    """A number, a moment or a word. Anything else raises ``TypeError`` rather than be written as
    something else."""
    if type(value) is int:
        return value
    return "null" if value is None else json_text(value)


# ``json_text`` is what an encoder calls for a text with ``ensure_ascii=False``; one encoder per
# cell is far slower.
def _json_text(text: str | None) -> str:
    return "null" if text is None else json_text(text)


def _json_boolean(value: bool | None) -> str:
    return "null" if value is None else ("true" if value else "false")


def _json_as_it_is(text: str | None) -> str:
    """A value that is JSON already."""
    return text or "null"


_JSON: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_VERBATIM, _json_plain),
    "text": _json_text,
    "boolean": _json_boolean,
    "json": _json_as_it_is,
    "number": _json_as_it_is,
}


class Format(ABC):
    """A way to write rows: ``part`` renders some neighbouring cells, ``row`` puts a row
    together."""

    key: str
    content_type: str

    @property
    def extension(self) -> str:
        """By which a file of this format is known."""
        return self.key

    @abstractmethod
    def part(self, columns: Sequence[Column]) -> Part:
        """A function from the values of these columns to their part of a row."""

    @abstractmethod
    def row(self, parts: Sequence[bytes]) -> bytes:
        """A whole row with its line end."""

    def header(self, columns: Sequence[Column], *, bom: bool = False) -> bytes:
        """What comes before the first row."""
        return b""


@dataclass(frozen=True)
class Delimited(Format):
    """CSV and TSV. ``bom`` is for Excel, which takes UTF-8 without it for the machine's own
    encoding."""

    key: str
    content_type: str
    delimiter: str

    @property
    def extension(self) -> str:
        return self.key.partition("-")[0]

    def part(self, columns: Sequence[Column]) -> Part:
        delimiter = self.delimiter
        if all(c.kind in _VERBATIM for c in columns):
            return lambda values: delimiter.join(
                ["" if value is None else str(value) for value in values]
            ).encode()
        writers = [self._writers[c.kind] for c in columns]
        return lambda values: delimiter.join(
            [write(value) for write, value in zip(writers, values, strict=True)]
        ).encode()

    def row(self, parts: Sequence[bytes]) -> bytes:
        return self._separator.join(parts) + b"\r\n"

    def header(self, columns: Sequence[Column], *, bom: bool = False) -> bytes:
        return (BOM_UTF8 if bom else b"") + self.row([self._text(c.name).encode() for c in columns])

    @cached_property
    def _separator(self) -> bytes:
        return self.delimiter.encode()

    @cached_property
    def _writers(self) -> dict[str, Callable[[Any], str]]:
        return {
            **dict.fromkeys(_VERBATIM, lambda value: "" if value is None else str(value)),
            "text": self._text,
            "number": self._number,
            "boolean": lambda value: "" if value is None else ("true" if value else "false"),
            "json": lambda text: self._quoted(json_neutralised(text or "")),
        }

    def _number(self, text: str | None) -> str:
        return text or ""

    def _text(self, text: str | None) -> str:
        return self._quoted(neutralised(text)) if text else ""

    def _quoted(self, text: str) -> str:
        if '"' in text or self.delimiter in text or "\n" in text or "\r" in text:
            return '"' + text.replace('"', '""') + '"'
        return text


@dataclass(frozen=True)
class ForSpreadsheets(Delimited):
    """CSV as a spreadsheet set to French opens it by a double click: semicolons, decimal commas,
    and the mark of UTF-8 without being asked. For people; programs read the others."""

    def header(self, columns: Sequence[Column], *, bom: bool = False) -> bytes:
        return super().header(columns, bom=True)

    def _number(self, text: str | None) -> str:
        return (text or "").replace(".", ",")


@dataclass(frozen=True)
class JsonLines(Format):
    """One object per line."""

    key: str = "jsonl"
    content_type: str = "application/jsonl; charset=utf-8"

    def part(self, columns: Sequence[Column]) -> Part:
        # A template, because an encoder takes three times as long for so few values.
        members = ", ".join(f"{json_text(c.name).replace('%', '%%')}: %s" for c in columns)
        if all(c.kind in _VERBATIM for c in columns):
            return lambda values: (
                members % tuple([_json_plain(value) for value in values])
            ).encode()
        writers = [_JSON[c.kind] for c in columns]
        return lambda values: (
            members % tuple([write(value) for write, value in zip(writers, values, strict=True)])
        ).encode()

    def row(self, parts: Sequence[bytes]) -> bytes:
        return b"{" + b", ".join(parts) + b"}\n"


@dataclass(frozen=True)
class JsonDocument(JsonLines):
    """One document; only a layout that is no table knows how to make it."""

    key: str = "json"
    content_type: str = "application/json"


@dataclass(frozen=True)
class Sheets(JsonLines):
    """A workbook of one sheet. A row is made as JSON, which knows numbers from texts, and becomes
    cells where the file is put together (``workbook.py``)."""

    key: str = "xlsx"
    content_type: str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


FORMATS: dict[str, Format] = {
    "csv": Delimited("csv", "text/csv; charset=utf-8", ","),
    "tsv": Delimited("tsv", "text/tab-separated-values; charset=utf-8", "\t"),
    "csv-fr": ForSpreadsheets("csv-fr", "text/csv; charset=utf-8", ";"),
    "xlsx": Sheets(),
    "jsonl": JsonLines(),
    "json": JsonDocument(),
}
