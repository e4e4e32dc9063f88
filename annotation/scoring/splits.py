"""Splits by source text: 60-10-30 by seed, never one source on two sides (protocol 1.8)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.accents import composed
from annotation.scoring.errors import ScoringError

IntArray = npt.NDArray[np.int64]
TRAIN_SHARE, VALIDATION_SHARE = 0.6, 0.1
SEEDS = tuple(range(42, 52))
COMMON_SEED = 42
"""Draws the validation side that all seeds of a run share."""
_FEWEST_SOURCES = 5
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Split:
    """Positions of the items on each side, ascending; together they are every item once."""

    train: IntArray
    validation: IntArray
    test: IntArray
    seed: int


def source_key(original: str) -> str:
    """SHA-256 of the source's words in NFC, case folded: texts that differ in case, spacing or
    punctuation are one.

    CSMD holds the same sentence with other quotation marks in two campaigns; told apart, it would
    stand on two sides.
    """
    text = composed(original).casefold()
    return hashlib.sha256(" ".join(_WORDS.findall(text) or text.split()).encode()).hexdigest()


def source_groups(originals: Sequence[str]) -> IntArray:
    """(n,): the number of each item's source text, 0…k-1, in the order of their keys."""
    keys = [source_key(original) for original in originals]
    return np.unique(np.array(keys), return_inverse=True)[1].astype(np.int64).ravel()


def split_by_source(
    originals: Sequence[str],
    seed: int,
    *,
    train_share: float = TRAIN_SHARE,
    validation_share: float = VALIDATION_SHARE,
) -> Split:
    """Draw whole source texts in seeded order: training until 60 % of items, validation until 70 %,
    the rest test.

    Depends on the texts and the seed alone, not on the order of the items' sources in the file.
    Raises ``ScoringError`` ("too_few_sources") where a side would be empty.
    """
    groups = source_groups(originals)
    sizes = np.bincount(groups) if len(groups) else np.zeros(0, dtype=np.int64)
    if len(sizes) < _FEWEST_SOURCES:
        raise _too_few(len(sizes))
    side = _sides(
        sizes, seed, train_share * len(groups), (train_share + validation_share) * len(groups)
    )
    parts = [np.flatnonzero(side[groups] == place) for place in range(3)]
    if not all(len(part) for part in parts):
        raise _too_few(len(sizes))
    return Split(parts[0], parts[1], parts[2], seed)


def common_split(originals: Sequence[str], seed: int) -> Split:
    """As ``split_by_source``, with one validation side for every seed (that of ``COMMON_SEED``):
    seeds are compared on the same items, which none of them learns from or is tested on. What is
    left goes to training and test by the seed."""
    common = split_by_source(originals, COMMON_SEED)
    rest = np.sort(np.concatenate([common.train, common.test]))
    groups = source_groups([originals[place] for place in rest])
    side = _sides(np.bincount(groups), seed, TRAIN_SHARE * len(originals), len(originals))[groups]
    train, test = rest[side == 0], rest[side == 1]
    if not len(train) or not len(test):
        raise _too_few(len(set(map(source_key, originals))))
    return Split(train, common.validation, test, seed)


def _sides(sizes: IntArray, seed: int, train_until: float, validation_until: float) -> IntArray:
    order = np.random.default_rng(seed).permutation(len(sizes))
    before = np.concatenate([[0], np.cumsum(sizes[order])[:-1]])
    # A source goes where its middle falls, so that a source with many outputs does not push a side
    # past its share.
    middle = before + sizes[order] / 2
    side = np.empty(len(sizes), dtype=np.int64)
    side[order] = np.where(middle < train_until, 0, np.where(middle < validation_until, 1, 2))
    return side


def _too_few(sources: int) -> ScoringError:
    return ScoringError(
        "too_few_sources",
        f"{sources} textes sources : trop peu pour un partage entraînement, validation et test.",
        f"{sources} source texts: too few to split into training, validation and test.",
    )
