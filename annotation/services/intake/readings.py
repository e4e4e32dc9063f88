"""Files that a worker reads or brings in, because that may take longer than a page is waited for:
asked for, found again when a message or a worker was lost, cleared away. What the worker does is in
``readings_work``.

The job's row is the truth (see ``services.platform.leases``). The file lies beside it until it was
read, under the job's own number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.corpus import wire
from annotation.corpus.pairs_file import PairsFile
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError
from annotation.jobs import request_reading
from annotation.leasing import Outcome
from annotation.models import Job, PairsUpload, SourceDocument, Study, User
from annotation.protocols.base import NO_WORDING, Problem, Wording
from annotation.reading import Pace, ReadLater, one_at_a_time
from annotation.services.documents.documents import document_add, file_name
from annotation.services.items.items import study_for_import
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import JobQueue
from annotation.services.platform.left_files import left_files_remove
from annotation.services.platform.study_rows import study_row_share

DOCUMENT, IMPORT, PREVIEW = "document", "import", "preview"
# Storing this many takes a page half a second, and more where annotators get them at once; ten
# times as many take ten times as long.
STORED_AT_ONCE = 2_000
KEPT = timedelta(days=7)
UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)
FOLDER = "readings"
# A file without a job may belong to a request that is being stored at this moment.
_SHOWN_PROBLEMS = 1000
# Parameters whose own keys are those of the file or of the protocol.
_OF_THE_FILE = frozenset(("mapping", "names", "rulings", "values"))
READINGS = JobQueue(rows=lambda: Job.objects.filter(kind=Job.Kind.READING).select_related("study"))


def document_bring(
    *, actor: User, study: Study, name: str, content: bytes, encoding: str = ""
) -> SourceDocument | Job:
    """A source document; where reading it may take long, the job of a worker that does.

    Raises what ``document_add`` raises, and ``ReadingBusy`` while another file of theirs waits to
    be read.
    """
    try:
        return document_add(
            actor=actor,
            study=study,
            name=name,
            content=content,
            encoding=encoding,
            pace=Pace.AT_ONCE,
        )
    except ReadLater:
        parameters = {"what": DOCUMENT, "name": file_name(name), "encoding": encoding}
        return reading_request(actor, study, parameters, content)


def takes_long_to_store(rows: int) -> bool:
    """Whether so many pairs are stored by a worker."""
    return rows > STORED_AT_ONCE


def rows_bring_later(
    *, actor: User, study: Study, rows: Sequence[Mapping[str, str]], choices: Mapping[str, Any]
) -> Job:
    """Have a worker bring in pairs that came as rows, because storing
    them takes long. Each row holds texts by field; its number counts from 1.

    Raises ``ReadingBusy`` while another file of theirs waits, and ``RuleError`` for a closed study.
    """
    parameters = {"what": IMPORT, "rows": True, "choices": dict(choices)}
    return reading_request(actor, study, parameters, json.dumps(list(rows)).encode())


@transaction.atomic
def upload_read_later(*, actor: User, upload: PairsUpload, options: Mapping[str, Any]) -> Job:
    """Have a worker read an upload as ``options`` (the arguments of ``pairs_file_read``); what it
    read before goes.

    Raises ``ReadingBusy`` while another file of theirs waits to be read, and ``RuleError`` for a
    closed study.
    """
    upload_reading_forget(upload)
    job = reading_request(actor, upload.study, {"what": PREVIEW, "asked": dict(options)})
    upload.reading = job
    upload.save(update_fields=["reading"])
    return job


@transaction.atomic
def upload_import_later(
    *, actor: User, upload: PairsUpload, options: Mapping[str, Any], choices: Mapping[str, Any]
) -> Job:
    """Have a worker bring an upload in, read as ``options``; what was read of it to be shown goes.
    The second of two clicks gets the job of the first.

    Raises ``ReadingBusy`` while another file of theirs waits, and ``RuleError`` for a closed study
    and for an upload that was imported before.
    """
    upload = upload_unused(upload)
    if (known := upload.reading) is not None and known.state in UNFINISHED:
        return known
    upload_reading_forget(upload)
    parameters = {"what": IMPORT, "asked": dict(options), "choices": dict(choices)}
    upload.reading = job = reading_request(actor, upload.study, parameters)
    upload.save(update_fields=["reading"])
    return job


def upload_unused(upload: PairsUpload) -> PairsUpload:
    """The upload, locked. Its study is shared first, as whoever deletes that holds it first. Raises
    ``RuleError`` where it was imported or thrown away in the meantime."""
    study_row_share(upload.study_id)
    unused = PairsUpload.objects.select_for_update(of=("self",)).filter(
        pk=upload.pk, consumed_at__isnull=True
    )
    locked = unused.select_related("reading", "study").first()
    if locked is None:
        raise RuleError.single(
            "upload",
            "consumed",
            "Ce fichier est déjà importé, ou jeté : rien n'a été ajouté une deuxième fois.",
            "This file has been imported already, or thrown away: nothing was added a second time.",
        )
    return locked


@transaction.atomic
def upload_read_again(*, upload: PairsUpload) -> None:
    """Let an upload be read anew whose reading failed."""
    if upload.reading is not None and upload.reading.state == Job.State.FAILED:
        upload_reading_forget(upload)


def upload_reading_forget(upload: PairsUpload) -> None:
    """Remove what was read of an upload; a worker that is at it stops when it notices."""
    if upload.reading is not None:
        _remove(upload.reading)
        upload.reading = None


@transaction.atomic
def reading_request(
    actor: User, study: Study, parameters: dict[str, Any], content: bytes | None = None
) -> Job:
    """Have a worker read a file as its parameters say. Raises ``ReadingBusy`` and ``RuleError``."""
    study = study_for_import(study)
    job = Job(
        study=study,
        kind=Job.Kind.READING,
        parameters=parameters,
        requested_by=actor,
        lease_until=READINGS.ordered_until(),
    )
    try:
        with transaction.atomic():
            job.save(force_insert=True)
    except IntegrityError as error:
        raise one_at_a_time() from error
    if content is not None:
        default_storage.save(file_path(job), ContentFile(content))
    event_record(
        actor=actor, study=study, verb="reading_requested", target=job, what=parameters["what"]
    )
    request_reading(job.public_id)
    return job


def file_path(job: Job) -> str:
    """Where the file lies that is to be read."""
    return f"{FOLDER}/{job.public_id}"


def answer_path(job: Job, attempt: int) -> str:
    """Where an attempt leaves what it read for a page to show."""
    return f"{FOLDER}/{job.public_id}-{attempt}"


def reading_answer(job: Job) -> PairsFile | None:
    """What a worker read of an upload; None where it is not there (any more)."""
    if job.state == Job.State.FAILED:
        problems = reading_problems(job)
        return PairsFile(fatal=problems[0] if problems else None)
    try:
        with default_storage.open(job.result.get("path") or "") as stored:
            return wire.loads(PairsFile, stored.read())
    except (OSError, ValueError):
        return None


def reading_problems(job: Job) -> list[RowProblem]:
    """Why a file could not be brought in, in the reader's words."""
    return [
        RowProblem(
            problem["field"],
            problem["code"],
            Wording(*problem["message"]),
            row=problem["row"],
            remedy=Wording(*problem["remedy"]),
        )
        for problem in job.result.get("problems", ())
    ]


def problems_stored(problems: Sequence[Problem]) -> dict[str, Any]:
    """The same, as a job's row keeps it."""
    stored = []
    for problem in problems[:_SHOWN_PROBLEMS]:
        row, remedy = (
            (problem.row, problem.remedy) if isinstance(problem, RowProblem) else (0, NO_WORDING)
        )
        words = {
            "message": [problem.message.fr, problem.message.en],
            "remedy": [remedy.fr, remedy.en],
        }
        stored.append({"field": problem.field, "code": problem.code, "row": row, **words})
    return {"problems": stored, "problem_count": len(problems)}


@transaction.atomic
def reading_fail(*, job: Job, problem: str, details: Mapping[str, Any]) -> bool:
    """Record why a file was not brought in, unless the job went on elsewhere in the meantime. The
    file goes."""
    ended = {"problem": problem, "result": dict(details), "parameters": parameters_kept(job)}
    if not READINGS.end(job, Outcome.FAILED, **ended):
        return False
    event_record(actor=None, study=job.study, verb="reading_failed", target=job, problem=problem)
    transaction.on_commit(lambda: default_storage.delete(file_path(job)), robust=True)
    return True


def parameters_kept(job: Job) -> dict[str, Any]:
    """What a job that ended still says of what was asked: a file's name may be somebody's."""
    return unnamed(job.parameters)


def unnamed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The same without the name of the file, at any depth."""
    return {name: _unnamed(name, value) for name, value in parameters.items() if name != "name"}


def _unnamed(name: str, value: Any) -> Any:
    if not isinstance(value, dict) or name in _OF_THE_FILE:
        return value
    return unnamed(value)


def readings_resend() -> int:
    """Ask again for every job whose message or worker was lost; returns how many."""
    lost = problems_stored([_WORKER_LOST])
    return READINGS.resend(
        request_reading, lambda job: reading_fail(job=job, problem="worker_lost", details=lost)
    )


def readings_expire() -> int:
    """Remove readings that have had their time, and files that no job knows; how many."""
    old = Job.objects.filter(kind=Job.Kind.READING, finished_at__lt=timezone.now() - KEPT)
    for job in old:
        _remove(job)
    return len(old) + left_files_remove(FOLDER, _named)


def _remove(job: Job) -> None:
    """The job with its files, once the transaction stands."""
    paths = [file_path(job), job.result.get("path") or ""]
    job.delete()

    def remove() -> None:
        for path in filter(None, paths):
            default_storage.delete(path)

    transaction.on_commit(remove, robust=True)


def _named() -> set[str | None]:
    """The files that jobs still need."""
    named: set[str | None] = set()
    for job in Job.objects.filter(kind=Job.Kind.READING):
        named |= {job.result.get("path"), file_path(job) if job.state in UNFINISHED else None}
    return named


_WORKER_LOST = RowProblem(
    "file",
    "worker_lost",
    Wording(
        "Le processus qui lisait ce fichier a été arrêté plusieurs fois.",
        "The process that read this file was stopped several times.",
    ),
    remedy=Wording(
        "Recommencez; si cela se répète, divisez le fichier.",
        "Try again; if it happens again, divide the file.",
    ),
)
