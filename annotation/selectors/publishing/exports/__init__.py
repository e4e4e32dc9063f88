"""Everything that leaves a study as a file: what there is, and the file a piece at a time.

Memory stays the same for a study of any size, annotators appear by pseudonym only, and every row
describes the same moment.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from annotation.errors import RuleError
from annotation.models import Study
from annotation.protocols.protocol import Protocol
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.publishing.exports.formats import FORMATS, Format, Sheets
from annotation.selectors.publishing.exports.layout import Layout
from annotation.selectors.publishing.exports.layouts import LAYOUTS
from annotation.selectors.publishing.exports.options import ExportOptions
from annotation.selectors.publishing.exports.source import Source
from annotation.selectors.publishing.exports.spec import (
    ROUNDS,
    ExportSpec,
    export_spec,
)
from annotation.selectors.publishing.exports.workbook import (
    sheet_bytes,
    sheet_filled,
    sheet_header,
)
from annotation.workbooks import SheetFile

__all__ = [
    "FORMATS",
    "LAYOUTS",
    "ROUNDS",
    "Chunk",
    "ExportOptions",
    "ExportSpec",
    "check_layout",
    "export_chunks",
    "export_spec",
    "layouts_of",
]

# Lines that are handed on together: enough for a write, few enough for the processor's cache.
_PIECE = 50


@dataclass(frozen=True)
class Chunk:
    """The next piece of a file, in UTF-8; ``rows`` are in it, of ``total`` in the whole file."""

    content: bytes
    rows: int
    total: int

    @property
    def text(self) -> str:
        return self.content.decode()


def layouts_of(protocol: Protocol) -> dict[str, Layout]:
    """The layouts in which judgments by this protocol can be had."""
    return {key: layout for key, layout in LAYOUTS.items() if layout.applies(protocol)}


def check_layout(study: Study, spec: ExportSpec) -> None:
    """Raise ``RuleError`` where the study's protocol has no such layout."""
    offered = layouts_of(study.protocol)
    if spec.layout not in offered:
        known = ", ".join(offered)
        raise RuleError.single(
            "layout",
            "not_for_protocol",
            f"Le protocole « {study.protocol.title.fr} » n'a pas de disposition "
            f"« {spec.layout} ». Choisissez parmi : {known}.",
            f"The protocol “{study.protocol.title.en}” has no layout “{spec.layout}”. Choose one "
            f"of: {known}.",
        )


def export_chunks(study: Study, spec: ExportSpec) -> Generator[Chunk]:
    """The file, piece by piece, as the study stands when the first piece is asked for. Raises
    ``WorkbookLimit`` for what does not fit into a workbook."""
    layout, form = LAYOUTS[spec.layout], FORMATS[spec.format]
    with one_moment():
        source = Source(study, _options(layout, spec))
        total = layout.count(source)
        if isinstance(form, Sheets):
            yield from _sheet_chunks(layout, source, form, total)
            return
        header = layout.header(source, form, bom=spec.options.bom)
        yield Chunk(header, 0, total)
        # Closed before the transaction ends: a cursor of the database may be open in it.
        with closing(layout.lines(source, form)) as lines:
            while piece := list(islice(lines, _PIECE)):
                yield Chunk(b"".join(piece), len(piece), total)


def _options(layout: Layout, spec: ExportSpec) -> ExportOptions:
    """What holds in a layout of people's answers; where models alone are asked for, theirs."""
    options = spec.options
    left_out = layout.of_people and options.round != "machine"
    return replace(options, machines=options.machines and not left_out)


def _sheet_chunks(layout: Layout, source: Source, form: Format, total: int) -> Generator[Chunk]:
    """A workbook: nothing of it is there before its last row, so its bytes come after all rows."""
    sheet = SheetFile(source.study.key)
    try:
        with closing(layout.lines(source, form)) as lines:
            pieces = iter(lambda: list(islice(lines, _PIECE)), [])
            for rows in sheet_filled(sheet, sheet_header(layout, source), pieces, total):
                yield Chunk(b"", rows, total)
        for content in sheet_bytes(sheet):
            yield Chunk(content, 0, total)
    finally:
        sheet.discard()
