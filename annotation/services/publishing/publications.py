"""Freezing and releasing as jobs: both may take minutes, and a page should not wait for them.

The job's row is the truth (see ``services.platform.leases``). A worker that dies is replaced; a
snapshot that it had finished is found again and not made twice, and a bundle that is there already
is that bundle.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction

from annotation.agreement.consensus import LOT
from annotation.errors import RuleError, StorageAway, StudyArchived
from annotation.jobs import request_publication
from annotation.leasing import Outcome
from annotation.models import DatasetSnapshot, Job, Study, User
from annotation.protocols.base import Wording
from annotation.room import is_disk_full
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import (
    AskerLeft,
    JobHeartbeat,
    JobQueue,
    asker_check,
    carried_out,
    job_joined,
)
from annotation.services.platform.study_rows import study_row_lock
from annotation.services.publishing.releases import release_zip
from annotation.services.publishing.snapshots import freeze_problem, recipe_of, study_freeze

KINDS = (Job.Kind.FREEZE, Job.Kind.RELEASE)
PUBLICATIONS = JobQueue(rows=lambda: Job.objects.filter(kind__in=KINDS).select_related("study"))

log = logging.getLogger(__name__)

_LEFT = Wording(
    "La personne qui l'a demandé ne dirige plus cette étude : demandez-le de nouveau.",
    "Whoever asked for it does not lead this study any more: ask for it again.",
)
_ARCHIVED = Wording(
    "L'étude a été archivée entre-temps\u00a0: sortez-la des archives, puis demandez-le de "
    "nouveau.",
    "The study was archived in the meantime: bring it back, then ask for it again.",
)


@transaction.atomic
def freeze_request(
    *,
    actor: User,
    study: Study,
    reason: str = "",
    systems: bool = True,
    coarse_times: bool = False,
    ties: str = LOT,
) -> Job:
    """Have the study frozen; ``ties``: one of ``release.recipe.TIES``. Raises ``RuleError`` at once
    for what a worker would refuse: no reason, no judgment, a model that cannot be asked; and
    ``StudyArchived``."""
    _hold(study)
    freeze_problem(study, reason)
    recipe = {"systems": systems, "coarse_times": coarse_times, "labels": {"ties": ties}}
    recipe_of(study, recipe)
    return _request(actor, study, Job.Kind.FREEZE, {"reason": reason, "recipe": recipe})


@transaction.atomic
def release_request(*, actor: User, snapshot: DatasetSnapshot) -> Job:
    """Have the bundle of a snapshot written. Raises ``StudyArchived``."""
    _hold(snapshot.study)
    return _request(actor, snapshot.study, Job.Kind.RELEASE, {"snapshot": snapshot.pk})


def _hold(study: Study) -> None:
    """Nobody archives it before the job is there, and of two clicks the second sees what the first
    did."""
    if study_row_lock(study.pk).archived_at is not None:
        raise StudyArchived(study)


def _request(actor: User, study: Study, kind: str, parameters: dict[str, Any]) -> Job:
    """A new job; one that waits already for the same is that job (a double click)."""
    for job in Job.objects.filter(
        study=study, kind=kind, state__in=[Job.State.QUEUED, Job.State.RUNNING]
    ):
        if job.parameters == parameters:
            return job_joined(job, actor)
    job = Job.objects.create(
        study=study,
        kind=kind,
        parameters=parameters,
        requested_by=actor,
        lease_until=PUBLICATIONS.ordered_until(),
    )
    request_publication(job.public_id)
    return job


def publication_write(public_id: uuid.UUID) -> bool:
    """Carry out such a job. False where there was nothing to do, or it cannot be done and the row
    says why."""
    job = PUBLICATIONS.claim(public_id)
    if job is None:
        return False
    return carried_out(
        lambda: _publish(job),
        {
            AskerLeft: lambda _: _refuse(job, [_LEFT]),
            StudyArchived: lambda _: _refuse(job, [_ARCHIVED]),
            RuleError: lambda error: _refuse(job, [problem.message for problem in error.problems]),
            StorageAway: lambda error: _fail_for(job, "storage", error),
            OSError: lambda error: _fail_for(
                job, "disk_full" if is_disk_full(error) else "disk", error
            ),
        },
        defect=lambda: _fail(job, "defect"),
    )


def publications_resend() -> int:
    """Ask again for jobs whose message or worker was lost; returns how many."""
    return PUBLICATIONS.resend(request_publication, lambda job: _fail(job, "worker_lost"))


def _publish(job: Job) -> None:
    with JobHeartbeat(PUBLICATIONS, job):
        result = _carry_out(job)
    PUBLICATIONS.finish(
        job,
        problem="",
        result=result,
        result_name=result.get("name", ""),
        parameters=_parameters_kept(job),
    )


def _parameters_kept(job: Job) -> dict[str, Any]:
    """What a job that ended still says of what was asked: a reason may name somebody, and stands
    with the snapshot, where names left it."""
    return {name: value for name, value in job.parameters.items() if name != "reason"}


def _refuse(job: Job, why: Iterable[Wording]) -> None:
    _fail(job, "refused", refused=[[wording.fr, wording.en] for wording in why])


def _fail_for(job: Job, problem: str, error: Exception) -> None:
    _fail(job, problem)
    facts = {"job": job.pk, "problem": problem}
    log.error("publication not written", exc_info=error, extra=facts)


def _carry_out(job: Job) -> dict[str, Any]:
    asker_check(job)
    if job.kind == Job.Kind.FREEZE:
        made = _made_before(job) or study_freeze(
            actor=job.requested_by,
            study=job.study,
            recipe=job.parameters["recipe"],
            reason=job.parameters["reason"],
        )
        return {"snapshot": made.pk, "sha256": made.content_digest}
    snapshot = DatasetSnapshot.objects.select_related("study").get(
        pk=job.parameters["snapshot"], study=job.study
    )
    written = release_zip(actor=job.requested_by, snapshot=snapshot)
    return {
        "snapshot": snapshot.pk,
        "sha256": written.sha256,
        "size": written.size,
        "name": written.path.name,
    }


def _made_before(job: Job) -> DatasetSnapshot | None:
    """The snapshot that a worker made for this job before it died, if one did. Its moment has no
    fractions."""
    if job.attempt == 1:
        return None
    return (
        DatasetSnapshot.objects.filter(
            study=job.study,
            created_by=job.requested_by,
            created_at__gte=job.created_at - timedelta(seconds=1),
        )
        .order_by("number")
        .first()
    )


@transaction.atomic
def _fail(job: Job, problem: str, **result: Any) -> None:
    ended = {"problem": problem, "result": result, "parameters": _parameters_kept(job)}
    if PUBLICATIONS.end(job, Outcome.FAILED, **ended):
        event_record(
            actor=None,
            study=job.study,
            verb="publication_failed",
            target=job,
            kind=job.kind,
            problem=problem,
        )
