"""A document of any kind, read as paragraphs."""

from __future__ import annotations

from pathlib import PurePath

from annotation.corpus import encodings
from annotation.corpus.documents import (
    MAX_BYTES,
    MAX_CHARACTERS,
    Document,
    DocumentError,
    Paragraph,
    empty,
    too_large,
    wrong_type,
)
from annotation.protocols.base import NO_WORDING, Wording
from annotation.protocols.characters import shows_nothing

_ZIP, _PDF, _OLE, _RTF = b"PK\x03\x04", b"%PDF-", b"\xd0\xcf\x11\xe0", b"{\\rtf"
_NAMED = {
    _OLE: (
        "un ancien document Word (.doc), ou un document protégé",
        "an old Word document (.doc), or a protected one",
    ),
    _RTF: ("un document RTF", "an RTF document"),
    b"\x89PNG": ("une image", "an image"),
    b"\xff\xd8\xff": ("une image", "an image"),
    b"II*\x00": ("une image", "an image"),
    b"MM\x00*": ("une image", "an image"),
    b"<!DOCTYPE": ("une page web", "a web page"),
    b"<html": ("une page web", "a web page"),
}


def read_document(content: bytes, name: str = "", encoding: str = "") -> Document:
    """The text of an uploaded file. ``encoding`` only for a .txt whose encoding was guessed wrong.

    Raises ``DocumentError``, whose message names the file and whose remedy says what to do; its
    code is one of empty, too_large, wrong_type, wrong_encoding, broken, encrypted, no_text,
    too_many_pages, unpacks_too_large.
    """
    name = PurePath(name.replace("\\", "/")).name
    if len(content) > MAX_BYTES:
        raise too_large(name, len(content))
    if not content.strip():
        raise empty(name)
    document = _read(content, name, encoding)
    if all(shows_nothing(paragraph.text) for paragraph in document.paragraphs):
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
    encoding, confidence = (
        (chosen, encodings.Confidence.CHOSEN) if chosen else encodings.detect(content)
    )
    try:
        text = encodings.decode(
            content, encoding, damaged=confidence is encodings.Confidence.DAMAGED
        )
    except ValueError as error:
        problem = getattr(error, "problem", None)
        if problem is None:
            raise
        raise DocumentError("wrong_encoding", name, problem.message, problem.remedy) from error
    if (
        text.count("\0")
        or sum(character < " " and character not in "\t\n\r\f" for character in text[:4096]) > 40
    ):
        raise wrong_type(name, Wording("ce n'est pas du texte.", "this is not text."))
    if len(text) > MAX_CHARACTERS:
        raise too_large(name, len(content))
    lines = (
        text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").rstrip("\n").split("\n")
    )
    note = NO_WORDING
    if confidence in (encodings.Confidence.GUESSED, encodings.Confidence.DAMAGED):
        note = Wording(
            f"L'encodage ({encoding}) a été deviné : vérifiez les accents.",
            f"The encoding ({encoding}) was guessed: check the accents.",
        )
    return Document(name, "txt", tuple(map(Paragraph, lines)), encoding=encoding, note=note)
