"""Undefined is a reason in both languages, never 0 or NaN."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.agreement import result
from annotation.agreement.coefficients import agreement_within, alpha, percent_agreement
from annotation.agreement.raters import NO_SPREAD, NOTHING_IN_COMMON, camps, rater_summaries
from annotation.agreement.report import dimension_report
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level, Wording
from tests.agreement.alone import cohen_kappa, cohen_kappa_pairs, gwet_ac2

HOLE = np.nan
EMPTY = Ratings.from_matrix(np.zeros((0, 0)))
ALL_HOLES = Ratings.from_matrix([[HOLE, HOLE], [HOLE, HOLE]])
ONE_RATER = Ratings.from_matrix([[1, HOLE], [2, HOLE]])
NO_PAIR = Ratings.from_matrix([[1, HOLE], [HOLE, 2]])
ONE_UNIT = Ratings.from_matrix([[1, 4, 4], [2, HOLE, HOLE]])
ONE_VALUE = Ratings.from_matrix([[3, 3], [3, 3], [3, HOLE]])
ONE_VALUE_COMPARABLE = Ratings.from_matrix([[3, 3], [3, 3], [1, HOLE]])


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (EMPTY, result.NO_RATING),
        (ALL_HOLES, result.NO_RATING),
        (ONE_RATER, result.ONE_RATER),
        (NO_PAIR, result.NO_PAIR),
    ],
)
def test_nothing_to_compare(ratings, reason):
    coefficients = [alpha(ratings, level) for level in ("nominal", "ordinal", "interval")]
    coefficients += [
        percent_agreement(ratings),
        agreement_within(ratings),
        gwet_ac2(ratings, "ordinal"),
    ]
    coefficients += [cohen_kappa_pairs(ratings).average]
    assert [(coefficient.value, coefficient.undefined) for coefficient in coefficients] == [
        (None, reason)
    ] * len(coefficients)


@pytest.mark.parametrize("level", [str(level) for level in Level])
def test_of_one_unit_alpha_is_no_result(level):
    """It would be 0 whatever three people answered, as far as two of them differ."""
    assert (alpha(ONE_UNIT, level).value, alpha(ONE_UNIT, level).undefined) == (
        None,
        result.ONE_UNIT,
    )
    report = dimension_report(ONE_UNIT, level=level, scale=range(1, 6))
    assert report.fitting_alpha.undefined == result.ONE_UNIT
    assert report.percent_agreement.value == pytest.approx(1 / 3)
    assert report.other_annotators is None


@pytest.mark.parametrize("ratings", [ONE_VALUE, ONE_VALUE_COMPARABLE])
def test_one_value(ratings):
    for level in ("nominal", "ordinal", "interval"):
        assert (alpha(ratings, level).value, alpha(ratings, level).undefined) == (
            None,
            result.ONE_VALUE,
        )
    assert percent_agreement(ratings).value == 1
    assert cohen_kappa_pairs(ratings).average.undefined == result.NO_PAIR_DEFINED
    assert cohen_kappa_pairs(ratings).left_out == 1
    assert cohen_kappa([3, 3], [3, 3]).undefined == result.ONE_VALUE


def test_a_scale_of_one_value():
    assert gwet_ac2(ONE_VALUE).undefined == result.ONE_CATEGORY
    # On a whole scale AC2 knows what else could have been said.
    assert gwet_ac2(ONE_VALUE, scale=range(1, 6)).value == 1


def test_raters_without_common_items():
    table = Ratings.from_matrix(
        [[1, 2, HOLE], [2, 2, HOLE], [HOLE, 1, 2], [HOLE, 2, 1]], rater_ids=["a", "b", "c"]
    )
    pairs = cohen_kappa_pairs(table)
    assert pairs.between("c", "a").kappa.undefined == result.NO_COMMON_ITEM
    assert pairs.between("b", "a").items == 2
    assert camps(table, level="nominal").unmeasured == (("a", "c"),)


def test_camps_take_two():
    assert camps(ONE_RATER, level="nominal").undefined is not None
    assert camps(EMPTY, level="nominal").merges == ()


@pytest.mark.parametrize("people", [2, 4])
@pytest.mark.parametrize("level", [str(level) for level in Level])
def test_who_judged_nothing_in_common_is_joined_with_nobody(level, people):
    """They used to be joined at a distance of 0, as if they judged alike."""
    alone = np.full((4 * people, people), HOLE)
    for unit in range(len(alone)):
        alone[unit, unit % people] = 1 + unit % 3
    tree = camps(Ratings.from_matrix(alone), level=level)
    assert (tree.merges, tree.two, tree.undefined) == ((), (), NOTHING_IN_COMMON)
    assert len(tree.unmeasured) == people * (people - 1) // 2


def test_no_correlation_with_a_constant():
    assert [
        summary.with_rest.undefined for summary in rater_summaries(ONE_VALUE, level="ordinal")
    ] == [NO_SPREAD] * 2


@pytest.mark.parametrize(
    "ratings", [EMPTY, ALL_HOLES, ONE_RATER, NO_PAIR, ONE_VALUE, ONE_VALUE_COMPARABLE]
)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_every_report_is_json_and_says_why(ratings, level):
    report = dimension_report(ratings, level=level, draws=20)
    for name, coefficient in report.coefficients().items():
        assert (coefficient.value is None) == (coefficient.undefined is not None), name
        if coefficient.undefined:
            assert coefficient.undefined.fr != coefficient.undefined.en
    shown = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert shown["alpha"]["nominal"] is None
    assert set(shown["undefined"]["alpha.nominal"]) == {"fr", "en"}
    assert rater_summaries(ratings, level=level) is not None


def test_a_report_says_of_each_coefficient_why_it_has_none():
    report = dimension_report(ONE_VALUE, level="ordinal", draws=10)
    assert {coefficient.undefined for coefficient in report.alpha.values()} == {result.ONE_VALUE}
    assert report.percent_agreement.value == 1


def test_within_one_is_one_apart_and_no_more():
    report = dimension_report(
        Ratings.from_matrix([[1, 1], [1, 2], [1, 3], [1, 4]]), level="ordinal", draws=10
    )
    assert (report.percent_agreement.value, report.within_one.value) == (0.25, 0.5)


def test_classes_have_no_order():
    report = dimension_report(
        Ratings.from_matrix([[1, 2], [2, 2], [1, 1]]), level="nominal", draws=10
    )
    assert report.alpha[Level.ORDINAL].undefined == report.within_one.undefined == result.NO_ORDER
    assert report.fitting_alpha.value is not None
    assert "quadratic" not in report.as_dict()["kappa"]


def test_intervals_say_why_there_are_none():
    one_unit = dimension_report(Ratings.from_matrix([[1, 2]]), level="nominal", draws=10)
    assert one_unit.percent_agreement.interval.undefined == result.TOO_FEW_UNITS
    # Two of three units agree on the same value: a draw without the third (8 in 27) has one value
    # only.
    often = dimension_report(
        Ratings.from_matrix([[1, 1], [1, 1], [1, 2]]), level="nominal", draws=1000
    )
    interval = often.alpha[Level.NOMINAL].interval
    assert 230 < interval.undefined_draws < 365
    assert interval.undefined == result.TOO_MANY_UNDEFINED.format(
        undefined=interval.undefined_draws, draws=1000
    )
    assert often.as_dict()["undefined_draws"]["alpha.nominal"] == interval.undefined_draws
    none_drawn = dimension_report(
        Ratings.from_matrix([[1, 1], [1, 2], [2, 2]]), level="nominal", draws=0
    )
    assert none_drawn.percent_agreement.interval.undefined == result.NO_DRAWS


def test_every_reason_is_in_both_languages():
    reasons = [value for value in vars(result).values() if isinstance(value, Wording)]
    assert len(reasons) > 8
    assert all(reason.fr and reason.en and reason.fr != reason.en for reason in reasons)


def test_what_is_asked_wrongly_is_refused():
    with pytest.raises(ValueError, match="tolerance"):
        agreement_within(ONE_VALUE, -1)
    with pytest.raises(ValueError, match="ratio"):
        alpha(ONE_VALUE, "ratio")


def test_ac2_of_an_open_ended_count():
    """As high as its scale is said to be long, however people disagree."""
    ratings = Ratings.from_matrix([[0, 2, 1], [3, 0, 1], [1, 1, 0], [2, 3, 0]])
    counted = dimension_report(
        ratings, level="interval", scale=range(501), draws=20, open_ended=True
    )
    closed = dimension_report(ratings, level="interval", scale=range(501), draws=20)
    assert closed.ac2.value is not None
    assert closed.ac2.value > 0.99
    assert (counted.ac2.value, counted.ac2.undefined) == (None, result.OPEN_ENDED)
    facts, others = counted.as_dict(), closed.as_dict()
    assert facts["ac2"] is None
    assert facts["undefined"]["ac2"]["fr"] == result.OPEN_ENDED.fr
    assert facts["settings"].pop("open_ended") is True
    for facts_of in (facts, others):
        del facts_of["ac2"], facts_of["intervals"]["ac2"], facts_of["interval_method"]
        for named in ("undefined", "signatures", "no_interval", "undefined_draws"):
            facts_of[named].pop("ac2", None)
    assert facts == others
