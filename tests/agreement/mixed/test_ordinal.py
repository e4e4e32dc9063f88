"""The ordinal model: a published example, planted truths, and designs that say nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.agreement.generalizability import ANNOTATORS
from annotation.agreement.mixed import ordinal, wording
from annotation.agreement.mixed.library import StatsmodelsMissing
from annotation.agreement.mixed.ordinal import ordinal_model
from annotation.agreement.systems.figure import Drawn
from bench.mixed import Design
from tests.agreement.mixed.designs import bounds, crossed, ratings, value, wine
from tests.agreement.mixed.needs import needs_statsmodels

pytestmark = needs_statsmodels


class TestPublished:
    def test_wine(self):
        """Christensen (2018), ``clm(rating ~ temp + contact)``: warm 2.5031, contact 1.5278;
        thresholds of cold and no contact −1.3444, 1.2508, 3.4669, 5.0064; log likelihood
        −86.4919."""
        model = ordinal_model(wine(), Drawn())
        assert value(model.differences[0].log_odds) == pytest.approx(-2.5031, abs=2e-4)
        assert value(model.differences[0].odds_ratio) == pytest.approx(np.exp(-2.5031), rel=2e-4)
        shifts = {who: value(shift) for who, shift in model.shifts}
        assert shifts == pytest.approx({"no": 1.5278 / 2, "yes": -1.5278 / 2}, abs=2e-4)
        own = [place + shifts["no"] for _answer, place in model.thresholds]
        assert own == pytest.approx([-1.3444, 1.2508, 3.4669, 5.0064], abs=5e-4)
        assert [answer for answer, _place in model.thresholds] == [1, 2, 3, 4]
        assert model.log_likelihood == pytest.approx(-86.4919, abs=1e-4)

    def test_robust_variances_are_those_of_the_sandwich(self):
        """B⁻¹ Σ_g s_g s_gᵀ B⁻¹ with derivatives taken here, G / (G − 1) × (n − 1) / (n − p)."""
        table = wine()
        model = ordinal_model(table, Drawn())
        effects = [2.5031, 1.5278, -1.3444, 1.2508, 3.4669, 5.0064]
        fixed = np.column_stack([table.system == 1, table.rater == 1]).astype(float)

        def likelihoods(at: np.ndarray) -> np.ndarray:
            ends = np.array([-np.inf, *at[2:], np.inf])
            place = fixed @ at[:2]
            return np.log(
                1 / (1 + np.exp(place - ends[table.place + 1]))
                - 1 / (1 + np.exp(place - ends[table.place]))
            )

        def slopes(at: np.ndarray) -> np.ndarray:
            steps = 1e-5 * np.eye(6)
            return np.stack([(likelihoods(at + s) - likelihoods(at - s)) / 2e-5 for s in steps], 1)

        at = np.array(effects)
        bread = np.linalg.inv(
            np.stack(
                [(slopes(at + s) - slopes(at - s)).sum(axis=0) / 2e-4 for s in 1e-4 * np.eye(6)]
            )
        )
        own = slopes(at)
        sums = np.stack([own[table.source == code].sum(axis=0) for code in range(9)])
        covariance = bread @ sums.T @ sums @ bread * (9 / 8) * (71 / 66)
        low, high = bounds(model.differences[0].log_odds)
        half = (high - low) / 2
        # Student's t of eight degrees of freedom.
        assert half == pytest.approx(2.306004 * covariance[0, 0] ** 0.5, rel=2e-3)


class TestPlanted:
    def test_a_large_study_gives_the_truth_back(self):
        table = Design(200, 4, 3, (0.0, 1.0), {ANNOTATORS: 0.5}).answers((3, 3))
        model = ordinal_model(table, Drawn())
        difference = model.differences[0].log_odds
        assert value(difference) == pytest.approx(-1.0, abs=0.25)
        assert bounds(difference)[0] < -1 < bounds(difference)[1]
        assert sum(value(shift) for _who, shift in model.shifts) == pytest.approx(0)
        gaps = np.diff([place for _answer, place in model.thresholds])
        assert gaps == pytest.approx([1, 1, 1], abs=0.3)

    def test_equal_answers_give_equal_bytes(self):
        once, twice = (json.dumps(ordinal_model(wine(), Drawn()).as_dict()) for _ in range(2))
        assert once == twice
        assert "NaN" not in once
        assert json.loads(once)["signature"].startswith("mixed_ordinal|model:cumulative_logit|")

    def test_who_gives_only_the_highest_answer_is_left_out_and_named(self):
        table = Design(12, 3, 3, (0.0, 0.5), {ANNOTATORS: 0.5}).answers((6, 1))
        known = ordinal_model(table, Drawn())
        rows = [
            (f"s{system}", f"text {source:03}", f"p{rater}", float(table.scale[place]))
            for system, source, rater, place in zip(
                table.system, table.source, table.rater, table.place, strict=True
            )
        ]
        extra = [("s0", f"text {text:03}", "kind", 5.0) for text in range(12)]
        model = ordinal_model(ratings(rows + extra), Drawn())
        assert "kind" in model.notes[0].en
        assert [who for who, _shift in model.shifts] == ["p0", "p1", "p2"]
        assert value(model.differences[0].log_odds) == pytest.approx(
            value(known.differences[0].log_odds), abs=1e-6
        )


class TestNothingToSay:
    def refused(self, table):
        model = ordinal_model(table, Drawn())
        assert model.differences == ()
        assert model.as_dict()["undefined"] is not None
        return model.undefined

    def test_one_system(self):
        alone = crossed([[[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]]])
        assert self.refused(alone) == wording.ONE_SYSTEM.format(system="a")

    def test_one_annotator(self):
        alone = crossed([[[1.0], [2.0], [3.0]], [[2.0], [2.0], [1.0]]])
        assert self.refused(alone) == wording.ONE_ANNOTATOR

    def test_all_equal(self):
        assert self.refused(crossed([[[2.0, 2.0]] * 4] * 2)) == wording.ALL_EQUAL

    def test_too_many_values(self):
        values = np.arange(44.0).reshape(2, 11, 2).tolist()
        reason = self.refused(crossed(values))
        assert reason == wording.NOT_ORDINAL.format(values=44, most=20)

    def test_few_texts(self):
        reason = self.refused(crossed([[[1.0, 2.0], [2.0, 3.0]], [[2.0, 1.0], [3.0, 3.0]]]))
        assert reason.en == "No interval: it takes at least 8 original texts, and there are 2."

    def test_too_large(self, monkeypatch):
        monkeypatch.setattr(ordinal, "MOST_WORK", 100)
        assert self.refused(wine()).en.startswith("Too large for this model: 72 judgments")

    def test_systems_that_nobody_connects(self):
        rows = [
            (system, f"text {text}", person, float(1 + (text * (2 if person in "AC" else 3)) % 4))
            for system, people in (("a", "AB"), ("b", "CD"))
            for text in range(10)
            for person in people
        ]
        assert self.refused(ratings(rows)) == wording.NO_COMMON_PERSON

    def test_a_system_with_only_the_highest_answer(self):
        cells = [[[1.0, 2.0], [2.0, 3.0]] * 5, [[3.0, 3.0]] * 10]
        assert self.refused(crossed(cells)) == wording.SEPARATED_SYSTEM.format(system="b")

    def test_systems_without_overlap(self):
        cells = [[[1.0, 2.0], [2.0, 1.0]] * 5, [[3.0, 4.0], [4.0, 3.0]] * 5]
        assert self.refused(crossed(cells)) == wording.SEPARATED

    def test_a_search_that_fails_or_ends_too_early(self, monkeypatch):
        from statsmodels.miscmodels.ordinal_model import OrderedModel

        # Below what any slope is: at the top found by some processors it is 0 to the last digit.
        monkeypatch.setattr(ordinal, "FLAT", -1.0)
        assert self.refused(wine()) == wording.NOT_CONVERGED

        def fail(*_given, **_named):
            raise np.linalg.LinAlgError

        monkeypatch.setattr(OrderedModel, "fit", fail)
        assert self.refused(wine()) == wording.SEPARATED

    def test_without_statsmodels(self, monkeypatch):
        monkeypatch.setattr(ordinal, "statsmodels_version", lambda: None)
        with pytest.raises(StatsmodelsMissing):
            ordinal_model(wine(), Drawn())
