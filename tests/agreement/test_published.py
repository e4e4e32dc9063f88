"""Every figure here was published or is given by a public package; its source stands beside it."""

from __future__ import annotations

import pytest

from annotation.agreement.coefficients import alpha, percent_agreement
from annotation.agreement.raters import camps, leave_one_out, rater_summaries
from annotation.agreement.table import Ratings
from tests.agreement.alone import cohen_kappa, cohen_kappa_pairs, gwet_ac2, human_ceiling
from tests.agreement.known import TEXTBOOK, frjudge, jades, needs_frjudge, needs_jades


@needs_frjudge
@pytest.mark.parametrize(
    ("dimension", "agreement", "nominal"),
    # Beauchemin et al. (2025), table 2, to more digits: shared/data/README.md.
    [
        ("simplicity", 0.5717, 0.1827),
        ("qualification", 0.6024, 0.5515),
        ("legal_meaning", 0.2596, 0.1042),
    ],
)
def test_frjudge_table_2(dimension, agreement, nominal):
    ratings = frjudge()[dimension]
    assert percent_agreement(ratings).value == pytest.approx(agreement, abs=5e-5)
    assert alpha(ratings, "nominal").value == pytest.approx(nominal, abs=5e-5)


@needs_frjudge
def test_frjudge_legal_meaning_at_its_own_level():
    ratings = frjudge()["legal_meaning"]  # shared/data/README.md
    assert alpha(ratings, "ordinal").value == pytest.approx(0.3252, abs=5e-5)
    assert alpha(ratings, "interval").value == pytest.approx(0.3149, abs=5e-5)


@needs_frjudge
def test_frjudge_raters():
    # Means and deviations of FrJUDGE's annotators, to two digits. B and C were inferred in
    # ratings.csv: a few of their rows may be exchanged (shared/data/README.md), which moves their
    # deviation more than their mean. D's 3.25 is that of n − 1 (n: 3.24).
    published = {
        "A": (7.55, 3.06),
        "B": (7.35, 3.10),
        "C": (7.94, 2.96),
        "D": (4.36, 3.25),
        "E": (4.33, 3.53),
    }
    certain = "ADE"
    for summary in rater_summaries(frjudge()["legal_meaning"], level="ordinal", scale=range(1, 11)):
        mean, sd = published[str(summary.rater)]
        exact = str(summary.rater) in certain
        assert summary.mean == pytest.approx(mean, abs=0.0051 if exact else 0.011)
        assert summary.sd == pytest.approx(sd, abs=0.0051 if exact else 0.04)
        assert summary.n == sum(count for _, count in summary.distribution) == 297


@needs_frjudge
def test_frjudge_alpha_without_each_rater():
    left_out = leave_one_out(frjudge()["legal_meaning"], "ordinal")  # shared/data/README.md
    assert {rater: round(coefficient.value, 2) for rater, coefficient in left_out.items()} == {
        "A": 0.26,
        "B": 0.28,
        "C": 0.36,
        "D": 0.33,
        "E": 0.36,
    }


@needs_frjudge
def test_frjudge_camps_and_ceiling():
    ratings = frjudge()["legal_meaning"]
    assert set(camps(ratings, level="ordinal").two) == {
        ("A", "B", "C"),
        ("D", "E"),
    }  # FrJUDGE's released ratings
    # r ≈ 0.597 on FrJUDGE's released ratings; B and C were inferred in the file at hand, hence the
    # third digit.
    assert human_ceiling(ratings) == pytest.approx(0.597, abs=0.005)


@needs_jades
@pytest.mark.parametrize(
    ("dimension", "kappa", "ordinal"),
    [
        ("fluency", 0.2705, 0.509),
        ("meaning", 0.2469, 0.542),
        ("simplicity", 0.2742, 0.424),
    ],  # shared/data/README.md
)
def test_jades(dimension, kappa, ordinal):
    ratings = jades(dimension)
    assert cohen_kappa_pairs(ratings).average.value == pytest.approx(kappa, abs=5e-5)
    assert alpha(ratings, "ordinal").value == pytest.approx(ordinal, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "value"),
    # Krippendorff (2011), sections C and E; ordinal as in Hayes and Krippendorff (2007) and the
    # krippendorff package.
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)],
)
def test_textbook_alpha(level, value):
    assert alpha(Ratings.from_matrix(TEXTBOOK), level).value == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(
    ("weights", "value"),
    # irrCAC, cac.raw4raters: 0.77544 in the vignette "overview", the others from irrCAC 0.4.4 for
    # Python, whose own tests (test/unit/irrCAC/raw/test_gwet.py) state 0.859, 0.899, 0.914, 0.820.
    [
        ("identity", 0.77544407),
        ("linear", 0.85873914),
        ("ordinal", 0.89893977),
        ("quadratic", 0.91400072),
        ("radical", 0.820),
    ],
)
def test_ac2_of_irrcac(weights, value):
    ac2 = gwet_ac2(Ratings.from_matrix(TEXTBOOK), weights).value
    assert ac2 == pytest.approx(value, abs=5e-4 if weights == "radical" else 5e-9)


def test_kappa_of_irrcac():
    # irrCAC, vignette "overview": cont3x3abstractors, Cohen's kappa 0.7964094, Gwet's AC1
    # 0.8493305, agreement 0.89.
    table = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]
    first, second = zip(*pairs, strict=True)
    assert cohen_kappa(first, second).value == pytest.approx(0.7964094, abs=5e-8)
    assert gwet_ac2(Ratings.from_matrix(pairs)).value == pytest.approx(0.8493305, abs=5e-8)
    assert percent_agreement(Ratings.from_matrix(pairs)).value == pytest.approx(0.89)


def test_weighted_kappa_by_hand():
    # Cohen (1968), by hand: Σv = 0 + 1 + 1 + 0 = 2; a = (2, 1, 1), b = (1, 1, 2) on 1, 2, 3;
    # Σ a_i b_j (i − j)² = 2·(1·1 + 2·4) + 1·(1·1 + 2·1) + 1·(1·4 + 1·1) = 26; κ = 1 − 4·2 / 26.
    assert cohen_kappa([1, 1, 2, 3], [1, 2, 3, 3], "quadratic").value == pytest.approx(
        1 - 4 * 2 / 26
    )
