"""Agreement on the tokens of a side: chance-corrected, with intervals over source texts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from annotation.agreement.formulas import (
    Formula,
    agreement_formula,
    alpha_formula,
    distance_alpha_formula,
)
from annotation.agreement.marks.couples import Couples, couples_of
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
    step: Callable[[], None] = lambda: None,
) -> SideAgreement:
    """Of label sets: a set is one class, and so is none. ``options`` are parts of a signature.
    ``step`` is called for the sets and for each operation, once it is done."""
    table = side_table(layers, side, grouping)
    whole = _Tokens(table, table.ratings, draws, (*options, ("of", "label sets")))
    marks = marks_of(layers, side, grouping)
    units = units_of(marks)
    operations = {}
    for kind in table.operations:
        ratings = table.of_operation(kind)
        tokens = _Tokens(table, ratings, draws, (*options, ("of", kind.replace("|", "/"))))
        operations[kind] = OperationAgreement(
            int(np.count_nonzero(np.bincount(ratings.unit_index, weights=ratings.values))),
            dict(tokens.coefficients())
            | {"alpha_unitizing": tokens.unitizing(units_of(marks, kind))},
        )
        step()
    agreement = SideAgreement(
        dict(whole.coefficients())
        | {
            "alpha_masi": whole.masi(),
            "alpha_unitizing": whole.unitizing(units),
            "alpha_coding": whole.coding(units),
        },
        tuple(whole.couples()),
        operations,
    )
    step()
    return agreement


class _Tokens:
    """One table of ratings of tokens, resampled by the source texts of their pairs."""

    def __init__(
        self,
        table: SideTable,
        ratings: Ratings,
        draws: Draws,
        options: tuple[tuple[str, str], ...],
    ) -> None:
        self._table, self._ratings, self._draws = table, ratings, draws
        self._patterns: Patterns = unit_patterns(ratings)
        self._couples: Couples = couples_of(ratings, table.pair_of, table.n_pairs)
        self._basis = Basis(
            table.n_pairs,
            draws.sources(),
            ratings.n_active,
            ratings.n_rated,
            ratings.n_ratings,
            TOKENS,
            options,
        )

    def coefficients(self) -> Iterator[tuple[str, Figure]]:
        """By name; "cohen" is the mean over annotators two by two, weighted by common tokens."""
        yield "agreement", self._of_formula("agreement", agreement_formula(self._patterns))
        values, drawn = self._of_couples
        for place, name in enumerate(("cohen", "davies_fleiss")):
            yield name, self._made(name, values[place], drawn[:, place], self._basis)
        yield "alpha", self._of_formula("alpha", alpha_formula(self._patterns, Level.NOMINAL))

    @cached_property
    def _of_couples(self) -> tuple[list[float], FloatArray]:
        """Cohen's kappa over all couples, Davies and Fleiss, then the kappa of each couple: the
        values, and those of each draw. All are of the same sums, which take long to draw."""
        couples = self._couples

        def evaluate(sums: FloatArray) -> FloatArray:
            compared = couples.compared(sums)
            kappas = compared.kappas()
            means = [compared.weighted_mean(kappas), compared.davies_fleiss()]
            return np.column_stack([*means, kappas])

        values = evaluate(couples.sums())[0].tolist()
        return values, self._draws.values(couples.features, evaluate)

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
        values, drawn = self._of_couples
        for place, couple in enumerate(self._couples.couples):
            basis = replace(
                self._basis,
                pairs=len(couple.pairs),
                sources=self._draws.sources(couple.pairs),
                annotators=2,
                units=couple.units,
                ratings=2 * couple.units,
            )
            first, second = (
                self._ratings.rater_ids[couple.first],
                self._ratings.rater_ids[couple.second],
            )
            kappa = self._made("cohen", values[2 + place], drawn[:, 2 + place], basis)
            yield CoupleAgreement(first, second, kappa)

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
