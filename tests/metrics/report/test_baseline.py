"""The original alone: the regression against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge  # type: ignore[import-untyped]

from annotation.metrics.report import baseline


@pytest.mark.parametrize("texts", [9, 700])
def test_the_regression_is_scikit_learn_s(texts):
    """Fewer texts than columns, and more."""
    rng = np.random.default_rng(1)
    known, unseen = rng.random((texts, baseline.COLUMNS)), rng.random((5, baseline.COLUMNS))
    labels = rng.random(texts)
    theirs = Ridge(alpha=baseline.RIDGE).fit(known, labels).predict(unseen)
    np.testing.assert_allclose(baseline._ridge(known, labels, unseen), theirs, atol=1e-12)
