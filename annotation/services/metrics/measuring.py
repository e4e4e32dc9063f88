"""What metrics, scorers and encoders say of judged texts, as the lines of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from annotation.metrics.metric import (
    Direction,
    Family,
    MetricPair,
    MetricUnavailable,
    References,
    TextMetric,
    pair,
)
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
from annotation.models import BroughtMetric, Scorer, Study
from annotation.protocols.base import Wording
from annotation.scoring.augmentation import Synthetic, augment
from annotation.selectors.agreement.scored_pairs import brought_signature
from annotation.selectors.metrics.material import Material, brought_values
from annotation.services.metrics.machines import (
    Tools,
    absent_encoder,
    scorer_family,
    stored_readings,
)
from annotation.services.metrics.readings import pair_readings

MOST_CONTROLS = 300
"""Source texts of which control pairs are made; drawn where there are more."""


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


class Watch(Protocol):
    """Who is told how far a report is, and may stop it by raising: a job's heartbeat, a
    terminal."""

    def progress(self, rows: int, total: int) -> None:
        """So many steps of so many are done."""


@dataclass(frozen=True)
class _Work:
    """What every line is computed from."""

    judged: Material
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
    judged = work.judged
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
    worst, best = people.ends
    made = augment(list(language), seed, lowest=worst, highest=best)
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


def of_scorer(
    study: Study, scorer: Scorer, tools: Tools, work: _Work, progress: Callable[[int], None]
) -> list[Candidate]:
    """Its line. Where it cannot be loaded here, of what it said when a lead asked for scores, and
    why there is no more."""
    family = scorer_family(scorer, tools)
    try:
        return _of_families([family], work, progress)
    except MetricUnavailable as error:
        kept = stored_readings(study, scorer, family, work.judged.pairs)
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
        return _without(work, absent, absent.all_readings(work.judged.pairs), error)


def _without(
    work: _Work,
    family: Family,
    readings: Sequence[_Reading],
    error: MetricUnavailable,
) -> list[Candidate]:
    known = _measured(work.judged, [family], _Readings(readings))
    return [replace(candidate, why=error.why) for candidate in known]


def _of_families(
    families: Sequence[Family], work: _Work, progress: Callable[[int], None]
) -> list[Candidate]:
    readings = _Readings(
        pair_readings(work.judged.pairs, families, progress),
        {kind: pair_readings(pairs, families) for kind, pairs in work.controls.items()},
        pair_readings(work.judged.beside_pairs, families),
    )
    return _measured(work.judged, families, readings)


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


def brought_lines(judged: Material, brought: Sequence[BroughtMetric]) -> list[Candidate]:
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
