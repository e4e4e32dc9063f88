"""PDF files that hold text: headers and footers left out, lines joined to paragraphs."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import Any

from annotation.corpus import forms
from annotation.corpus.documents import (
    MAX_CHARACTERS,
    Document,
    DocumentError,
    Paragraph,
    broken,
    too_large,
)
from annotation.corpus.lines import Marker, ends_in_leaders, mark_of
from annotation.corpus.pdf_tables import with_bars
from annotation.corpus.sentences import is_ended, opens_sentence
from annotation.protocols.base import NO_WORDING, Wording

MAX_PAGES = 200
_EDGE_LINES = 3
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page ?)?[-–—]? ?\d{1,4} ?(?:(?:/|de|sur|of) ?\d{1,4} ?)?[-–—]?", re.IGNORECASE
)
# Two letters that a font draws as one: no word of a text is written so.
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
# What is looked at of a paragraph's end to tell whether the next line goes on with it.
_TAIL = 200
_SPEAKS = re.compile(r"(?:je|nos|notre|vos|votre|mes|mon|ma)\b", re.IGNORECASE)
_ROOM = 0.88
"""Of a full line: letters are of different width, and lines of different length."""


def read_pdf(content: bytes, name: str) -> Document:
    """The text of a .pdf by paragraph. Raises ``DocumentError``: encrypted, no_text,
    too_many_pages, broken."""
    import pypdf

    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _encrypted(name)
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise _too_many_pages(name, count)
        pages = _pages(reader, name, len(content))
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # a damaged file makes the library raise nearly anything
        raise broken(name, ".pdf") from error
    silent = [number for number, lines in enumerate(pages, start=1) if not lines]
    if len(silent) == len(pages):
        raise _scanned(name)
    return Document(
        name, "pdf", tuple(paragraphs(without_edges(pages))), pages=count, note=_unread(silent)
    )


def _pages(reader: Any, name: str, size: int) -> list[list[str]]:
    pages, characters = [], 0
    for page in reader.pages:
        text = (page.extract_text() or "").translate(_LIGATURES)
        characters += len(text)
        if characters > MAX_CHARACTERS:
            raise too_large(name, size)
        lines = [line for line in text.splitlines() if line.strip()]
        pages.append([_read(line) for line in with_bars(lines, _shown(page))])
    return pages


def _shown(page: Any) -> str:
    """A page with its gaps; nothing where places cannot be told: only tables are read from it."""
    try:
        shown: str = page.extract_text(extraction_mode="layout", layout_mode_space_vertically=False)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - what can be read in its order alone is read so
        return ""
    return shown.translate(_LIGATURES)


def _read(line: str) -> str:
    """A line with single spaces; wide gaps between the cells of a table become bars, as they are in
    what is read of Word."""
    cells = forms.cells(line)
    return " | ".join(" ".join(cell.split()) for cell in cells or [line])


def without_edges(pages: list[list[str]]) -> list[list[str]]:
    """Pages without their headers and footers: lines at an edge that most pages repeat, but for
    their numbers.

    Lines of a table of contents ("Exclusions ........ 12") go as well.
    """
    repeated = _repeated(pages)
    kept = []
    for page in pages:
        lines = list(page)
        for edge in (0, -1):
            for _ in range(_EDGE_LINES):
                if lines and (
                    _shape(lines[edge]) in repeated or _PAGE_NUMBER.fullmatch(lines[edge])
                ):
                    lines.pop(edge)
        kept.append([line for line in lines if not ends_in_leaders(line)])
    return kept


def _repeated(pages: list[list[str]]) -> set[str]:
    shapes: Counter[str] = Counter()
    for page in pages:
        shapes.update({_shape(line) for line in page[:_EDGE_LINES] + page[-_EDGE_LINES:]})
    needed = max(3, len(pages) // 2 + 1)
    return {shape for shape, count in shapes.items() if count >= needed}


def _shape(line: str) -> str:
    return _DIGITS.sub("#", line).casefold()


def paragraphs(pages: list[list[str]]) -> list[Paragraph]:
    """Lines joined to paragraphs, across pages too; a paragraph stands on the page where it
    begins."""
    made: list[Paragraph] = []
    open_one: _Open | None = None
    width = _usual_width(pages)
    standing = forms.standing(line for page in pages for line in page)
    last = ""
    for number, page in enumerate(pages, start=1):
        for line in page:
            stands = line in standing
            if open_one is not None and not stands and _joins(open_one, last, line, width):
                open_one.add(line)
            else:
                if open_one is not None:
                    made.append(open_one.closed())
                open_one = _Open(line, number)
            last = line
    return [*made, open_one.closed()] if open_one is not None else made


class _Open:
    """A paragraph that may go on. Its end is kept apart: a page may be one paragraph of thousands
    of lines."""

    def __init__(self, line: str, page: int) -> None:
        self._parts, self._page = [line], page
        self.end = line[-_TAIL:]

    @property
    def is_single(self) -> bool:
        return len(self._parts) == 1

    def add(self, line: str) -> None:
        if not _is_hyphenated(self.end, line):
            line = f" {line}"
        elif not _keeps_hyphen(self.end, line):
            self._parts[-1] = self._parts[-1][:-1]
            self.end = self.end[:-1]
        self._parts.append(line)
        self.end = (self.end + line)[-_TAIL:]

    def closed(self) -> Paragraph:
        return Paragraph("".join(self._parts), self._page)


def _usual_width(pages: list[list[str]]) -> int:
    lengths = sorted(len(line) for page in pages for line in page)
    return lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0


def _joins(before: _Open, last: str, line: str, width: int) -> bool:
    """Whether ``line`` goes on with ``before``, ``last`` being the line before, ``width`` that of a
    full line."""
    end = before.end
    if "|" in last or "|" in line:
        return False  # a row of a table
    if line[:1].isupper() and forms.is_filled_in(last):
        return False  # fields to fill in end with their line
    if mark_of(line) is not Marker.NONE and not (line[0].isdigit() and _is_mid_number(end)):
        return False
    if _is_hyphenated(end, line):
        return True
    # After a full stop a paragraph more often ends than goes on: a clause is one or two sentences.
    if (
        end.endswith((":", ";"))
        or line.isupper()
        or is_ended(end)
        or _stops_early(last, line, width)
        or (before.is_single and _is_title(last, line))
    ):
        return False
    return line[0].islower() or forms.opens_in_blank(line) or _runs_on(last, line, width)


def _is_title(text: str, line: str) -> bool:
    """Whether a line without a full stop, numbered or without a verb, stands above a sentence,
    however long it is."""
    numbered = mark_of(text) in (Marker.SECTION, Marker.DIGIT, Marker.UPPER)
    named = text[:1].isupper() and forms.is_title(text)
    return (numbered or named) and _opens(line)


def _opens(line: str) -> bool:
    """Whether a line begins as sentences do, those that speak to whoever signs a form too; in small
    letters none begins, whatever its first word."""
    if line[:1].islower():
        return False
    return opens_sentence(line) or _SPEAKS.match(line) is not None


def _stops_early(last: str, line: str, width: int) -> bool:
    """Whether a line ends a sentence although its last word may be an abbreviation ("le vol."): the
    next one would have begun beside it."""
    return last.endswith(".") and opens_sentence(line) and _has_room(last, line, width)


def _runs_on(last: str, line: str, width: int) -> bool:
    """Whether a line that fills the page, or ends with a comma, goes on in the next; a title does
    not."""
    fills = len(last) > 0.75 * width and not _has_room(last, line, width)
    return last.endswith(",") or (fills and not last.isupper())


def _has_room(last: str, line: str, width: int) -> bool:
    """Whether the first word of a line would have stood in the one before."""
    return len(last) + 1 + len(line.split(maxsplit=1)[0]) < _ROOM * width


def _is_mid_number(end: str) -> bool:
    """Whether a text that ends with ``end`` stops where a number must follow: "à l'article"."""
    return (
        re.search(r"(?:articles?|paragraphes?|n°|nos?|art\.|à|de|et|ou|les?)$", end, re.IGNORECASE)
        is not None
    )


def _is_hyphenated(end: str, line: str) -> bool:
    return re.search(r"[^\W\d_]{2}[-\u00ad‐]$", end) is not None and line[:1].islower()


_OWN_HYPHEN = re.compile(
    r"(?:vingt|trente|quarante|cinquante|soixante|quatre|semi|non|sous|sus|ci|celui|celle|ceux|celles|demi|mi|ex|quasi|vice|après|avant|au|par|là)-$",
    re.IGNORECASE,
)


def _keeps_hyphen(end: str, line: str) -> bool:
    """Whether a hyphen at a line's end is the word's own: "celui-" "ci"."""
    if not end.endswith("-"):
        return False
    last_word = end.rsplit(maxsplit=1)[-1]
    return bool(_OWN_HYPHEN.search(last_word)) or line.startswith(
        ("ci ", "là ", "même", "elle", "il ")
    )


def _unread(silent: list[int]) -> Wording:
    if not silent:
        return NO_WORDING
    listed = ", ".join(map(str, silent[:10])) + ("…" if len(silent) > 10 else "")
    return Wording(
        f"Pages sans texte (images ?) : {listed}.", f"Pages without text (images?): {listed}."
    )


def _encrypted(name: str) -> DocumentError:
    return DocumentError(
        "encrypted",
        name,
        Wording("ce PDF est protégé par un mot de passe.", "this PDF is protected by a password."),
        Wording(
            "Enregistrez-en une copie sans mot de passe.", "Save a copy of it without a password."
        ),
    )


def _scanned(name: str) -> DocumentError:
    return DocumentError(
        "no_text",
        name,
        Wording(
            "ce PDF ne contient que des images, aucun texte.",
            "this PDF holds images only, no text.",
        ),
        Wording("Passez-le à la reconnaissance de texte (OCR), ou demandez l'original.",
                "Run text recognition (OCR) on it, or ask for the original."),
    )  # fmt: skip


def _too_many_pages(name: str, count: int) -> DocumentError:
    return DocumentError(
        "too_many_pages",
        name,
        Wording(f"ce PDF a {count} pages; la limite est de {MAX_PAGES}.",
                f"this PDF has {count} pages; the limit is {MAX_PAGES}."),
        Wording("Gardez les seules pages à étudier.", "Keep only the pages to study."),
    )  # fmt: skip
