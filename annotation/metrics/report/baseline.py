"""The original alone: how far scores follow from which clause was simplified, whatever became of
it. A metric that does no better reads nothing in the simplification that people read there."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from annotation.metrics.metric import UNSEGMENTED
from annotation.metrics.report.people import Candidate, FloatArray, People
from annotation.metrics.tokens import plain_words
from annotation.protocols.base import Wording
from annotation.uncut import is_uncut

FOLDS, COLUMNS, RIDGE, DIGITS = 10, 512, 1.0, 9
_FEWEST_SOURCES = 5
LABEL = Wording("L'original seul", "The original alone")


def original_alone(people: People, seed: int) -> Candidate:
    """Scores predicted from the words of each original by ridge regression (tf-idf, hashed), each
    source in a fold that was not learned from: the mean of all scores, and by how much its words
    lift it off the mean of those learned from. Each fold's own mean would be the lower, the higher
    its scores are (what is left out of it is), and their correlation over all folds below zero
    where words tell nothing (Parker, Günter and Bedo 2007, of stratification bias). Undefined with
    fewer than five sources, and where an original is not cut into words by spaces."""
    uncut = sum(is_uncut(output.original) for output in people.outputs)
    folds = min(FOLDS, int(people.groups.max()) + 1)
    values = np.full(len(people.means), np.nan)
    if folds >= _FEWEST_SOURCES and not uncut:
        table = _hashed([output.original for output in people.outputs])
        rng = np.random.default_rng(seed)
        fold = rng.permutation(int(people.groups.max()) + 1)[people.groups] % folds
        for number in range(folds):
            away = fold != number
            lifted = _ridge(table[away], people.means[away], table[~away])
            # Ranks are no matter of what a processor rounds in the sixteenth digit.
            values[~away] = np.round(people.means.mean() + lifted, DIGITS)
    settings = f"tok:words|weights:tfidf|columns:{COLUMNS}|model:ridge|lambda:{RIDGE:g}"
    return Candidate(
        name="original_alone",
        label=LABEL,
        direction=people.direction,
        bounds=(people.lowest, people.highest),
        signature=f"original_alone|{settings}|folds:{folds}|seed:{seed}|definition:3",
        values=values,
        missing={UNSEGMENTED: uncut} if uncut else {},
        is_baseline=True,
    )


def _hashed(texts: Sequence[str]) -> FloatArray:
    """(n, COLUMNS): tf-idf of words, rows of length one; a word's column is its CRC-32."""
    table = np.zeros((len(texts), COLUMNS))
    for row, text in enumerate(texts):
        for word, number in Counter(plain_words(text)).items():
            table[row, zlib.crc32(word.encode()) % COLUMNS] += 1 + np.log(number)
    rarity = np.log((1 + len(texts)) / (1 + (table > 0).sum(axis=0)))
    table *= rarity
    length = np.linalg.norm(table, axis=1, keepdims=True)
    unit: FloatArray = table / np.where(length > 0, length, 1)
    return unit


def _ridge(known: FloatArray, labels: FloatArray, unknown: FloatArray) -> FloatArray:
    """How far above the mean of ``labels`` each of ``unknown`` (m, columns) is predicted: (m,).
    In its dual form, which solves for as many unknowns as there are texts, where these are fewer
    than columns (Saunders et al. 1998)."""
    centre = known.mean(axis=0)
    apart, above = known - centre, labels - labels.mean()
    rows, columns = apart.shape
    if rows < columns:
        weights = apart.T @ np.linalg.solve(apart @ apart.T + RIDGE * np.eye(rows), above)
    else:
        weights = np.linalg.solve(apart.T @ apart + RIDGE * np.eye(columns), apart.T @ above)
    lifted: FloatArray = (unknown - centre) @ weights
    return lifted
