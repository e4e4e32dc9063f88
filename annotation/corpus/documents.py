"""A source document as its author uploaded it: the text of a .txt, .docx or .pdf, and where each part stands.

The kind of a file is told from its first bytes, never from its name.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from pathlib import PurePath

from annotation.corpus import encodings
from annotation.corpus.lines import Hint
from annotation.corpus.problems import RowProblem
from annotation.protocols.base import NO_WORDING, Wording

MAX_BYTES = 25 * 1024 * 1024
MAX_CHARACTERS = 5_000_000
_ZIP, _PDF, _OLE, _RTF = b"PK\x03\x04", b"%PDF-", b"\xd0\xcf\x11\xe0", b"{\\rtf"
_NAMED = {
    _OLE: ("un ancien document Word (.doc), ou un document protégé", "an old Word document (.doc), or a protected one"),
    _RTF: ("un document RTF", "an RTF document"),
    b"\x89PNG": ("une image", "an image"),
    b"\xff\xd8\xff": ("une image", "an image"),
    b"II*\x00": ("une image", "an image"),
    b"MM\x00*": ("une image", "an image"),
    b"<!DOCTYPE": ("une page web", "a web page"),
    b"<html": ("une page web", "a web page"),
}


class DocumentError(ValueError):
    """A file that cannot be a source document: what is wrong with it, and what to do."""

    def __init__(self, code: str, name: str, message: Wording, remedy: Wording) -> None:
        named = Wording(f"« {name} » : {message.fr}", f"“{name}”: {message.en}") if name else message
        super().__init__(f"{named.en} {remedy.en}")
        self.code, self.name, self.message, self.remedy = code, name, named, remedy

    @property
    def refusal(self) -> RowProblem:
        """The same as data."""
        return RowProblem("file", self.code, self.message, remedy=self.remedy)


@dataclass(frozen=True)
class Paragraph:
    """One paragraph (or line of a .txt), without line breaks; ``page`` from 1, None where the file has no pages."""

    text: str
    page: int | None = None
    hint: Hint | None = None


@dataclass(frozen=True)
class Place:
    """Where an offset stands: paragraph (line of a .txt) and page, both from 1."""

    paragraph: int
    page: int | None


@dataclass(frozen=True)
class Document:
    """What was read of a file. Paragraph *n* is line *n* of ``text``, so that offsets of the one place the other."""

    name: str
    kind: str
    """"txt", "docx" or "pdf"."""
    paragraphs: tuple[Paragraph, ...]
    pages: int | None = None
    encoding: str = ""
    note: Wording = NO_WORDING
    """What the reader should check, for instance a guessed encoding or pages left out."""

    @property
    def text(self) -> str:
        """All paragraphs, one per line."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @property
    def hints(self) -> dict[int, Hint]:
        """What the file says of its paragraphs, by number from 0, for ``segmentation.segment``."""
        return {number: paragraph.hint for number, paragraph in enumerate(self.paragraphs) if paragraph.hint}

    def places(self, offsets: list[int]) -> list[Place]:
        """Where each offset (code points of ``text``) stands. Raises ``ValueError`` outside of the text."""
        starts, place = [], 0
        for paragraph in self.paragraphs:
            starts.append(place)
            place += len(paragraph.text) + 1
        if any(not 0 <= offset < place for offset in offsets):
            raise ValueError("an offset lies outside of the document")
        numbers = [bisect.bisect_right(starts, offset) for offset in offsets]
        return [Place(number, self.paragraphs[number - 1].page) for number in numbers]


@dataclass(frozen=True)
class DocumentFile:
    """What came of reading a file: its document, or why there is none."""

    document: Document | None = None
    refusal: RowProblem | None = None


def read_document(content: bytes, name: str = "", encoding: str = "") -> Document:
    """The text of an uploaded file. ``encoding`` only for a .txt whose encoding was guessed wrong.

    Raises ``DocumentError``, whose message names the file and whose remedy says what to do; its code is one of
    empty, too_large, wrong_type, wrong_encoding, broken, encrypted, no_text, too_many_pages, unpacks_too_large.
    """
    name = PurePath(name.replace("\\", "/")).name
    if len(content) > MAX_BYTES:
        raise too_large(name, len(content))
    if not content.strip():
        raise empty(name)
    document = _read(content, name, encoding)
    if not any(paragraph.text.strip() for paragraph in document.paragraphs):
        raise empty(name)
    return document


def _read(content: bytes, name: str, encoding: str) -> Document:
    head = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(_ZIP):
        from annotation.corpus.documents_docx import read_docx

        return read_docx(content, name)
    if _PDF in content[:1024]:
        from annotation.corpus.documents_pdf import read_pdf

        return read_pdf(content, name)
    for mark, (fr, en) in _NAMED.items():
        if head[: len(mark)].lower() == mark.lower():
            raise wrong_type(name, Wording(f"c'est {fr}.", f"this is {en}."))
    return _read_text(content, name, encoding)


def _read_text(content: bytes, name: str, chosen: str) -> Document:
    encoding, confidence = (chosen, encodings.Confidence.CHOSEN) if chosen else encodings.detect(content)
    try:
        text = encodings.decode(content, encoding, damaged=confidence is encodings.Confidence.DAMAGED)
    except ValueError as error:
        problem = getattr(error, "problem", None)
        if problem is None:
            raise
        raise DocumentError("wrong_encoding", name, problem.message, problem.remedy) from error
    if text.count("\0") or sum(character < " " and character not in "\t\n\r\f" for character in text[:4096]) > 40:
        raise wrong_type(name, Wording("ce n'est pas du texte.", "this is not text."))
    if len(text) > MAX_CHARACTERS:
        raise too_large(name, len(content))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").rstrip("\n").split("\n")
    note = NO_WORDING
    if confidence in (encodings.Confidence.GUESSED, encodings.Confidence.DAMAGED):
        note = Wording(
            f"L'encodage ({encoding}) a été deviné : vérifiez les accents.",
            f"The encoding ({encoding}) was guessed: check the accents.",
        )
    return Document(name, "txt", tuple(map(Paragraph, lines)), encoding=encoding, note=note)


def too_large(name: str, size: int) -> DocumentError:
    """The refusal of a file of ``size`` bytes."""
    megabytes, most = -(-size // 2**20), MAX_BYTES // 2**20
    return DocumentError(
        "too_large",
        name,
        Wording(f"ce fichier fait {megabytes} Mo ; la limite est de {most} Mo.",
                f"this file takes {megabytes} MB; the limit is {most} MB."),
        Wording("Gardez les seules pages à étudier, ou enregistrez le texte en .txt.",
                "Keep only the pages to study, or save the text as .txt."),
    )  # fmt: skip


def empty(name: str) -> DocumentError:
    """The refusal of a file that holds nothing."""
    return DocumentError(
        "empty",
        name,
        Wording("ce fichier ne contient aucun texte.", "this file holds no text."),
        Wording("Vérifiez que c'est le bon fichier.", "Check that it is the right file."),
    )


def wrong_type(name: str, message: Wording) -> DocumentError:
    """The refusal of what is no text, .docx or .pdf."""
    return DocumentError(
        "wrong_type",
        name,
        message,
        Wording("Enregistrez le document en .docx, en .pdf ou en .txt.", "Save the document as .docx, .pdf or .txt."),
    )


def broken(name: str, kind: str) -> DocumentError:
    """The refusal of a damaged .docx or .pdf."""
    return DocumentError(
        "broken",
        name,
        Wording(f"ce fichier {kind} est abîmé et ne peut pas être lu.", f"this {kind} file is damaged and unreadable."),
        Wording(
            "Ouvrez-le dans son logiciel et enregistrez-le de nouveau.", "Open it in its program and save it again."
        ),
    )
