"""Writing an export's file: by a worker for a job, or at once for a command.

A file appears whole or not at all. Whoever lost a job to another worker writes nothing more.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from annotation.models import Job, Study, User
from annotation.selectors.exports import ExportSpec, export_chunks
from annotation.services.events import event_record
from annotation.services.exports import export_fail, export_folder, spec_of
from annotation.services.jobs_running import Heartbeat, JobLost, job_claim, job_held

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Written:
    """A file as it was written."""

    rows: int
    size: int
    sha256: str


def export_to(out: BinaryIO, *, study: Study, spec: ExportSpec, progress: Callable[[int, int], None]) -> Written:
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
    """Write an export to a file, which is replaced when the new one is whole. Raises ``OSError``."""
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
    """Carry out an export job. False where there was nothing to do: it is done, gone, or somebody else's.

    A repeat is harmless. An error that may pass (the database is away) is raised and the job left to the
    sweep; any other is recorded, and raised if it is a defect.
    """
    job = job_claim(public_id, Job.Kind.EXPORT)
    if job is None:
        return False
    part = export_folder(job.public_id) / f"{job.attempt}.part"
    try:
        with Heartbeat(job) as heartbeat:
            written = _write_part(job, part, heartbeat)
        _finish(job, part, written)
        _clear(part.parent)
    except JobLost:
        log.info("export left to another worker", extra={"job": job.pk, "attempt": job.attempt})
        return False
    except (OperationalError, InterfaceError):
        raise
    except OSError as error:
        export_fail(job=job, problem="disk_full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "disk")
        log.exception("export not written", extra={"job": job.pk})
        return False
    except Exception:
        export_fail(job=job, problem="defect")
        raise
    finally:
        part.unlink(missing_ok=True)
    return True


def _write_part(job: Job, part: Path, heartbeat: Heartbeat) -> Written:
    part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with part.open("wb") as out:
        written = export_to(out, study=job.study, spec=spec_of(job), progress=heartbeat.progress)
        out.flush()
        os.fsync(out.fileno())
    return written


@transaction.atomic
def _finish(job: Job, part: Path, written: Written) -> None:
    """Name the file and the job's end together, under the row's lock: a worker that counted as dead and
    comes back replaces nothing."""
    spec = spec_of(job)
    name = file_name(job, spec)
    finished = job_held(job).update(
        state=Job.State.DONE,
        done=written.rows,
        total=written.rows,
        finished_at=timezone.now(),
        lease_until=None,
        problem="",
        result=asdict(written),
        result_name=name,
        result_path=f"exports/{job.public_id}/{name}",
    )
    if not finished:
        raise JobLost
    _record(None, job.study, job, spec, written)
    part.replace(part.with_name(name))


def _clear(folder: Path) -> None:
    """Remove what workers that were killed left half-written."""
    for part in folder.glob("*.part"):
        part.unlink(missing_ok=True)


def file_name(job: Job, spec: ExportSpec) -> str:
    """Says what is in it and as of when (UTC)."""
    kept_apart = "" if spec.options.round == "main" or spec.layout == "codebook" else f"-{spec.options.round}"
    moment = (job.started_at or job.created_at).strftime("%Y%m%d-%H%M%S")
    return f"{job.study.key}-{spec.layout}{kept_apart}-{moment}.{spec.format}"


def _record(actor: User | None, study: Study, job: Job | None, spec: ExportSpec, written: Written) -> None:
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
