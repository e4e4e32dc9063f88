"""Reports on metrics as jobs: measuring ten thousand pairs takes minutes.

The job's row is the truth (see ``services.platform.leases``), and the report stands in it. Only
where the study's answers may be read: a report says what people answered.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction

from annotation.access import answers_readable
from annotation.agreement.systems.figure import wording_facts
from annotation.errors import AnswersHidden, RuleError
from annotation.jobs import request_metrics
from annotation.leasing import Outcome
from annotation.metrics.papers.paper import beside
from annotation.metrics.papers.registry import tables_for
from annotation.models import DatasetSnapshot, Job, Study, User
from annotation.protocols.base import Problem, Wording
from annotation.protocols.names import unknown_names
from annotation.selectors.agreement.modelled import answers_digest
from annotation.selectors.metrics.machines import study_scorers
from annotation.selectors.metrics.material import (
    Material,
    brought_metrics,
    is_judged,
    material,
    rated_dimensions,
    systems_there,
    systems_unknown,
)
from annotation.services.metrics.frozen import frozen_material, frozen_systems, snapshot_of
from annotation.services.metrics.machines import (
    OPEN_STUDY,
    Tools,
    encoder_names,
    judge_lines,
)
from annotation.services.metrics.measuring import (
    ReportRequest,
    Step,
    Watch,
    brought_lines,
    encoder_steps,
    material_report,
    of_scorer,
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

REPORTS = JobQueue(rows=lambda: Job.objects.filter(kind=Job.Kind.METRICS).select_related("study"))
KEPT_REPORTS = 10
_UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


class _NothingJudged(Exception):
    """What was judged when the report was asked for has been taken back since."""


@transaction.atomic
def report_request(*, actor: User, study: Study, request: ReportRequest) -> Job:
    """A new job; one that is under way for the same is that job (a double click).

    Raises ``AnswersHidden`` during a blind phase, and ``RuleError`` for a dimension or a system
    that the study does not have, and where nobody has judged anything.
    """
    # Two leads at once: whoever comes second sees what the first did.
    study = study_row_lock(study.pk)
    answers_readable(study)
    _check(study, request)
    parameters = request.parameters
    for job in Job.objects.filter(study=study, kind=Job.Kind.METRICS, state__in=_UNFINISHED):
        if job.parameters == parameters:
            return job_joined(job, actor)
    job = Job.objects.create(
        study=study,
        kind=Job.Kind.METRICS,
        parameters=parameters,
        requested_by=actor,
        lease_until=REPORTS.ordered_until(),
    )
    event_record(
        actor=actor,
        study=study,
        verb="metrics_requested",
        target=job,
        dimension=request.dimension,
        reference_system=", ".join(request.references),
        seed=request.seed,
        draws=request.draws,
        encoders=list(request.encoders),
    )
    request_metrics(job.public_id)
    return job


def _check(study: Study, request: ReportRequest) -> None:
    known = rated_dimensions(study)
    if not known:
        raise _nothing_ordered()
    if request.dimension not in known:
        raise _not_ordered(known)
    frozen = snapshot_of(study, request.snapshot) if request.snapshot else None
    _check_references(study, frozen, request)
    encoders_check(request.encoders)
    if not _holds_judged(study, frozen, request):
        everything = replace(request, reference="", more_references=())
        if request.references and _holds_judged(study, frozen, everything):
            raise _only_references(request)
        raise _nothing_judged()


def _holds_judged(study: Study, frozen: DatasetSnapshot | None, request: ReportRequest) -> bool:
    if frozen is None:
        return is_judged(study, request.dimension, request.references)
    return bool(frozen_material(frozen, request.dimension, request.references).ids)


def _check_references(study: Study, frozen: DatasetSnapshot | None, request: ReportRequest) -> None:
    if frozen is None:
        unknown = systems_unknown(study, request.references)
    else:
        there = frozen_systems(frozen)
        unknown = [name for name in request.references if name not in there]
    if unknown:
        field = "reference" if request.reference in unknown else "more_references"
        # Looked for only now: of all pairs.
        known = systems_there(study) if frozen is None else there
        raise RuleError([Problem(field, "unknown", unknown_names(unknown, known))])


def encoders_check(names: Sequence[str]) -> None:
    """Raises ``RuleError`` for one that is not here."""
    unknown = [name for name in names if name not in encoder_names()]
    if unknown:
        raise RuleError.single(
            "encoders",
            "unknown",
            f"Aucun encodeur ne s'appelle « {unknown[0]} » ici : {', '.join(encoder_names())}.",
            f"No encoder is called “{unknown[0]}” here: {', '.join(encoder_names())}.",
        )


def _not_ordered(known: Iterable[str]) -> RuleError:
    fitting = ", ".join(known)
    return RuleError.single(
        "dimension",
        "unknown",
        "Le protocole de l'étude n'a pas cette dimension, ou elle n'a pas d'ordre. Choisissez "
        f"parmi : {fitting}.",
        "The study's protocol has no such dimension, or it has no order. Choose one of: "
        f"{fitting}.",
    )


def _nothing_ordered() -> RuleError:
    return RuleError.single(
        "study",
        "nothing_ordered",
        "Le protocole de l'étude n'a pas de dimension ordonnée : il n'y a rien à quoi comparer une "
        "mesure.",
        "The study's protocol has no dimension with an order: there is nothing to hold a metric "
        "against.",
    )


def _nothing_judged() -> RuleError:
    return RuleError.single(
        "study",
        "nothing_judged",
        "Personne n'a jugé d'élément de la ronde principale sur cette dimension : il n'y a rien à "
        "quoi comparer une mesure.",
        "Nobody has judged an item of the main round on this dimension: there is nothing to hold a "
        "metric against.",
    )


def _only_references(request: ReportRequest) -> RuleError:
    return RuleError.single(
        "more_references" if request.more_references else "reference",
        "only_references",
        "Il ne reste aucune sortie jugée en dehors des références\u00a0: nommez moins de systèmes "
        "comme références.",
        "No judged output is left besides the references: name fewer systems as references.",
    )


def newest_report(study: Study) -> Job | None:
    """The last report that was asked for, whatever became of it."""
    return Job.objects.filter(study=study, kind=Job.Kind.METRICS).first()


def report_write(public_id: uuid.UUID, tools: Tools | None = None) -> bool:
    """Carry out such a job with what this process can load. False where there was nothing to do, or
    it cannot be done and the row says why."""
    job = REPORTS.claim(public_id)
    if job is None:
        return False
    return carried_out(
        lambda: _write(job, tools or Tools()),
        {
            AskerLeft: lambda _: _fail(job, "asker_left"),
            AnswersHidden: lambda _: _fail(job, "blind"),
            _NothingJudged: lambda _: _fail(job, "nothing_judged"),
            # What was whole when the report was asked for.
            RuleError: lambda _: _fail(job, "snapshot"),
        },
        defect=lambda: _fail(job, "defect"),
    )


def _write(job: Job, tools: Tools) -> None:
    asker_check(job)
    answers_readable(job.study)
    with JobHeartbeat(REPORTS, job) as heartbeat:
        report = _report(job.study, ReportRequest(**job.parameters), heartbeat, tools)
    _finish(job, report, heartbeat)


@transaction.atomic
def _finish(job: Job, report: dict[str, Any], heartbeat: JobHeartbeat) -> None:
    # How far it was at the last beat is not all of it.
    REPORTS.finish(job, problem="", result=report, **heartbeat.columns())
    # A report is a few hundred kilobytes; who needs an old one has its tables as files.
    kept = Job.objects.filter(study=job.study_id, kind=Job.Kind.METRICS)
    old = list(kept.exclude(state__in=_UNFINISHED).values_list("pk", flat=True)[KEPT_REPORTS:])
    Job.objects.filter(pk__in=old).delete()


def reports_resend() -> int:
    """Ask again for jobs whose message or worker was lost; returns how many."""
    return REPORTS.resend(request_metrics, lambda job: _fail(job, "worker_lost"))


@transaction.atomic
def _fail(job: Job, problem: str) -> None:
    if REPORTS.end(job, Outcome.FAILED, problem=problem):
        event_record(
            actor=None, study=job.study, verb="metrics_failed", target=job, problem=problem
        )


def report_now(
    study: Study, request: ReportRequest, watch: Watch, tools: Tools | None = None
) -> dict[str, Any]:
    """The report itself, for a terminal, with what this process can load. Raises ``AnswersHidden``
    and ``RuleError`` as ``report_request`` does."""
    answers_readable(study)
    _check(study, request)
    try:
        return _report(study, request, watch, tools or Tools())
    except _NothingJudged as error:
        raise _nothing_judged() from error


def _report(study: Study, request: ReportRequest, watch: Watch, tools: Tools) -> dict[str, Any]:
    frozen = snapshot_of(study, request.snapshot) if request.snapshot else None
    if frozen is None:
        # Before they are read: of answers that change meanwhile the report says to be of others.
        digest = answers_digest(study)
        judged = material(study, request.dimension, request.references)
    else:
        digest = f"snapshot:{frozen.content_digest}"
        judged = frozen_material(frozen, request.dimension, request.references)
    if not judged.ids:
        raise _NothingJudged
    elsewhere = [
        # What models answered is in no snapshot.
        *(() if frozen else judge_lines(study, request.dimension, judged)),
        *brought_lines(judged, brought_metrics(study)),
    ]
    scorers = study_scorers(study, every=request.every_scorer)
    further: list[Step] = [
        *(partial(of_scorer, study, scorer, tools) for scorer in scorers),
        *encoder_steps(request.encoders, tools),
    ]
    report = material_report(judged, elsewhere, request, watch, further)
    papers = tables_for(study.protocol_key, request.dimension)
    return report | {
        "answers": digest,
        "snapshot": frozen.name if frozen else "",
        "of_withdrawn": judged.of_withdrawn._asdict(),
        "without_reference": judged.without if judged.references else 0,
        "notes": [wording_facts(note) for note in _notes(study, judged, frozen)],
        "protocol": f"{study.protocol_key}/{study.protocol_version}",
        "papers": [beside(table, report) for table in papers],
    }


def _notes(study: Study, judged: Material, frozen: DatasetSnapshot | None) -> list[Wording]:
    """What has to be known of the whole report."""
    notes = [] if study.state == Study.State.CLOSED else [OPEN_STUDY]
    if frozen is not None:
        day = frozen.created_at.date().isoformat()
        notes.append(
            Wording(
                f"Textes et réponses de l'instantané {frozen.name}, figé le {day} : ce qui a été "
                "répondu depuis n'y est pas, et les juges automatiques n'y ont pas de ligne.",
                f"Texts and answers of the snapshot {frozen.name}, frozen on {day}: what was "
                "answered since is not in it, and machine judges have no line.",
            )
        )
    if judged.references and judged.without:
        notes.append(
            Wording(
                f"Sorties sans référence : {judged.without}. Ce qui se compare à une référence y "
                "est comparé à l'original, ou n'y est pas défini.",
                f"Outputs without a reference: {judged.without}. What compares with one is "
                "compared with the original there, or is undefined.",
            )
        )
    return notes
