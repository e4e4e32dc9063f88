"""Repeated grouped cross-validation of a run, leaving one corpus out, and the refit on everything:
what is finished lies in the run's folder, so that a worker that goes on does none of it again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotation.scoring.cross_validation import OutOfFold
from annotation.scoring.folds import grouped_folds
from annotation.scoring.metrics import FloatArray
from annotation.scoring.off_corpus import LeftOut
from annotation.scoring.outcome import Scores, SeedOutcome
from annotation.scoring.splits import IntArray, source_groups
from workers.scorers.backends import load_scorer
from workers.scorers.base import Scorer
from workers.scoring.seed import Training, fitted, scored


def out_of_fold(training: Training, seeds: Sequence[int]) -> list[OutOfFold]:
    """A repeat for each seed: it deals the folds and makes the scorers. Raises ``ScoringError``,
    ``StopRequested``, ``WorkerEnds``, ``LeaseLost``."""
    training.heartbeat.progress(phase="cross_validation", repeats=len(seeds), repeats_done=0)
    repeats = []
    for number, seed in enumerate(seeds, 1):
        repeats.append(_repeat(training, seed))
        training.heartbeat.progress(repeats_done=number)
    return repeats


def held_out(training: Training, train: IntArray, held: IntArray, seed: int, name: str) -> Scores:
    """Scores of the pairs at ``held`` by a scorer that learned from those at ``train``; read, where
    a worker that was killed had finished them."""
    training.heartbeat.check()
    stored = training.folder / f"{name}.json"
    if stored.is_file():
        return Scores(**json.loads(stored.read_text("utf-8")))
    scorer = fitted(training, train.tolist(), seed, name)
    scores = scored(scorer, training.pairs(held.tolist()))
    _write(stored, json.dumps(scores.__dict__, allow_nan=False))
    shutil.rmtree(training.folder / f"checkpoint-{name}", ignore_errors=True)
    return scores


def off_its_corpus(training: Training, parts: Sequence[LeftOut], seed: int) -> list[FloatArray]:
    """(held,) scores of each corpus by a scorer that learned from the others alone."""
    training.heartbeat.progress(phase="off_corpus")
    return [
        np.array(held_out(training, part.train, part.held, seed, f"corpus-{number}").served)
        for number, part in enumerate(parts)
    ]


def refitted(training: Training, best: SeedOutcome) -> Scorer:
    """The scorer that is served: the best seed's way, learned from every pair. One that is trained
    by epochs takes as many as were best for that seed."""
    training.heartbeat.progress(phase="refit", seed=best.seed, epoch=0)
    training.heartbeat.check()
    place = training.folder / "refitted"
    if not place.is_dir():
        everything = list(range(len(training.data.pairs)))
        losses = best.validation_losses
        keeps_last = training.parameters.get("keep") == "last"
        best_epoch = len(losses) if keeps_last else 1 + int(np.argmin(losses or [0.0]))
        until = best_epoch if losses else None
        scorer = fitted(training, everything, best.seed, "refit", until=until)
        scorer.save(place)
        shutil.rmtree(training.folder / "checkpoint-refit", ignore_errors=True)
    return load_scorer(training.backend, place)


def _repeat(training: Training, seed: int) -> OutOfFold:
    data = training.data
    count = len(data.pairs)
    folds, served, learned = np.zeros(count, dtype=int), np.zeros(count), np.zeros(count)
    dealt = grouped_folds(data.labels, source_groups(data.originals), seed)
    for number, fold in enumerate(dealt):
        scores = held_out(training, fold.train, fold.held, seed, f"fold-{seed}-{number}")
        folds[fold.held] = number
        served[fold.held], learned[fold.held] = scores.served, scores.learned
    return OutOfFold(seed, folds.tolist(), served.tolist(), learned.tolist())


def _write(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(path)
