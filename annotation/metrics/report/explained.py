"""How much of a metric follows from counts that a table brings along, such as how often each kind
of operation stands in a simplification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotation.metrics.report.correlations import CONSTANT_VALUES, why_not
from annotation.metrics.report.estimate import Drawn, Estimate, numbered, undefined
from annotation.metrics.report.levels import r_squared
from annotation.metrics.report.people import Candidate, FloatArray, IntArray, People
from annotation.metrics.report.scale import exponent, unit
from annotation.protocols.base import Wording

FOLDS = 10
TOO_FEW_SOURCES = Wording(
    f"Moins de {2 * FOLDS} textes sources : rien à apprendre ni à vérifier par plis.",
    f"Fewer than {2 * FOLDS} source texts: nothing to learn from and to check by folds.",
)


def explained(
    names: Sequence[str],
    counts: FloatArray,
    people: People,
    lines: Sequence[Candidate],
    drawn: Drawn,
) -> dict[str, Any]:
    """By metric ``r_squared``: of Lasso (Tibshirani 1996) from the ``counts`` (n, k), each source
    in a fold that was not learned from, one minus the squared errors over the variance; and the
    ``coefficients`` learned from all outputs. The penalty is chosen by ten folds of what is learned
    from. JSON-safe."""
    by_metric = {}
    for line in lines:
        kept = line.present
        values, groups = line.values[kept], people.groups[kept]
        estimate, coefficients = _lasso(counts[kept], unit(values), groups, drawn)
        by = exponent(values)
        named = zip(names, coefficients, strict=True)
        by_metric[line.name] = {
            "r_squared": estimate.as_dict(),
            "coefficients": {
                name: None if value is None else line.written(float(np.ldexp(value, by)))
                for name, value in named
            },
        }
    return {"counts": list(names), "folds": FOLDS, "metrics": by_metric}


def _lasso(
    counts: FloatArray, values: FloatArray, groups: IntArray, drawn: Drawn
) -> tuple[Estimate, Sequence[float | None]]:
    # Pages import this package, and the library costs a second.
    from sklearn.linear_model import LassoCV  # type: ignore[import-untyped]
    from sklearn.model_selection import GroupKFold  # type: ignore[import-untyped]

    groups, sources = numbered(groups)
    reason = TOO_FEW_SOURCES if sources < 2 * FOLDS else None
    if reason is None and why_not(values, values) is not None:
        reason = CONSTANT_VALUES
    if reason is not None:
        return undefined(reason, len(values), sources), [None] * counts.shape[1]
    predicted = np.empty(len(values))
    for learned, held_out in GroupKFold(FOLDS).split(counts, values, groups):
        model = LassoCV(cv=FOLDS).fit(counts[learned], values[learned])
        predicted[held_out] = model.predict(counts[held_out])
    estimate = r_squared((values - predicted) ** 2, values, groups, drawn)
    return estimate, [float(value) for value in LassoCV(cv=FOLDS).fit(counts, values).coef_]
