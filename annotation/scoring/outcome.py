"""What one seed of a training gave: the scores of its held-out items, as a file that the report is
made of."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from annotation.cells import Sheet
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.metrics import FloatArray
from annotation.scoring.splits import IntArray, Split, source_key
from annotation.scoring.strata import looks_truncated


@dataclass(frozen=True)
class Scores:
    """(n,) as served, by what was learned alone, and 1 where a rule decided."""

    served: list[float]
    learned: list[float]
    ruled: list[float]


@dataclass(frozen=True)
class SeedOutcome:
    """What one seed gave, JSON-safe. ``test``: positions of its test items in the data.
    ``controls``: the identical and unrelated pairs of the test sources, which nobody judged.
    ``baselines``, ``current``: (test,) predictions, the latter None where the scorer in service has
    learned from an item. ``hold_out``: scores of a preset's hold-out, identical pairs first."""

    seed: int
    sizes: dict[str, int]
    test: list[int]
    scores: Scores
    controls: list[dict[str, Any]]
    control_scores: Scores
    validation_rmse: float
    baselines: dict[str, list[float]]
    current: list[float | None]
    seconds: float
    training_losses: list[float] = field(default_factory=list)
    validation_losses: list[float] = field(default_factory=list)
    hold_out: list[float] = field(default_factory=list)

    def to_json(self) -> str:
        """For a worker that goes on after this one was killed."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The inverse."""
        stored = json.loads(text)
        for name in ("scores", "control_scores"):
            stored[name] = Scores(**stored[name])
        return cls(**stored)


def predictions_csv(data: TrainingSet, outcomes: Sequence[SeedOutcome]) -> bytes:
    """Every held-out score of every seed, to be checked with other code: UTF-8 CSV.

    ``kind``: "human", or "identical" and "unrelated" for control pairs, whose ``human`` nobody
    gave.
    """
    columns = (
        "seed",
        "kind",
        "row",
        "key",
        "source",
        "original",
        "simplification",
        "human",
        "predicted",
    )
    rows = (
        row
        for outcome in outcomes
        for row in (*_human_rows(data, outcome), *_control_rows(outcome))
    )
    return _csv((*columns, "learned", "by_rule", "truncated"), rows)


def splits_csv(data: TrainingSet, splits: Sequence[Split]) -> bytes:
    """Which side every item was on under every seed. A preset splits made-up pairs too, which come
    after the items: they are not listed."""

    def rows() -> Iterator[Sequence[object]]:
        for split in splits:
            for side in ("train", "validation", "test"):
                for place in items_of(getattr(split, side), data):
                    pair = data.pairs[place]
                    yield split.seed, side, pair.row, pair.key, source_key(pair.original)

    return _csv(("seed", "side", "row", "key", "source"), rows())


def items_of(side: IntArray, data: TrainingSet) -> list[int]:
    """The positions of a side that are judged items."""
    return [place for place in side.tolist() if place < len(data.pairs)]


def served(outcome: SeedOutcome) -> FloatArray:
    """(test,) scores as served."""
    return np.array(outcome.scores.served)


def human(data: TrainingSet, outcome: SeedOutcome) -> FloatArray:
    """(test,) labels."""
    return data.labels[outcome.test]


def _human_rows(data: TrainingSet, outcome: SeedOutcome) -> Iterator[Sequence[object]]:
    scores = outcome.scores
    for place, score, learned, ruled in zip(
        outcome.test, scores.served, scores.learned, scores.ruled, strict=True
    ):
        pair = data.pairs[place]
        texts = (source_key(pair.original), pair.original, pair.simplification)
        cut = int(looks_truncated(pair.simplification, pair.finish_reason))
        yield (
            outcome.seed,
            "human",
            pair.row,
            pair.key,
            *texts,
            pair.label,
            score,
            learned,
            int(ruled),
            cut,
        )


def _control_rows(outcome: SeedOutcome) -> Iterator[Sequence[object]]:
    scores = outcome.control_scores
    for pair, score, learned, ruled in zip(
        outcome.controls, scores.served, scores.learned, scores.ruled, strict=True
    ):
        texts = (source_key(pair["original"]), pair["original"], pair["simplification"])
        yield (
            outcome.seed,
            pair["kind"],
            "",
            "",
            *texts,
            pair["label"],
            score,
            learned,
            int(ruled),
            "",
        )


def _csv(columns: Sequence[str], rows: Iterator[Sequence[object]]) -> bytes:
    out = io.StringIO(newline="")
    writer = Sheet(out)
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()
