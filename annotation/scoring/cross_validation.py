"""A scorer's own figure: repeated grouped cross-validation. Every item is scored by a scorer that
was made in the same way and has read neither it nor any other output of its source text.

The served scorer is then refitted on everything; it has no held-out items, so that its figure is
that of the way in which it is made.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from annotation.cells import Sheet, as_typed
from annotation.scoring.baselines import BASELINE_WORDING, baseline_predictions
from annotation.scoring.bootstrap import Interval, interval_of_repeats
from annotation.scoring.dataset import LabelledPair, TrainingSet
from annotation.scoring.metrics import FloatArray, evaluate
from annotation.scoring.splits import IntArray, source_groups, source_key
from annotation.scoring.strata import looks_truncated
from annotation.scoring.summary import summary

FORMAT = "bareme-cross-validation/1"
FILE = "out_of_fold.csv"
_COLUMNS = ("repeat", "seed", "fold", "row", "key", "source", "original", "simplification")


@dataclass(frozen=True)
class OutOfFold:
    """One repeat, JSON-safe: (n,) fold of each item and its score by the scorer that never read its
    source. ``seed`` dealt the folds and made the scorers."""

    seed: int
    fold: list[int]
    served: list[float]
    learned: list[float]

    def to_json(self) -> str:
        """For a worker that goes on after this one was killed."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The inverse."""
        return cls(**json.loads(text))

    @property
    def scores(self) -> FloatArray:
        """(n,) as served."""
        return np.array(self.served, dtype=np.float64)

    @property
    def folds(self) -> IntArray:
        """(n,) as ``fold``."""
        return np.array(self.fold, dtype=np.int64)


def cross_validation(
    data: TrainingSet, repeats: Sequence[OutOfFold], signals: Mapping[str, FloatArray]
) -> dict[str, Any]:
    """Mean over the repeats of each metric, all items and those that were not cut off; intervals of
    Pearson and RMSE by drawing source texts and a repeat; lines on one signal on the same rows.

    ``signals``: (n,) each, of every pair. Plain JSON, as ``scoring.report`` describes it.
    """
    groups = source_groups(data.originals)
    whole = np.array(
        [not looks_truncated(pair.simplification, pair.finish_reason) for pair in data.pairs]
    )
    everything = np.arange(len(data.pairs))
    return {
        "format": FORMAT,
        "method": {
            "by": "source",
            "folds": 1 + max(max(repeat.fold) for repeat in repeats),
            "repeats": len(repeats),
            "seeds": [repeat.seed for repeat in repeats],
        },
        "items": len(data.pairs),
        "sources": int(groups.max()) + 1,
        **_figures(data, repeats, groups, everything),
        "whole": _figures(data, repeats, groups, np.flatnonzero(whole)),
        "baselines": [
            {"name": name, "label": asdict(BASELINE_WORDING[name]), "summary": figures}
            for name, figures in _baselines(data, repeats, signals).items()
        ],
        "each": [
            {
                "seed": repeat.seed,
                "metrics": asdict(evaluate(repeat.scores, data.labels, folds=repeat.folds)),
            }
            for repeat in repeats
        ],
    }


def headline(report: Mapping[str, Any]) -> dict[str, Any]:
    """What a scorer is said to be worth, kept with it: the metrics, their intervals, n and
    method."""
    facts = {name: report[name] for name in ("method", "sources", "intervals")}
    return {**report["summary"], **facts}


def out_of_fold_csv(data: TrainingSet, repeats: Sequence[OutOfFold]) -> bytes:
    """Every item in every repeat with its fold and scores, to be checked with other code: UTF-8
    CSV."""
    out = io.StringIO(newline="")
    writer = Sheet(out)
    writer.writerow((*_COLUMNS, "human", "predicted", "learned"))
    for number, repeat in enumerate(repeats, 1):
        for pair, fold, score, learned in zip(
            data.pairs, repeat.fold, repeat.served, repeat.learned, strict=True
        ):
            texts = (source_key(pair.original), pair.original, pair.simplification)
            where = (number, repeat.seed, fold, pair.row, pair.key)
            writer.writerow((*where, *texts, pair.label, score, learned))
    return out.getvalue().encode()


def out_of_fold_scores(content: bytes) -> dict[str, float]:
    """By ``pair_key``, the first repeat's score in a file that ``out_of_fold_csv`` wrote."""
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return {
        f"{row['source']} {as_typed(row['simplification'])}": float(row["predicted"])
        for row in rows
        if row["repeat"] == "1"
    }


def pair_key(pair: LabelledPair) -> str:
    """By which a pair is found again in another training's file: its source text's words, and its
    simplification."""
    return f"{source_key(pair.original)} {pair.simplification}"


def _figures(
    data: TrainingSet, repeats: Sequence[OutOfFold], groups: IntArray, places: IntArray
) -> dict[str, Any]:
    labels = data.labels[places]
    scores = np.array([repeat.scores[places] for repeat in repeats])
    folds = np.array([repeat.folds[places] for repeat in repeats])
    intervals: dict[str, Interval] = {
        name: interval_of_repeats(
            name, scores, labels, groups[places], repeats[0].seed, folds=folds
        )
        for name in ("pearson", "rmse")
    }
    evaluated = [
        asdict(evaluate(each, labels, folds=own)) for each, own in zip(scores, folds, strict=True)
    ]
    return {
        "summary": summary(evaluated),
        "intervals": {name: asdict(interval) for name, interval in intervals.items()},
    }


def _baselines(
    data: TrainingSet, repeats: Sequence[OutOfFold], signals: Mapping[str, FloatArray]
) -> dict[str, dict[str, Any]]:
    """A line through each repeat's training labels, fold by fold, on the rows held out."""
    each: dict[str, list[dict[str, Any]]] = {}
    for repeat in repeats:
        folds = repeat.folds
        predicted: dict[str, FloatArray] = {}
        for fold in np.unique(folds):
            held = folds == fold
            lines = baseline_predictions(
                {name: values[~held] for name, values in signals.items()},
                data.labels[~held],
                {name: values[held] for name, values in signals.items()},
                lowest=data.lowest,
                highest=data.highest,
            )
            for name, values in lines.items():
                predicted.setdefault(name, np.zeros(len(folds)))[held] = values
        for name, values in predicted.items():
            metrics = evaluate(values, data.labels, folds=folds)
            each.setdefault(name, []).append(asdict(metrics))
    return {name: summary(metrics) for name, metrics in each.items()}
