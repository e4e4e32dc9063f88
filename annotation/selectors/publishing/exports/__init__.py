"""Everything that leaves a study as a file: what there is, and the file a piece at a time.

Memory stays the same for a study of any size, annotators appear by pseudonym only, and every row
describes the same moment.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from annotation.models import Study
from annotation.selectors.base.one_moment import snapshot
from annotation.selectors.publishing.exports.codebook import Codebook
from annotation.selectors.publishing.exports.error_rows import ErrorRows
from annotation.selectors.publishing.exports.formats import FORMATS
from annotation.selectors.publishing.exports.frjudge import FrJudge
from annotation.selectors.publishing.exports.layout import Layout
from annotation.selectors.publishing.exports.long import Long
from annotation.selectors.publishing.exports.source import Source
from annotation.selectors.publishing.exports.spec import (
    FORMATS_OF_LAYOUT,
    ROUNDS,
    ExportOptions,
    ExportSpec,
    export_spec,
)
from annotation.selectors.publishing.exports.wide import Wide

__all__ = [
    "FORMATS",
    "FORMATS_OF_LAYOUT",
    "LAYOUTS",
    "ROUNDS",
    "Chunk",
    "ExportOptions",
    "ExportSpec",
    "export_chunks",
    "export_spec",
]

# Lines that are handed on together: enough for a write, few enough for the processor's cache.
_PIECE = 50
_TABLES: dict[str, Layout] = {
    "frjudge": FrJudge(),
    "long": Long(),
    "wide": Wide(),
    "errors": ErrorRows(),
}
LAYOUTS: dict[str, Layout] = {**_TABLES, "codebook": Codebook(_TABLES)}


@dataclass(frozen=True)
class Chunk:
    """The next piece of a file, in UTF-8; ``rows`` are in it, of ``total`` in the whole file."""

    content: bytes
    rows: int
    total: int

    @property
    def text(self) -> str:
        return self.content.decode()


def export_chunks(study: Study, spec: ExportSpec) -> Generator[Chunk]:
    """The file, piece by piece, as the study stands when the first piece is asked for."""
    layout, form = LAYOUTS[spec.layout], FORMATS[spec.format]
    with snapshot():
        source = Source(study, spec.options)
        total = layout.count(source)
        header = form.header(layout.columns(source), bom=spec.options.bom)
        yield Chunk(header, 0, total)
        # Closed before the transaction ends: a cursor of the database may be open in it.
        with closing(layout.lines(source, form)) as lines:
            while piece := list(islice(lines, _PIECE)):
                yield Chunk(b"".join(piece), len(piece), total)
