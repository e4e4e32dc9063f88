"""Lines of a report that trained or paid machines give: scorers of the registry, encoders, and
models that judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.conf import settings

from annotation.metrics.encoders import LIBRARIES, SENTENCES, encoder_metrics
from annotation.metrics.metric import (
    NOT_JUDGED,
    UNAVAILABLE,
    Direction,
    Family,
    Kind,
    MetricPair,
    MetricUnavailable,
    Reading,
    TextMetric,
)
from annotation.metrics.report.people import REFERENCES, Candidate, FloatArray
from annotation.models import Scorer, Study
from annotation.protocols.base import Wording
from annotation.selectors.agreement.scored_pairs import scorer_settings, stored_scores
from annotation.selectors.metrics.machines import MachineJudge, machine_judges
from annotation.selectors.metrics.material import Material

SCORER, JUDGE = "scorer-", "judge-"
OPEN_STUDY = Wording(
    "Les évaluateurs n'ont pas de ligne : leurs notes se calculent une fois l'étude fermée.",
    "Scorers have no line: their scores are computed once the study is closed.",
)


def _no_scores(_scorer: Scorer, _pairs: Sequence[MetricPair]) -> list[float]:
    raise _only_workers()


def _no_encoder(_name: str) -> Family:
    raise _only_workers()


def _only_workers() -> MetricUnavailable:
    return MetricUnavailable(
        Wording(
            "Seul un processus de calcul charge évaluateurs et encodeurs : commandez le rapport.",
            "Only a worker loads scorers and encoders: order the report.",
        )
    )


@dataclass(frozen=True)
class Tools:
    """What a worker can do that pages cannot; both raise ``MetricUnavailable``. ``scores``: a
    scorer's score of each pair. ``encoder``: the metrics over the encoder of this name."""

    scores: Callable[[Scorer, Sequence[MetricPair]], list[float]] = _no_scores
    encoder: Callable[[str], Family] = _no_encoder


def encoder_names() -> list[str]:
    """Encoders that may be asked for: those of libraries, and the folders that an admin named."""
    return list(dict.fromkeys([*LIBRARIES, *settings.ENCODERS]))


def absent_encoder(name: str) -> Family:
    """The metrics of an encoder that cannot be loaded here: no pair is measured."""

    def measure(_pair: MetricPair) -> dict[str, Reading]:
        return {metric.name: UNAVAILABLE for metric in metrics}

    metrics = encoder_metrics(name, matches=name != SENTENCES)
    return Family(name=name, metrics=metrics, measure=measure, needs_words=False)


def scorer_family(scorer: Scorer, tools: Tools) -> Family:
    """The scorer as a metric on its own scale, of originals that it has not learned from."""
    metric = TextMetric(
        name=f"{SCORER}v{scorer.version}",
        label=Wording(f"Évaluateur v{scorer.version}", f"Scorer v{scorer.version}"),
        direction=Direction.HIGHER,
        bounds=(scorer.lowest, scorer.highest),
        settings=(*scorer_settings(scorer), ("learned-from", "left-out")),
    )

    def scored(pairs: Sequence[MetricPair]) -> list[dict[str, Reading]]:
        return [{metric.name: score} for score in tools.scores(scorer, pairs)]

    language = str(scorer.training_run.source.get("language", ""))
    return Family(
        name=metric.name,
        metrics=(metric,),
        measure=lambda pair: scored([pair])[0],
        measure_many=scored,
        languages=frozenset((language,) if language else ()),
        needs_words=False,
        learned=frozenset(scorer.seen_sources),
        kind=Kind.SCORER,
    )


def stored_readings(
    study: Study, scorer: Scorer, family: Family, pairs: Sequence[MetricPair]
) -> list[dict[str, Reading]]:
    """Of each pair what the scorer said of it when a lead asked for scores, where it said anything:
    for a scorer that cannot be loaded any more."""
    known = stored_scores(study, scorer)
    (metric,) = family.metrics

    def said(pair: MetricPair) -> dict[str, Reading]:
        return {metric.name: known.get((pair.original, pair.simplification), UNAVAILABLE)}

    stored = replace(family, measure=said, measure_many=None)
    return stored.all_readings(pairs)


def judge_lines(study: Study, dimension: str, judged: Material) -> list[Candidate]:
    """Every model that judged the outputs, on the human scale, with what it has cost."""
    return [
        Candidate(
            name=f"{JUDGE}{judge.pseudonym}",
            label=Wording(judge.name, judge.name),
            direction=judged.people.direction,
            bounds=(judged.people.lowest, judged.people.highest),
            signature="|".join(
                [
                    f"{JUDGE}{judge.pseudonym}",
                    # The parts of a signature are divided by «|».
                    *(f"{name}:{value.replace('|', '/')}" for name, value in judge.facts),
                ]
            ),
            values=(values := _given(judge, judged.ids)),
            missing={NOT_JUDGED: missing} if (missing := int(np.isnan(values).sum())) else {},
            kind=Kind.JUDGE,
            cost=judge.cost,
            beside={REFERENCES: _given(judge, judged.beside_ids)},
        )
        for judge in machine_judges(study, dimension)
    ]


def _given(judge: MachineJudge, pks: Sequence[int]) -> FloatArray:
    return np.array([judge.values.get(pk, np.nan) for pk in pks], dtype=np.float64)
