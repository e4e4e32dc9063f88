"""Published recipes to the letter, so that a figure can be held against the paper's: how pairs are
split, what is added, how it is trained, on which hold-out the sanity checks run.

They are for comparison alone: splits at random put one source on two sides, and added pairs in
validation and test flatter a figure (protocol 1.8). A scorer's own figure is cross-validated beside
it as any other's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotation.protocols.base import Wording
from annotation.scoring.augmentation import AugmentedPair, Synthetic, are_unrelated
from annotation.scoring.errors import ScoringError
from annotation.scoring.metrics import FloatArray
from annotation.scoring.splits import TRAIN_SHARE, VALIDATION_SHARE, Split

HOLD_OUT_SEED = 42
_TRIES = 200


@dataclass(frozen=True)
class Preset:
    """``parameters``: of the transformer's recipe. ``hold_out``: how many identical and how many
    unrelated pairs of unseen sentences. ``rounded``: whether shares of the scale are rounded to
    whole per cent before they are held against the bounds. ``open``: what the paper does not state,
    and what is taken here."""

    name: str
    source: str
    augment: bool
    hold_out: int
    rounded: bool
    open: Wording
    parameters: Mapping[str, Any] = field(default_factory=dict)


_JUDGEBERT: dict[str, Any] = {
    "encoder": "almanach/camembertv2-base",
    "epochs": 100,
    "patience": 5,
    "batch": 16,
    "learning_rate": 5e-5,
    "labels": "raw",
    "precision": "float32",
}
_MEANINGBERT: dict[str, Any] = {
    "encoder": "google-bert/bert-base-uncased",
    "epochs": 250,
    "patience": 250,
    "batch": 16,
    "learning_rate": 5e-5,
    "labels": "raw",
    "precision": "float32",
    "keep": "last",
}
_OPEN = Wording(
    "L'article cite Mosbach et coll. (2021) pour la décroissance linéaire sans dire s'il y a une "
    "montée : aucune ici (la leur prend un dixième des pas : warmup=0.1). Il ne dit ni l'échelle "
    "des étiquettes ni la précision : étiquettes telles quelles, float32.",
    "The paper cites Mosbach et al. (2021) for linear decay without saying whether it warms up: it "
    "does not here (theirs takes a tenth of the steps: warmup=0.1). It states neither the labels' "
    "scale nor the precision: labels as they are, float32.",
)
PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("judgebert", "JUDGEBERT §5.1, §5.3", False, 297, False, _OPEN, _JUDGEBERT),
        Preset("judgebert-da", "JUDGEBERT §5.1, §5.3", True, 297, False, _OPEN, _JUDGEBERT),
        Preset("meaningbert", "MeaningBERT §3.3, §4", False, 359, True, _OPEN, _MEANINGBERT),
        Preset("meaningbert-da", "MeaningBERT §3.3, §4", True, 359, True, _OPEN, _MEANINGBERT),
    )
}


def random_split(rows: int, seed: int) -> Split:
    """60-10-30 % of the rows by simple random sampling, whatever their source texts."""
    order = np.random.default_rng(seed).permutation(rows)
    first, second = round(TRAIN_SHARE * rows), round((TRAIN_SHARE + VALIDATION_SHARE) * rows)
    sides = (order[:first], order[first:second], order[second:])
    train, validation, test = (np.sort(side).astype(np.int64) for side in sides)
    return Split(train, validation, test, seed)


def hold_out(
    corpora: Sequence[Sequence[str]], count: int, lowest: float, highest: float
) -> tuple[list[AugmentedPair], list[str]]:
    """``count`` sentences of the first corpus, each with itself and with a sentence of the last one
    that is unrelated to it; and the sentences that are left for augmentation. One corpus is read in
    two halves.

    Raises ``ScoringError`` ("corpus_too_small").
    """
    sentences = [list(dict.fromkeys(corpus)) for corpus in corpora]
    if len(sentences) == 1:
        middle = len(sentences[0]) // 2
        sentences = [sentences[0][:middle], sentences[0][middle:]]
    rng = np.random.default_rng(HOLD_OUT_SEED)
    first, last = sentences[0], sentences[-1]
    used: set[str] = set()
    pairs: list[tuple[str, str]] = []
    for place in rng.permutation(len(first)).tolist():
        if len(pairs) == count:
            break
        tried = rng.permutation(len(last))[:_TRIES].tolist()
        free = (last[other] for other in tried if last[other] not in used)
        other = next((sentence for sentence in free if are_unrelated(first[place], sentence)), None)
        if other is not None:
            pairs.append((first[place], other))
            used |= {first[place], other}
    if len(pairs) < count:
        raise ScoringError(
            "corpus_too_small",
            f"Le corpus donne {len(pairs)} paires sans rapport : il en faut {count} pour "
            "l'ensemble réservé.",
            f"The corpus yields {len(pairs)} unrelated pairs: the hold-out takes {count}.",
        )
    made = [
        *(AugmentedPair(sentence, sentence, highest, Synthetic.IDENTICAL) for sentence, _ in pairs),
        *(AugmentedPair(sentence, other, lowest, Synthetic.UNRELATED) for sentence, other in pairs),
    ]
    return made, [sentence for corpus in sentences for sentence in corpus if sentence not in used]


def hold_out_shares(
    scores: FloatArray, count: int, lowest: float, highest: float, *, rounded: bool
) -> dict[str, float]:
    """Of (2 · count,) scores of ``hold_out``'s pairs: the share of identical ones at ≥ 99 % of the
    scale, and of unrelated ones at ≤ 1 %."""
    shares = (np.asarray(scores) - lowest) / (highest - lowest)
    shares = np.round(shares, 2) if rounded else shares
    return {
        "identical": float(np.mean(shares[:count] >= 0.99)),
        "unrelated": float(np.mean(shares[count:] <= 0.01)),
    }
