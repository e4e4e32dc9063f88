"""A kind of scorer is a class that does what ``Scorer`` says and a line in ``backends``: it is
trained, stored and asked like those that are there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pytest

from annotation.scoring.errors import ScoringError
from annotation.services.scoring.training import TrainingSpec, training_request
from tests.scorers.judged import judged_set
from workers.scorers.artefact import json_bytes, read_artefact, write_artefact
from workers.scorers.backends import parameters_check
from workers.scorers.base import FloatArray, Pair, Scale
from workers.scoring.scores import score_pairs
from workers.scoring.training import training_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


class Longest:
    """The mean of what it learned from, and a little more the longer a text is."""

    backend: ClassVar[str] = "longest"
    learns_by_epochs: ClassVar[bool] = False

    def __init__(self, scale: Scale, mean: float = 0.0) -> None:
        self.scale, self.mean = scale, mean

    def fit(
        self,
        pairs: Sequence[Pair],
        scores: FloatArray,
        *,
        seed: int,
        weights: FloatArray | None = None,
    ) -> Self:
        self.mean = float(np.mean(scores))
        return self

    def predict(self, pairs: Sequence[Pair]) -> FloatArray:
        lengths = np.array([len(pair.simplification) for pair in pairs], dtype=np.float64)
        return self.scale.clip(self.mean + lengths / 100)

    def save(self, folder: Path) -> dict[str, Any]:
        files = {"model.json": json_bytes({"mean": self.mean})}
        return write_artefact(folder, files, {"backend": self.backend})

    @classmethod
    def load(cls, folder: Path) -> Self:
        _manifest, files = read_artefact(folder, cls.backend)
        return cls(Scale(), json.loads(files["model.json"])["mean"])


def test_a_kind_of_one_s_own_is_trained_and_asked(monkeypatch):
    monkeypatch.setattr("annotation.jobs._send", lambda *_message, **_options: None)
    monkeypatch.setattr("workers.scoring.seed.new_scorer", lambda _kind, scale, _: Longest(scale))
    for module in ("copies", "folds", "training"):
        name = f"workers.scoring.{module}.load_scorer"
        monkeypatch.setattr(name, lambda _kind, folder: Longest.load(folder))
    spec = TrainingSpec("lexical", (42, 43))
    run = training_request(actor=None, data=judged_set(), spec=spec)
    is_done = training_run(run.public_id)
    run.refresh_from_db()
    assert is_done, run.problem
    short, long = score_pairs(run.scorer, [Pair("Une clause.", "a"), Pair("Une clause.", "a" * 90)])
    assert short["score"] < long["score"]


def test_parameters_are_refused_by_the_name_of_its_kind():
    with pytest.raises(ScoringError, match="The longest backend has no parameters"):
        parameters_check("longest", {"warmup": 0.1})
