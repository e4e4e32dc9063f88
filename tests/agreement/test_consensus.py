"""Final labels: rules, seeded draws, provenance, recipes."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.consensus import Provenance, Recipe, Rule, consensus, rater_severities
from annotation.agreement.table import Ratings
from tests.agreement.known import frjudge, needs_frjudge, tables

HOLE = np.nan
TABLE = Ratings.from_matrix(
    [[2, 2, 2], [1, 1, 3], [1, 2, 3], [HOLE, 4, HOLE], [HOLE, HOLE, HOLE]],
    unit_ids=["a", "b", "c", "d", "e"],
)


def test_majority_and_where_it_came_from():
    labels = {label.unit: label for label in consensus(TABLE, "majority", seed=42).labels}
    assert [labels[unit].provenance for unit in "abcde"] == [
        "unanimous",
        "majority",
        "drawn",
        "single",
        "none",
    ]
    assert [labels[unit].value for unit in "abde"] == [2, 1, 4, None]
    assert labels["b"].distribution == ((1, 2), (3, 1))
    assert labels["c"].tied == (1, 2, 3)
    # The draw is checked by hand with sha256sum: the digest of "seed:unit" modulo the number of
    # tied values.
    assert labels["c"].value == 1 + int(hashlib.sha256(b"42:c").hexdigest(), 16) % 3
    assert [label.unit for label in consensus(TABLE, "majority").drawn] == ["c"]


def test_mean_and_median():
    assert [label.value for label in consensus(TABLE, "mean").labels][:4] == pytest.approx(
        [2, 5 / 3, 2, 4]
    )
    median = consensus(TABLE, Rule.MEDIAN).labels
    assert [label.value for label in median] == [2, 1, 2, 4, None]
    assert [label.provenance for label in median] == [
        "unanimous",
        "computed",
        "computed",
        "single",
        "none",
    ]
    with pytest.raises(ValueError, match="mode"):
        consensus(TABLE, "mode")


@given(matrix=tables(), rule=st.sampled_from(list(Rule)), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_raters_change_no_label(matrix, rule, random):
    cells = [(f"u{u}", r, value) for (u, r), value in np.ndenumerate(matrix)]
    shuffled = [(u, -r, value) for u, r, value in random.sample(cells, len(cells))]
    first, other = (
        consensus(Ratings.from_long(*zip(*rows, strict=True)), rule, 7)
        for rows in (cells, shuffled)
    )
    if rule == Rule.SEVERITY_ADJUSTED:
        values = [
            [np.nan if label.value is None else label.value for label in labelling.labels]
            for labelling in (first, other)
        ]
        np.testing.assert_allclose(values[0], values[1], atol=1e-9)
    else:
        assert first.labels == other.labels


def test_another_seed_draws_otherwise_and_evenly():
    ties = Ratings.from_matrix([[1, 2]] * 2000)
    first, other = (
        np.array([label.value for label in consensus(ties, "majority", seed).labels])
        for seed in (1, 2)
    )
    assert (first == 1).mean() == pytest.approx(0.5, abs=0.05)
    assert (first == other).mean() == pytest.approx(0.5, abs=0.05)


def test_ties_of_two_questions_on_one_unit_do_not_fall_alike():
    ties = Ratings.from_matrix([[0, 1]] * 2000)
    first, other = (consensus(ties, "majority", 42, question=name).labels for name in ("a", "b"))
    values = np.array([[label.value for label in labels] for labels in (first, other)])
    assert values.mean(axis=1) == pytest.approx([0.5, 0.5], abs=0.05)
    assert (values[0] == values[1]).mean() == pytest.approx(0.5, abs=0.05)
    # By hand, as above: the digest of "seed:question:unit".
    assert first[7].value == int(hashlib.sha256(b"42:a:7").hexdigest(), 16) % 2


def test_severity_is_found_through_holes():
    """x = μ_u + β_r exactly: least squares gives β, and the adjusted mean is μ, whoever rated."""
    rng = np.random.default_rng(4)
    unit, severity = rng.normal(5, 2, size=40), np.array([-1.5, -0.5, 0.5, 1.5])
    expected: dict[Hashable, float] = dict(enumerate(unit.tolist()))
    matrix = np.where(rng.random((40, 4)) < 0.4, np.nan, unit[:, None] + severity)
    ratings = Ratings.from_matrix(matrix)
    assert rater_severities(ratings) == pytest.approx(severity)
    for label in consensus(ratings, "severity_adjusted_mean").labels:
        assert label.value is None or label.value == pytest.approx(expected[label.unit])


def test_severity_equals_a_regression_on_dummies():
    rng = np.random.default_rng(5)
    matrix = np.where(rng.random((30, 5)) < 0.3, np.nan, rng.integers(1, 11, size=(30, 5)))
    ratings = Ratings.from_matrix(matrix)
    design = np.zeros((ratings.n_ratings, 35))
    design[np.arange(ratings.n_ratings), ratings.unit_index] = 1
    design[np.arange(ratings.n_ratings), 30 + ratings.rater_index] = 1
    effects = np.linalg.lstsq(design, ratings.values, rcond=None)[0][30:]
    assert rater_severities(ratings) == pytest.approx(effects - effects.mean())


def test_raters_that_nothing_connects_are_centred_apart():
    ratings = Ratings.from_matrix([[1, 3, HOLE, HOLE], [HOLE, HOLE, 9, 5]])
    assert rater_severities(ratings) == pytest.approx([-1, 1, 2, -2])


def test_a_recipe_is_data():
    recipe = Recipe((("legal_meaning", Rule.MEAN), ("simplicity", Rule.MAJORITY)), seed=42)
    stored = recipe.as_dict()
    assert stored == {
        "rules": {"legal_meaning": "mean", "simplicity": "majority"},
        "seed": 42,
        "version": "2",
        "ties": "lot",
    }
    assert Recipe.from_dict(stored) == recipe
    before = {name: value for name, value in stored.items() if name != "ties"}
    assert Recipe.from_dict(before) == recipe, "as it was stored before posteriors"
    assert recipe.rule("simplicity") == Rule.MAJORITY
    former = Recipe.from_dict({**stored, "version": "1"})
    assert former.as_dict() == {**stored, "version": "1"}
    assert (recipe.drawn_for("simplicity"), former.drawn_for("simplicity")) == ("simplicity", "")
    with pytest.raises(ValueError, match="version"):
        Recipe.from_dict({**stored, "version": "9"})


@needs_frjudge
def test_frjudge_labels():
    ratings = frjudge()
    means = [label.value for label in consensus(ratings["legal_meaning"], "mean").labels]
    assert np.mean(means) == pytest.approx(6.30, abs=0.005)  # shared/data/README.md
    labels = consensus(ratings["simplicity"], "majority").labels
    assert {label.provenance for label in labels} <= {
        Provenance.UNANIMOUS,
        Provenance.MAJORITY,
        Provenance.DRAWN,
    }
