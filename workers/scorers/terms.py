"""Weights of terms: inverse document frequencies learned from the training pairs, and tf-idf
vectors of bags."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from workers.scorers.base import FloatArray

IDF_FEATURES = ("words_idf_kept", "words_idf_supported", "words_idf_lost", "words_idf_rarest_lost")
_FEWEST_DOCUMENTS = 2


@dataclass(frozen=True)
class TermWeights:
    """A vocabulary with its idf = ln((1 + n) / (1 + df)) + 1 (the smooth idf of scikit-learn's
    TfidfTransformer)."""

    terms: tuple[str, ...]
    idf: tuple[float, ...]

    @classmethod
    def learned(cls, bags: Sequence[Counter[str]], fewest: int = _FEWEST_DOCUMENTS) -> Self:
        """Terms that occur in at least ``fewest`` bags, sorted."""
        frequency = Counter(term for bag in bags for term in bag)
        terms = sorted(term for term, count in frequency.items() if count >= fewest)
        return cls(
            tuple(terms),
            tuple(
                round(math.log((1 + len(bags)) / (1 + frequency[term])) + 1, 6) for term in terms
            ),
        )

    @cached_property
    def _index(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.terms)}

    @cached_property
    def _idf(self) -> dict[str, float]:
        return dict(zip(self.terms, self.idf, strict=True))

    @cached_property
    def rarest(self) -> float:
        """The weight of a term that training never saw."""
        return max(self.idf, default=1.0)

    def vectors(self, bags: Sequence[Counter[str]]) -> sparse.csr_matrix:
        """(n, terms): (1 + ln tf) · idf, each row of unit length; unknown terms are left out."""
        rows, columns, values = [], [], []
        for row, bag in enumerate(bags):
            weights = {
                term: (1 + math.log(count)) * self._idf[term]
                for term, count in bag.items()
                if term in self._idf
            }
            norm = math.sqrt(sum(value * value for value in weights.values())) or 1.0
            for term, value in weights.items():
                rows.append(row)
                columns.append(self._index[term])
                values.append(value / norm)
        return sparse.csr_matrix((values, (rows, columns)), shape=(len(bags), len(self.terms)))

    def overlap(self, before: Counter[str], after: Counter[str], lost: Counter[str]) -> list[float]:
        """The values of ``IDF_FEATURES``: idf-weighted recall and precision, weight lost, rarest
        term lost."""
        of_before, of_after = self._weight(before), self._weight(after)
        of_lost = self._weight(lost)
        shared = of_before - of_lost
        rarest = max((self._idf.get(term, self.rarest) for term in lost), default=0.0)
        return [shared / max(1e-9, of_before), shared / max(1e-9, of_after), of_lost, rarest]

    def _weight(self, bag: Counter[str]) -> float:
        return sum(count * self._idf.get(term, self.rarest) for term, count in bag.items())

    def to_json(self) -> dict[str, Any]:
        """Plain lists, for the artefact."""
        return {"terms": list(self.terms), "idf": list(self.idf)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """The inverse of ``to_json``."""
        return cls(tuple(stored["terms"]), tuple(stored["idf"]))


def columns(matrix: sparse.csr_matrix, weights: FloatArray) -> FloatArray:
    """``matrix @ weights`` as a flat array."""
    return np.asarray(matrix @ weights, dtype=np.float64).ravel()
