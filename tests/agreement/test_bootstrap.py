"""The bootstrap over patterns is the bootstrap over units; the jackknife agrees with it; reports
and signatures."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.agreement import kappa_intervals
from annotation.agreement.bootstrap import bootstrap_values, percentile_interval, resampled_counts
from annotation.agreement.coefficients import alpha
from annotation.agreement.formulas import alpha_formula, weight_matrix
from annotation.agreement.kappa import comparisons
from annotation.agreement.kappa_intervals import kappa_with_intervals
from annotation.agreement.patterns import unit_patterns
from annotation.agreement.report import dimension_report
from annotation.agreement.result import NO_VARIATION
from annotation.agreement.signature import Signature
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from tests.agreement.known import TEXTBOOK


def noisy(units: int, raters: int = 3, k: int = 5, seed: int = 11) -> Ratings:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, k + 1, size=(units, 1))
    return Ratings.from_matrix(
        np.where(rng.random((units, raters)) < 0.6, truth, rng.integers(1, k + 1, (units, raters)))
    )


@pytest.mark.parametrize("frequency", [[300, 30, 3], [1] * 40, [500, 2, 1, 0 + 1]])
def test_counts_are_multinomial(frequency):
    counts = np.concatenate(list(resampled_counts(np.array(frequency), draws=20_000, seed=5)))
    n, shares = sum(frequency), np.array(frequency) / sum(frequency)
    assert (counts.sum(axis=1) == n).all()
    assert (counts >= 0).all()
    # Moments of a multinomial: n p, n (diag p − p pᵀ); five standard errors.
    np.testing.assert_allclose(
        counts.mean(axis=0), frequency, atol=5 * np.sqrt(n * shares / 20_000).max()
    )
    expected = n * (np.diag(shares) - np.outer(shares, shares))
    np.testing.assert_allclose(
        np.cov(counts.T), expected, atol=5 * n * shares.max() * np.sqrt(2 / 20_000) + 0.05
    )


def test_intervals_are_those_of_resampling_units():
    ratings = noisy(80)
    patterns = unit_patterns(ratings)
    drawn = bootstrap_values(
        patterns, {"alpha": alpha_formula(patterns, Level.ORDINAL)}, draws=4000, seed=1
    )["alpha"]
    rng = np.random.default_rng(2)
    plain = [
        alpha(Ratings.from_matrix(ratings.matrix[rng.integers(80, size=80)]), "ordinal").value
        for _ in range(1000)
    ]
    np.testing.assert_allclose(
        np.quantile(drawn, [0.1, 0.5, 0.9]), np.quantile(plain, [0.1, 0.5, 0.9]), atol=0.015
    )


def test_an_interval_is_numpys_quantile():
    values = np.random.default_rng(1).normal(size=997)
    interval = percentile_interval(0.0, values, confidence=0.9, n_pairable=10)
    assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))
    with pytest.raises(ValueError, match="confidence"):
        percentile_interval(0.0, values, confidence=95, n_pairable=10)


CONSTANT = [[3, 3, 3]] * 6
"""Three people who say the same of six units, on a scale of five."""
FLAT = [[1, 2], [1, 2], [1, 1], [1, 1], [1, 2], [1, 1]]
"""Of whom one always says 1: kappa is 0, whatever the other says."""


def test_an_interval_reaches_its_own_value():
    """Random answers on 0–100 by three people: nearly every draw of twelve units has a nominal
    alpha below that of all twelve."""
    outside = 0
    for seed in range(20):
        table = np.random.default_rng(seed).integers(0, 101, (12, 3))
        ratings = Ratings.from_matrix(table)
        report = dimension_report(ratings, level="interval", scale=range(101), draws=200)
        patterns = unit_patterns(ratings)
        formula = alpha_formula(patterns, Level.NOMINAL)
        drawn = bootstrap_values(patterns, {"alpha": formula}, draws=200, seed=report.seed)["alpha"]
        low, high = np.quantile(drawn, [0.025, 0.975])
        own = report.alpha[Level.NOMINAL]
        assert own.interval.low == pytest.approx(min(low, own.value))
        assert own.interval.high == pytest.approx(max(high, own.value))
        outside += own.value > high
        for name, coefficient in report.coefficients().items():
            interval, value = coefficient.interval, coefficient.value
            if value is None or interval is None or interval.low is None or interval.high is None:
                continue
            assert interval.low <= value <= interval.high, name
    assert outside > 5


@pytest.mark.parametrize(
    ("rows", "name", "value"),
    [
        (CONSTANT, "percent_agreement", 1.0),
        (CONSTANT, "within_one", 1.0),
        (CONSTANT, "ac2", 1.0),
        (FLAT, "within_one", 1.0),
        (FLAT, "kappa.unweighted", 0.0),
        (FLAT, "kappa.quadratic", 0.0),
    ],
)
@pytest.mark.parametrize("bootstrap_units", [2_000, 0])
def test_what_no_draw_changes_has_no_interval(monkeypatch, rows, name, value, bootstrap_units):
    """It used to be from 100 % to 100 %, as if six units told the agreement exactly."""
    monkeypatch.setattr(kappa_intervals, "BOOTSTRAP_UNITS", bootstrap_units)
    report = dimension_report(Ratings.from_matrix(rows), level="ordinal", scale=range(1, 6))
    coefficient = report.coefficients()[name]
    assert coefficient.value == pytest.approx(value)
    assert (coefficient.interval.low, coefficient.interval.high) == (None, None)
    assert coefficient.interval.undefined == NO_VARIATION
    shown = report.as_dict()
    assert shown["no_interval"][name]["fr"].startswith("Pas d'intervalle")
    if name.startswith("kappa"):
        (pair,) = report.kappa.pairs
        assert pair.kappa.interval.undefined == NO_VARIATION


def test_the_seed_decides():
    first, same, other = (
        dimension_report(noisy(50), level="ordinal", seed=seed).as_dict() for seed in (1, 1, 2)
    )
    assert json.dumps(first) == json.dumps(same)
    assert first["alpha"] == other["alpha"]
    assert first["intervals"] != other["intervals"]


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_the_jackknife_agrees_with_the_bootstrap(monkeypatch, weights):
    ratings = noisy(1500)
    kappas = comparisons(ratings, weights)
    drawn = kappa_with_intervals(ratings, kappas, draws=2000, seed=3)
    monkeypatch.setattr(kappa_intervals, "BOOTSTRAP_UNITS", 0)
    linear = kappa_with_intervals(ratings, kappas, draws=2000, seed=3)
    assert linear.average.interval.method != drawn.average.interval.method
    for resampled, jackknifed in [
        (drawn.average, linear.average),
        (drawn.pairs[0].kappa, linear.pairs[0].kappa),
    ]:
        assert resampled.value == jackknifed.value
        assert resampled.interval.low == pytest.approx(jackknifed.interval.low, abs=0.006)
        assert resampled.interval.high == pytest.approx(jackknifed.interval.high, abs=0.006)


def test_the_jackknife_leaves_out_pairs_without_kappa(monkeypatch):
    monkeypatch.setattr(kappa_intervals, "BOOTSTRAP_UNITS", 0)
    hole = np.nan
    table = Ratings.from_matrix([[1, 1, hole], [1, 1, 2], [2, hole, 2], [1, hole, 1], [1, 1, hole]])
    kappas = kappa_with_intervals(table, comparisons(table), seed=1)
    assert kappas.left_out == 1
    assert kappas.between(0, 1).kappa.interval.undefined is not None
    assert kappas.average.interval.low is not None


def test_large_tables_keep_their_sparse_features():
    # 100 values: 100 + 4,950 columns of pairs; alpha does not care how they are stored.
    ratings = noisy(3000, k=100)
    patterns = unit_patterns(ratings)
    formula = alpha_formula(patterns, Level.ORDINAL)
    assert not isinstance(formula.features, np.ndarray)
    drawn = bootstrap_values(patterns, {"alpha": formula}, draws=5, seed=1)["alpha"]
    assert drawn == pytest.approx(formula.estimate(patterns), abs=0.1)


def test_a_signature_can_be_copied():
    report = dimension_report(
        Ratings.from_matrix(TEXTBOOK), level="ordinal", scale=range(1, 6), seed=7
    )
    signed = {
        name: str(coefficient.signature) for name, coefficient in report.coefficients().items()
    }
    assert signed["alpha.ordinal"] == (
        "alpha|level:ordinal|items:12|pairable:11|annotators:4|ratings:41|draws:1000|seed:7|version:4"
    )
    assert signed["within_one"].startswith("within_one|tolerance:1|items:12|")
    assert signed["ac2"].startswith("ac2|weights:ordinal|categories:5|")
    assert signed["kappa.quadratic"].startswith("kappa|weights:quadratic|pairs:6|")
    plain = Signature("alpha", "ordinal", 297, 297, 5, 1485, 1000, 42)
    assert (
        str(plain)
        == "alpha|level:ordinal|items:297|annotators:5|ratings:1485|draws:1000|seed:42|version:4"
    )


def test_a_report_has_the_keys_that_others_build_on():
    shown = dimension_report(Ratings.from_matrix(TEXTBOOK), level="ordinal").as_dict()
    assert (
        set(shown["alpha"])
        == set(shown["intervals"]["alpha"])
        == {"nominal", "ordinal", "interval"}
    )
    assert shown["alpha"]["ordinal"] == pytest.approx(0.815, abs=5e-4)  # Krippendorff (2011)
    low, high = shown["intervals"]["alpha"]["ordinal"]
    assert low < shown["alpha"]["ordinal"] < high
    assert shown["n"] == {"items": 12, "pairable_items": 11, "annotators": 4, "ratings": 41}
    assert shown["fitting"] == "ordinal"
    assert shown["pairs"][0]["items"] == 9


def test_weights_are_those_of_irrcac():
    # irrCAC, vignette "weighting", for three categories.
    assert weight_matrix([1, 2, 3], "ordinal")[0] == pytest.approx([1, 0.6666667, 0])
    assert weight_matrix([1, 2, 3], "quadratic")[0] == pytest.approx([1, 0.75, 0])
    assert weight_matrix([1, 2, 3], "linear")[0] == pytest.approx([1, 0.5, 0])
    assert weight_matrix([1, 2, 3], "radical")[0] == pytest.approx([1, 0.2928932, 0])
    with pytest.raises(ValueError, match="one of identity"):
        weight_matrix([1, 2], "cubic")


def test_large_tables_say_that_kappas_interval_is_no_bootstrap():
    report = dimension_report(noisy(kappa_intervals.BOOTSTRAP_UNITS + 1), level="nominal", draws=20)
    assert str(report.kappa.average.signature).startswith(
        "kappa|weights:identity|pairs:3|interval:jackknife|items:"
    )
    assert "|draws:0|" in str(report.kappa.average.signature)


def test_many_raters_are_counted_in_another_way():
    # 2,100 raters: more possible pairs than are counted in one array. Each unit has two of them,
    # always the same two.
    ids = [f"r{place:04d}" for place in range(2100)]
    rows = [
        (f"u{unit}", rater, value)
        for unit in range(1050)
        for rater, value in zip(ids[unit * 2 :][:2], (1, 2), strict=True)
    ]
    rows += [(f"v{unit}", rater, 1 + unit % 2) for unit in range(4) for rater in ids[:2]]
    kappas = comparisons(Ratings.from_long(*zip(*rows, strict=True)))
    assert kappas.n_pairs == 1050
    # Values of the first pair: (1, 2) once, (1, 1) and (2, 2) twice each; p_o = 4/5, p_e = 3/5·2/5
    # + 2/5·3/5 = 12/25.
    assert kappas.kappas(kappas.sums)[0, 0] == pytest.approx(1 - (1 / 5) / (13 / 25))
