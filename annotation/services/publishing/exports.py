"""Exports as jobs: asked for, written by a worker or at once for a command, fetched, deleted,
cleared away.

The job's row is the truth (see ``services.platform.leases``). A file appears whole or not at all,
and whoever lost a job to another worker writes nothing more.
"""

from __future__ import annotations

import hashlib
import logging
import os
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO

from django.db import transaction

from annotation import sharing
from annotation.access import answers_readable
from annotation.errors import RuleError, StorageAway
from annotation.jobs import request_export
from annotation.leasing import Outcome
from annotation.models import Job, Study, User
from annotation.room import is_disk_full
from annotation.selectors.publishing.exports import (
    FORMATS,
    ExportSpec,
    check_layout,
    export_chunks,
    export_spec,
)
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import (
    AskerLeft,
    JobHeartbeat,
    JobQueue,
    LeaseLost,
    asker_check,
    carried_out,
    job_joined,
)
from annotation.services.platform.study_rows import row_lock, study_row_require
from annotation.services.publishing.export_files import (
    FOLDER,
    export_files_remove,
    export_folder,
    export_is_there,
    parts_clear,
)
from annotation.workbooks import WorkbookLimit

EXPORTS = JobQueue(rows=lambda: Job.objects.filter(kind=Job.Kind.EXPORT).select_related("study"))

_NOT_IN_FOLDER = (
    "The file of export %s is not in this machine's data folder (%s). Where several machines write "
    "and hand out files, they share that folder or BAREME_STORAGE=s3."
)
_NOT_IN_BUCKET = (
    "The file of export %s is neither in the bucket nor in this machine's data folder (%s): "
    "somebody removed it there, or BAREME_STORAGE_BUCKET or BAREME_STORAGE_PREFIX was another."
)

log = logging.getLogger(__name__)


@transaction.atomic
def export_request(*, actor: User, study: Study, spec: ExportSpec) -> Job:
    """A new export job. One that waits already and would give the same file is that job (a double
    click).

    Raises ``RuleError`` as ``export_check`` does, ``Http404`` where the study was deleted.
    """
    # Nobody deletes it before the job is there.
    study_row_require(study, archived_too=True)
    export_check(study, spec)
    parameters = spec.parameters()
    waiting = Job.objects.filter(study=study, kind=Job.Kind.EXPORT, state=Job.State.QUEUED)
    for job in waiting:
        if job.parameters == parameters:
            return job_joined(job, actor)
    job = Job.objects.create(
        study=study,
        kind=Job.Kind.EXPORT,
        parameters=parameters,
        requested_by=actor,
        lease_until=EXPORTS.ordered_until(),
    )
    event_record(
        actor=actor, study=study, verb="export_requested", target=job, **_event_details(spec)
    )
    request_export(job.public_id)
    return job


def export_check(study: Study, spec: ExportSpec) -> None:
    """Raise ``RuleError`` for a layout that the study's protocol does not have, and during a
    study's blind phase for what would tell its answers, whoever asks and wherever."""
    check_layout(study, spec)
    if tells_answers(spec) and study.hides_answers(spec.options.round):
        if study.state == Study.State.PRACTICE:
            raise RuleError.single(
                "round",
                "blind",
                "Les réponses d'essai restent cachées jusqu'à ce que tout le monde ait soumis ou "
                "que la réunion soit ouverte : attendez, ou ouvrez la réunion.",
                "Practice answers stay hidden until everybody has submitted or the meeting is "
                "opened: wait, or open the meeting.",
            )
        raise RuleError.single(
            "round",
            "blind",
            "L'étude ne montre aucune réponse avant la clôture de la ronde principale : demandez "
            "la ronde d'essai ou le dictionnaire des variables, ou attendez la clôture.",
            "The study shows no answers before its main round is closed: ask for the practice "
            "round or the codebook, or wait until it is closed.",
        )


def tells_answers(spec: ExportSpec) -> bool:
    """Whether the file holds what people answered; the codebook does not."""
    return spec.layout != "codebook"


@dataclass(frozen=True)
class Written:
    """A file as it was written."""

    rows: int
    size: int
    sha256: str


def export_to(
    out: BinaryIO, *, study: Study, spec: ExportSpec, progress: Callable[[int, int], None]
) -> Written:
    """Write an export; ``progress`` is told (rows, of how many) after each piece."""
    rows = size = 0
    digest = hashlib.sha256()
    with closing(export_chunks(study, spec)) as chunks:
        for chunk in chunks:
            out.write(chunk.content)
            digest.update(chunk.content)
            rows, size = rows + chunk.rows, size + len(chunk.content)
            progress(rows, chunk.total)
    return Written(rows, size, digest.hexdigest())


def _unwatched(rows: int, total: int) -> None:
    """Nobody watches a file that is written from a terminal."""


def export_to_path(*, actor: User | None, study: Study, spec: ExportSpec, path: Path) -> Written:
    """Write an export to a file, which is replaced when the new one is whole. Raises ``RuleError``
    as ``export_request`` does, ``OSError``."""
    export_check(study, spec)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open("xb") as out:
            written = export_to(out, study=study, spec=spec, progress=_unwatched)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _record(actor, study, None, spec, written)
    return written


def export_write(public_id: uuid.UUID) -> bool:
    """Carry out an export job. False where there was nothing to do: it is done, gone, or somebody
    else's.

    A repeat is harmless. An error that may pass (the database is away) is raised and the job left
    to the sweep; any other is recorded, and raised if it is a defect.
    """
    job = EXPORTS.claim(public_id)
    if job is None:
        return False
    part = export_folder(job.public_id) / f"{job.attempt}.part"
    fail = partial(_fail_for, job)
    try:
        return carried_out(
            lambda: _write(job, part),
            {
                AskerLeft: lambda error: fail("asker_left", error, level=logging.INFO),
                StorageAway: lambda error: fail("storage", error),
                OSError: lambda error: fail("disk_full" if is_disk_full(error) else "disk", error),
                WorkbookLimit: lambda error: fail(error.code, error, level=logging.INFO),
            },
            defect=lambda: export_fail(job=job, problem="defect"),
        )
    finally:
        part.unlink(missing_ok=True)


def _write(job: Job, part: Path) -> None:
    asker_check(job)
    with JobHeartbeat(EXPORTS, job) as heartbeat:
        written = _write_part(job, part, heartbeat)
        path = _keep(job, part)
    _finish(job, path, written)
    parts_clear(part.parent)


def _fail_for(job: Job, problem: str, error: Exception, *, level: int = logging.ERROR) -> None:
    export_fail(job=job, problem=problem)
    facts = {"job": job.pk, "problem": problem}
    # What is expected needs no stack.
    trace = error if level >= logging.ERROR else None
    log.log(level, "export not written", exc_info=trace, extra=facts)


def _write_part(job: Job, part: Path, heartbeat: JobHeartbeat) -> Written:
    part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with part.open("wb") as out:
        written = export_to(out, study=job.study, spec=spec_of(job), progress=heartbeat.progress)
        out.flush()
        os.fsync(out.fileno())
    return written


def _keep(job: Job, part: Path) -> str:
    """Give the file a name of this attempt's own, where every machine finds it."""
    path = f"{FOLDER}/{job.public_id}/{job.attempt}-{file_name(job, spec_of(job))}"
    sharing.file_keep(part, path)
    return path


def _finish(job: Job, path: str, written: Written) -> None:
    """The job's end names the file. A worker that counted as dead and comes back takes its own
    away again, and nobody else's."""
    spec = spec_of(job)
    try:
        with transaction.atomic():
            EXPORTS.finish(
                job,
                done=written.rows,
                total=written.rows,
                problem="",
                result=asdict(written),
                result_name=file_name(job, spec),
                result_path=path,
            )
            _record(None, job.study, job, spec, written)
    except LeaseLost:
        sharing.file_drop(path)
        raise


def file_name(job: Job, spec: ExportSpec) -> str:
    """Says what is in it and as of when (UTC)."""
    kept_apart = (
        ""
        if spec.options.round == "main" or spec.layout == "codebook"
        else f"-{spec.options.round}"
    )
    moment = (job.started_at or job.created_at).strftime("%Y%m%d-%H%M%S")
    return f"{job.study.key}-{spec.layout}{kept_apart}-{moment}.{FORMATS[spec.format].extension}"


def _record(
    actor: User | None, study: Study, job: Job | None, spec: ExportSpec, written: Written
) -> None:
    event_record(
        actor=actor,
        study=study,
        verb="export_written",
        target=job,
        layout=spec.layout,
        format=spec.format,
        round=spec.options.round,
        rows=written.rows,
        sha256=written.sha256,
    )


@transaction.atomic
def export_delete(*, actor: User, job: Job) -> None:
    """Remove an export with its file. One that is being written stops when its worker notices.
    Raises ``Http404`` where it was removed in the meantime."""
    rows = Job.objects.select_for_update(of=("self",)).select_related("study")
    job = row_lock(rows, job.pk)
    event_record(
        actor=actor,
        study=job.study,
        verb="export_deleted",
        target=job,
        **_event_details(spec_of(job)),
    )
    public_id = job.public_id
    job.delete()
    transaction.on_commit(lambda: export_files_remove(public_id))


def export_take(*, actor: User, job: Job) -> IO[bytes] | None:
    """The finished file of an export, to be read and closed, and a note of who takes the data out;
    None while, or when no longer, there is one. Raises ``AnswersHidden`` where the file holds
    answers that are not to be read yet, ``StorageAway``."""
    if tells_answers(spec := spec_of(job)):
        answers_readable(job.study, spec.options.round)
    try:
        content = sharing.file_open(job.result_path) if export_is_there(job) else None
    except FileNotFoundError:
        content = None
    if content is None:
        if job.state == Job.State.DONE and job.result_path:
            log.warning(
                _NOT_IN_BUCKET if sharing.is_shared() else _NOT_IN_FOLDER,
                job.public_id,
                job.result_path,
            )
        return None
    event_record(
        actor=actor,
        study=job.study,
        verb="export_downloaded",
        target=job,
        **_event_details(spec),
    )
    return content


def exports_resend() -> int:
    """Ask again for every job whose message or worker was lost; returns how many."""
    return EXPORTS.resend(request_export, lambda job: export_fail(job=job, problem="worker_lost"))


@transaction.atomic
def export_fail(*, job: Job, problem: str) -> bool:
    """Record why a job ended without a file, unless it went on elsewhere in the meantime."""
    if not EXPORTS.end(job, Outcome.FAILED, problem=problem):
        return False
    event_record(actor=None, study=job.study, verb="export_failed", target=job, problem=problem)
    return True


def spec_of(job: Job) -> ExportSpec:
    """What was asked for."""
    return export_spec(**job.parameters)


def _event_details(spec: ExportSpec) -> dict[str, str]:
    return {"layout": spec.layout, "format": spec.format, "round": spec.options.round}
