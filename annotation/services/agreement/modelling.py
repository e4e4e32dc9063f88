"""Annotators modelled by Dawid–Skene and MACE, and systems by mixed models, as a job: minutes
for a large study, and a page should not wait for them.

The job's row is the truth (see ``services.platform.leases``), and holds what was found: of a study
the last one is kept. Nothing here changes an answer or a label.
"""

from __future__ import annotations

import logging
import uuid
from typing import Any

from django.db import transaction

from annotation.agreement.modelled.crowd import ABSENT, RESTARTS, package_version
from annotation.agreement.report import SEED
from annotation.errors import RuleError
from annotation.jobs import request_models
from annotation.leasing import Outcome
from annotation.models import Job, Study, User
from annotation.protocols.base import Problem
from annotation.selectors.agreement.modelled import (
    UNFINISHED,
    mixable,
    modelled_ratings,
    models_found,
    ratings_by_system,
)
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

MODELS = JobQueue(
    rows=lambda: Job.objects.filter(kind=Job.Kind.MODELS).select_related("study").defer("result")
)

log = logging.getLogger(__name__)


@transaction.atomic
def models_request(*, actor: User, study: Study) -> Job:
    """Have a study's annotators and systems modelled; who asks twice gets the job that is there.

    Raises ``RuleError`` where crowd-kit is not installed, or nothing can be modelled: with the
    reason for each dimension.
    """
    if package_version() is None:
        raise RuleError.single("models", "absent", ABSENT.fr, ABSENT.en)
    study_row_lock(study.pk)
    ratings, reasons = modelled_ratings(study)
    if len(reasons) == len(ratings.tables) and not mixable(ratings_by_system(ratings)):
        raise RuleError([Problem(name, "undefined", why) for name, why in reasons.items()])
    waiting = Job.objects.filter(study=study, kind=Job.Kind.MODELS, state__in=UNFINISHED)
    if (there := waiting.first()) is not None:
        return job_joined(there, actor)
    job = Job.objects.create(
        study=study,
        kind=Job.Kind.MODELS,
        parameters={"seed": SEED, "restarts": RESTARTS},
        requested_by=actor,
        lease_until=MODELS.ordered_until(),
    )
    event_record(actor=actor, study=study, verb="models_requested", target=job)
    request_models(job.public_id)
    return job


def models_compute(public_id: uuid.UUID) -> bool:
    """Carry out such a job. False where there was nothing to do, or it cannot be done and the row
    says why. A repeat is harmless."""
    job = MODELS.claim(public_id)
    if job is None:
        return False
    return carried_out(
        lambda: _compute(job),
        {
            AskerLeft: lambda _: _fail(job, "asker_left"),
            ModuleNotFoundError: lambda error: _fail_absent(job, error),
        },
        defect=lambda: _fail(job, "defect"),
    )


def models_resend() -> int:
    """Ask again for jobs whose message or worker was lost; returns how many."""
    return MODELS.resend(request_models, lambda job: _fail(job, "worker_lost"))


def _compute(job: Job) -> None:
    asker_check(job)
    seed, restarts = job.parameters["seed"], job.parameters["restarts"]
    with JobHeartbeat(MODELS, job) as heartbeat:
        result = models_found(job.study, seed=seed, restarts=restarts, progress=heartbeat.progress)
    _keep(job, result)


@transaction.atomic
def _keep(job: Job, result: dict[str, Any]) -> None:
    """Store what was found in place of what was found before."""
    runs = result["runs"]
    MODELS.finish(job, done=runs, total=runs, problem="", result=result)
    Job.objects.filter(
        study=job.study, kind=Job.Kind.MODELS, state__in=[Job.State.DONE, Job.State.FAILED]
    ).exclude(pk=job.pk).delete()
    event_record(actor=None, study=job.study, verb="models_computed", target=job)


def _fail_absent(job: Job, error: ModuleNotFoundError) -> None:
    log.error("models without crowd-kit", exc_info=error, extra={"job": job.pk})
    _fail(job, "absent")


@transaction.atomic
def _fail(job: Job, problem: str) -> None:
    if MODELS.end(job, Outcome.FAILED, problem=problem):
        event_record(actor=None, study=job.study, verb="models_failed", target=job, problem=problem)
