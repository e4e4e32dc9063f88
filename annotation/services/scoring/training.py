"""Training runs: asked for, stopped, found again when a message or a worker was lost.

The run's row is the truth (see ``services.platform.leases``); its data are frozen in the storage
when it is asked for. What a worker does with it is in ``training_work``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.jobs import request_training
from annotation.leasing import Outcome
from annotation.models import (
    Backend,
    DatasetSnapshot,
    Judgment,
    Study,
    TrainingRun,
    User,
    WorkState,
)
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.errors import ScoringError
from annotation.scoring.folds import MOST_REPEATS, REPEATS
from annotation.scoring.presets import PRESETS, Preset
from annotation.scoring.splits import SEEDS, TRAIN_SHARE, common_split, source_key
from annotation.selectors.agreement.reliability import PEOPLE
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import Queue
from annotation.services.platform.stored_files import file_store
from annotation.services.scoring.askers import asker_stays
from annotation.services.scoring.sources import corpus_parts

KEPT = timedelta(days=14)
MOST_ATTEMPTS = 5
MOST_SEEDS = 50
FEWEST_LEARNED = 20
"""As ``workers.scorers.base.FEWEST_PAIRS``."""
_SURELY_ENOUGH = 10 * FEWEST_LEARNED
"""From so many pairs on no split is drawn before a worker does."""
WORKER_LOST = {
    "code": "worker_lost",
    "fr": (
        f"Le processus d'entraînement a été arrêté {MOST_ATTEMPTS} fois : voyez son journal, "
        "puis relancez."
    ),
    "en": f"The training process was stopped {MOST_ATTEMPTS} times: see its log, then start again.",
}
TRAININGS = Queue(
    rows=lambda: TrainingRun.objects.select_related("snapshot__study", "requested_by"),
    lease=timedelta(seconds=60),
    beat_seconds=1.0,
    most_attempts=MOST_ATTEMPTS,
    cleared={"device": ""},
)


@dataclass(frozen=True)
class TrainingSpec:
    """What is to be trained. ``corpus``: sentences for unrelated pairs, one a line; None takes the
    data's own sources. ``parameters``: the backend's own, such as {"encoder": …}; what is left out
    is as published. ``repeats``: of the cross-validation, each with one of the first seeds; None
    takes five, or one of a transformer, of which each repeat trains five encoders. ``preset``: a
    published recipe, see ``scoring.presets``; ``parameters`` stand over its own."""

    backend: str
    seeds: Sequence[int] = SEEDS
    augment: bool = False
    corpus: bytes | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    repeats: int | None = None
    preset: str = ""


def training_request(
    *,
    actor: User | None,
    data: TrainingSet,
    spec: TrainingSpec,
    snapshot: DatasetSnapshot | None = None,
    send: bool = True,
) -> TrainingRun:
    """A new run on ``data``, whose bytes are stored with it.

    ``send`` False: the caller carries it out itself. Raises ``RuleError`` for seeds or a backend
    that there is not, and for parameters that the backend does not take, ``ScoringError`` for a
    corpus that cannot be read and for too few pairs, ``OSError`` when the storage is full.
    """
    training_check(spec.backend, spec.seeds)
    _check_parameters(spec)
    repeats, preset = _repeats(spec), _preset(spec)
    training_size_check(data, spec)
    if spec.corpus is not None:
        corpus_parts(spec.corpus)
    run = TrainingRun(
        snapshot=snapshot,
        backend=spec.backend,
        seeds=list(spec.seeds),
        repeats=repeats,
        augment=spec.augment or bool(preset and preset.augment),
        preset=spec.preset,
        parameters={**(preset.parameters if preset else {}), **spec.parameters},
        requested_by=actor,
        source=_facts(data),
        lease_until=TRAININGS.ordered_until(),
    )
    stored = file_store(f"{run_place(run)}/data.jsonl", data.to_bytes())
    run.data_path, run.data_sha256 = stored["path"], stored["sha256"]
    if spec.corpus is not None:
        corpus = file_store(f"{run_place(run)}/corpus.txt", spec.corpus)
        run.corpus_path, run.source["corpus_sha256"] = corpus["path"], corpus["sha256"]
    with transaction.atomic():
        run.save()
        event_record(
            actor=actor,
            study=snapshot.study if snapshot else None,
            verb="training_requested",
            target=run,
            source=data.name,
            backend=spec.backend,
            seeds=len(spec.seeds),
            augment=spec.augment,
        )
        if send:
            request_training(run.public_id)
    return run


def seeds_from(given: str) -> list[int]:
    """ "42-51" or "42,45,50" as numbers. Raises ``RuleError``."""
    seeds: list[int] = []
    for part in given.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", part)
        if not match or int(match[2] or match[1]) - int(match[1]) not in range(MOST_SEEDS):
            raise _bad_seeds()
        seeds.extend(range(int(match[1]), int(match[2] or match[1]) + 1))
    return seeds


def run_place(run: TrainingRun) -> str:
    """Where a run's files are in the storage."""
    return f"training/{run.public_id}"


@transaction.atomic
def training_stop(*, actor: User, run: TrainingRun) -> None:
    """End a run without a scorer: at once where it waits, at its next batch where it runs.
    Otherwise nothing."""
    waiting = TrainingRun.objects.filter(pk=run.pk, state=WorkState.QUEUED)
    stopped = waiting.update(
        state=WorkState.STOPPED, finished_at=timezone.now(), lease_until=None, device=""
    )
    if not stopped:
        running = TrainingRun.objects.filter(
            pk=run.pk, state=WorkState.RUNNING, stop_requested=False
        )
        stopped = running.update(stop_requested=True)
    if stopped:
        event_record(
            actor=actor,
            study=run.snapshot.study if run.snapshot else None,
            verb="training_stopped",
            target=run,
        )


@transaction.atomic
def training_resume(*, actor: User | None, run: TrainingRun, send: bool = True) -> bool:
    """Let a run that failed or was stopped go on from where it stood. False where it is neither.
    ``send`` False: the caller carries it out itself."""
    ended = TrainingRun.objects.filter(pk=run.pk, state__in=[WorkState.FAILED, WorkState.STOPPED])
    lease = TRAININGS.ordered_until()
    asker = run.requested_by
    again: dict[str, Any] = {
        # Somebody has to answer for it who may.
        "requested_by": asker if asker and asker_stays(run, asker) else actor,
        "stop_requested": False,
        "attempt": 0,
        "problem": {},
        "finished_at": None,
        "lease_until": lease,
    }
    if not ended.update(state=WorkState.QUEUED, **again):
        return False
    event_record(
        actor=actor,
        study=run.snapshot.study if run.snapshot else None,
        verb="training_resumed",
        target=run,
    )
    if send:
        request_training(run.public_id)
    return True


def trainings_expire() -> int:
    """Remove what ended runs left half-finished on this machine once nobody will let them go on;
    returns how many."""
    root: Path = settings.DATA_DIR / "training"
    if not root.is_dir():
        return 0
    before = (timezone.now() - KEPT).timestamp()
    old = [folder for folder in root.iterdir() if folder.stat().st_mtime < before]
    unfinished = (
        TrainingRun.objects.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING]) if old else ()
    )
    alive = {str(run.public_id) for run in unfinished}
    gone = [folder for folder in old if folder.name not in alive]
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return len(gone)


def trainings_resend() -> int:
    """Ask again for runs whose worker died, and for the ones that wait while nobody trains; returns
    how many.

    A run that waits behind another keeps its message in the queue: asking again every minute would
    fill it.
    """
    count = TRAININGS.resend(request_training, _give_up, states=[WorkState.RUNNING])
    if not TrainingRun.objects.filter(state=WorkState.RUNNING).exists():
        count += TRAININGS.resend(request_training, _give_up, states=[WorkState.QUEUED])
    return count


def _give_up(run: TrainingRun) -> None:
    training_fail(run=run, problem=WORKER_LOST)


@transaction.atomic
def training_fail(*, run: TrainingRun, problem: Mapping[str, str]) -> bool:
    """Record why a run ended without a scorer, unless it went on elsewhere in the meantime."""
    if not TRAININGS.end(run, Outcome.FAILED, problem=dict(problem)):
        return False
    study = run.snapshot.study if run.snapshot else None
    event_record(
        actor=None, study=study, verb="training_failed", target=run, problem=problem["code"]
    )
    training_next()
    return True


def training_next() -> None:
    """Ask for the run that has waited longest: its message may have come while the device was
    taken."""
    waiting = TrainingRun.objects.filter(state=WorkState.QUEUED).order_by("pk").first()
    if waiting is not None:
        request_training(waiting.public_id)


def new_judgments(
    snapshot: DatasetSnapshot | None, until: DatasetSnapshot | None = None, *, study: Study
) -> int:
    """How many judgments of the study's main round people submitted since the snapshot was frozen
    (ever, where it is None), until another one was (until now). Practice rows and what machines
    judged teach nothing about people."""
    judgments = Judgment.objects.filter(
        assignment__annotator__kind__in=PEOPLE,
        assignment__simplification__item__study=study,
        assignment__simplification__item__round="main",
        submitted_at__isnull=False,
    )
    if snapshot is not None:
        judgments = judgments.filter(submitted_at__gt=snapshot.created_at)
    if until is not None:
        judgments = judgments.filter(submitted_at__lte=until.created_at)
    return judgments.count()


def training_check(backend: str, seeds: Sequence[int]) -> None:
    """Raises ``RuleError`` for a backend that there is not, or seeds that are none."""
    if backend not in Backend.values:
        raise RuleError.single(
            "backend",
            "unknown",
            f"Type inconnu : « {backend} ». Il y a : {', '.join(Backend.values)}.",
            f"Unknown kind: “{backend}”. There are: {', '.join(Backend.values)}.",
        )
    if (
        not 1 <= len(seeds) <= MOST_SEEDS
        or len(set(seeds)) != len(seeds)
        or min(seeds, default=0) < 0
    ):
        raise _bad_seeds()


def training_size_check(data: TrainingSet, spec: TrainingSpec) -> None:
    """Raises ``ScoringError`` ("too_few_pairs", "too_few_sources") where a worker could only say
    so. What made-up pairs and a preset's draw add is known there alone."""
    if spec.augment or spec.preset or len(data.pairs) >= _SURELY_ENOUGH:
        return
    learned = min(len(common_split(data.originals, seed).train) for seed in spec.seeds)
    if learned < FEWEST_LEARNED:
        judged = ceil(FEWEST_LEARNED / TRAIN_SHARE)
        raise ScoringError(
            "too_few_pairs",
            f"Il reste {learned} paires à apprendre sur {len(data.pairs)}, les autres servant à "
            f"arrêter et à vérifier : il en faut au moins {FEWEST_LEARNED}, donc environ {judged} "
            "paires jugées. Faites-en juger d'autres, puis figez l'étude de nouveau.",
            f"{learned} of {len(data.pairs)} pairs are left to learn from, the others being for "
            f"stopping and testing: at least {FEWEST_LEARNED} are needed, so about {judged} judged "
            "pairs. Have more judged, then freeze the study again.",
        )


def _check_parameters(spec: TrainingSpec) -> None:
    """Raises ``RuleError`` for some that would be left aside: whoever gave them means another
    kind."""
    if spec.parameters and spec.backend != Backend.TRANSFORMER:
        name = min(spec.parameters)
        raise RuleError.single(
            name,
            "not_taken",
            f"« {name} » n'est que du type transformer : choisissez ce type, ou videz ce champ.",
            f"“{name}” is of the kind transformer only: choose that kind, or leave it empty.",
        )


def _repeats(spec: TrainingSpec) -> int:
    """Raises ``RuleError`` for a number that is none of the spec's seeds' or too large."""
    most = min(MOST_REPEATS, len(spec.seeds))
    if spec.repeats is None:
        return min(most, 1 if spec.backend == Backend.TRANSFORMER else REPEATS)
    if not 1 <= spec.repeats <= most:
        raise RuleError.single(
            "repeats",
            "bad_repeats",
            f"Répétitions de la validation croisée : de 1 à {most}, une graine pour chacune.",
            f"Repeats of the cross-validation: from 1 to {most}, a seed for each.",
        )
    return spec.repeats


def _preset(spec: TrainingSpec) -> Preset | None:
    """Raises ``RuleError`` for a preset that there is not, or of another backend."""
    if not spec.preset:
        return None
    preset = PRESETS.get(spec.preset)
    if preset is None or spec.backend != Backend.TRANSFORMER:
        raise RuleError.single(
            "preset",
            "unknown",
            f"Recette « {spec.preset} » : il y a {', '.join(PRESETS)}, toutes du type transformer.",
            f"Preset “{spec.preset}”: there are {', '.join(PRESETS)}, all of the kind transformer.",
        )
    return preset


def _bad_seeds() -> RuleError:
    return RuleError.single(
        "seeds",
        "bad_seeds",
        f"Donnez de 1 à {MOST_SEEDS} graines différentes, par exemple 42-51.",
        f"Give 1 to {MOST_SEEDS} different seeds, for instance 42-51.",
    )


def _facts(data: TrainingSet) -> dict[str, Any]:
    return {
        "name": data.name,
        "target": data.target,
        "language": data.language,
        "lowest": data.lowest,
        "highest": data.highest,
        "pairs": len(data.pairs),
        "sources": len({source_key(original) for original in data.originals}),
        "annotators": int(data.rating_table().shape[1]),
    }
