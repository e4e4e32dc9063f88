"""Word documents: paragraphs, items of lists with their numbers, and tables, in the order of the
document."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from annotation.corpus import archives
from annotation.corpus.documents import (
    MAX_CHARACTERS,
    Document,
    DocumentError,
    Paragraph,
    broken,
    too_large,
    wrong_type,
)
from annotation.corpus.docx_numbers import Numbers
from annotation.corpus.lines import Hint, Marker, mark_of
from annotation.protocols.base import Wording

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
# Of an element the library keeps some 150 bytes; most have an end tag too.
MAX_MARKS = 3_000_000
_HEADING = re.compile(r"(?:heading|titre|title|toc heading)\b", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|tm) ?\d", re.IGNORECASE)


def read_docx(content: bytes, name: str) -> Document:
    """The text of a .docx, a paragraph per line, a row of a table as one line. Raises
    ``DocumentError``."""
    _check_archive(content, name)
    import docx

    try:
        opened = docx.Document(io.BytesIO(content))
        paragraphs = [part for part in _paragraphs(opened) if part.text]
    except MemoryError:
        raise
    except Exception as error:  # a damaged file makes the library raise nearly anything
        raise broken(name, ".docx") from error
    if sum(len(part.text) for part in paragraphs) > MAX_CHARACTERS:
        raise too_large(name, len(content))
    return Document(name, "docx", tuple(paragraphs))


def _check_archive(content: bytes, name: str) -> None:
    try:
        archive = archives.contents_of(content, most_bytes=MAX_UNPACKED_BYTES, most_marks=MAX_MARKS)
    except archives.BrokenArchive as error:
        raise broken(name, ".docx") from error
    if archive.unpacked > MAX_UNPACKED_BYTES:
        raise DocumentError(
            "unpacks_too_large",
            name,
            Wording(
                f"décompressé, il ferait {archive.unpacked // 2**20} Mo.",
                f"unpacked, it takes {archive.unpacked // 2**20} MB.",
            ),
            Wording(
                "Retirez les images, ou enregistrez le texte en .txt.",
                "Remove images, or save the text as .txt.",
            ),
        )
    if archive.marks > MAX_MARKS:
        raise DocumentError(
            "too_many_parts",
            name,
            Wording(
                "il est fait de plus d'un million de morceaux.",
                "it is made of more than a million pieces.",
            ),
            Wording(
                "Enregistrez le texte en .txt, ou divisez le document.",
                "Save the text as .txt, or divide it.",
            ),
        )
    if "word/document.xml" not in archive.names:
        raise wrong_type(
            name,
            Wording("ce n'est pas un document Word (.docx).", "this is no Word document (.docx)."),
        )


def _paragraphs(opened: Any) -> Iterator[Paragraph]:
    from docx.table import Table

    styles = _Styles(opened)
    for element in opened.iter_inner_content():
        if isinstance(element, Table):
            yield from _rows(element, styles)
        else:
            yield from _paragraph(element, styles)


class _Styles:
    """Names of paragraph styles by identifier. The library looks through all of them for each
    paragraph."""

    def __init__(self, opened: Any) -> None:
        from docx.enum.style import WD_STYLE_TYPE

        self.numbers = Numbers(opened)
        self._default = opened.styles.default(WD_STYLE_TYPE.PARAGRAPH)
        self._names = {
            style.style_id: style.name or ""
            for style in opened.styles
            if style.type == WD_STYLE_TYPE.PARAGRAPH
        }

    def name(self, element: Any) -> str:
        """The name of a paragraph's style; the default one's where it names none that is there."""
        default = (self._default.name if self._default is not None else "") or ""
        return self._names.get(element._p.style, default)  # noqa: SLF001 - the identifier as it stands in the file


def _rows(table: Any, styles: _Styles) -> Iterator[Paragraph]:
    """A row per paragraph; a cell that spans several columns or rows is read once. A row of one
    cell is no table but a frame: its paragraphs are read as any other.

    Not by the library's ``cells``: it gives a cell once for each column that it says to span.
    """
    from docx.table import _Cell

    for row in table.rows:
        own = [cell for cell in row._tr.tc_lst if cell.vMerge != "continue"]  # noqa: SLF001
        # Each paragraph once, in its order: its number is counted when it is read.
        filled = [
            kept
            for cell in own
            if (kept := [part for part in _inside(_Cell(cell, table), styles) if part.text])
        ]
        if len(filled) == 1:
            yield from filled[0]
        else:
            # A bar of the text's own would part a cell.
            texts = [" ".join(part.text for part in cell).replace("|", "/") for cell in filled]
            yield Paragraph(" | ".join(texts), hint=Hint.ROW)


def _inside(cell: Any, styles: _Styles) -> Iterator[Paragraph]:
    for element in cell.paragraphs:
        yield from _paragraph(element, styles)


def _paragraph(element: Any, styles: _Styles) -> Iterator[Paragraph]:
    style = styles.name(element)
    numbered = styles.numbers.next(element._p)  # noqa: SLF001 - numbering is not in the library's own interface
    if _CONTENTS.match(style):
        return  # a line of the table of contents
    text, label = element.text.replace("\r", "\n"), "" if numbered is None else numbered.label
    if _HEADING.match(style):
        hint: Hint | None = Hint.HEADING
    elif numbered is None:
        hint = Hint.ITEM if _is_listed(style) else None
    else:
        hint = None if _is_provision(label) else Hint.ITEM
    if label and text.strip():
        text = f"{label} {text.lstrip()}"
    for line in text.split("\n"):
        yield Paragraph(re.sub(r"[ \t\u00a0]+", " ", line).strip(), hint=hint)


def _is_listed(style: str) -> bool:
    return style.lower().startswith(
        ("list bullet", "list number", "liste à puces", "liste à numéros")
    )


def _is_provision(label: str) -> bool:
    """Whether a number may stand before a provision or its title: read as where it is typed."""
    return mark_of(f"{label} Mot") not in (Marker.NONE, Marker.BULLET, Marker.DASH, Marker.LOWER)
