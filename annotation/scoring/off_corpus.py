"""A scorer off its corpus: one corpus (study, source document, campaign) left out after another,
beside chrF and ROUGE-L, which learn nothing, on the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.baselines import BASELINE_WORDING, baseline_predictions
from annotation.scoring.bootstrap import compare, interval
from annotation.scoring.cross_validation import OutOfFold
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.metrics import FloatArray, evaluate, pearson
from annotation.scoring.splits import IntArray, source_groups

FEWEST_ITEMS, MOST_CORPORA = 20, 20
BESIDE = ("chrf", "rouge_l")
ONE_CORPUS = Wording(
    "Les paires viennent d'un seul corpus, ou un seul en a "
    f"{FEWEST_ITEMS} et laisse autant de paires aux autres : rien ne peut être dit hors de lui.",
    f"The pairs are of one corpus, or only one has {FEWEST_ITEMS} of them and leaves as many to "
    "the others: nothing can be said off it.",
)


@dataclass(frozen=True)
class LeftOut:
    """Positions of a corpus's pairs, and of those of the others whose source text is not in it
    too."""

    name: str
    train: IntArray
    held: IntArray


def left_out(data: TrainingSet) -> list[LeftOut]:
    """The corpora that can be left out, the largest first: with ``FEWEST_ITEMS`` pairs or more and
    as many left to learn from. [] where there are not two of them."""
    names = np.array([pair.corpus for pair in data.pairs])
    groups = source_groups(data.originals)
    counts = Counter(name for name in names.tolist() if name)
    parts = []
    for name, count in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])):
        held = names == name
        # A source text that both corpora hold would be learned from.
        train = ~np.isin(groups, groups[held])
        if count >= FEWEST_ITEMS and train.sum() >= FEWEST_ITEMS:
            parts.append(LeftOut(name, np.flatnonzero(train), np.flatnonzero(held)))
    return parts[:MOST_CORPORA] if len(parts) > 1 else []


def off_corpus(
    data: TrainingSet,
    parts: Sequence[LeftOut],
    scores: Sequence[FloatArray],
    signals: Mapping[str, FloatArray],
    repeat: OutOfFold,
) -> dict[str, Any]:
    """For each corpus that was left out: the scorer made of the others, chrF and ROUGE-L (as they
    are for correlations, a line through the other corpora's labels for errors), the paired
    difference, and what cross-validation with the corpus in training says of the same rows.

    ``scores``: one (held,) array a part; ``repeat``: of the cross-validation. Plain JSON.
    """
    if not parts:
        return {"corpora": [], "undefined": asdict(ONE_CORPUS)}
    return {
        "undefined": None,
        "seed": repeat.seed,
        "corpora": [
            _of_corpus(data, part, np.asarray(predicted), signals, repeat)
            for part, predicted in zip(parts, scores, strict=True)
        ],
    }


def _of_corpus(
    data: TrainingSet,
    part: LeftOut,
    scores: FloatArray,
    signals: Mapping[str, FloatArray],
    repeat: OutOfFold,
) -> dict[str, Any]:
    labels = data.labels[part.held]
    groups = source_groups([data.originals[place] for place in part.held])
    lines = baseline_predictions(
        {name: signals[name][part.train] for name in BESIDE},
        data.labels[part.train],
        {name: signals[name][part.held] for name in BESIDE},
        lowest=data.lowest,
        highest=data.highest,
    )
    return {
        "name": part.name,
        "items": len(part.held),
        "sources": int(groups.max()) + 1,
        "learned_from": len(part.train),
        "metrics": asdict(evaluate(scores, labels)),
        "interval": asdict(interval(scores, labels, pearson, groups=groups, seed=repeat.seed)),
        "within": asdict(evaluate(repeat.scores[part.held], labels, folds=repeat.folds[part.held])),
        "beside": [
            {
                "name": name,
                "label": asdict(BASELINE_WORDING[name]),
                "pearson": asdict(pearson(signals[name][part.held], labels)),
                "rmse": evaluate(lines[name], labels).rmse.value,
                "difference": asdict(
                    compare(
                        scores, signals[name][part.held], labels, groups=groups, seed=repeat.seed
                    ).pearson
                ),
            }
            for name in BESIDE
        ],
    }
