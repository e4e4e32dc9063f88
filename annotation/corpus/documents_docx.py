"""Word documents: paragraphs, items of lists with their numbers, and tables, in the order of the document."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from annotation.corpus.documents import (
    MAX_CHARACTERS,
    Document,
    DocumentError,
    Paragraph,
    broken,
    too_large,
    wrong_type,
)
from annotation.corpus.lines import Hint
from annotation.protocols.base import Wording

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
_HEADING = re.compile(r"(?:heading|titre|title|toc heading)\b", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|tm) ?\d", re.IGNORECASE)


def read_docx(content: bytes, name: str) -> Document:
    """The text of a .docx, a paragraph per line, a row of a table as one line. Raises ``DocumentError``."""
    _check_archive(content, name)
    import docx

    try:
        opened = docx.Document(io.BytesIO(content))
        paragraphs = [part for part in _paragraphs(opened) if part.text]
    except Exception as error:  # a damaged file makes the library raise nearly anything
        raise broken(name, ".docx") from error
    if sum(len(part.text) for part in paragraphs) > MAX_CHARACTERS:
        raise too_large(name, len(content))
    return Document(name, "docx", tuple(paragraphs))


def _check_archive(content: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise broken(name, ".docx") from error
    if unpacked > MAX_UNPACKED_BYTES:
        raise DocumentError(
            "unpacks_too_large",
            name,
            Wording(f"décompressé, il ferait {unpacked // 2**20} Mo.", f"unpacked, it takes {unpacked // 2**20} MB."),
            Wording("Retirez les images, ou enregistrez le texte en .txt.", "Remove images, or save the text as .txt."),
        )
    if "word/document.xml" not in names:
        raise wrong_type(name, Wording("ce n'est pas un document Word (.docx).", "this is no Word document (.docx)."))


def _paragraphs(opened: Any) -> Iterator[Paragraph]:
    from docx.table import Table

    for element in opened.iter_inner_content():
        if isinstance(element, Table):
            yield from _rows(element)
        else:
            yield from _paragraph(element)


def _rows(table: Any) -> Iterator[Paragraph]:
    """A row per paragraph; a cell that spans several columns or rows is read once."""
    seen: set[Any] = set()
    for row in table.rows:
        cells = []
        for cell in row.cells:
            if cell._tc not in seen:  # noqa: SLF001 - the library gives a merged cell once per column
                seen.add(cell._tc)  # noqa: SLF001
                cells.append(" ".join(cell.text.split()))
        yield Paragraph(" | ".join(filter(None, cells)), hint=Hint.TEXT)


def _paragraph(element: Any) -> Iterator[Paragraph]:
    style = (element.style.name if element.style is not None else "") or ""
    if _CONTENTS.match(style):
        return  # a line of the table of contents
    hint = Hint.HEADING if _HEADING.match(style) else Hint.ITEM if _is_item(element, style) else None
    for text in element.text.replace("\r", "\n").split("\n"):
        yield Paragraph(re.sub(r"[ \t\u00a0]+", " ", text).strip(), hint=hint)


def _is_item(element: Any, style: str) -> bool:
    """Whether Word numbers or bullets the paragraph, by itself or by its style."""
    if style.lower().startswith(("list bullet", "list number", "liste à puces", "liste à numéros")):
        return True
    properties = element._p.pPr  # noqa: SLF001 - numbering is not in the library's own interface
    return properties is not None and properties.numPr is not None
