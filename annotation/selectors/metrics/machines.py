"""Machines that scored or judged a study's simplifications: scorers of the registry, and models as
judges."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, Sum

from annotation.metrics.report.people import Cost
from annotation.models import (
    Annotator,
    GenerationCall,
    GenerationSystem,
    Scorer,
    ScoringJob,
    Study,
    WorkState,
)
from annotation.selectors.agreement.reliability import study_ratings


@dataclass(frozen=True)
class MachineJudge:
    """A model that judged outputs of the main round. ``values``: its rating of each, by
    simplification; ``facts`` of how it was asked, as parts of a signature."""

    pseudonym: str
    name: str
    values: Mapping[int, float]
    facts: tuple[tuple[str, str], ...]
    cost: Cost | None


def study_scorers(study: Study, *, every: bool = False) -> list[Scorer]:
    """The scorer in service for what the study's protocol predicts, and those that have scored the
    study; ``every``: all of the registry. By version. None before the study is closed: a score
    could reach somebody who still judges."""
    if study.state != Study.State.CLOSED:
        return []
    target = f"{study.protocol_key}/{study.protocol.predicted}"
    scorers = Scorer.objects.select_related("training_run").order_by("version")
    if every:
        return list(scorers)
    has_scored = ScoringJob.objects.filter(study=study, state=WorkState.DONE).values("scorer")
    in_service = Q(target=target, promoted_at__isnull=False)
    return list(scorers.filter(in_service | Q(pk__in=has_scored)))


def machine_judges(study: Study, dimension: str) -> list[MachineJudge]:
    """Every model that judged outputs of the main round on this dimension, by pseudonym; a constant
    number of queries."""
    ratings = study_ratings(study, kinds=(Annotator.Kind.MACHINE.value,))
    table = ratings.tables[dimension]
    pks = {unit.key: unit.pk for unit in ratings.items}
    raters = {rater.pseudonym: rater.pk for rater in ratings.annotators}
    systems = _systems(study)
    costs = _costs(study)
    judges = []
    for place, pseudonym in enumerate(map(str, table.rater_ids)):
        column = table.matrix[:, place]
        values = {
            pks[str(table.unit_ids[row])]: float(column[row])
            for row in np.flatnonzero(~np.isnan(column))
        }
        own = systems.get(raters[pseudonym], [])
        judges.append(
            MachineJudge(
                pseudonym,
                own[0].name if own else pseudonym,
                values,
                _facts(study, own),
                _cost(own, costs.get(raters[pseudonym])),
            )
        )
    return [judge for judge in judges if judge.values]


def _systems(study: Study) -> dict[int, list[GenerationSystem]]:
    """By judge, how it was set in each run; one name is set in one way within a study."""
    by_judge: dict[int, list[GenerationSystem]] = {}
    systems = GenerationSystem.objects.filter(run__study=study, judge__isnull=False)
    for system in systems.select_related("run").order_by("pk"):
        by_judge.setdefault(system.judge_id or 0, []).append(system)
    return by_judge


def _costs(study: Study) -> dict[int, Mapping[str, Any]]:
    """By judge, over every call about the main round, those that came to nothing too. Tokens are
    of the pairs of which each call that was paid for has its own: of a lost answer nobody knows
    them, and the pair would seem to have taken fewer."""
    lost = GenerationCall.objects.filter(
        generation=OuterRef("generation"), prompt_tokens__isnull=True, cost__gt=0
    )
    calls = GenerationCall.objects.filter(
        generation__run__study=study,
        generation__system__judge__isnull=False,
        generation__item__round="main",
    )
    rows = calls.order_by().annotate(is_counted=~Exists(lost)).values("generation__system__judge")
    counted = Q(is_counted=True)
    costs = rows.annotate(
        usd=Sum("cost"),
        read=Sum("prompt_tokens", filter=counted),
        written=Sum("completion_tokens", filter=counted),
        pairs=Count("generation__simplification", distinct=True),
        counted=Count("generation__simplification", distinct=True, filter=counted),
    )
    return {row["generation__system__judge"]: row for row in costs}


def _cost(systems: Sequence[GenerationSystem], spent: Mapping[str, Any] | None) -> Cost | None:
    if spent is None:
        return None
    # A price of no day was never stated: its service takes no key, and 0 was assumed.
    is_priced = any(
        system.price_as_of or system.price_prompt or system.price_completion for system in systems
    )
    tokens = None if spent["read"] is None else spent["read"] + (spent["written"] or 0)
    usd = float(spent["usd"]) if is_priced else None
    return Cost(spent["pairs"], usd, tokens, spent["counted"])


def _facts(study: Study, systems: Sequence[GenerationSystem]) -> tuple[tuple[str, str], ...]:
    protocol = f"{study.protocol_key}/{study.protocol_version}"
    if not systems:
        return (("model", "unknown"), ("protocol", protocol))
    first = systems[0]
    endpoints = "+".join(dict.fromkeys(system.run.endpoint for system in systems))
    return (
        ("model", first.model),
        ("prompt", f"sha256:{_short(first.prompt)}"),
        ("parameters", f"sha256:{_short(json.dumps(first.parameters, sort_keys=True))}"),
        ("service", endpoints),
        ("protocol", protocol),
    )


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
