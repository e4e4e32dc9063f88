"""Reports on metrics as jobs: measuring ten thousand pairs takes minutes.

The job's row is the truth (see ``services.platform.leases``), and the report stands in it. Only
where the study's answers may be read: a report says what people answered.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from django.db import transaction

from annotation.access import answers_readable
from annotation.agreement.systems.figure import worded
from annotation.errors import AnswersHidden, RuleError
from annotation.jobs import request_metrics
from annotation.leasing import Outcome
from annotation.metrics.metric import (
    Direction,
    Family,
    MetricPair,
    MetricUnavailable,
    References,
    TextMetric,
    pair,
)
from annotation.metrics.papers.paper import beside
from annotation.metrics.papers.registry import tables_for
from annotation.metrics.registry import FAMILIES
from annotation.metrics.report.estimate import SEED, Drawn
from annotation.metrics.report.parts import parts
from annotation.metrics.report.people import (
    AUGMENTED,
    REFERENCES,
    Candidate,
    FloatArray,
    Output,
    People,
    read,
)
from annotation.metrics.report.report import metric_report
from annotation.models import BroughtMetric, DatasetSnapshot, Job, Scorer, Study, User
from annotation.protocols.base import Wording
from annotation.scoring.augmentation import Synthetic, augment
from annotation.selectors.agreement.modelled import answers_digest
from annotation.selectors.agreement.scored_pairs import brought_signature
from annotation.selectors.metrics.machines import study_scorers
from annotation.selectors.metrics.material import (
    Material,
    brought_metrics,
    brought_values,
    is_judged,
    material,
    rated_dimensions,
    systems_known,
)
from annotation.services.metrics.frozen import frozen_material, frozen_systems, snapshot_of
from annotation.services.metrics.machines import (
    OPEN_STUDY,
    Tools,
    absent_encoder,
    encoder_names,
    judge_lines,
    scorer_family,
    stored_readings,
)
from annotation.services.metrics.readings import pair_readings
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import (
    AskerLeft,
    JobHeartbeat,
    JobQueue,
    asker_check,
    carried_out,
    job_joined,
)

REPORTS = JobQueue(rows=lambda: Job.objects.filter(kind=Job.Kind.METRICS).select_related("study"))
MOST_CONTROLS = 300
"""Source texts of which control pairs are made; drawn where there are more."""
KEPT_REPORTS = 10
_UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


class _NothingJudged(Exception):
    """What was judged when the report was asked for has been taken back since."""


@dataclass(frozen=True)
class ReportRequest:
    """What a report is to be about. ``reference`` and ``more_references``: systems whose outputs
    are the references, and are left out themselves. ``slow``: with what takes a quarter of a second
    a pair. ``every_scorer`` of the registry, not only the one in service and those that have scored
    the study. ``encoders``: by their names (``machines.encoder_names``). ``snapshot``: the number
    of the one whose frozen texts and answers it is of; 0 for the study as it is."""

    dimension: str
    reference: str = ""
    more_references: Sequence[str] = ()
    slow: bool = False
    every_scorer: bool = False
    encoders: Sequence[str] = ()
    snapshot: int = 0
    seed: int = SEED
    draws: int = Drawn().draws

    @property
    def references(self) -> list[str]:
        """Every system whose outputs are references, each once."""
        return [name for name in dict.fromkeys([self.reference, *self.more_references]) if name]

    @property
    def parameters(self) -> dict[str, Any]:
        """As they come back from a job's row."""
        lists = {name: list(getattr(self, name)) for name in ("encoders", "more_references")}
        return asdict(self) | lists


@transaction.atomic
def report_request(*, actor: User, study: Study, asked: ReportRequest) -> Job:
    """A new job; one that is under way for the same is that job (a double click).

    Raises ``AnswersHidden`` during a blind phase, and ``RuleError`` for a dimension or a system
    that the study does not have, and where nobody has judged anything.
    """
    # Two leads at once: whoever comes second sees what the first did.
    study = Study.objects.select_for_update().get(pk=study.pk)
    answers_readable(study)
    _check(study, asked)
    parameters = asked.parameters
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
        dimension=asked.dimension,
        reference_system=", ".join(asked.references),
        seed=asked.seed,
        draws=asked.draws,
        encoders=list(asked.encoders),
    )
    request_metrics(job.public_id)
    return job


def _check(study: Study, request: ReportRequest) -> None:
    if request.dimension not in rated_dimensions(study):
        raise RuleError.single(
            "dimension",
            "unknown",
            "Le protocole de l'étude n'a pas cette dimension, ou elle n'a pas d'ordre.",
            "The study's protocol has no such dimension, or it has no order.",
        )
    frozen = snapshot_of(study, request.snapshot) if request.snapshot else None
    if not (
        systems_known(study, request.references)
        if frozen is None
        else frozen_systems(frozen) >= set(request.references)
    ):
        raise RuleError.single(
            "reference",
            "unknown",
            "L'étude n'a pas de système de ce nom.",
            "The study has no system of this name.",
        )
    encoders_check(request.encoders)
    if not (
        is_judged(study, request.dimension, request.references)
        if frozen is None
        else frozen_material(frozen, request.dimension, request.references).ids
    ):
        raise _nothing_judged()


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


def _nothing_judged() -> RuleError:
    return RuleError.single(
        "study",
        "nothing_judged",
        "Personne n'a jugé d'élément de la ronde principale sur cette dimension : il n'y a rien à "
        "quoi comparer une mesure.",
        "Nobody has judged an item of the main round on this dimension: there is nothing to hold a "
        "metric against.",
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


class Watch(Protocol):
    """Who is told how far a report is, and may stop it by raising: a job's heartbeat, a
    terminal."""

    def progress(self, rows: int, total: int) -> None:
        """So many steps of so many are done."""


def report_now(
    study: Study, request: ReportRequest, watch: Watch, tools: Tools | None = None
) -> dict[str, Any]:
    """The report itself, for a terminal, with what this process can load. Raises ``RuleError`` as
    ``report_request`` does; whether answers may be read is for whoever asks."""
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
        *_brought(judged, brought_metrics(study)),
    ]
    scorers = study_scorers(study, every=request.every_scorer)
    further: list[Step] = [
        *(partial(_of_scorer, study, scorer, tools) for scorer in scorers),
        *encoder_steps(request.encoders, tools),
    ]
    report = material_report(judged, elsewhere, request, watch, further)
    papers = tables_for(study.protocol_key, request.dimension)
    return report | {
        "answers": digest,
        "snapshot": frozen.name if frozen else "",
        "notes": [worded(note) for note in _notes(study, judged, frozen)],
        "protocol": f"{study.protocol_key}/{study.protocol_version}",
        "papers": [beside(table, report) for table in papers],
    }


@dataclass(frozen=True)
class _Work:
    """What every line is computed from."""

    found: Material
    controls: Mapping[Synthetic, Sequence[MetricPair]]


_Reading = dict[str, float | str]
Step = Callable[[_Work, Callable[[int], None]], list[Candidate]]
"""Measures some lines, and tells how many pairs it has done."""


def material_report(
    judged: Material,
    elsewhere: Sequence[Candidate],
    request: ReportRequest,
    watch: Watch,
    further: Sequence[Step] = (),
    beside: Callable[[People, Sequence[Candidate], Drawn], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The report on what was judged, wherever it comes from. ``elsewhere``: lines that were
    computed before. ``further``: what is measured beside the metrics of the registry. ``beside``:
    what else is found of all lines."""
    families = [family for family in FAMILIES if request.slow or not family.is_slow]
    work = _work(judged, request.seed)
    judged = work.found
    steps: list[Step] = [partial(_of_families, families), *further]
    # Figures are one step more: they take about as long as measuring does.
    total = (len(steps) + 1) * len(judged.pairs)
    lines: list[Candidate] = []
    for number, step in enumerate(steps):
        lines += step(work, _progress(watch, number * len(judged.pairs), total))
    lines += elsewhere
    progress = _progress(watch, len(steps) * len(judged.pairs), total)
    drawn = Drawn(draws=request.draws, seed=request.seed)
    report = metric_report(
        judged.people,
        lines,
        drawn,
        lambda done, of: progress(done * len(judged.pairs) // of),
    )
    if beside is not None:
        report |= beside(judged.people, lines, drawn)
    return report | {
        "dimension": request.dimension,
        "reference": ", ".join(request.references),
        "references": judged.references,
        "parts": parts(judged.people, judged.pairs, lines),
        "controls": len(work.controls[Synthetic.IDENTICAL]),
    }


def _progress(watch: Watch, begun: int, total: int) -> Callable[[int], None]:
    return lambda done: watch.progress(begun + done, total)


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


def _drawn_sources(judged: Material, seed: int) -> list[tuple[str, str]]:
    """Distinct originals with their language, in the order in which they stand."""
    distinct = list(
        {metric_pair.original: metric_pair.language for metric_pair in judged.pairs}.items()
    )
    if len(distinct) <= MOST_CONTROLS:
        return distinct
    chosen = np.random.default_rng(seed).choice(len(distinct), MOST_CONTROLS, replace=False)
    return [distinct[place] for place in sorted(chosen)]


def _work(judged: Material, seed: int) -> _Work:
    """With control pairs: each drawn original beside itself, and beside another that shares next to
    nothing with it (``scoring.augmentation``). They stand beside the outputs with the score that
    they must get."""
    language, people = dict(_drawn_sources(judged, seed)), judged.people
    made = augment(list(language), seed, lowest=people.lowest, highest=people.highest)
    pairs = [control for kind in Synthetic for control in made.of_kind(kind)]
    sources = {
        metric_pair.original: output.source
        for metric_pair, output in zip(judged.pairs, people.outputs, strict=True)
    }
    people = people.with_beside(
        AUGMENTED,
        [
            Output("", control.original, control.simplification, source=sources[control.original])
            for control in pairs
        ],
        np.array([control.label for control in pairs], dtype=np.float64),
    )
    controls = {
        kind: [
            pair(control.original, control.simplification, (), language[control.original])
            for control in made.of_kind(kind)
        ]
        for kind in Synthetic
    }
    return _Work(replace(judged, people=people), controls)


@dataclass(frozen=True)
class _Readings:
    """What families say of the outputs, of control pairs by kind, and of the references' judged
    outputs; empty where nothing was asked."""

    outputs: Sequence[_Reading]
    controls: Mapping[Synthetic, Sequence[_Reading]] = field(default_factory=dict)
    beside: Sequence[_Reading] = ()


def _measured(judged: Material, families: Sequence[Family], readings: _Readings) -> list[Candidate]:
    return [
        _candidate(metric, family, judged, readings)
        for family in families
        for metric in family.metrics
    ]


def _of_scorer(
    study: Study, scorer: Scorer, tools: Tools, work: _Work, progress: Callable[[int], None]
) -> list[Candidate]:
    """Its line. Where it cannot be loaded here, of what it said when a lead asked for scores, and
    why there is no more."""
    family = scorer_family(scorer, tools)
    try:
        return _of_families([family], work, progress)
    except MetricUnavailable as error:
        kept = stored_readings(study, scorer, family, work.found.pairs)
        return _without(work, family, kept, error)


def encoder_steps(names: Sequence[str], tools: Tools) -> list[Step]:
    """What measures with these encoders, each once."""
    return [partial(_of_encoder, name, tools) for name in dict.fromkeys(names)]


def _of_encoder(
    name: str, tools: Tools, work: _Work, progress: Callable[[int], None]
) -> list[Candidate]:
    """Its lines, or why there is nothing on them."""
    try:
        return _of_families([tools.encoder(name)], work, progress)
    except MetricUnavailable as error:
        absent = absent_encoder(name)
        return _without(work, absent, absent.all_readings(work.found.pairs), error)


def _without(
    work: _Work,
    family: Family,
    readings: Sequence[_Reading],
    error: MetricUnavailable,
) -> list[Candidate]:
    known = _measured(work.found, [family], _Readings(readings))
    return [replace(candidate, why=error.why) for candidate in known]


def _of_families(
    families: Sequence[Family], work: _Work, progress: Callable[[int], None]
) -> list[Candidate]:
    readings = _Readings(
        pair_readings(work.found.pairs, families, progress),
        {kind: pair_readings(pairs, families) for kind, pairs in work.controls.items()},
        pair_readings(work.found.beside_pairs, families),
    )
    return _measured(work.found, families, readings)


def _candidate(
    metric: TextMetric, family: Family, judged: Material, readings: _Readings
) -> Candidate:
    values, missing = _values(metric, readings.outputs)
    ends = {kind: _values(metric, rows)[0] for kind, rows in readings.controls.items()}
    beside = {REFERENCES: _values(metric, readings.beside)[0]}
    if ends:
        beside[AUGMENTED] = np.concatenate([ends[kind] for kind in Synthetic])
    return Candidate(
        name=metric.name,
        label=metric.label,
        direction=metric.direction,
        bounds=metric.bounds,
        signature=metric.signature + _against(family, judged),
        values=values,
        missing=missing,
        identical=ends.get(Synthetic.IDENTICAL),
        unrelated=ends.get(Synthetic.UNRELATED),
        is_baseline=metric.is_baseline,
        kind=family.kind,
        beside=beside,
    )


def _values(metric: TextMetric, readings: Sequence[_Reading]) -> tuple[FloatArray, dict[str, int]]:
    return read([reading[metric.name] for reading in readings])


def _against(family: Family, judged: Material) -> str:
    """What the simplification was compared with, as a part of the signature."""
    if family.references == References.NONE:
        return ""
    if not judged.references:
        return "|refs:original"
    if judged.fewest == judged.references:
        return f"|refs:{judged.references}"
    return f"|refs:{judged.fewest}-{judged.references}"


def _brought(judged: Material, brought: Sequence[BroughtMetric]) -> list[Candidate]:
    scores = brought_values(brought)
    return [
        Candidate(
            name=metric.name,
            label=Wording(metric.name, metric.name),
            direction=Direction(metric.direction),
            bounds=None
            if metric.lowest is None or metric.highest is None
            else (metric.lowest, metric.highest),
            signature=brought_signature(metric),
            values=np.array([scores[metric.pk].get(pk, np.nan) for pk in judged.ids]),
            is_brought=True,
            beside={
                REFERENCES: np.array(
                    [scores[metric.pk].get(pk, np.nan) for pk in judged.beside_ids]
                )
            },
        )
        for metric in brought
    ]
