"""Files of pairs between their upload and their import."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.files import File
from django.db import transaction
from django.utils import timezone

from annotation.corpus.judged import JudgedFile
from annotation.corpus.pairs_file import Brought
from annotation.models import PairsUpload, Study, User
from annotation.selectors.items.judged import file_name_kept
from annotation.services.intake.pairs import brought_import
from annotation.services.intake.readings import (
    UNFINISHED,
    upload_read_later,
    upload_reading_forget,
    upload_unused,
)
from annotation.services.items.items import ImportOutcome, study_for_import
from annotation.services.platform.events import event_record

KEPT = timedelta(days=7)


@transaction.atomic
def upload_store(
    *,
    actor: User,
    study: Study,
    name: str,
    content: File[bytes],
    read_later: Mapping[str, Any] | None = None,
) -> PairsUpload:
    """Keep a file until its lead has looked at it. Files that nobody confirmed in a week go.
    ``read_later``: how a worker is to read it, where that may take long.

    Raises ``RuleError`` for a closed study, and ``ReadingBusy`` while another file of theirs waits
    for a worker.
    """
    study = study_for_import(study)
    uploads_expire()
    shown = "".join(character for character in name if character.isprintable())[-200:]
    upload = PairsUpload(study=study, uploaded_by=actor, name=shown, size=content.size)
    upload.file.save("", content, save=False)
    upload.save(force_insert=True)
    event_record(actor=actor, study=study, verb="pairs_uploaded", target=upload, size=upload.size)
    if read_later is not None:
        upload_read_later(actor=actor, upload=upload, options=read_later)
    return upload


def upload_choose(*, upload: PairsUpload, choices: dict[str, Any]) -> None:
    """Remember how the lead wants the file to be read."""
    upload.choices = choices
    upload.save(update_fields=["choices"])


@transaction.atomic
def upload_import(
    *,
    actor: User,
    upload: PairsUpload,
    brought: Brought,
    round: str,  # noqa: A002 (the column's name)
    skip_duplicates: bool = False,
) -> ImportOutcome:
    """Import what was read from an upload, once: the second of two clicks is told so. The file goes
    then.

    Raises what ``brought_import`` raises, and ``RuleError`` for an upload that was imported
    before.
    """
    upload_unused(upload)
    upload.consumed_at = timezone.now()
    upload.save(update_fields=["consumed_at"])
    if isinstance(brought, JudgedFile):
        upload.name = file_name_kept(upload.name, (row.annotator for row in brought.rows))
        upload.save(update_fields=["name"])
    outcome = brought_import(
        actor=actor,
        study=upload.study,
        brought=brought,
        name=upload.name,
        round=round,
        skip_duplicates=skip_duplicates,
    )
    _remove_file(upload)
    return outcome


@transaction.atomic
def upload_discard(*, actor: User, upload: PairsUpload) -> None:
    """Throw an upload away, its file with it. Raises ``RuleError`` where it was imported in the
    meantime."""
    upload = upload_unused(upload)
    event_record(actor=actor, study=upload.study, verb="upload_discarded", target=upload)
    _remove_file(upload)
    upload.delete()


def uploads_expire() -> int:
    """Remove uploads that nobody confirmed in time; returns how many. One that waits for a worker,
    or is at one, was asked for."""
    stale = (
        PairsUpload.objects.select_related("reading")
        .filter(consumed_at__isnull=True, created_at__lt=timezone.now() - KEPT)
        .exclude(reading__state__in=UNFINISHED)
    )
    for upload in stale:
        _remove_file(upload)
        upload.delete()
    return len(stale)


def _remove_file(upload: PairsUpload) -> None:
    """Once the transaction stands, with what was read of it; but for the job of a worker that is
    importing it. A file that stays behind is litter, no reason to fail."""
    if upload.consumed_at is None or not _at_work(upload):
        upload_reading_forget(upload)
    storage, name = upload.file.storage, str(upload.file.name)
    transaction.on_commit(lambda: storage.delete(name), robust=True)


def _at_work(upload: PairsUpload) -> bool:
    return upload.reading is not None and upload.reading.state in UNFINISHED
