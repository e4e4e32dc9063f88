"""The report on marks as a job, where a study is too large to wait for it.

The job's row says how far it is (see ``services.platform.leases``); what was found is kept where
all figures of agreement are, and the row names it. No audit event: nothing of the study changes,
and an archived one is read as any other.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict
from typing import Any

from django.db import transaction

from annotation.agreement.marks.figure import Drawn
from annotation.jobs import request_marks
from annotation.leasing import Outcome
from annotation.models import Job, Study, User
from annotation.selectors.agreement.kept import code_digest
from annotation.selectors.agreement.marked import MarksRequest
from annotation.selectors.agreement.marks_kept import UNFINISHED, marks_kept, request_digest
from annotation.services.platform.leases import (
    AskerLeft,
    JobHeartbeat,
    JobQueue,
    asker_check,
    carried_out,
    job_joined,
)
from annotation.services.platform.study_rows import study_row_lock

MARKS = JobQueue(rows=lambda: Job.objects.filter(kind=Job.Kind.MARKS).select_related("study"))
MOST = 50
"""Ended jobs that are kept of a study: each names one report."""


@transaction.atomic
def marks_request(*, actor: User, study: Study, request: MarksRequest) -> Job:
    """Have the report on marks computed; who asks twice gets the job that is there."""
    study_row_lock(study.pk)
    digest = request_digest(request)
    waiting = Job.objects.filter(
        study=study, kind=Job.Kind.MARKS, state__in=UNFINISHED, parameters__digest=digest
    )
    if (there := waiting.first()) is not None:
        return job_joined(there, actor)
    job = Job.objects.create(
        study=study,
        kind=Job.Kind.MARKS,
        parameters={"digest": digest, "asked": asdict(request)},
        requested_by=actor,
        lease_until=MARKS.ordered_until(),
    )
    request_marks(job.public_id)
    return job


def marks_compute(public_id: uuid.UUID) -> bool:
    """Carry out such a job. False where there was nothing to do, or it cannot be done and the row
    says why. A repeat is harmless."""
    job = MARKS.claim(public_id)
    if job is None:
        return False
    return carried_out(
        lambda: _compute(job),
        {AskerLeft: lambda _: _fail(job, "asker_left")},
        defect=lambda: _fail(job, "defect"),
    )


def marks_resend() -> int:
    """Ask again for jobs whose message or worker was lost; returns how many."""
    return MARKS.resend(request_marks, lambda job: _fail(job, "worker_lost"))


def _compute(job: Job) -> None:
    asker_check(job)
    with JobHeartbeat(MARKS, job) as heartbeat:
        request = _request_of(job.parameters["asked"])
        key, _figures = marks_kept(job.study, request, progress=heartbeat.progress)
    _keep(job, key)


def _fail(job: Job, problem: str) -> None:
    MARKS.end(job, Outcome.FAILED, problem=problem)


def _request_of(stored: dict[str, Any]) -> MarksRequest:
    """As a row has it: JSON knows no tuples."""
    groups = tuple((name, tuple(kinds)) for name, kinds in stored["groups"])
    # What waited over an update has no draws of its own.
    drawn = Drawn(**stored.get("drawn", {}))
    without = tuple(stored["without"])
    return MarksRequest(**(stored | {"groups": groups, "without": without, "drawn": drawn}))


@transaction.atomic
def _keep(job: Job, key: str) -> None:
    """Name what was found, in place of what was found of the same before; the oldest go."""
    MARKS.finish(job, problem="", result={"key": key, "code": code_digest()})
    ended = Job.objects.filter(study=job.study, kind=Job.Kind.MARKS).exclude(state__in=UNFINISHED)
    ended.filter(parameters__digest=job.parameters["digest"]).exclude(pk=job.pk).delete()
    oldest = [*ended.values_list("pk", flat=True)[MOST:]]
    ended.filter(pk__in=oldest).delete()
