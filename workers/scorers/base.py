"""What every scorer is: fitted on judged pairs, asked for scores, saved to a folder and read
back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from annotation.scoring.errors import ScoringError
from annotation.scoring.splits import TRAIN_SHARE

FloatArray = npt.NDArray[np.float64]
FEWEST_PAIRS = 20
_FEWEST_JUDGED = ceil(FEWEST_PAIRS / TRAIN_SHARE)
"""Of which so many are the side that is learned from."""


@dataclass(frozen=True)
class Pair:
    """An original and its simplification; ``language`` is ISO 639-1 and chooses the stemmer."""

    original: str
    simplification: str
    language: str = "fr"


@dataclass(frozen=True)
class Scale:
    """The closed range of a protocol's scores: 1–10 for legal meaning, 0–100 for MeaningBERT, 1–4
    for JADES."""

    lowest: float = 1.0
    highest: float = 10.0

    @property
    def range(self) -> float:
        """``highest - lowest``, in points of the scale."""
        return self.highest - self.lowest

    def clip(self, scores: FloatArray) -> FloatArray:
        """The scores, brought inside the scale."""
        return np.clip(scores, self.lowest, self.highest)

    def at(self, share: float) -> float:
        """The score ``share`` (0…1) of the way up the scale."""
        return self.lowest + share * self.range


class Scorer(Protocol):
    """One backend. ``fit`` forgets what was fitted before; ``predict`` is pure and returns one
    score per pair.

    ``learns_by_epochs``: its ``fit`` takes the pairs by which it is stopped, a folder for
    checkpoints and who watches too, and it says how far it is (``TransformerScorer``).
    """

    backend: ClassVar[str]
    learns_by_epochs: ClassVar[bool]
    scale: Scale

    def fit(
        self,
        pairs: Sequence[Pair],
        scores: FloatArray,
        *,
        seed: int,
        weights: FloatArray | None = None,
    ) -> Self: ...

    def predict(self, pairs: Sequence[Pair]) -> FloatArray: ...

    def save(self, folder: Path) -> dict[str, Any]: ...

    @classmethod
    def load(cls, folder: Path) -> Self: ...


def refuse_untrainable(pairs: Sequence[Pair], scores: FloatArray, scale: Scale) -> None:
    """Refuse what no backend can learn from: too few pairs, labels that are missing, constant or
    off the scale."""
    if len(pairs) != len(scores):
        raise ScoringError(
            "lengths_differ",
            f"Il y a {len(pairs)} paires et {len(scores)} notes : il en faut autant.",
            f"There are {len(pairs)} pairs and {len(scores)} scores: there must be as many.",
        )
    if len(pairs) < FEWEST_PAIRS:
        raise ScoringError(
            "too_few_pairs",
            f"Il reste {len(pairs)} paires à apprendre : il en faut au moins {FEWEST_PAIRS}, donc "
            f"environ {_FEWEST_JUDGED} paires jugées.",
            f"{len(pairs)} pairs are left to learn from: at least {FEWEST_PAIRS} are needed, so "
            f"about {_FEWEST_JUDGED} judged pairs.",
        )
    if not np.all(np.isfinite(scores)):
        raise ScoringError(
            "missing_score",
            "Une note manque ou n'est pas un nombre.",
            "A score is missing or no number.",
        )
    if scores.min() < scale.lowest or scores.max() > scale.highest:
        raise ScoringError(
            "off_scale",
            f"Des notes sortent de l'échelle de {scale.lowest:g} à {scale.highest:g}.",
            f"Some scores lie outside the scale from {scale.lowest:g} to {scale.highest:g}.",
        )
    if np.ptp(scores) == 0:
        raise ScoringError(
            "constant_scores",
            "Toutes les notes sont égales : il n'y a rien à apprendre.",
            "All scores are the same: there is nothing to learn.",
        )
