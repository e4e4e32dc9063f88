"""The learned part of the lexical scorer: kernel ridge regression on features and terms, averaged
with a forest.

Both see the same features; the kernel adds which terms were lost, are new, and what the clause is
about. How much the terms weigh, the ridge and the share of the forest are chosen by
cross-validation inside the training pairs, with all pairs of one source text in one fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from workers.scorers.base import FloatArray
from workers.scorers.features import PairReading
from workers.scorers.terms import TermWeights, columns
from workers.scorers.trees import Forest

_KEPT_WITHIN = 4.0
_FOLDS = 3
_MOST_FOR_CHOICE = 600


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose. ``gamma`` is divided by the number of features."""

    term_weight: float = 1.0
    ridge: float = 1.0
    forest_share: float = 0.3
    gamma: float = 0.5


TERM_WEIGHTS = (0.1, 0.5, 2.0)
RIDGES = (0.5, 2.0)
FOREST_SHARES = (0.3, 0.5)
TREES, TREES_FOR_CHOICE = 150, 40


@dataclass(frozen=True)
class Inputs:
    """What the model sees of pairs: ``rows`` (n, features) standardised, ``terms`` one tf-idf
    matrix per bag."""

    rows: FloatArray
    terms: tuple[Any, ...]

    def at(self, index: npt.NDArray[np.int64]) -> Inputs:
        """The pairs at these positions."""
        return Inputs(self.rows[index], tuple(matrix[index] for matrix in self.terms))


@dataclass(frozen=True)
class Encoder:
    """Readings to ``Inputs``: centre and spread of each feature, and the term weights, all from
    training pairs."""

    centre: FloatArray
    spread: FloatArray
    idf: TermWeights
    bags: tuple[TermWeights, ...]

    @classmethod
    def learned(cls, readings: Sequence[PairReading]) -> Self:
        """From the training pairs only."""
        bags = tuple(
            TermWeights.learned(bag)
            for bag in zip(*(reading.bags for reading in readings), strict=True)
        )
        idf = TermWeights.learned([reading.bags[0] for reading in readings], fewest=1)
        values = _values(readings, idf)
        spread = values.std(axis=0)
        centre = np.asarray(np.round(values.mean(axis=0), 6), dtype=np.float64)
        scale = np.asarray(np.round(np.where(spread > 1e-9, spread, 1.0), 6), dtype=np.float64)
        return cls(centre, scale, idf, bags)

    def inputs(self, readings: Sequence[PairReading]) -> Inputs:
        """(n, features) within ±4 standard deviations, and a matrix per bag."""
        rows = (_values(readings, self.idf) - self.centre) / self.spread
        terms = tuple(
            weights.vectors([reading.bags[place] for reading in readings])
            for place, weights in enumerate(self.bags)
        )
        rounded = np.round(np.clip(rows, -_KEPT_WITHIN, _KEPT_WITHIN), 5)
        return Inputs(np.asarray(rounded, dtype=np.float64), terms)

    def to_json(self) -> dict[str, Any]:
        """Plain lists, for the artefact."""
        return {
            "centre": self.centre.tolist(),
            "spread": self.spread.tolist(),
            "idf": self.idf.to_json(),
            "bags": [bag.to_json() for bag in self.bags],
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """The inverse of ``to_json``."""
        return cls(
            np.array(stored["centre"]),
            np.array(stored["spread"]),
            TermWeights.from_json(stored["idf"]),
            tuple(TermWeights.from_json(bag) for bag in stored["bags"]),
        )


def _values(readings: Sequence[PairReading], idf: TermWeights) -> FloatArray:
    weighted = [
        idf.overlap(reading.bags[0], reading.bags[1], reading.bags[2]) for reading in readings
    ]
    return np.column_stack([np.array([reading.values for reading in readings]), np.array(weighted)])


@dataclass(frozen=True)
class KernelRidge:
    """f(x) = Σ αᵢ exp(-γ‖x - xᵢ‖²) + Σ_bags w·t(x): kernel ridge with a Gaussian and linear term
    kernels."""

    support: FloatArray
    dual: FloatArray
    term_weights: tuple[FloatArray, ...]
    gamma: float

    @classmethod
    def fitted(
        cls, inputs: Inputs, targets: FloatArray, weights: FloatArray, choice: Choice
    ) -> Self:
        """A pair of weight w has its ridge divided by w."""
        gamma = choice.gamma / inputs.rows.shape[1]
        kernel = gaussian(inputs.rows, inputs.rows, gamma) + choice.term_weight * term_kernel(
            inputs
        )
        dual: FloatArray = np.asarray(
            np.linalg.solve(kernel + np.diag(choice.ridge / weights), targets), dtype=np.float64
        )
        share = choice.term_weight / len(inputs.terms)
        return cls(
            inputs.rows,
            dual,
            tuple(share * columns(matrix.T, dual) for matrix in inputs.terms),
            gamma,
        )

    def predict(self, inputs: Inputs) -> FloatArray:
        """(n,) in standard deviations of the training labels."""
        return self.of_rows(inputs.rows) + sum(self.of_terms(inputs))

    def of_rows(self, rows: FloatArray) -> FloatArray:
        """The part that comes from the features."""
        return gaussian(rows, self.support, self.gamma) @ self.dual

    def of_terms(self, inputs: Inputs) -> list[FloatArray]:
        """The part that comes from each bag of terms, exactly additive."""
        return [
            columns(matrix, weights)
            for matrix, weights in zip(inputs.terms, self.term_weights, strict=True)
        ]


def gaussian(first: FloatArray, second: FloatArray, gamma: float) -> FloatArray:
    """(n, m): exp(-γ‖x - y‖²)."""
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2 * first @ second.T
    return np.asarray(np.exp(-gamma * np.maximum(squares, 0.0)))


def term_kernel(inputs: Inputs, others: Inputs | None = None) -> FloatArray:
    """(n, m): mean over the bags of the cosine between tf-idf vectors."""
    second = inputs if others is None else others
    parts = [(a @ b.T).toarray() for a, b in zip(inputs.terms, second.terms, strict=True)]
    return np.asarray(np.mean(parts, axis=0))


def choose(
    inputs: Inputs,
    targets: FloatArray,
    weights: FloatArray,
    groups: npt.NDArray[np.int64],
    seed: int,
) -> Choice:
    """The choice with the smallest weighted squared error over folds that keep each group
    together."""
    rng = np.random.default_rng(seed)
    fold_of_group = rng.permutation(groups.max() + 1) % _FOLDS
    kept = np.sort(rng.permutation(len(targets))[:_MOST_FOR_CHOICE])
    inputs, targets, weights, folds = (
        inputs.at(kept),
        targets[kept],
        weights[kept],
        fold_of_group[groups[kept]],
    )
    kernels = (
        gaussian(inputs.rows, inputs.rows, Choice().gamma / inputs.rows.shape[1]),
        term_kernel(inputs),
    )
    guesses = {
        (weight, ridge): np.zeros(len(targets)) for weight in TERM_WEIGHTS for ridge in RIDGES
    }
    forest = np.zeros(len(targets))
    for fold in range(_FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(test) or not len(train):
            continue
        grown = Forest.grown(
            inputs.rows[train], targets[train], weights[train], trees=TREES_FOR_CHOICE, seed=seed
        )
        forest[test] = grown.predict(inputs.rows[test])
        for (weight, ridge), guess in guesses.items():
            kernel = kernels[0] + weight * kernels[1]
            dual = np.linalg.solve(
                kernel[np.ix_(train, train)] + np.diag(ridge / weights[train]), targets[train]
            )
            guess[test] = kernel[np.ix_(test, train)] @ dual
    return _best(guesses, forest, targets, weights)


def _best(
    guesses: dict[tuple[float, float], FloatArray],
    forest: FloatArray,
    targets: FloatArray,
    weights: FloatArray,
) -> Choice:
    scored = []
    for (weight, ridge), guess in guesses.items():
        for share in FOREST_SHARES:
            error = float(
                np.average((share * forest + (1 - share) * guess - targets) ** 2, weights=weights)
            )
            scored.append((error, weight, ridge, share))
    _, weight, ridge, share = min(scored)
    return Choice(term_weight=weight, ridge=ridge, forest_share=share)
