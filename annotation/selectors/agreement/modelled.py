"""Annotators modelled: what a worker computed last, and whether it is of the answers as they are.

Only the main round, and people alone: what a study publishes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.agreement.mixed.library import statsmodels_version
from annotation.agreement.mixed.report import FITS, mixed_absent, mixed_report, not_mixed
from annotation.agreement.modelled.crowd import METHODS, fits, modelled, not_modelled
from annotation.agreement.modelled.labels import model_report, people_report, with_posteriors
from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.agreement.systems.table import Output, SystemRatings, system_ratings
from annotation.models import Job, Study
from annotation.protocols.base import Wording
from annotation.selectors.agreement.facts import study_digest
from annotation.selectors.agreement.reliability import (
    StudyRatings,
    level_of,
    scale_of,
    study_ratings,
)
from annotation.selectors.base.one_moment import one_moment

UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


@dataclass(frozen=True)
class ModelsState:
    """Of ``study``. ``running``: the job that is waited for. ``last``: the last one that ended
    well, ``failed`` the last one of all where it did not. ``is_current``: nothing was answered
    since ``last``."""

    study: Study
    running: Job | None
    last: Job | None
    failed: Job | None
    is_current: bool

    @property
    def dimensions(self) -> Mapping[str, Any]:
        """What was found, by dimension, in the protocol's order and each model in its own: a
        database may keep another. Empty where nothing was computed yet."""
        stored = {} if self.last is None else self.last.result["dimensions"]
        return {
            name: stored[name] | {"models": _in_order(stored[name]["models"])}
            for name in self.study.protocol.dimensions
            if name in stored
        }


def _in_order(models: Mapping[str, Any]) -> dict[str, Any]:
    return {method: models[method] for method in METHODS if method in models}


def models_running(study: Study) -> Job | None:
    """The job that is waited for; one query."""
    jobs = Job.objects.filter(study=study, kind=Job.Kind.MODELS, state__in=UNFINISHED)
    return jobs.defer("result").first()


def models_state(study: Study) -> ModelsState:
    """What there is; a handful of queries."""
    jobs = Job.objects.filter(study=study, kind=Job.Kind.MODELS)
    newest = jobs.defer("result").first()
    last = jobs.filter(state=Job.State.DONE).first()
    return ModelsState(
        study=study,
        running=newest if newest is not None and newest.state in UNFINISHED else None,
        last=last,
        failed=newest if newest is not None and newest.state == Job.State.FAILED else None,
        is_current=last is not None and last.result["digest"] == answers_digest(study),
    )


def answers_digest(study: Study) -> str:
    """Names the answers of a study as they are now."""
    return hashlib.sha256(repr(study_digest(study)).encode()).hexdigest()


def modelled_ratings(study: Study) -> tuple[StudyRatings, dict[str, Wording]]:
    """The ratings to be modelled, and by dimension why one cannot be."""
    ratings = study_ratings(study)
    reasons = {
        name: reason
        for name, table in ratings.tables.items()
        if (reason := not_modelled(table, level_of(ratings.protocol, name))) is not None
    }
    return ratings, reasons


def ratings_by_system(ratings: StudyRatings) -> dict[str, SystemRatings]:
    """The same ratings by system, source text and person, by dimension, without outputs that bear
    no system's name."""
    outputs = [Output(unit.key, unit.system, unit.source) for unit in ratings.items]
    return {
        name: system_ratings(
            table,
            outputs,
            level=level_of(ratings.protocol, name),
            scale=scale_of(ratings.protocol, name),
        )
        for name, table in ratings.tables.items()
    }


def models_found(
    study: Study,
    *,
    seed: int,
    restarts: int,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> dict[str, Any]:
    """Every model of each dimension, fitted now: what a job keeps, JSON-safe. ``progress`` is
    called with how many runs are done, of how many.

    Raises ``CrowdKitMissing`` where something can be modelled and crowd-kit is not installed.
    """
    with one_moment():
        digest = answers_digest(study)
        ratings, reasons = modelled_ratings(study)
        by_system = ratings_by_system(ratings)
    tables = {name: table for name, table in ratings.tables.items() if name not in reasons}
    total = len(tables) * sum(fits(method, restarts) for method in METHODS)
    total += len(mixable(by_system)) * FITS
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, total)

    progress(0, total)
    dimensions: dict[str, Any] = {
        name: {
            "undefined": wording_facts(reasons.get(name)),
            "people": people_report(table, level_of(ratings.protocol, name)),
            "models": {},
        }
        for name, table in ratings.tables.items()
    }
    for name, table in tables.items():
        for method in METHODS:
            fitted = modelled(table, method, seed=seed, restarts=restarts, progress=step)
            report = with_posteriors(model_report(table, fitted), fitted)
            dimensions[name]["models"][method] = report
    for name, table_by_system in by_system.items():
        dimensions[name]["mixed"] = _mixed_found(table_by_system, seed, step)
    return {
        "digest": digest,
        "runs": total,
        "judgments": ratings.judgments,
        "of_withdrawn": ratings.of_withdrawn._asdict(),
        "items": {unit.key: unit.item_key for unit in ratings.items},
        "dimensions": dimensions,
    }


def mixable(tables: Mapping[str, SystemRatings]) -> list[str]:
    """The dimensions of which mixed models are fitted here."""
    if statsmodels_version() is None:
        return []
    return [name for name, table in tables.items() if not_mixed(table) is None]


def _mixed_found(table: SystemRatings, seed: int, step: Callable[[], None]) -> dict[str, Any]:
    if statsmodels_version() is None:
        return mixed_absent(table)
    return mixed_report(table, Drawn(seed=seed), step)


def posteriors_known(study: Study) -> dict[str, dict[str, Mapping[str, Mapping[str, float]]]]:
    """Posteriors by dimension, method and unit (value: probability), where they are of the answers
    as they are now; else nothing."""
    state = models_state(study)
    if not state.is_current:
        return {}
    return {
        name: {method: model["posteriors"] for method, model in report["models"].items()}
        for name, report in state.dimensions.items()
    }
