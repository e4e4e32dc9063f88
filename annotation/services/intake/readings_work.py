"""What a worker does with a file that was left to it: read, then brought in or kept to be shown.

What a file brings in and the end of its job are one transaction: a worker that dies has brought in
nothing, or all.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.http import Http404

from annotation.access import study_for_lead
from annotation.corpus import wire
from annotation.corpus.pairs import pairs_of_rows
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.tables import Layout
from annotation.errors import RuleError
from annotation.models import Job, PairsUpload, User
from annotation.protocols.base import Problem, Wording
from annotation.reading import Pace, ReadingBusy, pairs_file_read, refused_file
from annotation.room import is_disk_full
from annotation.services.documents.documents import document_read, document_store
from annotation.services.intake.judgments import judgments_read, judgments_read_import
from annotation.services.intake.pairs import pairs_read, pairs_read_import
from annotation.services.intake.readings import (
    DOCUMENT,
    IMPORT,
    READINGS,
    answer_path,
    file_path,
    parameters_kept,
    problems_stored,
    reading_fail,
)
from annotation.services.intake.uploads import upload_import
from annotation.services.items.items import pairs_import
from annotation.services.platform.leases import JobHeartbeat, LeaseLost, carried_out

# Another file of the same person's is being read in a page.
_AGAIN_AFTER = timedelta(seconds=5)

log = logging.getLogger(__name__)


def reading_carry_out(public_id: uuid.UUID) -> bool:
    """Read the file of a job. False where there was nothing to do, or it cannot be done and the row
    says why.

    A repeat is harmless. An error that may pass (the database is away, the person's turn has not
    come) leaves the job to the sweep; any other is recorded, and raised if it is a defect.
    """
    job = READINGS.claim(public_id)
    if job is None:
        return False
    return carried_out(
        lambda: _read(job),
        {
            ReadingBusy: lambda _: READINGS.put_off(job, _AGAIN_AFTER),
            RuleError: lambda error: _fail(job, "refused", error.problems),
            TableError: lambda error: _fail(job, "refused", [error.problem]),
            Http404: lambda _: _fail(job, "refused", [_NOT_THEIRS]),
            OSError: lambda error: _fail_disk(job, error),
        },
        defect=lambda: _fail(job, "defect", [_DEFECT]),
    )


def _fail(job: Job, problem: str, why: Sequence[Problem]) -> None:
    reading_fail(job=job, problem=problem, details=problems_stored(why))


def _fail_disk(job: Job, error: OSError) -> None:
    _fail(job, "disk", [_DISK_FULL if is_disk_full(error) else _GONE])
    log.error("a file could not be read", exc_info=error, extra={"job": job.pk})


def _read(job: Job) -> None:
    """Raises ``Http404`` where whoever sent the file has lost the study since."""
    person = job.requested_by
    if person is None or not person.is_active:
        raise Http404("nobody waits for it")
    study_for_lead(person, job.study.key)
    carry_out = {DOCUMENT: _document, IMPORT: _import}.get(job.parameters["what"], _preview)
    with JobHeartbeat(READINGS, job):
        carry_out(job, person)


def _document(job: Job, person: User) -> None:
    content = _content(file_path(job))
    read = document_read(
        job.parameters["name"],
        content,
        job.parameters["encoding"],
        person=person.pk,
        pace=Pace.PATIENT,
    )
    with transaction.atomic():
        document = document_store(actor=person, study=job.study, read=read, content=content)
        _finish(job, {"document": str(document.pk)})


def _import(job: Job, person: User) -> None:
    if "asked" in job.parameters:
        _import_upload(job, person)
        return
    if "judging" in job.parameters:
        _import_judgments(job, person)
        return
    content = _content(file_path(job))
    if "rows" in job.parameters:
        pairs = pairs_of_rows(json.loads(content))
        with transaction.atomic():
            outcome = pairs_import(
                actor=person, study=job.study, pairs=pairs, **job.parameters["choices"]
            )
            _finish(job, asdict(outcome))
        return
    read = pairs_read(content, job.study, job.parameters, person=person.pk, pace=Pace.PATIENT)
    with transaction.atomic():
        outcome = pairs_read_import(actor=person, study=job.study, read=read, wanted=job.parameters)
        _finish(job, asdict(outcome))


def _import_judgments(job: Job, person: User) -> None:
    content = _content(file_path(job))
    read = judgments_read(content, job.study, job.parameters, person=person.pk, pace=Pace.PATIENT)
    with transaction.atomic():
        outcome = judgments_read_import(
            actor=person, study=job.study, read=read, name=job.parameters.get("name", "")
        )
        _finish(job, asdict(outcome))


def _import_upload(job: Job, person: User) -> None:
    upload, read = _upload_read(job, person)
    brought = read.brought
    if brought is None:
        raise refused_file(read.fatal)
    with transaction.atomic():
        outcome = upload_import(
            actor=person, upload=upload, brought=brought, **job.parameters["choices"]
        )
        _finish(job, asdict(outcome))


def _preview(job: Job, person: User) -> None:
    _upload, read = _upload_read(job, person)
    path = default_storage.save(
        answer_path(job, job.attempt), ContentFile(wire.dumps(read).encode())
    )
    try:
        with transaction.atomic():
            _finish(job, {"path": path})
    except LeaseLost:
        default_storage.delete(path)
        raise


def _upload_read(job: Job, person: User) -> tuple[PairsUpload, PairsFile]:
    """The job's upload and what it holds. Raises ``LeaseLost`` where it was thrown away."""
    upload = PairsUpload.objects.select_related("study").filter(reading=job).first()
    if upload is None:
        raise LeaseLost
    options: dict[str, Any] = dict(job.parameters["asked"])
    layout = Layout(**options.pop("layout"))
    content = _content(str(upload.file.name))
    return upload, pairs_file_read(content, layout, person=person.pk, pace=Pace.PATIENT, **options)


def _content(path: str) -> bytes:
    with default_storage.open(path) as stored:
        return bytes(stored.read())


def _finish(job: Job, result: dict[str, Any]) -> None:
    """Raises ``LeaseLost`` where the job went on elsewhere: what was brought in is taken back with
    it."""
    READINGS.finish(job, problem="", result=result, parameters=parameters_kept(job))
    transaction.on_commit(lambda: default_storage.delete(file_path(job)), robust=True)


def _problem(code: str, message: Wording, remedy: Wording) -> RowProblem:
    return RowProblem("file", code, message, remedy=remedy)


_SEND_AGAIN = Wording("Envoyez-le de nouveau.", "Send it again.")
_NOT_THEIRS = _problem(
    "not_yours",
    Wording(
        "La personne qui a envoyé ce fichier ne dirige plus cette étude.",
        "Whoever sent this file does not lead this study any more.",
    ),
    Wording("Qui la dirige peut l'envoyer de nouveau.", "Somebody who leads it may send it again."),
)
_GONE = _problem(
    "file_gone",
    Wording("Ce fichier n'est plus là.", "This file is not there any more."),
    _SEND_AGAIN,
)
_DISK_FULL = _problem(
    "disk_full",
    Wording("Le disque est plein.", "The disk is full."),
    Wording("Faites de la place, puis envoyez-le de nouveau.", "Make room, then send it again."),
)
_DEFECT = _problem(
    "defect",
    Wording(
        (
            "Un imprévu est survenu : il est dans le journal du processus. Rien de vos données "
            "n'est perdu."
        ),
        "Something unforeseen happened: it is in the worker's log. Nothing of your data is lost.",
    ),
    _SEND_AGAIN,
)
