"""Agreement on the tokens of a side: chance-corrected, with intervals over pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.agreement.formulas import (
    Formula,
    agreement_formula,
    alpha_formula,
    distance_alpha_formula,
    ratio,
)
from annotation.agreement.kappa import Comparisons, comparisons
from annotation.agreement.kappa_intervals import unit_features
from annotation.agreement.marks.distance import masi_distances
from annotation.agreement.marks.figure import (
    ALL_ALIKE,
    NO_COMMON_UNIT,
    Basis,
    Draws,
    Figure,
    figure,
)
from annotation.agreement.marks.grouping import Grouping
from annotation.agreement.marks.layers import Layers, SideTable, side_table
from annotation.agreement.marks.unitizing import (
    Units,
    coding_features,
    marks_of,
    unitizing_alpha,
    unitizing_features,
    units_of,
)
from annotation.agreement.patterns import Patterns, unit_patterns
from annotation.agreement.table import FloatArray, Ratings
from annotation.protocols.base import Level

TOKENS = "tokens"


@dataclass(frozen=True)
class OperationAgreement:
    """On one operation: how many tokens bear it for somebody, and the ``coefficients`` by name of
    who marked it where."""

    tokens: int
    coefficients: Mapping[str, Figure]


@dataclass(frozen=True)
class CoupleAgreement:
    """Cohen's kappa of two annotators."""

    first: Hashable
    second: Hashable
    kappa: Figure


@dataclass(frozen=True)
class SideAgreement:
    """On one side: over label sets (``coefficients`` by name, and each ``couple``), and on each of
    the ``operations``."""

    coefficients: Mapping[str, Figure]
    couples: tuple[CoupleAgreement, ...]
    operations: Mapping[str, OperationAgreement]


def side_agreement(
    layers: Layers,
    side: str,
    grouping: Grouping,
    draws: Draws,
    options: tuple[tuple[str, str], ...],
) -> SideAgreement:
    """Of label sets: a set is one class, and so is none. ``options`` are parts of a signature."""
    table = side_table(layers, side, grouping)
    whole = _Tokens(table, table.ratings, draws, (*options, ("of", "label sets")))
    marks = marks_of(layers, side, grouping)
    units = units_of(marks)
    operations = {}
    for kind, ratings in table.operations.items():
        one = _Tokens(table, ratings, draws, (*options, ("of", kind.replace("|", "/"))))
        operations[kind] = OperationAgreement(
            int(np.count_nonzero(np.bincount(ratings.unit_index, weights=ratings.values))),
            dict(one.coefficients()) | {"alpha_unitizing": one.unitizing(units_of(marks, kind))},
        )
    return SideAgreement(
        dict(whole.coefficients())
        | {
            "alpha_masi": whole.masi(),
            "alpha_unitizing": whole.unitizing(units),
            "alpha_coding": whole.coding(units),
        },
        tuple(whole.couples()),
        operations,
    )


class _Tokens:
    """One table of ratings of tokens, resampled by their pairs."""

    def __init__(
        self,
        table: SideTable,
        ratings: Ratings,
        draws: Draws,
        options: tuple[tuple[str, str], ...],
    ) -> None:
        self._table, self._ratings, self._draws = table, ratings, draws
        self._patterns: Patterns = unit_patterns(ratings)
        self._found: Comparisons = comparisons(ratings)
        by_pair = replace(self._found, unit=table.pair_of[self._found.unit])
        self._kappa_features = unit_features(by_pair, table.n_pairs)
        self._basis = Basis(
            table.n_pairs,
            ratings.n_active,
            ratings.n_rated,
            ratings.n_ratings,
            TOKENS,
            options,
        )

    def coefficients(self) -> Iterator[tuple[str, Figure]]:
        """By name; "cohen" is the mean over annotators two by two, weighted by common tokens."""
        yield "agreement", self._of_formula("agreement", agreement_formula(self._patterns))
        found, features = self._found, self._kappa_features
        yield "cohen", self._figure("cohen", features, lambda sums: _weighted_mean(found, sums))
        yield (
            "davies_fleiss",
            self._figure("davies_fleiss", features, lambda sums: davies_fleiss(found, sums)),
        )
        yield "alpha", self._of_formula("alpha", alpha_formula(self._patterns, Level.NOMINAL))

    def masi(self) -> Figure:
        """Alpha with MASI's distance between label sets."""
        # Values are places in the table's classes; the patterns know those that occur.
        distances = masi_distances(self._table.classes)
        return self._of_formula("alpha_masi", distance_alpha_formula(self._patterns, distances))

    def unitizing(self, units: Units) -> Figure:
        """Krippendorff's alpha of where units are and of what."""
        return self._figure("alpha_unitizing", unitizing_features(units), unitizing_alpha)

    def coding(self, units: Units) -> Figure:
        """Krippendorff's alpha of what units are, where two annotators have one."""
        features = coding_features(units)
        value, drawn = self._values(features, unitizing_alpha)
        reason = ALL_ALIKE if features[:, 2:].any() else NO_COMMON_UNIT
        return figure("alpha_coding", value, drawn, self._basis, self._draws.drawn, reason)

    def couples(self) -> Iterator[CoupleAgreement]:
        """Cohen's kappa of every two annotators who have a pair in common."""
        found, features = self._found, self._kappa_features
        values = found.kappas(found.sums)[0]
        drawn = self._draws.values(features, found.kappas)
        sizes = np.bincount(found.pair, minlength=found.n_pairs)
        for place, (one, other) in enumerate(found.raters.tolist()):
            pairs = len(np.unique(self._table.pair_of[found.unit[found.pair == place]]))
            tokens = int(sizes[place])
            basis = replace(
                self._basis, pairs=pairs, annotators=2, units=tokens, ratings=2 * tokens
            )
            first, second = self._ratings.rater_ids[one], self._ratings.rater_ids[other]
            yield CoupleAgreement(
                first, second, self._made("cohen", values[place], drawn[:, place], basis)
            )

    def _of_formula(self, name: str, formula: Formula) -> Figure:
        table, patterns = self._table, self._patterns
        features = formula.sums_by(patterns.of_unit, table.pair_of, table.n_pairs)
        return self._figure(name, features, formula.evaluate)

    def _figure(
        self, name: str, features: Any, evaluate: Callable[[FloatArray], FloatArray]
    ) -> Figure:
        return self._made(name, *self._values(features, evaluate), self._basis)

    def _values(
        self, features: Any, evaluate: Callable[[FloatArray], FloatArray]
    ) -> tuple[float, FloatArray]:
        value = evaluate(np.asarray(features.sum(axis=0), dtype=np.float64)[None, :])[0]
        return float(value), self._draws.values(features, evaluate)

    def _made(self, name: str, value: float, drawn: FloatArray, basis: Basis) -> Figure:
        return figure(name, value, drawn, basis, self._draws.drawn, ALL_ALIKE)


def davies_fleiss(found: Comparisons, sums: FloatArray) -> FloatArray:
    """1 − observed / expected disagreement, both taken over annotators two by two with their own
    margins; couples count by the tokens that they have in common. Shape (draws,), NaN where nothing
    can disagree.

    Davies and Fleiss (1982), Measuring agreement for multinomial data, Biometrics 38(4). Of two
    annotators it is Cohen's kappa.
    """
    sizes, observed, left, right = found.split(sums)
    expected = ratio(((left @ found.disagreement) * right).sum(axis=2), sizes)
    return 1 - ratio(_total(observed), _total(np.nan_to_num(expected)))


def _weighted_mean(found: Comparisons, sums: FloatArray) -> FloatArray:
    kappas = found.kappas(sums)
    sizes = np.where(np.isnan(kappas), 0.0, sums[:, : found.n_pairs])
    return ratio(_total(sizes * np.nan_to_num(kappas)), _total(sizes))


def _total(columns: FloatArray) -> FloatArray:
    # In an order of their own, so that the names of annotators move no last digit.
    return np.asarray(np.sort(columns, axis=1).sum(axis=1))
