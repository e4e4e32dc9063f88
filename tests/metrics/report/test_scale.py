"""Metrics of very small or very large values: what does not depend on a scale is the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.metrics.metric import Direction, pair
from annotation.metrics.report.estimate import CONSTANT_VALUES, Drawn
from annotation.metrics.report.explained import explained
from annotation.metrics.report.levels import SAME_MEANS
from annotation.metrics.report.parts import parts
from annotation.metrics.report.people import Candidate, Output, People
from annotation.metrics.report.points import MOST_POINTS, line_points
from annotation.metrics.report.report import metric_report
from annotation.metrics.report.scale import exponent, settled, significant, unit
from annotation.protocols.base import Wording

pytestmark = pytest.mark.filterwarnings("error")
OUTPUTS = 60
SMALLEST, HUGE = 5e-324, 1.7e308


def people(outputs=OUTPUTS):
    rng = np.random.default_rng(4)
    rows = tuple(
        Output(str(number), f"Clause {number // 2}.", "Texte.", "abc"[number % 3])
        for number in range(outputs)
    )
    return People(rows, rng.integers(1, 11, (outputs, 2)).astype(float), 1, 10)


def brought(name, values, bounds=None):
    label = Wording(name, name)
    return Candidate(name, label, Direction.HIGHER, bounds, name, values, is_brought=True)


def values_of(study):
    rng = np.random.default_rng(5)
    noisy = study.means + rng.normal(0, 2, len(study.means))
    return {
        "probabilities": 10.0 ** (noisy * 2 - 32),
        "subnormal": np.round(noisy * 1000) * SMALLEST,
        "huge": (noisy - noisy.mean()) / np.abs(noisy - noisy.mean()).max() * HUGE,
        "wide": np.where(np.arange(len(noisy)) % 2, 1e300, 1e-300) * (noisy + 20),
    }


@pytest.fixture(scope="module")
def study():
    return people()


@pytest.fixture(scope="module")
def lines(study):
    made = [brought(name, values) for name, values in values_of(study).items()]
    written = metric_report(study, made, Drawn(draws=60))
    json.dumps(written, allow_nan=False)
    return {line["name"]: line for line in written["lines"]}


@pytest.mark.parametrize("name", ["probabilities", "subnormal", "huge", "wide"])
def test_correlations_are_those_of_the_values(lines, study, name):
    values, figures = values_of(study)[name], lines[name]["figures"]
    for figure, of in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        assert figures[figure]["value"] == pytest.approx(of(values, study.means).statistic, 1e-12)
        assert figures[figure]["low"] < figures[figure]["value"] < figures[figure]["high"]
    alike = np.corrcoef(np.ldexp(values, -exponent(values)), study.means)[0, 1]
    assert figures["pearson"]["value"] == pytest.approx(alike, abs=1e-11)
    assert figures["system_pearson"]["value"] is not None


def test_the_scale_changes_nothing(study):
    noisy = values_of(study)["subnormal"] / SMALLEST
    sizes = {f"2^{by}": np.ldexp(noisy, by) for by in (-1070, -300, 0, 300, 1000)}
    written = metric_report(
        study,
        [brought(name, values, (0.0, float(values.max()))) for name, values in sizes.items()],
        Drawn(draws=60),
    )
    first, *others = (line for line in written["lines"] if line["name"] in sizes)
    for other in others:
        for name, figure in first["figures"].items():
            # Twelve decimal digits of another power of two are other ones.
            for part in ("value", "low", "high"):
                assert other["figures"][name][part] == pytest.approx(figure[part], abs=1e-10)
            assert other["figures"][name]["undefined"] == figure["undefined"]
    assert first["figures"]["rmse"]["value"] > 0


def test_a_value_far_past_a_narrow_range_is_put_on_its_end(study):
    past = brought("past", np.full(OUTPUTS, HUGE), (0, SMALLEST)).scaled(1, 10)
    assert past.tolist() == [10] * OUTPUTS


def test_what_is_the_same_everywhere_is_still_said_to_be(study):
    noise = np.where(np.arange(OUTPUTS) % 2, 1e-13, 0)
    zero, one = brought("zero", np.zeros(OUTPUTS)), brought("one", 1e-30 * (1 + noise))
    for line in metric_report(study, [zero, one], Drawn(draws=0))["lines"][:2]:
        assert line["figures"]["spearman"]["undefined"]["en"] == CONSTANT_VALUES.en


def test_what_cancels_out_in_systems_is_the_same_everywhere(study):
    # Each system's values come to 0 but for the last digits.
    values = np.zeros(OUTPUTS)
    values[:6], values[6:12], values[12:18] = 0.1, 0.2, -0.3
    made = [Candidate("c", Wording("c", "c"), Direction.HIGHER, None, "c", values)]
    line = metric_report(study, made, Drawn(draws=0))["lines"][0]
    assert line["figures"]["pearson"]["value"] is not None
    assert line["figures"]["system_pearson"]["undefined"]["en"] == SAME_MEANS.en


def test_what_is_computed_here_has_no_rank_below_the_twelfth_digit(study):
    values = np.where(np.arange(OUTPUTS) % 2, 1e-16, 0)
    own = Candidate("own", Wording("own", "own"), Direction.HIGHER, None, "own", values)
    assert own.values.tolist() == [0] * OUTPUTS
    assert brought("brought", values).values.tolist() == values.tolist()


def test_numbers_on_the_metrics_scale_are_written_by_the_digits_that_count(study):
    values = values_of(study)["probabilities"]
    line = brought("p", values)
    assert line_points(line, study)["values"] == [significant(value) for value in values]
    (whole, *_) = parts(study, [pair("Un texte.", "Texte.")] * OUTPUTS, [line])
    assert whole["means"]["p"] == pytest.approx(values.mean(), rel=1e-11)
    (huge, *_) = parts(
        study, [pair("Un texte.", "Texte.")] * OUTPUTS, [brought("h", np.full(OUTPUTS, HUGE))]
    )
    assert huge["means"]["h"] == HUGE


@pytest.mark.parametrize("name", ["probabilities", "subnormal", "huge", "wide"])
def test_many_are_counted_in_cells(name):
    study = people(MOST_POINTS + 2)
    cells = line_points(brought(name, values := values_of(study)[name]), study)["cells"]
    assert np.sum(cells["counts"]) == len(values)
    assert cells["metric"] == pytest.approx([values.min(), values.max()], rel=1e-5)


def test_counts_explain_a_metric_of_any_scale(study):
    values = values_of(study)["subnormal"] / SMALLEST
    counts = np.stack([np.round(values / 1000), np.arange(OUTPUTS) % 3], axis=1).astype(float)
    made = [brought("plain", values), brought("small", np.ldexp(values, -900))]
    said = explained(["a", "b"], counts, study, made, Drawn(draws=0))["metrics"]
    small, plain = (said[name]["r_squared"]["value"] for name in ("small", "plain"))
    assert small == pytest.approx(plain, abs=1e-10)
    assert np.ldexp(said["small"]["coefficients"]["a"], 900) == pytest.approx(
        said["plain"]["coefficients"]["a"]
    )


def test_bringing_to_one_size_changes_no_digit():
    values = np.array([3 * SMALLEST, -1e-300, 0])
    assert np.ldexp(unit(values), exponent(values)).tolist() == values.tolist()
    assert exponent(np.zeros(0), np.zeros(2)) == 0
    assert significant(-0.0) == 0
    assert str(significant(-0.0)) == "0.0"


class TestSystemsFarFromNothing:
    """What is the same for all of a text's outputs, however large, says nothing of systems."""

    def of(self, study, values):
        line, *_baselines = metric_report(study, [brought("m", values)], Drawn(draws=60))["lines"]
        return line["figures"]["system_pearson"]

    @pytest.mark.parametrize("begins", [0, 1e6, 1e9])
    def test_a_scale_may_begin_anywhere(self, begins):
        study = people()
        own = study.means + np.random.default_rng(6).normal(0, 2, OUTPUTS)
        names = np.array([output.system for output in study.outputs])
        means = [[of[names == name].mean() for name in "abc"] for of in (own, study.means)]
        found = self.of(study, begins + own)
        assert found["value"] == pytest.approx(np.corrcoef(means)[0, 1], abs=1e-6)
        assert found["undefined"] is None

    def test_one_text_that_is_far_off(self):
        rows = tuple(Output(str(n), f"Clause {n // 3}.", "Texte.", "abc"[n % 3]) for n in range(60))
        study = People(rows, people().ratings, 1, 10)
        own = study.means + np.random.default_rng(6).normal(0, 2, OUTPUTS)
        for far, is_defined in ((1e6, True), (1e10, True), (1e16, False)):
            found = self.of(study, np.where(np.arange(OUTPUTS) < 3, far, own))
            assert (found["value"] is not None) == is_defined
            assert (found["undefined"] is None) == is_defined
            if found["undefined"]:
                assert "too little beside values of this size" in found["undefined"]["en"]


def test_equal_means_of_people_are_one_rank():
    """In tenths three scores have the sum .6 in many ways, and in floats more than one sum."""
    rng = np.random.default_rng(8)
    tenths = rng.integers(0, 6, (180, 3))
    rows = tuple(
        Output(str(number), f"Clause {number // 3}.", "Texte.", "abc"[number % 3])
        for number in range(len(tenths))
    )
    metric = rng.integers(0, 4, len(tenths)) / 4 + tenths.sum(axis=1)
    reports = [
        metric_report(
            People(rows, scores, 0, highest),
            [Candidate("m", Wording("m", "m"), Direction.HIGHER, None, "m", metric)],
            Drawn(draws=0),
        )
        for scores, highest in ((tenths / 10, 1), (tenths.astype(float) * 10, 100))
    ]
    assert len(np.unique(np.nanmean(tenths / 10, axis=1))) > len(np.unique(tenths.sum(axis=1)))
    assert len(np.unique(People(rows, tenths / 10, 0, 1).means)) == len(
        np.unique(tenths.sum(axis=1))
    )
    in_tenths, whole = (written["lines"][0]["figures"] for written in reports)
    assert whole["kendall"]["value"] == pytest.approx(
        stats.kendalltau(metric, tenths.sum(axis=1)).statistic, abs=1e-12
    )
    for name in ("spearman", "kendall", "pairwise"):
        assert in_tenths[name]["value"] == whole[name]["value"]


def test_means_are_settled_by_the_ends_of_their_scale():
    unsettled = np.array([0.1 + 0.2 - 0.3, (0.1 + 0.2 + 0.3) / 3, np.nan, 1 / 3])
    for by in (1e-300, 1e-20, 1.0, 1e6, 1e100):
        means = settled(unsettled * by, -by, by)
        assert means[0] == 0
        assert means[1:] == pytest.approx([0.2 * by, np.nan, by / 3], rel=1e-11, nan_ok=True)
        assert means[1] == settled(np.array([0.2 * by]), 0, by)[0]
    assert np.copysign(1, settled(np.array([-1e-17]), -1, 1))[0] == 1


def test_equal_means_of_systems_are_in_one_order():
    """Of people and of the metric the first two have one mean and the third a higher one."""
    scores = {"a": [1, 2, 6, 3], "b": [2, 2, 2, 6], "c": [7, 5, 6, 8]}
    rows = tuple(
        Output(f"{text}/{system}", f"Clause {text}.", "Texte.", system)
        for text in range(4)
        for system in scores
    )
    given = np.array([[scores[row.system][int(row.unit[0])]] for row in rows], dtype=float)
    for by in (1.0, 0.1, 1e-20):
        metric = brought("m", given[:, 0] * by)
        (line, *_) = metric_report(People(rows, given, 1, 10), [metric], Drawn(draws=0))["lines"]
        assert line["figures"]["system_accuracy"]["value"] == 1


@pytest.mark.parametrize("by", [1e-12, 1.0, 1e50])
def test_what_is_as_high_as_people_is_not_above_on_any_scale(by):
    rng = np.random.default_rng(8)
    rows = people().outputs
    given = rng.integers(1, 11, (len(rows), 3)) * by
    study = People(rows, given, by, 10 * by)
    (exact, above) = (
        Candidate(name, Wording(name, name), Direction.HIGHER, (1, 10), name, study.means / by + up)
        for name, up in (("exact", 0.0), ("above", np.arange(len(rows)) % 2 * 0.01))
    )
    first, second, _ = metric_report(study, [exact, above], Drawn(draws=0))["lines"]
    assert first["figures"]["share_above"]["value"] == 0
    below_the_end = study.means / by < 10
    expected = np.mean((np.arange(len(rows)) % 2 == 1) & below_the_end)
    assert second["figures"]["share_above"]["value"] == pytest.approx(expected)
