"""The lexical scorer: stated rules first, then what was learned from people's judgments. CPU only,
files are JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from annotation.scoring.errors import ScoringError
from annotation.scoring.splits import source_groups
from workers.scorers.artefact import json_bytes, read_artefact, write_artefact
from workers.scorers.base import FloatArray, Pair, Scale, refuse_untrainable
from workers.scorers.blend import TREES, Choice, Encoder, Inputs, KernelRidge, choose
from workers.scorers.contradictions import Contradiction
from workers.scorers.endings import Endings
from workers.scorers.features import FEATURE_NAMES, PairReader, PairReading
from workers.scorers.rules import Rule, ruled_scores
from workers.scorers.trees import Forest

MODEL = "model.json"
VERSION = 1


@dataclass(frozen=True)
class Scored:
    """A score and where it comes from: ``learned`` is what the model alone says, ``rule`` what
    overrode it, if any."""

    score: float
    learned: float
    rule: Rule | None
    contradictions: tuple[Contradiction, ...] = ()


class LexicalScorer:
    """Features of the pair that a lawyer could name, kernel ridge regression and a forest. See
    ``blend``."""

    backend: ClassVar[str] = "lexical"
    learns_by_epochs: ClassVar[bool] = False

    def __init__(self, scale: Scale | None = None, *, reader: PairReader | None = None) -> None:
        self.scale = scale or Scale()
        self.reader = reader or PairReader()
        self.choice = Choice()
        self.endings: Endings | None = None
        self.seed: int | None = None
        self._model: _Model | None = None

    def fit(
        self,
        pairs: Sequence[Pair],
        scores: FloatArray,
        *,
        seed: int,
        weights: FloatArray | None = None,
    ) -> Self:
        """Learn from ``scores`` (n,) on the scale; ``weights`` (n,) > 0, 1 for a human label
        (default all 1).

        The same pairs, scores, weights and seed give the same scorer. Raises ``ScoringError`` for
        what cannot be learned from: too few pairs, constant, missing or off-scale labels.
        """
        scores = np.asarray(scores, dtype=np.float64)
        refuse_untrainable(pairs, scores, self.scale)
        weights = np.ones(len(pairs)) if weights is None else np.asarray(weights, dtype=np.float64)
        self.endings = Endings.learned(pairs)
        readings = self.readings(pairs)
        encoder = Encoder.learned(readings)
        inputs = encoder.inputs(readings)
        mean, deviation = float(np.average(scores, weights=weights)), float(scores.std())
        targets = (scores - mean) / deviation
        groups = source_groups([pair.original for pair in pairs])
        self.choice = choose(inputs, targets, weights, groups, seed)
        self._model = _Model(
            encoder,
            KernelRidge.fitted(inputs, targets, weights, self.choice),
            Forest.grown(inputs.rows, targets, weights, trees=TREES, seed=seed),
            self.choice,
            mean,
            deviation,
        )
        self.seed = seed
        return self

    def predict(self, pairs: Sequence[Pair]) -> FloatArray:
        """(n,): scores on the scale, rules applied. One output per pair, whatever it holds."""
        return np.array([scored.score for scored in self.judged(pairs)], dtype=np.float64)

    def judged(self, pairs: Sequence[Pair]) -> list[Scored]:
        """Score, learned score and rule of each pair."""
        readings = self.readings(pairs)
        learned = self.learned_of(readings)
        return [
            Scored(ruled.score, float(alone), ruled.rule, ruled.contradictions)
            for alone, ruled in zip(
                learned, ruled_scores(pairs, readings, learned, self.scale), strict=True
            )
        ]

    def readings(self, pairs: Sequence[Pair]) -> list[PairReading]:
        """The pairs as the model reads them: each with the last mark that it should have. A scorer
        of before that was learned reads them as written."""
        ends = self.endings
        return self.reader.read(pairs if ends is None else [ends.read(pair) for pair in pairs])

    def learned_of(self, readings: Sequence[PairReading]) -> FloatArray:
        """(n,): the model's scores of readings already at hand, inside the scale."""
        if not readings:
            return np.zeros(0)
        return self.scale.clip(self.model.scores(self.model.encoder.inputs(readings)))

    @property
    def model(self) -> _Model:
        """What was fitted or loaded; raises ``ScoringError`` ("not_fitted") before."""
        if self._model is None:
            raise ScoringError(
                "not_fitted",
                "Cet évaluateur n'a pas encore été entraîné.",
                "This scorer has not been trained yet.",
            )
        return self._model

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the scorer as ``folder`` (new); returns the manifest with the SHA-256 of each
        file."""
        content = json_bytes({"features": list(FEATURE_NAMES), **self.model.to_json()})
        facts = {
            "backend": self.backend,
            "version": VERSION,
            "scale": asdict(self.scale),
            "seed": self.seed,
            "choice": asdict(self.choice),
            "endings": None if self.endings is None else asdict(self.endings),
        }
        return write_artefact(folder, {MODEL: content}, facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a folder that ``save`` wrote; predictions are the same to the last bit.

        Raises ``ScoringError`` for a missing or damaged file, another backend, or features of
        another version.
        """
        manifest, files = read_artefact(folder, cls.backend)
        stored = json.loads(files[MODEL])
        if tuple(stored["features"]) != FEATURE_NAMES or manifest["version"] != VERSION:
            raise ScoringError(
                "artefact_other_version",
                "Cet évaluateur a été entraîné avec d'autres indices : réentraînez-le.",
                "This scorer was trained on other features: retrain it.",
            )
        scorer = cls(Scale(**manifest["scale"]))
        scorer.seed, scorer.choice = manifest["seed"], Choice(**manifest["choice"])
        if ends := manifest.get("endings"):
            scorer.endings = Endings(**ends)
        scorer._model = _Model.from_json(stored, scorer.choice)
        return scorer


@dataclass(frozen=True)
class _Model:
    """The fitted parts; ``mean`` and ``deviation`` turn standardised targets into points of the
    scale."""

    encoder: Encoder
    kernel: KernelRidge
    forest: Forest
    choice: Choice
    mean: float
    deviation: float

    def scores(self, inputs: Inputs) -> FloatArray:
        """(n,), not yet clipped."""
        share = self.choice.forest_share
        rows = self.of_rows(inputs.rows)
        terms = (1 - share) * sum(self.kernel.of_terms(inputs))
        return np.asarray(self.mean + rows + self.deviation * terms)

    def of_rows(self, rows: FloatArray) -> FloatArray:
        """(n,): what the features alone add to the mean, in points of the scale."""
        share = self.choice.forest_share
        return self.deviation * (
            share * self.forest.predict(rows) + (1 - share) * self.kernel.of_rows(rows)
        )

    def of_terms(self, inputs: Inputs) -> list[FloatArray]:
        """One (n,) per bag: what its terms add, in points of the scale."""
        scale = self.deviation * (1 - self.choice.forest_share)
        return [scale * part for part in self.kernel.of_terms(inputs)]

    def to_json(self) -> dict[str, Any]:
        kernel = self.kernel
        return {
            "encoder": self.encoder.to_json(),
            "support": kernel.support.tolist(),
            "dual": kernel.dual.tolist(),
            "term_weights": [weights.tolist() for weights in kernel.term_weights],
            "gamma": kernel.gamma,
            "forest": self.forest.to_json(),
            "mean": self.mean,
            "deviation": self.deviation,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any], choice: Choice) -> Self:
        def array(name: str) -> npt.NDArray[np.float64]:
            return np.array(stored[name], dtype=np.float64)

        kernel = KernelRidge(
            array("support"),
            array("dual"),
            tuple(np.array(weights, dtype=np.float64) for weights in stored["term_weights"]),
            float(stored["gamma"]),
        )
        forest = Forest.from_json(stored["forest"])
        return cls(
            Encoder.from_json(stored["encoder"]),
            kernel,
            forest,
            choice,
            float(stored["mean"]),
            float(stored["deviation"]),
        )
