"""What a layout is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator

from annotation.protocols.base import Wording
from annotation.selectors.publishing.exports.column import Column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.source import Source

Lines = Generator[bytes]
"""Finished lines in UTF-8, each with its end."""


class Layout(ABC):
    """One way to lay a study out as rows."""

    title: Wording
    explanation: Wording

    @abstractmethod
    def columns(self, source: Source) -> list[Column]:
        """Every column in order."""

    @abstractmethod
    def count(self, source: Source) -> int:
        """How many rows there will be."""

    @abstractmethod
    def lines(self, source: Source, form: Format) -> Lines:
        """The rows, without the header."""
