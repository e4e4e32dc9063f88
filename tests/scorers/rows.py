"""Rows of scorers that nobody trained, for tests of pages and access."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from annotation.models import Scorer, ScoringJob, TrainingRun
from annotation.scoring.bootstrap import compare
from annotation.services.platform.stored_files import file_store


def beats_the_mean() -> dict[str, Any]:
    """What a report says of a scorer that may be the first one."""
    labels = np.linspace(1, 10, 40)
    comparison = compare(labels + 0.1, np.full(40, labels.mean()), labels, draws=50)
    return {"against_baselines": [{"name": "mean", **asdict(comparison)}]}


def make_scorer(*, report: dict[str, Any] | None = None, **fields: Any) -> Scorer:
    """A scorer without a report, or with part of one; its files cannot be loaded."""
    run = TrainingRun.objects.create(
        backend="lexical",
        state="done",
        report=report or {},
        seeds=[42],
        data_path="none",
        source={
            "name": "made-up",
            "target": "legal_meaning/legal_meaning",
            "language": "fr",
            "pairs": 1,
            "sources": 1,
        },
    )
    run.files = {"splits.csv": file_store(f"training/{run.public_id}/splits.csv", b"seed,side\n")}
    run.save()
    values: dict[str, Any] = {
        "version": Scorer.objects.count() + 1,
        "target": "legal_meaning/legal_meaning",
        "backend": "lexical",
        "seed": 42,
        "lowest": 1.0,
        "highest": 10.0,
        "folder": "none",
        "false_accept": 0.1,
        "metrics": {"pearson": {"mean": 0.5}, "rmse": {"mean": 2.0}},
    }
    return Scorer.objects.create(training_run=run, **(values | fields))


def make_scoring(scorer: Scorer, **fields: Any) -> ScoringJob:
    """A scoring job that waits."""
    pairs = [{"original": "Une clause.", "simplification": "Une phrase."}]
    return ScoringJob.objects.create(scorer=scorer, pairs=pairs, total=1, **fields)
