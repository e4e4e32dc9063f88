"""Figures of issue 21 on FrJUDGE: simplification against source, mean legal meaning, ten 30 % test
splits (scikit-learn's, seeds 42–51). ``../shared/spec/metrics.md`` section 5: r ± sd, r of all 297
pairs, RMSE and share above on 0–10."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import train_test_split  # type: ignore[import-untyped]

from annotation.metrics.families import chrf, lengths, rouge
from annotation.metrics.metric import pair
from tests.metrics.released import FRJUDGE, frjudge_pairs, needs

# name: mean r, r of all, RMSE, per cent above
PUBLISHED = {
    "chrf2": (0.471, 0.501, 2.53, 25.3),
    "chrf++": (0.461, 0.493, 2.72, 21.1),
    "rouge1": (0.427, 0.458, 2.20, 40.8),
    "rouge2": (0.360, 0.395, 3.46, 13.4),
    "rougel": (0.416, 0.448, 2.53, 29.0),
    "rougel_recall": (0.476, 0.496, 2.80, 19.1),
    "length_ratio": (0.565, 0.571, 2.28, 68.8),
}


@needs(FRJUDGE)
def test_metrics_against_people():
    pairs, ratings = frjudge_pairs()
    human = ratings.mean(axis=1)
    readings = [
        chrf.FAMILY.readings(text_pair)
        | rouge.FAMILY.readings(text_pair)
        | lengths.FAMILY.readings(text_pair)
        for text_pair in (pair(*texts, (), "fr") for texts in pairs)
    ]
    tests = [
        train_test_split(np.arange(len(pairs)), test_size=0.3, random_state=seed)[1]
        for seed in range(42, 52)
    ]
    for name, (r, r_all, rmse, above) in PUBLISHED.items():
        values = np.array([reading[name] for reading in readings])
        by_split = [
            (
                np.corrcoef(values[test], human[test])[0, 1],
                np.sqrt(np.mean((values[test] / 10 - human[test]) ** 2)),
                100 * np.mean(values[test] / 10 > human[test]),
            )
            for test in tests
        ]
        means = np.mean(by_split, axis=0)
        assert means[0] == pytest.approx(r, abs=0.0006), name
        assert np.corrcoef(values, human)[0, 1] == pytest.approx(r_all, abs=0.0006), name
        assert means[1] == pytest.approx(rmse, abs=0.006), name
        # Where a value equals the human mean, rounding decides which is above.
        assert means[2] == pytest.approx(above, abs=0.6), name
