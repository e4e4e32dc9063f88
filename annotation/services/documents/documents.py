"""Source documents: brought in, their criteria decided, thrown away. Decisions on blocks:
``decisions``; drawing: ``draws``."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction

from annotation.corpus.documents import Document, DocumentError
from annotation.corpus.funnel import Criteria
from annotation.errors import RuleError
from annotation.models import Study, User
from annotation.models.document import SourceDocument
from annotation.protocols.base import Problem, Wording
from annotation.reading import Pace, document_file_read
from annotation.selectors.documents.documents import criteria_of
from annotation.services.items.items import study_for_import
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_share


def document_add(
    *,
    actor: User | None,
    study: Study,
    name: str,
    content: bytes,
    encoding: str = "",
    pace: Pace = Pace.FULL,
) -> SourceDocument:
    """Read a file and keep it with its text. ``encoding`` only for a .txt whose encoding was
    guessed wrong.

    Raises ``RuleError`` (field "file", the remedy in its message) for a file that cannot be read or
    that the study has already, and for a closed study; ``ReadLater`` where it was to be read at
    once.
    """
    # Before the transaction: a long PDF takes seconds, and nobody else should wait for them.
    read = document_read(
        name, content, encoding, person=actor.pk if actor is not None else None, pace=pace
    )
    return document_store(actor=actor, study=study, read=read, content=content)


@transaction.atomic
def document_store(
    *, actor: User | None, study: Study, read: Document, content: bytes
) -> SourceDocument:
    """Keep a file with the text that was read of it. Raises ``RuleError``: the study has it, or is
    closed."""
    study = study_for_import(study)
    digest = hashlib.sha256(content).hexdigest()
    if present := study.documents.filter(sha256=digest).first():
        raise RuleError.single(
            "file",
            "present",
            f"L'étude a déjà ce fichier, sous le nom « {present.name} ». Ouvrez-le dans la liste "
            "des documents; pour le lire autrement, jetez-le d'abord.",
            f"The study has this file already, as “{present.name}”. Open it in the list of "
            "documents; to read it differently, throw it away first.",
        )
    document = SourceDocument(
        study=study, uploaded_by=actor, sha256=digest, size=len(content), **_columns(read)
    )
    document.file.save("", ContentFile(content), save=False)
    document.save(force_insert=True)
    event_record(
        actor=actor, study=study, verb="document_added", target=document, kind=read.kind,
        size=len(content),
        sha256=digest,
    )  # fmt: skip
    return document


def document_read(
    name: str,
    content: bytes,
    encoding: str = "",
    *,
    person: int | None = None,
    pace: Pace = Pace.FULL,
) -> Document:
    """The text of a file, not stored; ``person`` is whose it is. Raises ``RuleError`` at the field
    "file", and ``ReadLater`` where it was to be read at once."""
    try:
        return document_file_read(content, file_name(name), encoding, person=person, pace=pace)
    except DocumentError as error:
        message = Wording(
            f"{error.message.fr} {error.remedy.fr}", f"{error.message.en} {error.remedy.en}"
        )
        raise RuleError([Problem("file", error.code, message)]) from error


def file_name(name: str) -> str:
    """A file's name, fit to be shown."""
    return "".join(character for character in name if character.isprintable())[-200:] or "document"


def document_unsaved(study: Study, read: Document) -> SourceDocument:
    """A document as it would be stored, to look at without storing it."""
    return SourceDocument(study=study, **_columns(read))


def _columns(read: Document) -> dict[str, Any]:
    starts: list[int] = []
    place, page = 0, None
    for paragraph in read.paragraphs:
        if paragraph.page is not None and paragraph.page != page:
            # A page without text begins where the next one does.
            starts += [place] * (paragraph.page - len(starts))
            page = paragraph.page
        place += len(paragraph.text) + 1
    return {
        "name": read.name or "document",
        "kind": read.kind,
        "encoding": read.encoding,
        "pages": read.pages,
        "note_fr": read.note.fr,
        "note_en": read.note.en,
        # PostgreSQL stores no NUL; a character for a character keeps every offset.
        "text": read.text.replace("\0", "\ufffd"),
        "hints": {str(number): hint.value for number, hint in read.hints.items()},
        "page_starts": starts,
        # Written down, so that defaults of a later version leave the document as it is.
        "criteria": asdict(Criteria()),
    }


@transaction.atomic
def criteria_set(
    *, actor: User | None, document: SourceDocument, criteria: Criteria
) -> SourceDocument:
    """Choose what a block must be. Raises ``RuleError`` once items were drawn."""
    document = document_undrawn(document)
    new = asdict(criteria)
    former = asdict(criteria_of(document.criteria))
    if new != former:
        document.criteria = new
        document.save(update_fields=["criteria"])
        changed = {
            name: [former[name], value] for name, value in new.items() if former[name] != value
        }
        event_record(
            actor=actor, study=document.study, verb="document_criteria_set", target=document,
            **{name: f"{was} → {now}" for name, (was, now) in changed.items()},
        )  # fmt: skip
    return document


@transaction.atomic
def document_discard(*, actor: User, document: SourceDocument) -> None:
    """Throw a document away, its file with it. Raises ``RuleError`` once items were drawn."""
    document = document_undrawn(document)
    event_record(actor=actor, study=document.study, verb="document_discarded", target=document)
    storage, name = document.file.storage, str(document.file.name)
    document.delete()
    # Once the transaction stands. A file that stays behind is litter, no reason to fail.
    transaction.on_commit(lambda: storage.delete(name), robust=True)


def document_undrawn(document: SourceDocument) -> SourceDocument:
    """The document, locked, while its settings may change. Its study is shared first: whoever draws
    from it, or deletes the study, holds that before any document. Raises ``Http404`` where it was
    thrown away."""
    study_row_share(document.study_id)
    rows = SourceDocument.objects.select_for_update(of=("self",)).select_related("study")
    document = row_lock(rows, document.pk)
    if document.drawn_at is not None:
        raise RuleError.single(
            "document",
            "drawn",
            (
                "Des clauses ont été tirées de ce document : ses réglages ne changent plus. "
                "Annulez d'abord le tirage."
            ),
            (
                "Items were drawn from this document: its settings are fixed. Take the draw back "
                "first."
            ),
        )
    return document
