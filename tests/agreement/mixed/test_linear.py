"""The linear mixed model: published examples, planted truths, and designs that say nothing."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize  # type: ignore[import-untyped]

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, SOURCES, variance_study
from annotation.agreement.mixed import linear, reml, wording
from annotation.agreement.mixed.library import StatsmodelsMissing
from annotation.agreement.mixed.linear import TASTES, Linear, linear_model
from annotation.agreement.mixed.reml import REST, Fitted, crossed_fit, is_separable
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.table import Output, system_ratings
from annotation.agreement.systems.wording import NO_RATING_OF_SYSTEM
from annotation.agreement.table import FloatArray, IntArray, Ratings
from annotation.protocols.base import Level
from bench.mixed import Design, covered
from tests.agreement.known import FRJUDGE, frjudge
from tests.agreement.mixed.designs import bounds, crossed, machines, ratings, reason, value
from tests.agreement.mixed.needs import needs_statsmodels

pytestmark = needs_statsmodels

# Pastes of lme4 (Davies and Goldsmith 1972): ten batches, three casks of each, two samples of each.
PASTES = (
    "62.8 62.6 60.1 62.3 62.7 63.1 60.0 61.4 57.5 56.9 61.1 58.9 58.7 57.5 63.9 "
    "63.1 65.4 63.7 57.1 56.4 56.9 58.6 64.7 64.5 55.1 55.1 54.7 54.2 58.8 57.5 "
    "63.4 64.9 59.3 58.1 60.5 60.0 62.5 62.6 61.0 58.7 56.9 57.7 59.2 59.4 65.2 "
    "66.0 64.8 64.1 54.8 54.8 64.0 64.0 57.7 56.8 58.3 59.3 59.2 59.2 58.9 56.6"
)
PARTS = {ANNOTATORS: 0.5, TASTES: 0.1, SOURCES: 0.4, ITEMS: 0.3, REST: 1.0}

SMALL = Design(8, 3, 2, (0.0, 0.5), PARTS)


def nowhere(*_given: object) -> None:
    """A search that finds nothing."""


def scores(
    seed: int, texts: int, systems: int, people: int, missing: float = 0.0
) -> tuple[FloatArray, FloatArray, dict[str, IntArray]]:
    """Scores from 1 to 10 by all people of all outputs, but for a share ``missing``; systems by
    columns, and the four factors."""
    rng = np.random.default_rng(seed)
    cells = np.meshgrid(range(texts), range(systems), range(people), indexing="ij")
    text, system, person = (codes.ravel() for codes in cells)
    values = 6 + 0.3 * system + rng.normal(0, 0.3, people)[person]
    values += rng.normal(0, 0.4, (people, systems))[person, system]
    values += rng.normal(0, 0.4, texts)[text] + rng.normal(0, 2, (texts, systems))[text, system]
    values = np.clip(np.round(values + rng.normal(0, 2.2, len(values))), 1, 10)
    kept = rng.random(len(values)) >= missing
    factors = {
        ANNOTATORS: person,
        TASTES: person * systems + system,
        SOURCES: text,
        ITEMS: text * systems + system,
    }
    dense = {
        name: np.unique(codes[kept], return_inverse=True)[1] for name, codes in factors.items()
    }
    return values[kept], np.eye(systems)[system[kept]], dense


def assert_highest(
    fit: Fitted, values: FloatArray, fixed: FloatArray, factors: dict[str, IntArray]
) -> None:
    """As likely, and where, as L-BFGS-B over variances themselves, by matrices n × n."""
    own = [(codes[:, None] == codes).astype(float) for codes in factors.values()]
    own.append(np.eye(len(values)))

    def less(variances: FloatArray) -> tuple[float, FloatArray]:
        inverse = np.linalg.inv(np.tensordot(variances, own, 1))
        of_fixed = fixed.T @ inverse @ fixed
        projection = inverse - inverse @ fixed @ np.linalg.solve(of_fixed, fixed.T @ inverse)
        away = projection @ values
        constant = (len(values) - fixed.shape[1]) * np.log(2 * np.pi)
        whole = constant + np.linalg.slogdet(of_fixed)[1] - np.linalg.slogdet(inverse)[1]
        slopes = [np.sum(projection * matrix) - away @ matrix @ away for matrix in own]
        return float(whole + values @ away) / 2, np.array(slopes) / 2

    bounds = [*[(0.0, None)] * len(factors), (1e-6, None)]
    known = minimize(
        less, np.ones(len(own)), jac=True, bounds=bounds, options={"ftol": 1e-13, "gtol": 1e-7}
    )
    assert fit.log_likelihood == pytest.approx(-known.fun, abs=1e-5)
    assert list(fit.variances.values()) == pytest.approx(known.x, abs=5e-3)


def variances(model: Linear) -> dict[str, float]:
    return {component.name: value(component.variance) for component in model.components}


class TestPublished:
    def test_pastes(self):
        """lme4 (Bates et al. 2015): standard deviations 2.9041, 1.2874, 0.8234; REML 247.0; mean
        60.0533 (0.6769)."""
        values = np.array([float(number) for number in PASTES.split()])
        place = np.arange(60)
        fit = crossed_fit(values, np.ones((60, 1)), {"casks": place // 2, "batches": place // 6})
        assert fit is not None
        sds = {name: variance**0.5 for name, variance in fit.variances.items()}
        assert sds == pytest.approx({"casks": 2.9041, "batches": 1.2874, REST: 0.8234}, abs=1e-4)
        assert -2 * fit.log_likelihood == pytest.approx(246.99, abs=0.005)
        assert fit.coefficients == pytest.approx([60.0533], abs=1e-4)
        assert fit.covariance[0, 0] ** 0.5 == pytest.approx(0.6769, abs=1e-4)
        contrast = np.ones(1)
        parts = fit.parts(contrast, {"casks": place // 2, "batches": place // 6})
        assert sum(parts.values()) == pytest.approx(fit.covariance[0, 0])

    def test_machines(self):
        """Pinheiro and Bates (2000), section 1.3: standard deviations 4.78, 3.73, 0.962; REML log
        likelihood −107.84; B − A 7.967 (2.177), with ten degrees of freedom. The times of one
        worker at one machine differ by nothing, which is said."""
        model = linear_model(machines(), Drawn())
        sds = {name: variance**0.5 for name, variance in variances(model).items()}
        assert sds == pytest.approx(
            {ANNOTATORS: 0.0, TASTES: 0.0, SOURCES: 4.7811, ITEMS: 3.7295, REST: 0.9616}, abs=1e-3
        )
        assert model.log_likelihood == pytest.approx(-107.8438, abs=1e-3)
        assert [mean.value for _name, mean in model.means] == pytest.approx(
            [52.3556, 60.3222, 66.2722], abs=1e-4
        )
        b_less_a = model.differences[0].figure
        assert value(b_less_a) == pytest.approx(-7.9667, abs=1e-4)
        # 7.9667 ± 2.2281 (t of ten) × 2.1770
        assert bounds(b_less_a)[1] == pytest.approx(-3.1161, abs=1e-3)
        assert model.notes == (wording.AT_ZERO[ANNOTATORS], wording.AT_ZERO[TASTES])
        at_zero = model.components[0].variance
        assert (at_zero.value, reason(at_zero)) == (0.0, wording.NO_INTERVAL_AT_ZERO)

    def test_a_full_table_gives_the_analysis_of_variance(self):
        """Restricted likelihood and Henderson's method agree on a full table without negative
        estimates (Searle, Casella and McCulloch 1992, section 4.8)."""
        rng = np.random.default_rng(3)
        cells = rng.normal(0, 1, (40, 4)) + rng.normal(0, 1, (40, 1)) + rng.normal(0, 1, 4)
        cells += np.repeat(rng.normal(0, 1, (20, 1)), 2, axis=0)
        matrix = Ratings.from_matrix(np.round(cells, 6))
        sources = {unit: unit // 2 for unit in range(40)}
        known = variance_study(
            matrix, level="interval", sources=sources, draws=0, seed=1, confidence=0.95
        )
        outputs = [Output(unit, "only", source) for unit, source in sources.items()]
        table = system_ratings(
            matrix, outputs, level=Level.INTERVAL, scale=np.unique(np.round(cells, 6)).tolist()
        )
        model = linear_model(table, Drawn())
        expected = {component.name: component.variance for component in known.components}
        assert variances(model) == pytest.approx(expected, abs=2e-3)
        assert model.differences == ()

    def test_it_is_the_maximum_of_statsmodels_itself(self):
        """MixedLM from its own start, with the variances that it takes (log likelihoods)."""
        from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

        table = Design(12, 4, 2, (0.0, 0.5), PARTS).points((5, 5))
        model = linear_model(table, Drawn())
        names = [ANNOTATORS, TASTES, SOURCES, ITEMS]
        matrices = [
            [(codes[:, None] == np.unique(codes)).astype(float)]
            for codes in (table.rater, 2 * table.rater + table.system, table.source, table.unit)
        ]
        columns = [[[str(place) for place in range(own[0].shape[1])]] for own in matrices]
        fixed = (table.system[:, None] == [0, 1]).astype(float)
        values = table.scale[table.place]
        known = MixedLM(
            values, fixed, np.zeros(len(values)), exog_vc=VCSpec(names, columns, matrices)
        ).fit()
        assert model.log_likelihood == pytest.approx(known.llf, abs=1e-4)
        assert [mean.value for _name, mean in model.means] == pytest.approx(
            known.fe_params, abs=1e-3
        )

    @pytest.mark.skipif(not FRJUDGE.exists(), reason="../shared/data is not here")
    def test_shares_of_the_released_ratings(self):
        """35 % items, 24 % annotators, 41 % rest: ``shared/data/README.md``."""
        matrix = frjudge()["legal_meaning"]
        outputs = [Output(unit, "all", unit) for unit in matrix.unit_ids]
        table = system_ratings(matrix, outputs, level=Level.ORDINAL, scale=range(1, 11))
        model = linear_model(table, Drawn())
        shares = {component.name: component.share for component in model.components}
        assert shares == pytest.approx({ANNOTATORS: 0.24, ITEMS: 0.35, REST: 0.41}, abs=0.02)
        assert wording.NO_SOURCES in model.notes


class TestPlanted:
    def test_a_large_study_gives_the_truth_back(self):
        table = Design(60, 12, 4, (0.0, 1.0), PARTS).points((7, 1))
        model = linear_model(table, Drawn())
        held = {
            component.name: bounds(component.variance)[0]
            <= PARTS[component.name]
            <= bounds(component.variance)[1]
            for component in model.components
        }
        assert held == dict.fromkeys(PARTS, True)
        difference = model.differences[0].figure
        assert value(difference) == pytest.approx(-1.0, abs=0.4)
        assert bounds(difference)[0] < -1.0 < bounds(difference)[1]
        assert sum(component.share for component in model.components) == pytest.approx(1)

    def test_intervals_hold_the_truth_as_often_as_they_say(self):
        """Twenty studies; `python -m bench.mixed` has more."""
        coverage = covered(Design(10, 4, 3, (0.0, 0.5), PARTS), 20)
        assert {number for _share, number in coverage.values()} == {20}
        assert coverage["linear"][0] >= 0.8
        assert coverage["ordinal"][0] >= 0.8

    def test_equal_ratings_give_equal_bytes(self):
        table = SMALL.points((2, 2))
        once, twice = (json.dumps(linear_model(table, Drawn()).as_dict()) for _ in range(2))
        assert once == twice
        assert "NaN" not in once
        signature = (
            "mixed_linear|model:reml|random:annotators+tastes+sources+items|package:statsmodels:"
        )
        assert json.loads(once)["signature"].startswith(signature)


class TestWhereTheSearchFails:
    """The search of statsmodels gets stuck beside 0 where the likelihood still rises."""

    @pytest.mark.parametrize("seed", [32, 89])
    def test_the_maximum_of_an_ordinary_study(self, seed):
        """16 texts, 3 systems, 5 people, scores 1 to 10: one such study in ten had none."""
        values, systems, factors = scores(seed, 16, 3, 5)
        fit = crossed_fit(values, systems, factors)
        assert fit is not None
        assert fit.is_climbed
        assert_highest(fit, values, systems, factors)

    @pytest.mark.parametrize("seed", range(40))
    def test_scoring_nearly_always_finds_the_maximum(self, monkeypatch, seed):
        monkeypatch.setattr(reml, "_searched", nowhere)
        values, systems, factors = scores(seed, 6 + seed % 3, 2 + seed % 2, 3, missing=0.2)
        fit = crossed_fit(values, systems, factors)
        assert fit is not None
        assert_highest(fit, values, systems, factors)

    @pytest.mark.parametrize("variance", [float("nan"), 100.0])
    def test_what_is_found_does_not_depend_on_the_search(self, monkeypatch, variance):
        table = SMALL.points((2, 2))
        known = linear_model(table, Drawn())
        wrong = {ANNOTATORS: variance, TASTES: 0.1, SOURCES: 1.0, ITEMS: 1.0, REST: 1.0}
        monkeypatch.setattr(reml, "_searched", lambda *_given: wrong)
        model = linear_model(table, Drawn())
        assert variances(model) == pytest.approx(variances(known), rel=1e-3, abs=1e-3)
        assert model.notes == (*known.notes, wording.CLIMBED)

    def test_a_search_that_breaks_off(self, monkeypatch):
        from statsmodels.regression.mixed_linear_model import MixedLM

        def fail(*_given, **_named):
            raise np.linalg.LinAlgError

        monkeypatch.setattr(MixedLM, "fit", fail)
        assert wording.CLIMBED in linear_model(SMALL.points((2, 2)), Drawn()).notes


class TestNothingToSay:
    def refused(self, table):
        model = linear_model(table, Drawn())
        assert model.means == ()
        assert model.as_dict()["undefined"] is not None
        return model.undefined

    def test_one_annotator(self):
        alone = crossed([[[1.0], [2.0], [3.0]], [[2.0], [2.0], [1.0]]])
        assert self.refused(alone) == wording.ONE_ANNOTATOR

    def test_all_equal(self):
        assert self.refused(crossed([[[2.0, 2.0]] * 4] * 2)) == wording.ALL_EQUAL

    def test_too_few(self):
        said = self.refused(crossed([[[1.0, 2.0]], [[3.0, 1.0]]]))
        assert said.en.startswith("Too few judgments: 4 judgments of 2 outputs by 2 people")

    def test_nothing_left(self):
        exact = crossed(
            [[[1.0, 2.0], [3.0, 4.0], [2.0, 3.0]], [[2.0, 3.0], [5.0, 6.0], [1.0, 2.0]]]
        )
        assert self.refused(exact) == wording.NO_REST

    def test_each_system_by_people_of_its_own_text(self):
        """One annotator to each system: severity and system are one."""
        rows = [
            (system, f"text {text}", person, float(value))
            for system, person in (("a", "A"), ("b", "B"))
            for text, value in enumerate((1, 3, 2, 5, 4, 2))
        ]
        rows[7] = ("b", "text 1", "B", 1.0)
        assert self.refused(ratings(rows)) == wording.NOT_SEPARABLE

    def test_too_large(self, monkeypatch):
        table = SMALL.points((2, 2))
        monkeypatch.setattr(linear, "MOST_CELLS", 100)
        said = self.refused(table)
        assert said.en.startswith("Too large for this model: 32 judgments and 33 annotators")

    def test_no_maximum(self, monkeypatch):
        """Where neither search nor scoring ends at the maximum, nothing is told of it."""
        monkeypatch.setattr(reml, "_searched", nowhere)
        monkeypatch.setattr(reml, "_STEPS", 1)
        assert self.refused(SMALL.points((2, 2))) == wording.NOT_CONVERGED

    def test_a_likelihood_that_rises_without_end(self, monkeypatch):
        """Tastes and outputs explain every rating, which severity and outputs do not."""
        monkeypatch.setattr(reml, "_searched", nowhere)
        exact = replace(SMALL, parts={TASTES: 1.0, ITEMS: 1.0, REST: 0.0})
        assert self.refused(exact.points((3, 3))) == wording.NOT_CONVERGED

    def test_without_statsmodels(self, monkeypatch):
        monkeypatch.setattr(reml, "statsmodels_version", lambda: None)
        with pytest.raises(StatsmodelsMissing):
            linear_model(machines(), Drawn())


class TestWhatIsSaidBeside:
    def test_outputs_judged_once_are_part_of_the_rest(self):
        nan = float("nan")
        rng = np.random.default_rng(1)
        cells = rng.integers(1, 6, (2, 12, 2)).astype(float)
        for text in range(12):
            cells[0, text, text % 2] = nan
            cells[1, text, (text // 2) % 2] = nan
        model = linear_model(crossed(cells.tolist()), Drawn())
        assert wording.NO_ITEMS in model.notes
        assert [component.name for component in model.components] == [
            ANNOTATORS,
            TASTES,
            SOURCES,
            REST,
        ]

    def test_no_variance_at_all_but_the_rest(self):
        table = Design(10, 4, 4, (0.0, 1.0), dict.fromkeys(PARTS, 0.0) | {REST: 1.0}).points((4, 2))
        model = linear_model(table, Drawn())
        zero = [component.name for component in model.components if component.variance.value == 0]
        assert zero == [ANNOTATORS, TASTES, SOURCES, ITEMS]
        assert list(model.notes) == [wording.AT_ZERO[name] for name in zero]

    def test_a_system_that_nobody_judged(self):
        table = machines()
        table = replace(table, systems=(*table.systems, "never judged"))
        name, mean = linear_model(table, Drawn()).means[-1]
        assert (name, mean.undefined) == ("never judged", NO_RATING_OF_SYSTEM)

    def test_a_variance_from_next_to_nothing_has_no_interval(self):
        rng = np.random.default_rng(8)
        cells = rng.normal(0, 1, (2, 12, 2)) + np.array([0.0, 0.8])
        model = linear_model(crossed(np.round(cells, 6).tolist()), Drawn())
        severity = model.components[0]
        assert value(severity.variance) > 0
        assert reason(severity.variance) == wording.NO_INTERVAL_VAGUE


def test_designs_that_tell_variances_apart():
    units = np.arange(12) // 2
    assert is_separable(np.ones((12, 1)), {"units": units, "people": np.arange(12) % 2})
    assert not is_separable(np.ones((12, 1)), {"units": units, "the same": units})
