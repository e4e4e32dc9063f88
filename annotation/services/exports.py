"""Exports as jobs: asked for, found again when a message was lost, fetched, deleted, cleared away.

The job's row is the truth. ``lease_until`` says until when somebody is expected to act: while a job
waits, when its message counts as lost; while it runs, when its worker counts as dead.
"""

from __future__ import annotations

import shutil
import uuid
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.jobs import request_export
from annotation.models import Job, Study, User
from annotation.selectors.exports import ExportSpec, export_spec
from annotation.services.events import event_record
from annotation.services.jobs_running import MOST_ATTEMPTS

KEPT = timedelta(days=30)
MESSAGE_LOST_AFTER = timedelta(seconds=60)
# A folder without a job may belong to a request that is being stored at this moment.
_ORPHAN_AFTER = timedelta(days=1)


@transaction.atomic
def export_request(*, actor: User, study: Study, spec: ExportSpec) -> Job:
    """A new export job. One that waits already and would give the same file is that job (a double click).

    Raises ``RuleError`` during a study's blind phase, for what would tell its answers.
    """
    if tells_answers(spec) and study.hides_answers(spec.options.round):
        if study.state == Study.State.PRACTICE:
            raise RuleError.single(
                "round",
                "blind",
                "Les réponses d'essai restent cachées jusqu'à ce que tout le monde ait soumis ou que la réunion soit "
                "ouverte : attendez, ou ouvrez la réunion.",
                "Practice answers stay hidden until everybody has submitted or the meeting is opened: wait, or open "
                "the meeting.",
            )
        raise RuleError.single(
            "round",
            "blind",
            "L'étude ne montre aucune réponse avant la clôture de la ronde principale : demandez la ronde d'essai ou "
            "le dictionnaire des variables, ou attendez la clôture.",
            "The study shows no answers before its main round is closed: ask for the practice round or the codebook, "
            "or wait until it is closed.",
        )
    parameters = spec.parameters()
    waiting = Job.objects.filter(study=study, kind=Job.Kind.EXPORT, state=Job.State.QUEUED)
    for job in waiting:
        if job.parameters == parameters:
            return job
    job = Job.objects.create(
        study=study,
        kind=Job.Kind.EXPORT,
        parameters=parameters,
        requested_by=actor,
        lease_until=timezone.now() + MESSAGE_LOST_AFTER,
    )
    event_record(actor=actor, study=study, verb="export_requested", target=job, **_told(spec))
    request_export(job.public_id)
    return job


def tells_answers(spec: ExportSpec) -> bool:
    """Whether the file holds what people answered; the codebook does not."""
    return spec.layout != "codebook"


@transaction.atomic
def export_delete(*, actor: User, job: Job) -> None:
    """Remove an export with its file. One that is being written stops when its worker notices."""
    event_record(actor=actor, study=job.study, verb="export_deleted", target=job, **_told(spec_of(job)))
    folder = export_folder(job.public_id)
    job.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def export_downloaded(*, actor: User, job: Job) -> None:
    """Note who took the data out."""
    event_record(actor=actor, study=job.study, verb="export_downloaded", target=job, **_told(spec_of(job)))


def exports_resend() -> int:
    """Ask again for every job whose message or worker was lost; returns how many.

    One that has cost three workers their lives is given up: a fourth would fare no better.
    """
    now = timezone.now()
    late = Job.objects.filter(kind=Job.Kind.EXPORT, lease_until__lt=now)
    for job in late.filter(state=Job.State.RUNNING, attempt__gte=MOST_ATTEMPTS):
        export_fail(job=job, problem="worker_lost")
    again = late.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])
    sent = 0
    for job in again.filter(attempt__lt=MOST_ATTEMPTS):
        # Conditional, so that of two sweeps at once only one asks.
        mine = again.filter(pk=job.pk, attempt=job.attempt)
        if mine.update(state=Job.State.QUEUED, lease_until=now + MESSAGE_LOST_AFTER):
            request_export(job.public_id)
            sent += 1
    return sent


@transaction.atomic
def export_fail(*, job: Job, problem: str) -> bool:
    """Record why a job ended without a file, unless it went on elsewhere in the meantime."""
    held = Job.objects.filter(pk=job.pk, attempt=job.attempt, state=Job.State.RUNNING)
    if not held.update(state=Job.State.FAILED, problem=problem, finished_at=timezone.now(), lease_until=None):
        return False
    event_record(actor=None, study=job.study, verb="export_failed", target=job, problem=problem)
    return True


def exports_expire() -> int:
    """Remove files that have had their time, and folders of jobs that are gone; returns how many.

    The job stays in the list with its checksum: an expired file can still be told from another.
    """
    removed = 0
    old = Job.objects.filter(kind=Job.Kind.EXPORT, finished_at__lt=timezone.now() - KEPT).exclude(result_path="")
    for job in old:
        shutil.rmtree(export_folder(job.public_id), ignore_errors=True)
        Job.objects.filter(pk=job.pk).update(result_path="")
        removed += 1
    return removed + _remove_orphans()


def _remove_orphans() -> int:
    root: Path = settings.DATA_DIR / "exports"
    before = (timezone.now() - _ORPHAN_AFTER).timestamp()
    folders = [folder for folder in root.glob("*-*-*-*-*") if folder.stat().st_mtime < before]
    known = {str(public_id) for public_id in Job.objects.values_list("public_id", flat=True)} if folders else set()
    orphans = [folder for folder in folders if folder.name not in known]
    for folder in orphans:
        shutil.rmtree(folder, ignore_errors=True)
    return len(orphans)


def export_folder(public_id: uuid.UUID) -> Path:
    """Where an export's file is, or will be."""
    folder: Path = settings.DATA_DIR / "exports" / str(public_id)
    return folder


def export_file(job: Job) -> Path | None:
    """The finished file of an export; None while, or when no longer, there is one."""
    if job.state != Job.State.DONE or not job.result_path:
        return None
    path: Path = settings.DATA_DIR / job.result_path
    # A file that a power cut left short is no file.
    whole = path.is_file() and path.stat().st_size == job.result.get("size", path.stat().st_size)
    return path if whole else None


def spec_of(job: Job) -> ExportSpec:
    """What was asked for."""
    return export_spec(**job.parameters)


def _told(spec: ExportSpec) -> dict[str, str]:
    return {"layout": spec.layout, "format": spec.format, "round": spec.options.round}
