"""A source document as its author uploaded it: the text of a .txt, .docx or .pdf, and where each
part stands.

The kind of a file is told from its first bytes, never from its name.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from annotation.corpus.lines import Hint
from annotation.corpus.problems import RowProblem
from annotation.protocols.base import NO_WORDING, Wording

MAX_BYTES = 25 * 1024 * 1024
MAX_CHARACTERS = 5_000_000


class DocumentError(ValueError):
    """A file that cannot be a source document: what is wrong with it, and what to do."""

    def __init__(self, code: str, name: str, message: Wording, remedy: Wording) -> None:
        named = (
            Wording(f"« {name} » : {message.fr}", f"“{name}”: {message.en}") if name else message
        )
        super().__init__(f"{named.en} {remedy.en}")
        self.code, self.name, self.message, self.remedy = code, name, named, remedy

    @property
    def refusal(self) -> RowProblem:
        """The same as data."""
        return RowProblem("file", self.code, self.message, remedy=self.remedy)


@dataclass(frozen=True)
class Paragraph:
    """One paragraph (or line of a .txt), without line breaks; ``page`` from 1, None where the file
    has no pages."""

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
    """What was read of a file. Paragraph *n* is line *n* of ``text``, so that offsets of the one
    place the other."""

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
        return {
            number: paragraph.hint
            for number, paragraph in enumerate(self.paragraphs)
            if paragraph.hint
        }

    def places(self, offsets: list[int]) -> list[Place]:
        """Where each offset (code points of ``text``) stands. Raises ``ValueError`` outside of the
        text."""
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


def too_large(name: str, size: int) -> DocumentError:
    """The refusal of a file of ``size`` bytes."""
    megabytes, most = -(-size // 2**20), MAX_BYTES // 2**20
    return DocumentError(
        "too_large",
        name,
        Wording(f"ce fichier fait {megabytes} Mo; la limite est de {most} Mo.",
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
        Wording(
            "Enregistrez le document en .docx, en .pdf ou en .txt.",
            "Save the document as .docx, .pdf or .txt.",
        ),
    )


def broken(name: str, kind: str) -> DocumentError:
    """The refusal of a damaged .docx or .pdf."""
    return DocumentError(
        "broken",
        name,
        Wording(
            f"ce fichier {kind} est abîmé et ne peut pas être lu.",
            f"this {kind} file is damaged and unreadable.",
        ),
        Wording(
            "Ouvrez-le dans son logiciel et enregistrez-le de nouveau.",
            "Open it in its program and save it again.",
        ),
    )
