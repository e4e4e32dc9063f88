"""Camps are announced where there are some, and not where people are merely strict and lenient."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from annotation.agreement.camps import (
    NOT_MEASURED,
    RARE,
    _Division,
    _share,
    camps_announced,
    camps_test,
)
from annotation.agreement.coefficients import alpha
from annotation.agreement.raters import camps, rater_summaries
from annotation.agreement.table import Ratings
from annotation.agreement.without import FEWEST, alphas_without
from bench.camps import PLANTED, WITHOUT, announced
from tests.agreement.known import frjudge, needs_frjudge


def looked_at(matrix, level: str = "ordinal", seed: int = 42):
    table = Ratings.from_matrix(matrix)
    return camps_test(table, camps(table, level=level), level=level, seed=seed)


def planted(*, apart: float, units: int = 60, seed: int = 1, sides: tuple[int, int] = (3, 3)):
    """Two groups whose answers lie ``apart`` points from each other."""
    rng = np.random.default_rng(seed)
    severity = np.array([apart / 2] * sides[0] + [-apart / 2] * sides[1])
    values = rng.normal(5.5, 1, units)[:, None] + severity + rng.normal(0, 1, (units, sum(sides)))
    return np.clip(np.rint(values), 1, 10)


class TestCamps:
    def test_planted_camps_are_announced(self):
        camps_found = looked_at(planted(apart=4))
        assert {frozenset(group) for group in camps_found.two} == {
            frozenset({0, 1, 2}),
            frozenset({3, 4, 5}),
        }
        assert camps_found.established
        assert camps_found.support == 1.0
        assert camps_found.rare is not None
        assert camps_found.rare <= RARE
        assert "seed:42" in camps_found.signature
        assert "null:continuum" in camps_found.signature

    @pytest.mark.parametrize("seed", range(4))
    def test_values_shuffled_within_items_have_none(self, seed):
        """The review's own check: each such table used to be divided into camps."""
        rng = np.random.default_rng(seed)
        assert not looked_at(rng.permuted(planted(apart=4), axis=1)).established

    def test_a_continuum_of_severities_is_no_camps(self):
        rng = np.random.default_rng(3)
        severity = np.linspace(-2, 2, 6)
        values = rng.normal(5.5, 1, 60)[:, None] + severity + rng.normal(0, 0.7, (60, 6))
        assert not looked_at(np.clip(np.rint(values), 1, 10)).established

    def test_one_person_alone_is_no_camp(self):
        camps_found = looked_at(planted(apart=6, sides=(5, 1)))
        assert not camps_found.established
        assert min(map(len, camps_found.two)) == 1

    def test_classes_are_dealt_out_anew(self):
        rng = np.random.default_rng(5)
        first, second = rng.integers(1, 5, (60, 1)), rng.integers(1, 5, (60, 1))
        camps_found = looked_at(np.hstack([first, first, second, second]).astype(float), "nominal")
        assert camps_found.established
        assert camps_found.shuffled
        holes = np.hstack([first, first, second, second, second]).astype(float)
        holes[::3, 4] = np.nan
        assert looked_at(holes, "nominal").established

    def test_the_same_seed_gives_the_same(self):
        assert looked_at(planted(apart=1)) == looked_at(planted(apart=1))

    def test_what_cannot_be_told_is_said(self):
        assert "at least 4 people" in str(looked_at(planted(apart=4, sides=(2, 1))).undefined)
        assert "Beyond 30 people" in str(looked_at(planted(apart=1, sides=(16, 15))).undefined)
        assert "Everybody answers the same" in str(looked_at(np.ones((9, 4))).undefined)
        strangers = np.array([[1, 2, np.nan, np.nan], [np.nan, np.nan, 3, 4]] * 5)
        assert "have no item in common" in str(looked_at(strangers).undefined)

    @pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
    def test_of_people_who_never_met_nothing_is_looked_at(self, level):
        alone = np.where(np.eye(4, dtype=bool), 3.0, np.nan)
        never_met = looked_at(np.vstack([alone, alone + 1]), level)
        assert (never_met.undefined, never_met.two) == (NOT_MEASURED, ())
        assert not never_met.established
        table = Ratings.from_matrix(alone)
        tree = camps(table, level=level)
        assert not camps_announced(table, tree, level=level, seed=42)

    def test_of_very_many_items_some_are_looked_at(self, monkeypatch):
        monkeypatch.setattr("annotation.agreement.camps._CELLS", 199 * 36 * 20)
        camps_found = looked_at(planted(apart=4, units=200))
        assert camps_found.units == 20
        assert camps_found.established

    @pytest.mark.parametrize("name", ["60 × 6, wide severities", "classes, 60 × 5"])
    def test_they_are_rarely_announced_where_there_are_none(self, name):
        """Of 40 simulated studies two would be 5 %. More: `python -m bench.camps`."""
        assert announced(WITHOUT[name], 40) <= 0.05

    def test_they_are_announced_where_there_are_some(self):
        assert announced(PLANTED["camps of classes, 60 × 6"], 10) >= 0.9

    def test_what_is_measured_is_what_is_shown(self):
        """``camps_announced`` only stops earlier."""
        for number in range(6):
            matrix = planted(apart=2 + number / 2, seed=number)
            table = Ratings.from_matrix(matrix)
            tree = camps(table, level="ordinal")
            whole = camps_test(table, tree, level="ordinal", seed=number)
            assert whole.established == camps_announced(table, tree, level="ordinal", seed=number)
        for few in (
            planted(apart=4, sides=(2, 1)),
            planted(apart=6, sides=(5, 1)),
            np.ones((9, 4)),
        ):
            table = Ratings.from_matrix(few)
            tree = camps(table, level="ordinal")
            assert not camps_announced(table, tree, level="ordinal", seed=1)

    def test_tables_are_ranked_among_each_other(self):
        """By hand: of (2, .9), (3, .5), (1, .9) and (1, .1) none is as clear as either of the first
        two but itself, so both are in the share of the first."""
        tables = [_Division(3, 0.5), _Division(1, 0.9), _Division(1, 0.1)]
        assert _share(_Division(2, 0.9), tables) == 2 / 4
        assert _share(_Division(1, 0.1), [_Division(2, 0.9), _Division(3, 0.5)]) == 1

    @needs_frjudge
    def test_frjudge(self):
        """Two camps, A, B and C against D and E: ``shared/spec/protocol.md``, section 2."""
        tables = frjudge()
        table = tables["legal_meaning"]
        camps_found = camps_test(table, camps(table, level="ordinal"), level="ordinal", seed=42)
        assert camps_found.established
        assert set(camps_found.two) == {("A", "B", "C"), ("D", "E")}
        classes = tables["qualification"]
        tree = camps(classes, level="nominal")
        assert not camps_test(classes, tree, level="nominal", seed=42).established


class TestWithout:
    @needs_frjudge
    def test_frjudge_as_a_paired_bootstrap_has_it(self):
        """A paired bootstrap over items by another program: ``shared/spec/review/statistics.md``,
        section 1. Its ends move by some thousandths with its draws."""
        alphas = alphas_without(frjudge()["legal_meaning"], level="ordinal", seed=42)
        expected = {
            "A": (-0.064, -0.081, -0.047),
            "C": (0.034, 0.010, 0.061),
            "D": (0.004, -0.019, 0.026),
            "E": (0.032, 0.005, 0.056),
        }
        for alpha_without in alphas:
            if str(alpha_without.rater) in expected:
                value, low, high = expected[str(alpha_without.rater)]
                assert alpha_without.difference == pytest.approx(value, abs=0.0006)
                assert (alpha_without.interval.low, alpha_without.interval.high) == pytest.approx(
                    (low, high), abs=0.004
                )

    def test_items_of_one_source_go_together(self):
        matrix = planted(apart=1, units=40)
        table = Ratings.from_matrix(matrix)
        alone = alphas_without(table, level="ordinal", seed=1)
        doubled = Ratings.from_matrix(np.repeat(matrix, 2, axis=0))
        together = alphas_without(
            doubled, level="ordinal", seed=1, sources={unit: unit // 2 for unit in range(80)}
        )
        apart = alphas_without(doubled, level="ordinal", seed=1)

        def width(alpha_without):
            return alpha_without.interval.high - alpha_without.interval.low

        assert width(apart[0]) < width(together[0])
        assert width(together[0]) == pytest.approx(width(alone[0]), rel=0.05)

    def test_what_cannot_be_told_is_said(self):
        few = alphas_without(
            Ratings.from_matrix(planted(apart=1, units=FEWEST - 1)), level="ordinal", seed=1
        )
        assert "at least 8" in str(few[0].interval.undefined)
        assert few[0].difference is not None
        two = alphas_without(Ratings.from_matrix([[1, 2]] * 9), level="ordinal", seed=1)
        assert two[0].difference is None
        assert "Not defined" in str(two[0].interval.undefined)
        nobody = alphas_without(Ratings.from_long([1], ["a"], [None]), level="ordinal", seed=1)
        assert nobody[0].difference is None

    def test_where_others_share_one_text_there_is_no_difference(self):
        """Of one text alpha is 0 whatever was answered, and is undefined elsewhere on the page."""
        rng = np.random.default_rng(3)
        matrix = np.full((30, 3), np.nan)
        matrix[:, 0] = rng.integers(1, 11, 30)
        matrix[:, 1] = np.clip(matrix[:, 0] + rng.integers(-2, 3, 30), 1, 10)
        matrix[0, 2] = 4
        table = Ratings.from_matrix(matrix)
        alphas = alphas_without(table, level="interval", seed=42)
        summaries = rater_summaries(table, level="interval", scale=range(1, 11))
        defined = [summary.alpha_without.value is not None for summary in summaries]
        assert defined == [False, False, True]
        assert [without.difference is not None for without in alphas] == defined
        assert all("Not defined" in str(without.interval.undefined) for without in alphas[:2])
        assert alphas[2].interval.low is not None
        one = np.vstack([[3.0, 5, 9], np.where(np.eye(3) == 1, 4.0, np.nan)])
        for without in alphas_without(Ratings.from_matrix(one), level="interval", seed=42):
            assert without.difference is None
            assert "Not defined" in str(without.interval.undefined)

    @pytest.mark.parametrize("comparable", [5, FEWEST, 20])
    def test_texts_that_nobody_can_be_compared_on_count_for_nothing(self, comparable):
        """Beside the jackknife over the texts that two people or more judged, written out."""
        rng = np.random.default_rng(1)
        both = rng.integers(1, 11, (comparable, 1)) + rng.integers(-2, 3, (comparable, 4))
        once = np.full((40, 4), np.nan)
        once[np.arange(40), rng.integers(4, size=40)] = rng.integers(1, 11, 40)
        alphas = alphas_without(
            Ratings.from_matrix(np.vstack([both, once])), level="interval", seed=1
        )

        def value(matrix):
            return alpha(Ratings.from_matrix(matrix), "interval").value

        for at, without in enumerate(alphas):
            others = np.delete(both, at, axis=1)
            difference = value(others) - value(both)
            assert without.difference == pytest.approx(difference)
            if comparable < FEWEST:
                assert "there are 5" in str(without.interval.undefined)
                continue
            parts = np.array(
                [
                    value(np.delete(others, text, axis=0)) - value(np.delete(both, text, axis=0))
                    for text in range(comparable)
                ]
            )
            error = ((comparable - 1) * parts.var()) ** 0.5
            half = stats.t.ppf(0.975, comparable - 1) * error
            assert without.interval.low == pytest.approx(difference - half)
            assert without.interval.high == pytest.approx(difference + half)

    def test_the_others_need_as_many_texts_as_everybody(self):
        """Two people judged 30 texts, a third one six of them: without either of the two, alpha
        rests on these six."""
        rng = np.random.default_rng(4)
        matrix = np.clip(rng.integers(1, 11, (30, 1)) + rng.integers(-2, 3, (30, 3)), 1, 10.0)
        matrix[6:, 2] = np.nan
        alphas = alphas_without(Ratings.from_matrix(matrix), level="interval", seed=1)
        assert [without.interval.low is None for without in alphas] == [True, True, False]
        assert "there are 6" in str(alphas[0].interval.undefined)
        assert alphas[0].difference is not None
