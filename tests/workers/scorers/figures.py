"""The lexical scorer's figures on the shared data; ``python -m bench.scorer`` prints them.

Ten seeds, 60-10-30 by source text, correlation and error on human test items only. The scorer has
no early stopping, so it is fitted on training and validation; its own choices are made by
cross-validation inside them.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from annotation.scoring.augmentation import Synthetic, augment
from annotation.scoring.baselines import signals
from annotation.scoring.conformal import conformal
from annotation.scoring.cross_validation import OutOfFold, cross_validation
from annotation.scoring.dataset import LabelledPair, TrainingSet
from annotation.scoring.folds import REPEATS, grouped_folds
from annotation.scoring.metrics import FloatArray, pearson, rmse
from annotation.scoring.off_corpus import left_out, off_corpus
from annotation.scoring.sanity import sanity
from annotation.scoring.splits import SEEDS, IntArray, source_groups, split_by_source
from annotation.scoring.strata import looks_truncated
from workers.scorers.base import Pair, Scale
from workers.scorers.features import PairReader
from workers.scorers.lexical import LexicalScorer

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
SYNTHETIC_WEIGHT = 1.0


@dataclass(frozen=True)
class Judged:
    """Pairs with their human label."""

    pairs: list[Pair]
    labels: FloatArray
    scale: Scale


def frjudge() -> Judged:
    """297 pairs; the label is the mean of the five scores."""
    scores = defaultdict(list)
    with (DATA / "frjudge" / "ratings.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            scores[row["pair"]].append(float(row["legal_meaning"]))
    lines = (DATA / "frjudge" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    pairs = [Pair(row["original"], row["simplification"]) for row in rows]
    return Judged(pairs, np.array([fmean(scores[str(row["pair"])]) for row in rows]), Scale(1, 10))


def csmd(files: Sequence[str], column: str) -> Judged:
    """English pairs of a tab-separated file, label 0–100."""
    rows = []
    for name in files:
        with (DATA / "csmd" / name).open(encoding="utf-8", newline="") as stream:
            rows += list(csv.DictReader(stream, delimiter="\t"))
    pairs = [Pair(row["original"], row["simplification"], "en") for row in rows]
    return Judged(pairs, np.array([float(row[column]) for row in rows]), Scale(0, 100))


def repaired() -> Judged:
    """CSMD with the labels that its own raw ratings give."""
    return csmd(["repaired.tsv"], "label_own_mean")


def published() -> Judged:
    """CSMD as published, 655 labels misaligned."""
    return csmd([f"meaning/{side}.tsv" for side in ("train", "dev", "test")], "label")


def seed_figures(
    judged: Judged, seed: int, reader: PairReader, *, with_augmentation: bool = False
) -> dict[str, float]:
    """Figures of one seed; with augmentation also the mixed figure and the sanity checks."""
    split = split_by_source([pair.original for pair in judged.pairs], seed)
    fitted = np.concatenate([split.train, split.validation])
    train, labels = [judged.pairs[place] for place in fitted], judged.labels[fitted]
    test, truth = [judged.pairs[place] for place in split.test], judged.labels[split.test]
    weights = np.ones(len(train))
    language, scale = train[0].language, judged.scale
    if with_augmentation:
        made = augment(
            [pair.original for pair in train], seed, lowest=scale.lowest, highest=scale.highest
        ).pairs
        train = train + [Pair(pair.original, pair.simplification, language) for pair in made]
        labels = np.concatenate([labels, [pair.label for pair in made]])
        weights = np.concatenate([weights, np.full(len(made), SYNTHETIC_WEIGHT)])
    scorer = LexicalScorer(scale, reader=reader).fit(train, labels, seed=seed, weights=weights)
    scores, learned = scorer.predict(test), _learned(scorer, test)
    whole = np.array([not looks_truncated(pair.simplification) for pair in test])
    by_name = {
        "r": pearson(scores, truth).value or 0.0,
        "r_learned": pearson(learned, truth).value or 0.0,
        "rmse": rmse(scores, truth),
        "r_whole": pearson(scores[whole], truth[whole]).value or 0.0,
        "share_above": float(np.mean(scores > truth)),
    }
    if with_augmentation:
        by_name |= _mixed(scorer, test, scores, truth, seed)
    return by_name


def _learned(scorer: LexicalScorer, pairs: list[Pair]) -> FloatArray:
    """Scores by what was learned alone, no rule applied."""
    return scorer.learned_of(scorer.readings(pairs))


def _mixed(
    scorer: LexicalScorer, test: list[Pair], scores: FloatArray, truth: FloatArray, seed: int
) -> dict[str, float]:
    scale, language = scorer.scale, test[0].language
    made = augment(
        [pair.original for pair in test],
        seed,
        lowest=scale.lowest,
        highest=scale.highest,
        repeat=True,
    )
    extra = [Pair(pair.original, pair.simplification, language) for pair in made.pairs]
    values, learned = scorer.predict(extra), _learned(scorer, extra)
    targets = np.array([pair.label for pair in made.pairs])
    by_name = {
        "r_mixed": pearson(np.concatenate([scores, values]), np.concatenate([truth, targets])).value
        or 0.0,
        "r_mixed_learned": pearson(
            np.concatenate([_learned(scorer, test), learned]), np.concatenate([truth, targets])
        ).value
        or 0.0,
    }
    for kind in Synthetic:
        place = np.array([pair.kind is kind for pair in made.pairs])
        for source, by in (("ruled", values), ("learned", learned)):
            check = sanity(kind.value, source, by[place], scale.lowest, scale.highest)
            by_name[f"{kind.value}_{source}_strict"] = check.strict.value or 0.0
            by_name[f"{kind.value}_{source}_lenient"] = check.lenient.value or 0.0
    return by_name


def training_set(judged: Judged, corpora: Sequence[str] = ()) -> TrainingSet:
    """The same pairs as a training takes them."""
    named = corpora or [""] * len(judged.pairs)
    pairs = tuple(
        LabelledPair(
            row=number,
            key=str(number),
            original=pair.original,
            simplification=pair.simplification,
            label=float(label),
            corpus=corpus,
        )
        for number, (pair, label, corpus) in enumerate(
            zip(judged.pairs, judged.labels, named, strict=True), 1
        )
    )
    scale, language = judged.scale, judged.pairs[0].language
    return TrainingSet("bench", "bench", language, scale.lowest, scale.highest, pairs)


def campaigns() -> list[str]:
    """Of ``repaired()``, in its order."""
    with (DATA / "csmd" / "repaired.tsv").open(encoding="utf-8", newline="") as stream:
        return [row["campaign"] for row in csv.DictReader(stream, delimiter="\t")]


def reported(data: TrainingSet, seeds: Sequence[int] = SEEDS[:REPEATS]) -> dict[str, Any]:
    """What a training's report says of its way: repeated grouped cross-validation, the interval of
    a score, each corpus left out."""
    pairs = [Pair(pair.original, pair.simplification, data.language) for pair in data.pairs]
    reader, scale = PairReader(), Scale(data.lowest, data.highest)
    groups, count = source_groups(data.originals), len(pairs)

    def scores(train: IntArray, held: IntArray, seed: int) -> list[float]:
        learned = [pairs[place] for place in train]
        scorer = LexicalScorer(scale, reader=reader).fit(learned, data.labels[train], seed=seed)
        return scorer.predict([pairs[place] for place in held]).tolist()

    repeats = []
    for seed in seeds:
        folds, served = np.zeros(count, dtype=int), np.zeros(count)
        for number, fold in enumerate(grouped_folds(data.labels, groups, seed)):
            folds[fold.held], served[fold.held] = number, scores(fold.train, fold.held, seed)
        repeats.append(OutOfFold(seed, folds.tolist(), served.tolist(), served.tolist()))
    read = signals([(pair.original, pair.simplification) for pair in pairs])
    parts = left_out(data)
    elsewhere = [np.array(scores(part.train, part.held, seeds[0])) for part in parts]
    return {
        "cross_validation": cross_validation(data, repeats, read),
        "interval": conformal(data, repeats),
        "off_corpus": off_corpus(data, parts, elsewhere, read, repeats[0]),
    }


def figures(
    judged: Judged, seeds: Sequence[int] = SEEDS, *, with_augmentation: bool = False
) -> dict[str, float]:
    """Means over the seeds, and their standard deviation for the correlations."""
    reader = PairReader()
    each = [
        seed_figures(judged, seed, reader, with_augmentation=with_augmentation) for seed in seeds
    ]
    by_name = {name: float(np.mean([of_seed[name] for of_seed in each])) for name in each[0]}
    by_name |= {
        f"{name}_sd": float(np.std([of_seed[name] for of_seed in each], ddof=0))
        for name in ("r", "rmse", "r_whole")
    }
    return by_name
