"""What a layout is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator

from annotation.protocols.base import Wording
from annotation.protocols.columns import OWN_LAYOUTS, Column
from annotation.protocols.protocol import Protocol
from annotation.selectors.publishing.exports.formats import FORMATS, Format
from annotation.selectors.publishing.exports.source import Source

Lines = Generator[bytes]
"""Finished lines in UTF-8, each with its end."""


class Layout(ABC):
    """One way to lay a study out as rows. ``formats``: what it can be had as, the usual one first.
    ``is_own``: it is one protocol's, which names it among its ``layouts``. ``of_people``: its rows
    do not say who judged, or are means, so what models judged beside people is never in it."""

    key: str
    title: Wording
    explanation: Wording
    formats: tuple[str, ...] = ("csv", "tsv", "csv-fr", "xlsx", "jsonl")
    is_own: bool = False
    of_people: bool = False

    def __init_subclass__(cls) -> None:
        if unknown := sorted(set(cls.formats) - FORMATS.keys()):
            raise TypeError(f"{cls.__name__}: there is no format {', '.join(unknown)}")

    def applies(self, protocol: Protocol) -> bool:
        """Whether judgments by this protocol can be laid out so. One of its own knows the kinds of
        its fields: it goes with them; and it has no place for a question without an answer."""
        if not self.is_own:
            return True
        optional = {scale.name for scale in protocol.scales if not scale.required}
        has_gaps = not optional.isdisjoint(OWN_LAYOUTS.get(self.key, ()))
        return self.key in protocol.layouts and not has_gaps and not protocol.former

    def title_for(self, protocol: Protocol) -> Wording:
        """What it is called where judgments by this protocol are laid out so."""
        return self.title

    @abstractmethod
    def columns(self, source: Source) -> list[Column]:
        """Every column in order."""

    def header(self, source: Source, form: Format, *, bom: bool) -> bytes:
        """What stands before the rows."""
        return form.header(self.columns(source), bom=bom)

    @abstractmethod
    def count(self, source: Source) -> int:
        """How many rows there will be."""

    @abstractmethod
    def lines(self, source: Source, form: Format) -> Lines:
        """The rows, without the header."""
