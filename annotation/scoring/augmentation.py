"""Data augmentation (protocol 1.8): each source with itself, and with an unrelated sentence.
Training data only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.scoring.errors import ScoringError
from annotation.scoring.similarity import bleu, rouge_l, rouge_n

MOST_ROUGE, MOST_BLEU = 25.0, 25.0
_TRIES = 50


class Synthetic(StrEnum):
    """Why a pair was made."""

    IDENTICAL = "identical"
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class AugmentedPair:
    """A pair that nobody judged, with the label that it must have."""

    original: str
    simplification: str
    label: float
    kind: Synthetic


@dataclass(frozen=True)
class Augmentation:
    """The pairs, and the sources for which no unrelated sentence was found (positions in
    ``sources``)."""

    pairs: tuple[AugmentedPair, ...]
    without_unrelated: tuple[int, ...]
    seed: int

    def of_kind(self, kind: Synthetic) -> list[AugmentedPair]:
        """The pairs of one kind, in the order of their sources."""
        return [pair for pair in self.pairs if pair.kind is kind]


def augment(
    sources: Sequence[str],
    seed: int,
    *,
    lowest: float,
    highest: float,
    corpus: Sequence[str] = (),
    repeat: bool = False,
) -> Augmentation:
    """Identical (label ``highest``) and unrelated (``lowest``) pairs of the ``sources``, in their
    order.

    A source given several times counts once, which is enough to train on; with ``repeat`` every
    occurrence makes its pairs, as published (as many of each kind as judged pairs, protocol 1.8:
    297 → 891), for the paper's mixed figure.

    Unrelated sentences come from ``corpus``, or from the other sources where it is empty. Pass the
    sources of the training side only. Raises ``ScoringError`` ("no_sources") without any.
    """
    sources = list(sources) if repeat else list(dict.fromkeys(sources))
    if not sources:
        raise ScoringError(
            "no_sources",
            "Il n'y a aucun texte source à augmenter.",
            "There is no source text to augment.",
        )
    rng = np.random.default_rng(seed)
    pool = list(dict.fromkeys(corpus)) or list(dict.fromkeys(sources))
    pairs = [AugmentedPair(source, source, highest, Synthetic.IDENTICAL) for source in sources]
    missing = []
    for place, source in enumerate(sources):
        other = _unrelated(source, pool, rng)
        if other is None:
            missing.append(place)
        else:
            pairs.append(AugmentedPair(source, other, lowest, Synthetic.UNRELATED))
    return Augmentation(tuple(pairs), tuple(missing), seed)


def _unrelated(source: str, pool: Sequence[str], rng: np.random.Generator) -> str | None:
    for place in rng.permutation(len(pool))[:_TRIES]:
        if are_unrelated(source, pool[place]):
            return str(pool[place])
    return None


def are_unrelated(first: str, second: str) -> bool:
    """The rule of the paper: ROUGE-1, ROUGE-2 and ROUGE-L at most 0.25 and BLEU at most 25 between
    the two."""
    if not second.strip() or first == second:
        return False
    if rouge_n(first, second, 1) > MOST_ROUGE or rouge_n(first, second, 2) > MOST_ROUGE:
        return False
    return rouge_l(first, second) <= MOST_ROUGE and bleu(first, second) <= MOST_BLEU
