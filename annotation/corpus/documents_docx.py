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
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _RUN, _CONTROL = f"{_W}p", f"{_W}r", f"{_W}sdt"
_TABLE, _ROW, _CELL = f"{_W}tbl", f"{_W}tr", f"{_W}tc"
_VALUE = f"{_W}val"
# What was deleted or moved away (w:del, w:moveFrom) is none of them.
_HOLDERS = frozenset(
    f"{_W}{name}"
    for name in (
        "sdt",
        "sdtContent",
        "ins",
        "moveTo",
        "hyperlink",
        "fldSimple",
        "smartTag",
        "customXml",
        "dir",
        "bdo",
    )
)


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
    yield from _blocks(opened.element.body, _Styles(opened))


def _blocks(holder: Any, styles: _Styles) -> Iterator[Paragraph]:
    """The paragraphs and tables of a document or a cell. One whose end was deleted goes on in the
    next and is counted with it."""
    begun = ""
    for block in _within(holder, _PARAGRAPH, _TABLE):
        if block.tag == _TABLE:
            yield from _lines(begun, None)
            yield from _rows(block, styles)
        elif _goes_on(block):
            begun += _text(block)
            continue
        else:
            yield from _paragraph(block, styles, begun)
        begun = ""
    yield from _lines(begun, None)


def _goes_on(paragraph: Any) -> bool:
    mark = paragraph.find(f"{_W}pPr/{_W}rPr")
    return mark is not None and any(
        mark.find(f"{_W}{name}") is not None for name in ("del", "moveFrom")
    )


def _within(holder: Any, *wanted: str) -> Iterator[Any]:
    """The elements of these names that a reader sees in this one, in their order: as it is once all
    changes that are tracked are accepted, in fields and content controls too.

    Not by the library's own ways (``iter_inner_content``, ``text``, ``rows``): they pass over what
    stands in another element, and with it words of a sentence.
    """
    for child in holder:
        if child.tag in wanted:
            yield child
        elif child.tag in _HOLDERS and not _is_no_text(child):
            yield from _within(child, *wanted)


def _is_no_text(holder: Any) -> bool:
    """Whether this is a content control that nobody has filled in, or the table of contents."""
    if holder.tag != _CONTROL or (properties := holder.find(f"{_W}sdtPr")) is None:
        return False
    gallery = properties.find(f"{_W}docPartObj/{_W}docPartGallery")
    prompt = properties.find(f"{_W}showingPlcHdr")
    return (gallery is not None and gallery.get(_VALUE) == "Table of Contents") or (
        prompt is not None and prompt.get(_VALUE) not in ("0", "false", "off")
    )


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

    def name(self, paragraph: Any) -> str:
        """The name of a paragraph's style (of an element ``w:p``); the default one's where it names
        none that is there."""
        default = (self._default.name if self._default is not None else "") or ""
        return self._names.get(paragraph.style, default)


def _rows(table: Any, styles: _Styles) -> Iterator[Paragraph]:
    """A row per paragraph; a cell that spans several columns or rows is read once. A row of one
    cell is no table but a frame: its paragraphs are read as any other.

    Not by the library's ``cells``: it gives a cell once for each column that it says to span.
    """
    for row in _within(table, _ROW):
        own = [cell for cell in _within(row, _CELL) if cell.vMerge != "continue"]
        # Each paragraph once, in its order: its number is counted when it is read.
        filled = [
            kept for cell in own if (kept := [part for part in _blocks(cell, styles) if part.text])
        ]
        if len(filled) == 1:
            yield from filled[0]
        else:
            # A bar of the text's own would part a cell.
            texts = [" ".join(part.text for part in cell).replace("|", "/") for cell in filled]
            yield Paragraph(" | ".join(texts), hint=Hint.ROW)


def _paragraph(element: Any, styles: _Styles, begun: str) -> Iterator[Paragraph]:
    style = styles.name(element)
    numbered = styles.numbers.next(element)
    if _CONTENTS.match(style):
        return  # a line of the table of contents
    text, label = begun + _text(element), "" if numbered is None else numbered.label
    if _HEADING.match(style):
        hint: Hint | None = Hint.HEADING
    elif numbered is None:
        hint = Hint.ITEM if _is_listed(style) else None
    else:
        hint = None if _is_provision(label) else Hint.ITEM
    if label and text.strip():
        text = f"{label} {text.lstrip()}"
    yield from _lines(text, hint)


def _text(paragraph: Any) -> str:
    return "".join(run.text for run in _within(paragraph, _RUN)).replace("\r", "\n")


def _lines(text: str, hint: Hint | None) -> Iterator[Paragraph]:
    for line in text.split("\n"):
        yield Paragraph(re.sub(r"[ \t\u00a0]+", " ", line).strip(), hint=hint)


def _is_listed(style: str) -> bool:
    return style.lower().startswith(
        ("list bullet", "list number", "liste à puces", "liste à numéros")
    )


def _is_provision(label: str) -> bool:
    """Whether a number may stand before a provision or its title: read as where it is typed."""
    return mark_of(f"{label} Mot") not in (Marker.NONE, Marker.BULLET, Marker.DASH, Marker.LOWER)
