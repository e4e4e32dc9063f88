"""The laboratory from end to end on Simplicity-DA (Alva-Manchego et al. 2021), with the metrics as
published per sentence brought in: ``../shared/spec/metrics.md`` section 2."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from annotation.metrics.metric import Direction
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.people import Candidate, Output, People
from annotation.metrics.report.report import metric_report
from annotation.metrics.report.williams import williams
from annotation.protocols.base import Wording
from annotation.scoring.ceiling import mean_reliability
from tests.metrics.released import SIMPLICITY_DA, needs, rows, simplicity_da

pytestmark = needs(SIMPLICITY_DA)
# |r| of the low half, of the high half, of all: the paper's table, then what is beyond it.
TABLE = {
    "bertscore_P": (0.512, 0.287, 0.617),
    "bertscore_F1": (0.518, 0.224, 0.573),
    "ibleu": (0.398, 0.253, 0.504),
    "bleu": (0.405, 0.235, 0.496),
    "sari": (0.336, 0.139, 0.359),
    "fkgl": (0.272, 0.093, 0.117),
    "samsa": (0.103, 0.010, 0.058),
    "sari_add": (None, None, 0.311),
    "sari_keep": (None, None, 0.296),
    "sari_del": (None, None, 0.191),
}
# better, worse: t, one-sided p
WILLIAMS = {
    ("bertscore_P", "bertscore_F1"): (3.883, 5.7e-5),
    ("bleu", "sari"): (4.240, 1.3e-5),
    ("bertscore_F1", "bleu"): (3.206, 0.00071),
    ("ibleu", "bleu"): (2.765, 0.0029),
}


@pytest.fixture(scope="module")
def released():
    outputs, published = simplicity_da()
    human = np.array([[float(row["simplicity_zscore"])] for row in outputs])
    people = People(
        tuple(
            Output(str(number), row["orig_sent"], row["simp_sent"], row["sys_name"])
            for number, row in enumerate(outputs)
        ),
        human,
        -3.0,
        3.0,
    )
    values = {name: np.array([float(row[name]) for row in published]) for name in TABLE}
    return people, values


@pytest.fixture(scope="module")
def report(released):
    people, values = released
    lines = [
        Candidate(name, Wording(name, name), Direction.HIGHER, None, name, scores, is_brought=True)
        for name, scores in values.items()
    ]
    return metric_report(people, lines, Drawn(draws=2000))


def r_of(report, name):
    line = next(line for line in report["lines"] if line["name"] == name)
    return line["figures"]["pearson"]


@pytest.mark.parametrize("name", TABLE)
def test_the_correlation_table_to_three_decimals(report, name):
    low, high, whole = TABLE[name]
    assert abs(r_of(report, name)["value"]) == pytest.approx(whole, abs=0.0006)
    halves = {
        stratum["value"]: stratum["pearson"][name]["value"]
        for stratum in report["strata"]
        if stratum["dimension"] == "half"
    }
    if low is not None:
        assert abs(halves["low"]) == pytest.approx(low, abs=0.0006)
        assert abs(halves["high"]) == pytest.approx(high, abs=0.0006)


def test_the_best_is_bertscore_p_and_the_difference_is_tested(report):
    assert report["best"] == "bertscore_P"
    versus = next(line for line in report["lines"] if line["name"] == "bertscore_F1")["versus"]
    assert versus["williams_t"] == pytest.approx(3.883, abs=0.001)
    assert versus["p"] == pytest.approx(5.7e-5, rel=0.02)
    assert versus["p"] <= versus["p_holm"] < 0.001
    assert versus["difference"]["value"] == pytest.approx(0.617 - 0.573, abs=0.001)


@pytest.mark.parametrize("pair", WILLIAMS)
def test_williams(released, pair):
    people, values = released
    first, second = (values[name] for name in pair)
    human = people.means

    def r(values, other):
        return float(np.corrcoef(values, other)[0, 1])

    test = williams(r(first, human), r(second, human), r(first, second), len(human))
    t, p = WILLIAMS[pair]
    assert test.t == pytest.approx(t, abs=0.001)
    assert test.p == pytest.approx(p, rel=0.03)
    assert test.degrees == 597


def test_paired_bootstrap(released):
    """Items drawn 2,000 times, seed 42: r(BLEU) − r(SARI) in [.075, .205] there; sources are drawn
    here, of which half have two outputs, and the ends are a little wider."""
    people, values = released
    lines = [
        Candidate(name, Wording(name, name), Direction.HIGHER, None, name, values[name])
        for name in ("bleu", "sari")
    ]
    versus = next(
        line["versus"]
        for line in metric_report(people, lines, Drawn(draws=2000))["lines"]
        if line["name"] == "sari"
    )
    assert versus["difference"]["low"] == pytest.approx(0.075, abs=0.012)
    assert versus["difference"]["high"] == pytest.approx(0.205, abs=0.012)
    assert versus["p_bootstrap"] < 0.002


def test_six_systems(report):
    line = next(line for line in report["lines"] if line["name"] == "bleu")
    assert line["figures"]["system_pearson"]["n"] == 6
    assert line["figures"]["system_accuracy"]["n"] == 15


def test_reliability_of_the_mean_of_fifteen():
    """ICC(1,15) of the raw ratings: .862 (section 2)."""
    given = defaultdict(list)
    for row in rows(SIMPLICITY_DA / "simplicity_DA_ratings.csv"):
        given[row["sent_id"], row["sys_name"]].append(float(row["simplicity"]))
    reliability, raters = mean_reliability(np.array(list(given.values())))
    assert raters == 15
    assert reliability.value == pytest.approx(0.862, abs=0.0006)


def test_icc_of_the_z_scores():
    """.386 of one rating, .904 of the mean of fifteen (section 2): each rater's ratings about their
    own mean and in their own standard deviation."""
    of_rater = defaultdict(list)
    listed = rows(SIMPLICITY_DA / "simplicity_DA_ratings.csv")
    for row in listed:
        of_rater[row["rater_id"]].append(float(row["simplicity"]))
    given = defaultdict(list)
    for row in listed:
        own = np.array(of_rater[row["rater_id"]])
        score = (float(row["simplicity"]) - own.mean()) / own.std()
        given[row["sent_id"], row["sys_name"]].append(score)
    of_mean, raters = mean_reliability(np.array(list(given.values())))
    mean = of_mean.value or 0.0
    assert mean == pytest.approx(0.904, abs=0.0006)
    # Spearman and Brown's formula, turned round.
    single = mean / (raters - (raters - 1) * mean)
    assert single == pytest.approx(0.386, abs=0.0006)
