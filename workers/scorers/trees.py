"""A forest as plain arrays: grown by scikit-learn, kept and read as JSON, evaluated by numpy. No
pickle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from workers.scorers.base import FloatArray

IntArray = npt.NDArray[np.int32]
_BATCH = 4096


@dataclass(frozen=True)
class Forest:
    """Extremely randomised trees (Geurts, Ernst & Wehenkel 2006). Nodes of all trees stand one
    after another.

    ``left`` is -1 at a leaf; ``roots`` (trees,); every other array (nodes,). A row goes left where
    its float32 value is at most the threshold, as in scikit-learn.
    """

    roots: IntArray
    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: FloatArray
    value: FloatArray

    @classmethod
    def grown(
        cls, rows: FloatArray, targets: FloatArray, weights: FloatArray, *, trees: int, seed: int
    ) -> Self:
        """Fitted on ``rows`` (n, d) and ``targets`` (n,); the same seed gives the same forest."""
        # Two seconds and much memory, for what only trainings need.
        from sklearn.ensemble import ExtraTreesRegressor  # type: ignore[import-untyped]

        model = ExtraTreesRegressor(
            trees, min_samples_leaf=4, max_features=0.15, random_state=seed, n_jobs=1
        )
        parts = [tree.tree_ for tree in model.fit(rows, targets, sample_weight=weights).estimators_]
        sizes = [part.node_count for part in parts]
        starts = np.cumsum([0, *sizes])[:-1]

        def joined(name: str) -> npt.NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        shift = np.repeat(starts, sizes)
        left, right = joined("children_left"), joined("children_right")
        return cls(
            roots=starts.astype(np.int32),
            left=np.where(left < 0, -1, left + shift).astype(np.int32),
            right=np.where(right < 0, -1, right + shift).astype(np.int32),
            feature=np.where(left < 0, 0, joined("feature")).astype(np.int32),
            threshold=np.where(left < 0, 0.0, joined("threshold")),
            # Six digits are a millionth of a standard deviation, and a third of the file.
            value=np.round(joined("value").ravel(), 6),
        )

    def predict(self, rows: FloatArray) -> FloatArray:
        """Mean over the trees for each row of (n, d)."""
        parts = [
            self._predict(rows[start : start + _BATCH]) for start in range(0, len(rows), _BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _predict(self, rows: FloatArray) -> FloatArray:
        single = rows.astype(np.float32)
        nodes = np.tile(self.roots, (len(rows), 1))
        each = np.arange(len(rows))[:, None]
        while True:
            inner = self.left[nodes] >= 0
            if not inner.any():
                return np.asarray(self.value[nodes].mean(axis=1))
            goes_left = single[each, self.feature[nodes]] <= self.threshold[nodes]
            nodes = np.where(inner, np.where(goes_left, self.left[nodes], self.right[nodes]), nodes)

    def to_json(self) -> dict[str, Any]:
        """Plain lists, for the artefact."""
        return {name: getattr(self, name).tolist() for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """The inverse of ``to_json``."""

        def whole(name: str) -> IntArray:
            return np.array(stored[name], dtype=np.int32)

        def real(name: str) -> FloatArray:
            return np.array(stored[name], dtype=np.float64)

        return cls(
            whole("roots"),
            whole("left"),
            whole("right"),
            whole("feature"),
            real("threshold"),
            real("value"),
        )
