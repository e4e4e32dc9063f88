"""The whole report on a small made-up study."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from django.utils.translation import override

from annotation.agreement.result import NO_DRAWS
from annotation.management.metric_lines import report_lines
from annotation.metrics.metric import NO_REFERENCE, NOT_BROUGHT, Direction
from annotation.metrics.report.estimate import NO_SCALE, Drawn, drawn_counts
from annotation.metrics.report.levels import FEW_SYSTEMS, NO_CONTROLS, human_ceiling
from annotation.metrics.report.people import Candidate, Output, People, read
from annotation.metrics.report.report import SAME_NUMBER, metric_report
from annotation.metrics.report.williams import bootstrap_p, williams
from annotation.protocols.base import Better, Wording
from annotation.web.metrics.tables import remark

SOURCES, SYSTEMS = 20, ("a", "b", "c")
DRAWN = Drawn(draws=100, seed=5)


def people(systems=SYSTEMS, raters=3, seed=3):
    rng = np.random.default_rng(seed)
    outputs, ratings = [], []
    for source in range(SOURCES):
        for place, system in enumerate(systems):
            outputs.append(
                Output(
                    f"{source}/{place}",
                    f"Clause {source} " + "mot " * (10 + 4 * source),
                    "Phrase." if (source + place) % 2 else "Phrase coupée sans",
                    system,
                    majority="exclusion" if source % 2 else "",
                )
            )
            true = 5 + 2 * place + rng.normal(0, 1)
            ratings.append(np.clip(np.round(true + rng.normal(0, 1, raters)), 1, 10))
    return People(tuple(outputs), np.array(ratings, float), 1, 10)


def candidate(name, values, **changed):
    facts = {"direction": Direction.HIGHER, "bounds": (0, 100), "signature": f"{name}|definition:1"}
    return Candidate(name, Wording(name, name), values=np.array(values, float), **facts | changed)


@pytest.fixture(scope="module")
def study():
    return people()


@pytest.fixture(scope="module")
def report(study):
    rng = np.random.default_rng(1)
    good = study.means * 10 + rng.normal(0, 5, len(study.means))
    holes = np.where(np.arange(len(good)) < 5, np.nan, good)
    return metric_report(
        study,
        [
            candidate(
                "good",
                good,
                identical=np.full(10, 99.6),
                unrelated=np.array([0.0] * 5 + [4.0] * 5),
            ),
            candidate("turned", 100 - good, direction=Direction.LOWER),
            candidate("noise", rng.uniform(0, 100, len(good)), is_baseline=True),
            candidate("same", np.full(len(good), 50.0)),
            candidate("holes", holes, is_brought=True),
            candidate("none", np.full(len(good), np.nan), missing={NO_REFERENCE: len(good)}),
            candidate("wide", good, direction=Direction.NEITHER, bounds=None),
        ],
        DRAWN,
    )


def line(report, name):
    return next(row for row in report["lines"] if row["name"] == name)


def test_it_is_json_without_nan(report):
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_what_everything_rests_on(report):
    assert (report["n"], report["sources"], report["people"]) == (60, 20, 3)
    assert (report["seed"], report["draws"], report["scale"]) == (5, 100, [1, 10])
    assert report["ceiling"]["value"] > 0.5


def test_the_best_is_no_baseline_and_has_a_direction(report):
    assert report["best"] in ("good", "turned", "holes")
    assert line(report, report["best"])["versus"] is None
    assert line(report, "noise")["versus"]["p_holm"] < 0.01
    assert line(report, "noise")["versus"]["difference"]["low"] > 0
    assert line(report, "original_alone")["is_baseline"]
    competing = {row["name"] for row in report["lines"] if row["competes"]}
    assert competing == {"good", "turned", "same", "holes"}


def test_what_is_the_best_but_for_its_scale_has_no_test_and_is_in_no_family(study):
    rng = np.random.default_rng(6)
    good = (study.means + rng.normal(0, 1, len(study.means))) / 30
    deleted = candidate("deleted", 1 - good, direction=Direction.LOWER, bounds=(0, 1))
    others = [candidate(f"r{n}", rng.uniform(0, 1, len(good))) for n in range(3)]
    written = metric_report(study, [candidate("good", good), deleted, *others], DRAWN)
    rest = [name for name in ("good", "deleted") if name != written["best"]]
    (same,) = (line(written, name)["versus"] for name in rest)
    assert same["difference"]["value"] == 0
    assert same["difference"]["undefined"]["en"] == SAME_NUMBER.en
    tests = ("williams_t", "p", "p_holm", "p_bootstrap", "p_bootstrap_holm")
    assert [same[name] for name in tests] == [None] * len(tests)
    alone = metric_report(study, [candidate("good", good), *others], DRAWN)
    for other in others:
        left, right = (line(made, other.name)["versus"] for made in (written, alone))
        assert left["p_bootstrap_holm"] == right["p_bootstrap_holm"]
        assert left["p_holm"] == pytest.approx(right["p_holm"])


def test_what_goes_exactly_the_other_way_is_behind(study):
    good = study.means + np.random.default_rng(6).normal(0, 1, len(study.means))
    written = metric_report(study, [candidate("good", good), candidate("away", -good)], DRAWN)
    versus = line(written, "away")["versus"]
    assert versus["difference"]["value"] > 1
    assert versus["p_bootstrap"] == pytest.approx(1 / 101)


def test_what_only_describes_is_behind_none_and_in_no_family(report):
    assert line(report, "wide")["versus"] is None
    tested = [row["versus"] for row in report["lines"] if row["versus"] and row["versus"]["p"]]
    least = min(tested, key=lambda versus: versus["p"])
    assert least["p_holm"] == pytest.approx(min(1, len(tested) * least["p"]), rel=1e-5)


def test_what_most_outputs_lack_is_not_the_best(study):
    few = np.where(np.arange(len(study.means)) < 31, np.nan, study.means)
    rough = study.means + np.random.default_rng(3).normal(0, 2, len(study.means))
    made = metric_report(study, [candidate("few", few), candidate("rough", rough)], DRAWN)
    assert made["best"] == "rough"
    assert line(made, "few")["versus"] is not None, "it has a side, and is compared"


def test_lower_is_better_is_turned(report):
    good, turned = line(report, "good"), line(report, "turned")
    for name in ("pearson", "rmse", "share_above"):
        assert turned["figures"][name]["value"] == pytest.approx(good["figures"][name]["value"])


def test_undefined_stands_in_words_and_the_rest_goes_on(report):
    assert line(report, "same")["figures"]["pearson"]["undefined"]["en"].startswith("The metric")
    none = line(report, "none")
    assert none["n"] == 0
    assert none["missing"] == [
        {"code": NO_REFERENCE, "n": 60, "reason": none["missing"][0]["reason"]}
    ]
    assert "référence" in none["missing"][0]["reason"]["fr"]
    assert all(figure["value"] is None for figure in none["figures"].values())
    assert all(figure["undefined"] for figure in none["figures"].values())
    assert line(report, "wide")["figures"]["rmse"]["undefined"]["fr"] == NO_SCALE.fr
    assert line(report, "wide")["figures"]["identical_strict"]["undefined"]["fr"] == NO_SCALE.fr


def test_brought_scores_that_lack_some_pairs(report):
    holes = line(report, "holes")
    assert holes["n"] == 55
    assert [(hole["code"], hole["n"]) for hole in holes["missing"]] == [(NOT_BROUGHT, 5)]
    assert line(report, "good")["missing"] == []


def test_values_past_the_ends_are_counted(study):
    good = study.means * 10
    past = np.where(np.arange(len(good)) < 7, 130.0, np.where(np.arange(len(good)) < 9, -5, good))
    beside = {"references": np.array([101.0, np.nan, 100.0000001, 3.0])}
    given = candidate("past", past, beside=beside)
    assert given.outside() == {"outputs": 9, "references": 1}
    written = metric_report(study, [given, candidate("good", good)], DRAWN)
    assert line(written, "past")["outside"] == {"outputs": 9, "references": 1}
    assert line(written, "good")["outside"] == {}
    assert candidate("free", past, bounds=None).outside() == {}
    said = "9 values past the ends of the range: each counts as the end in points."
    with override("en"):
        assert remark(line(written, "past"), "pearson", "rmse") == said
        assert remark(line(written, "past"), "pearson") == ""
        assert remark(line(written, "past"), "rmse", "rmse_references").startswith("10 values")
        assert remark(line(written, "past"), "rmse_references").startswith("1 value past")
        # A report of before this was counted.
        before = {name: fact for name, fact in line(written, "past").items() if name != "outside"}
        assert remark(before, "rmse") == ""
    told = written | {"dimension": "legal_meaning", "references": 0, "papers": []}
    assert "  past the range     9 of outputs, 1 of references: counted as its end" in "\n".join(
        report_lines(told)
    )


def test_sanity_checks_are_of_the_range(report):
    figures = line(report, "good")["figures"]
    # 99.6 rounds to 100 per cent, 4 is between the strict and the lenient bound.
    assert figures["identical_strict"]["value"] == 1
    assert figures["unrelated_strict"]["value"] == 0.5
    assert figures["unrelated_lenient"]["value"] == 1
    assert line(report, "noise")["figures"]["identical_strict"]["undefined"]["fr"] == NO_CONTROLS.fr


def test_strata_have_their_own_ceiling(report):
    strata = {(stratum["dimension"], stratum["value"]): stratum for stratum in report["strata"]}
    assert {dimension for dimension, _ in strata} == {"completeness", "half", "length", "system"}
    # Half of them have no class: one value alone is no stratum.
    assert strata["completeness", "whole"]["n"] + strata["completeness", "truncated"]["n"] == 60
    assert strata["system", "a"]["ceiling"]["n"] == 20
    assert set(strata["system", "a"]["pearson"]) == {row["name"] for row in report["lines"]}


def test_systems(report):
    figures = line(report, "good")["figures"]
    assert figures["system_pearson"]["value"] > 0.95
    assert figures["system_accuracy"]["value"] == 1
    assert figures["pairwise"]["n"] == 60
    assert line(report, "same")["figures"]["system_pearson"]["value"] is None


@pytest.mark.parametrize("seed", range(3))
def test_an_interval_of_systems_holds_its_own_value(study, seed):
    """Systems' means that agree wholly do so in no draw."""
    values = study.means + np.random.default_rng(seed).normal(0, 2, len(study.means))
    for place in range(3):
        own = slice(place, None, 3)
        values[own] += study.means[own].mean() - values[own].mean()
    metrics_report = metric_report(study, [candidate("good", values)], DRAWN)
    figure = line(metrics_report, "good")["figures"]["system_pearson"]
    assert figure["low"] < figure["value"] <= figure["high"]


@pytest.mark.parametrize("ratings", [np.full(20, 4.0), np.r_[1.0, 2.0, np.full(18, np.nan)]])
def test_the_ceiling_has_an_interval_where_one_person_has_no_correlation(ratings):
    """Who always says the same, or met the others twice, is not in the mean: nor in its draws."""
    true = np.arange(20.0)[:, None]
    others = true + np.random.default_rng(1).normal(0, 2, (20, 3))
    both = np.column_stack([others, ratings])
    limit = human_ceiling(both, np.arange(20), DRAWN)
    interval = limit.interval
    assert interval is not None
    assert (interval.low or 1) < (limit.value or 0) < (interval.high or 0)


@pytest.mark.parametrize("second", [7, 30])
def test_the_ceiling_rests_on_outputs_that_two_people_rated(second):
    """What one person rated alone counts neither among outputs nor among texts."""
    rng = np.random.default_rng(4)
    ratings = np.full((60, 2), np.nan)
    ratings[:, 0] = rng.integers(1, 11, 60)
    ratings[:second, 1] = np.clip(ratings[:second, 0] + rng.integers(-2, 3, second), 1, 10)
    limit = human_ceiling(ratings, np.arange(60), DRAWN)
    assert limit == human_ceiling(ratings[:second], np.arange(second), DRAWN)
    assert (limit.n, limit.sources) == (second, second)
    assert limit.value == pytest.approx(np.corrcoef(ratings[:second].T)[0, 1])
    interval = limit.interval
    assert interval is not None
    assert (interval.low is None) is (second < 8)


def test_the_ceiling_has_its_interval_whatever_the_size_of_the_scale():
    rng = np.random.default_rng(5)
    ratings = rng.integers(1, 11, (30, 1)) + rng.integers(-2, 3, (30, 3)).astype(float)
    limits = [human_ceiling(ratings * size, np.arange(30), DRAWN) for size in (1, 1e-9, 1e12)]
    for limit in limits:
        known, other = limits[0].interval, limit.interval
        assert known is not None
        assert other is not None
        assert limit.value == pytest.approx(limits[0].value)
        assert (other.low, other.high) == pytest.approx((known.low, known.high))
        assert known.low is not None


def test_two_systems_are_too_few():
    study = people(("a", "b"))
    metrics_report = metric_report(study, [candidate("good", study.means)], DRAWN)
    figures = line(metrics_report, "good")["figures"]
    assert figures["system_pearson"]["undefined"]["fr"] == FEW_SYSTEMS.fr


def test_one_person_and_four_outputs():
    outputs = tuple(Output(str(n), f"Texte {n}", "Autre.") for n in range(4))
    study = People(outputs, np.array([[1.0], [2], [3], [4]]), 1, 4)
    metrics_report = metric_report(study, [candidate("good", [1, 2, 3, 5])], DRAWN)
    assert metrics_report["ceiling"]["value"] is None
    assert line(metrics_report, "original_alone")["n"] == 0
    assert line(metrics_report, "good")["figures"]["pearson"]["low"] is None
    json.dumps(metrics_report, allow_nan=False)


def test_no_metric_is_defined():
    study = people()
    metrics_report = metric_report(study, [candidate("none", np.full(60, np.nan))], DRAWN)
    assert metrics_report["best"] == ""
    assert all(row["versus"] is None for row in metrics_report["lines"])


def test_progress_is_told(study):
    steps = []
    metric_report(study, [candidate("good", study.means)], DRAWN, lambda *at: steps.append(at))
    assert steps == [(1, 2), (2, 2)]
    assert drawn_counts.cache_info().currsize == 0


def test_readings_become_values_and_reasons():
    values, missing = read([1.0, "no_words", 3])
    assert values[0] == 1
    assert np.isnan(values[1])
    assert missing == {"no_words": 1}


def test_where_tests_are_undefined():
    assert williams(0.5, 0.4, 0.3, 3) is None
    assert williams(0.5, 0.5, 1.0, 100) is None
    assert williams(1.0, 1.0, 0.99, 100) is None
    assert bootstrap_p(np.array([np.nan]), np.array([1.0])) is None
    assert bootstrap_p(np.array([1.0, 2]), np.array([0.0, 3])) == pytest.approx(2 / 3)


def test_without_draws_figures_stand_without_intervals(study):
    noisy = study.means + np.random.default_rng(2).normal(0, 1, len(study.means))
    good = candidate("good", noisy, identical=np.full(10, 99.6), unrelated=np.zeros(10))
    metrics_report = metric_report(study, [good, candidate("other", noisy**2)], Drawn(draws=0))
    json.dumps(metrics_report, allow_nan=False)
    good_line = line(metrics_report, "good")
    figures = [figure for name, figure in good_line["figures"].items() if "_" not in name]
    figures += [metrics_report["ceiling"], line(metrics_report, "other")["versus"]["difference"]]
    assert {figure["undefined"]["en"] for figure in figures} == {NO_DRAWS.en}
    assert all(figure["value"] is not None and figure["low"] is None for figure in figures)
    assert metrics_report["between"]["pairs"][0]["spearman"]["low"] is None
    assert line(metrics_report, "other")["versus"]["p_bootstrap"] is None
    assert line(metrics_report, "other")["versus"]["p"] is not None


def test_what_differs_by_its_last_digit_is_one_rank_and_not_above(study):
    """What a formula gives twice may differ by its last digit, and so may the mean of people on the
    metric's range: figures are those that anybody finds from the values that are written."""
    steps = np.round(study.means)
    noise = np.where(np.arange(len(steps)) % 2, 1e-13, 0)
    exact = candidate("exact", steps, bounds=(1, 10))
    shaken = candidate("shaken", steps + noise, bounds=(1, 10))
    metrics_report = metric_report(study, [exact, shaken], Drawn(draws=0))
    first, second = (line(metrics_report, name)["figures"] for name in ("exact", "shaken"))
    for name in ("spearman", "kendall", "share_above"):
        assert first[name]["value"] == second[name]["value"]
    on_the_mark = candidate("same", 10 * (study.means + 1e-13), bounds=(10, 100))
    same_figures = line(metric_report(study, [on_the_mark], Drawn(draws=0)), "same")["figures"]
    assert same_figures["share_above"]["value"] == 0


def test_where_people_say_lower_for_better_all_is_as_on_the_mirrored_scale(study):
    """11 − a score on 1–10 is the same judgment, told the other way round."""
    rng = np.random.default_rng(1)
    good = study.means * 10 + rng.normal(0, 5, len(study.means))
    lines = [
        candidate("good", good),
        candidate("turned", 60 - good + rng.normal(0, 9, len(good)), direction=Direction.LOWER),
        candidate("noise", rng.uniform(0, 100, len(good))),
    ]
    places = replace(study, ratings=11 - study.ratings, better=Better.LOWER)
    known, told = metric_report(study, lines, DRAWN), metric_report(places, lines, DRAWN)
    assert (told["best"], told["better"]) == (known["best"], "lower") == ("good", "lower")
    for here, there in zip(told["lines"][:3], known["lines"], strict=False):
        for name, figure in there["figures"].items():
            for key in ("value", "low", "high"):
                assert here["figures"][name][key] == pytest.approx(figure[key], abs=1e-9), name
        assert [row["unit"] for row in here["apart"]] == [row["unit"] for row in there["apart"]]
    # What is told on the human scale itself goes its way.
    assert told["lines"][-1]["direction"] == -1
    assert told["ceiling"]["value"] == pytest.approx(known["ceiling"]["value"])


def test_where_neither_side_of_the_human_scale_is_better_no_metric_is_the_best(study):
    lines = [candidate("good", study.means * 10), candidate("other", study.means[::-1] * 10)]
    report = metric_report(replace(study, better=Better.NEITHER), lines, DRAWN)
    assert (report["best"], report["better"]) == ("", "neither")
    assert not any(line["competes"] or line["versus"] for line in report["lines"])
    assert line(report, "good")["figures"]["pearson"]["value"] == pytest.approx(1.0)


def test_of_equal_correlations_the_last_name_is_the_best(study):
    """On another scale a metric correlates by another last digit."""
    values = study.means + np.random.default_rng(2).normal(0, 1, len(study.means))
    for by in (3.0, 7.0, 0.1, 1 / 3):
        lines = [candidate("a", values * by), candidate("b", values)]
        assert metric_report(study, lines, Drawn(draws=0))["best"] == "b"
