"""Thresholds of each annotator's own: a published example, two other computations, and designs that
bear none."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from annotation.agreement.generalizability import ANNOTATORS
from annotation.agreement.mixed import cumulative, thresholds, wording
from annotation.agreement.mixed.cumulative import Between, highest
from annotation.agreement.mixed.ordinal import ordinal_model
from annotation.agreement.mixed.thresholds import OwnThresholds, own_thresholds
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.table import SystemRatings
from bench.mixed import Design
from tests.agreement.mixed.designs import bounds, crossed, machines, ratings, value, wine
from tests.agreement.mixed.needs import needs_statsmodels

STUDY = Design(30, 4, 3, (0.0, 0.7), {ANNOTATORS: 0.5})


@pytest.fixture
def any_number(monkeypatch):
    """Thresholds from one answer on."""
    monkeypatch.setattr(thresholds, "FEWEST_ANSWERS", 1)


@pytest.fixture(scope="module")
def study() -> SystemRatings:
    """180 answers of 1–5 by four annotators who use the scale differently."""
    return STUDY.answers((4, 1), own=0.6)


@pytest.fixture(scope="module")
def own_model(study) -> OwnThresholds:
    return own_thresholds(study, Drawn())


def borders(model: OwnThresholds) -> dict[str, list[float]]:
    places: dict[str, list[float]] = {}
    for threshold in model.thresholds:
        places.setdefault(str(threshold.annotator), []).append(threshold.value)
    return places


def banded(table: SystemRatings, model: OwnThresholds) -> np.ndarray:
    """Each answer as the number of its annotator's thresholds below it."""
    own = borders(model)
    return np.array(
        [
            sum(table.scale[place] > border for border in own[str(table.raters[rater])])
            for place, rater in zip(table.place, table.rater, strict=True)
        ]
    )


class TestAgainstOthers:
    @pytest.mark.usefixtures("any_number")
    def test_wine_with_nominal_effects(self):
        """Christensen (2018), ``clm(rating ~ temp, nominal = ~ contact)``: warm 2.519; thresholds
        without contact −1.3230, 1.2464, 3.5500, 4.6602, with it −1.6151, −1.5116, −1.6748, −1.0506
        further; log likelihood −86.21, AIC 190.42. Without: −86.4919."""
        model = own_thresholds(wine(), Drawn())
        assert model.fit is not None
        assert model.moved is not None
        difference = value(model.differences[0].log_odds)
        assert difference == pytest.approx(-2.519, abs=5e-4)
        assert value(model.differences[0].odds_ratio) == pytest.approx(np.exp(difference))
        # Thresholds are told at the average system, here at cold.
        own = [value(threshold.own) - difference / 2 for threshold in model.thresholds]
        without = np.array([-1.3230, 1.2464, 3.5500, 4.6602])
        assert own[:4] == pytest.approx(without, abs=5e-4)
        further = np.array([-1.6151, -1.5116, -1.6748, -1.0506])
        assert own[4:] == pytest.approx(without + further, abs=1e-3)
        assert model.fit.log_likelihood == pytest.approx(-86.2086, abs=1e-4)
        assert (model.fit.coefficients, round(model.fit.aic, 2)) == (9, 190.42)
        assert model.moved.log_likelihood == pytest.approx(-86.4919, abs=1e-4)
        assert model.moved.coefficients == 6
        assert model.notes[0].en.startswith("The common thresholds moved suffice")
        assert "(AIC 185.0, against 190.4; further coefficients: 3)" in model.notes[0].en
        assert "(AIC 185,0, contre 190,4;" in model.notes[0].fr

    def test_a_direct_maximum_of_the_likelihood(self, study, own_model):
        """scipy's search without slopes, thresholds as a first and logarithms of steps."""
        from scipy.optimize import minimize  # type: ignore[import-untyped]
        from scipy.special import expit  # type: ignore[import-untyped]

        answers = banded(study, own_model)
        numbers = [len(own) for own in borders(own_model).values()]
        cuts = np.cumsum([1, *numbers])

        def falling(at: np.ndarray) -> float:
            whole = 0.0
            for rater, (begin, end) in enumerate(pairwise(cuts)):
                steps = np.concatenate([at[begin : begin + 1], np.exp(at[begin + 1 : end])])
                ends = np.concatenate([[-np.inf], np.cumsum(steps), [np.inf]])
                own = study.rater == rater
                place = at[0] * study.system[own]
                above, below = ends[answers[own] + 1], ends[answers[own]]
                whole -= np.log(expit(above - place) - expit(below - place)).sum()
            return whole

        start = np.zeros(cuts[-1])
        known = minimize(falling, start, method="BFGS", options={"gtol": 1e-6})
        assert own_model.fit is not None
        assert own_model.fit.log_likelihood == pytest.approx(-known.fun, abs=1e-6)
        assert value(own_model.differences[0].log_odds) == pytest.approx(-known.x[0], abs=1e-4)
        assert own_model.fit.coefficients == len(known.x)

    @needs_statsmodels
    def test_each_annotator_by_statsmodels(self, study, own_model):
        """Of one annotator alone a model with own thresholds is a plain cumulative logit; with the
        common difference as an offset its thresholds and likelihood are these."""
        from statsmodels.miscmodels.ordinal_model import OrderedModel

        answers = banded(study, own_model)
        difference = -value(own_model.differences[0].log_odds)
        whole = 0.0
        for rater in range(4):
            own = study.rater == rater
            system = study.system[own].astype(float)
            model = OrderedModel(answers[own], None, offset=system * difference, distr="logit")
            known = model.fit(method="bfgs", disp=False, gtol=1e-8)
            whole += known.llf
            places = [
                value(threshold.own)
                for threshold in own_model.thresholds
                if threshold.annotator == rater
            ]
            expected = model.transform_threshold_params(known.params)[1:-1] - difference / 2
            assert places == pytest.approx(expected, abs=1e-4)
        assert own_model.fit is not None
        assert own_model.fit.log_likelihood == pytest.approx(whole, abs=1e-5)

    @needs_statsmodels
    @pytest.mark.usefixtures("any_number")
    def test_the_moved_ones_are_those_of_the_other_model(self):
        """statsmodels's ``OrderedModel``, where no values count together."""
        table = STUDY.answers((4, 2))
        model, known = own_thresholds(table, Drawn()), ordinal_model(table, Drawn())
        assert model.moved is not None
        assert model.moved.log_likelihood == pytest.approx(known.log_likelihood, abs=1e-5)
        average = value(known.differences[0].log_odds) / 2
        shifts = dict(known.shifts)
        places = dict(known.thresholds)
        assert [threshold.moved for threshold in model.thresholds] == pytest.approx(
            [
                places[threshold.value] + value(shifts[threshold.annotator]) + average
                for threshold in model.thresholds
            ],
            abs=1e-4,
        )

    def test_robust_variances_with_slopes_taken_here(self, study, own_model):
        """B⁻¹ Σ_g s_g s_gᵀ B⁻¹ × G / (G − 1) × (n − 1) / (n − p), by differences."""
        answers = banded(study, own_model)
        numbers = [len(own) for own in borders(own_model).values()]
        cuts = np.cumsum([1, *numbers])
        average = -value(own_model.differences[0].log_odds) / 2
        at = np.array(
            [2 * average, *(value(threshold.own) + average for threshold in own_model.thresholds)]
        )
        first = cuts[:-1][study.rater]
        ends = np.array(numbers)[study.rater]

        def likelihoods(at: np.ndarray) -> np.ndarray:
            above = np.where(answers < ends, at[np.minimum(first + answers, len(at) - 1)], np.inf)
            below = np.where(answers > 0, at[first + answers - 1], -np.inf)
            place = at[0] * study.system
            return np.log(1 / (1 + np.exp(place - above)) - 1 / (1 + np.exp(place - below)))

        def slopes(at: np.ndarray) -> np.ndarray:
            steps = 1e-5 * np.eye(len(at))
            return np.stack([(likelihoods(at + s) - likelihoods(at - s)) / 2e-5 for s in steps], 1)

        steps = 1e-4 * np.eye(len(at))
        curved = np.stack([(slopes(at + s) - slopes(at - s)).sum(axis=0) / 2e-4 for s in steps])
        bread = np.linalg.inv(curved)
        own = slopes(at)
        sums = np.stack([own[study.source == code].sum(axis=0) for code in range(30)])
        n, p = own.shape
        covariance = bread @ sums.T @ sums @ bread * (30 / 29) * ((n - 1) / (n - p))
        low, high = bounds(own_model.differences[0].log_odds)
        # Student's t of 29 degrees of freedom.
        assert (high - low) / 2 == pytest.approx(2.04523 * covariance[0, 0] ** 0.5, rel=2e-3)


class TestPlanted:
    def test_annotators_who_use_the_scale_differently_are_told_from_strict_ones(self):
        design = Design(150, 4, 4, (0.0, 1.0), {ANNOTATORS: 0.5})
        differently = own_thresholds(design.answers((3, 1), own=1.0), Drawn())
        assert differently.fit is not None
        assert differently.moved is not None
        assert differently.fit.aic < differently.moved.aic - 20
        assert differently.notes[-1].en.startswith("Thresholds of each annotator's own describe")
        undecided = own_thresholds(design.answers((3, 3), own=1.0), Drawn())
        assert undecided.fit is not None
        assert undecided.moved is not None
        assert 0 < undecided.moved.aic - undecided.fit.aic < 10
        assert undecided.notes[-1].en.startswith("AIC does not decide between thresholds of each")
        low, high = bounds(differently.differences[0].log_odds)
        assert low < -1 < high
        alike = own_thresholds(design.answers((3, 1)), Drawn())
        assert alike.fit is not None
        assert alike.moved is not None
        assert alike.fit.aic > alike.moved.aic
        assert alike.fit.log_likelihood >= alike.moved.log_likelihood

    def test_equal_answers_give_equal_bytes(self, study):
        once, twice = (json.dumps(own_thresholds(study, Drawn()).as_dict()) for _ in range(2))
        assert once == twice
        assert "NaN" not in once
        report = json.loads(once)
        assert report["signature"].startswith(
            "mixed_own_thresholds|model:cumulative_logit|thresholds:own|fewest:10|package:scipy:"
        )
        assert "|thresholds:common+annotator|" in report["fit_of_shift"]["signature"]
        assert report["n"]["ratings"] == 180


class TestFewAnswers:
    def test_a_threshold_takes_ten_answers_and_neighbours_count_together(self):
        given = {"A": (10, 10, 10), "B": (4, 6, 20), "C": (12, 3, 15)}
        rows = [
            ("ab"[at % 2], f"text {at // 2:02}", who, float(answer))
            for who, numbers in given.items()
            for at, answer in enumerate(
                np.random.default_rng(5).permutation(np.repeat([1, 2, 3], numbers))
            )
        ]
        model = own_thresholds(ratings(rows), Drawn())
        assert borders(model) == {"A": [1, 2], "B": [2], "C": [1]}
        assert model.notes[0] == wording.VALUES_TOGETHER.format(
            fewest=10, people="B (1–2), C (2–3)"
        )

    def test_who_bears_no_threshold_is_left_out_by_name(self, study, own_model):
        rows = [
            (f"s{system}", f"text {source:03}", f"{rater}", float(study.scale[place]))
            for system, source, rater, place in zip(
                study.system, study.source, study.rater, study.place, strict=True
            )
        ]
        extra = [("s0", f"text {text:03}", "kind", 5.0 if text else 1.0) for text in range(30)]
        more = own_thresholds(ratings(rows + extra), Drawn())
        assert more.notes[0] == wording.WITHOUT_OWN_THRESHOLDS.format(fewest=10, people="kind")
        assert more.counts == own_model.counts
        assert value(more.differences[0].log_odds) == pytest.approx(
            value(own_model.differences[0].log_odds), abs=1e-6
        )

    def test_one_threshold_each_is_the_shift(self):
        answers = np.random.default_rng(8).integers(1, 3, (2, 20, 3)).astype(float)
        model = own_thresholds(crossed(answers.tolist()), Drawn())
        assert model.notes == (wording.NO_MORE_THRESHOLDS,)
        assert [threshold.moved for threshold in model.thresholds] == pytest.approx(
            [value(threshold.own) for threshold in model.thresholds], abs=1e-5
        )


class TestNothingToSay:
    def refused(self, table: SystemRatings):
        model = own_thresholds(table, Drawn())
        assert model.differences == ()
        # Nobody is left out of what is not there.
        assert model.notes == ()
        report = model.as_dict()
        assert report["undefined"] is not None
        assert report["fit"] is report["fit_of_shift"] is report["signature"] is None
        return model.undefined

    def test_too_few_answers(self):
        said = self.refused(crossed([[[1.0, 2.0], [2.0, 1.0]]] * 2))
        assert said == wording.FEW_OWN_THRESHOLDS.format(fewest=10, people=0)
        assert self.refused(machines()) == said

    def test_what_the_other_ordinal_model_refuses(self):
        few_texts = crossed([[[1.0, 2.0], [3.0, 1.0]] * 3] * 2)
        # The same texts judged again and again are two texts.
        codes = {
            name: np.tile(getattr(few_texts, name), 5)
            for name in ("unit", "system", "source", "rater", "place")
        }
        again = replace(few_texts, **codes)
        assert self.refused(again).en.startswith("No interval: it takes at least 8 original texts")

    def test_too_large(self, study, monkeypatch):
        monkeypatch.setattr(thresholds, "MOST_WORK", 100)
        assert self.refused(study).en.startswith("Too large for this model: 180 judgments")

    def test_systems_without_overlap(self):
        cells = [[[1.0, 2.0], [2.0, 1.0]] * 10, [[3.0, 4.0], [4.0, 3.0]] * 10]
        assert self.refused(crossed(cells)) == wording.SEPARATED

    def test_a_search_that_ends_too_early(self, study, monkeypatch):
        monkeypatch.setattr(cumulative, "_STEPS", 1)
        assert self.refused(study) == wording.NOT_CONVERGED

    def test_a_top_that_no_slope_tells(self):
        """A coefficient of which the answers say nothing."""
        flat = Between(
            np.array([[1.0, 0.0], [0.0, 0.0]]),
            np.array([[0.0, 0.0], [1.0, 0.0]]),
            np.array([False, True]),
            np.array([True, False]),
        )
        assert highest(flat, np.zeros(2)).left == np.inf
        assert flat.basis().shape == (2, 1)
        within = flat.within(flat.basis())
        assert highest(within, np.zeros(1)).left < 1e-3
