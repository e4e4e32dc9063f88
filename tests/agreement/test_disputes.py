"""What counts as a disagreement."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.disputes import (
    DisputeRules,
    dispute_rules,
    disputes,
    out_of_reach,
    rules_problems,
    scale_widths,
    usual_rules,
)
from annotation.agreement.table import Ratings
from annotation.protocols.base import Level
from annotation.protocols.registry import PROTOCOLS

NAN = float("nan")
FRJUDGE = {"legal_meaning": 9}
UNEQUAL = {"worded": 3, "points": 100}


def found(rows, level=Level.NOMINAL, **rules):
    return disputes(Ratings.from_matrix(rows), level=level, rules=DisputeRules(**rules))


@pytest.mark.parametrize(
    ("values", "disputed"),
    [
        ([1, 1, 1, 1, 1], False),
        ([1, 1, 1, 2, 2], False),  # three of five are 60 %
        ([1, 1, 2, 2, 3], True),
        ([1, 1, 2, 2, NAN], True),
        ([1, 2, NAN, NAN, NAN], True),
        ([1, NAN, NAN, NAN, NAN], False),
        ([NAN] * 5, False),
    ],
)
def test_a_class_is_disputed_without_a_clear_majority(values, disputed):
    assert bool(found([values])) is disputed


@pytest.mark.parametrize(
    ("values", "disputed"),
    [([7, 10, 9, 8, 10], False), ([6, 10, 10, 10, 10], True), ([1, NAN, 5, NAN, NAN], True)],
)
def test_a_score_is_disputed_by_its_range(values, disputed):
    assert bool(found([values], Level.ORDINAL)) is disputed


@given(
    st.lists(st.integers(2, 6), min_size=1, max_size=3),
    st.integers(2, 4),
    st.integers(51, 100),
)
def test_where_nothing_can_be_listed_no_split_is_and_elsewhere_one_is(answers, values, percent):
    rules = DisputeRules(majority_share=percent / 100)
    splits = [
        [*split, *[NAN] * (6 - number)]
        for number in answers
        for split in combinations_with_replacement(range(values), number)
    ]
    case = out_of_reach("class", answers, values, rules)
    assert (case is None) == bool(disputes(Ratings.from_matrix(splits), level=Level.NOMINAL,
                                           rules=rules))  # fmt: skip
    if case is not None:
        above = DisputeRules(majority_share=case.lowest_share + 0.01)
        assert out_of_reach("class", answers, values, above) is None


def test_of_five_answers_of_yes_or_no_three_are_the_same():
    case = out_of_reach("captured", [5, 5], 2, DisputeRules())
    assert (case.answers, case.values, case.most, case.lowest_share) == (5, 2, 3, 0.6)
    assert out_of_reach("captured", [5, 4], 2, DisputeRules()) is None
    assert out_of_reach("captured", [5, 4], 2, DisputeRules(fewest_ratings=5)) == case
    assert out_of_reach("captured", [1], 2, DisputeRules()) is None


def test_the_most_divided_come_first_and_say_how_much():
    listed = found([[1, 1, 2], [1, 2, 3], [4, 4, 4]], majority_share=0.9)
    assert [(dispute.unit, dispute.values) for dispute in listed] == [
        (1, (1, 2, 3)),
        (0, (1, 1, 2)),
    ]
    assert listed[0].disagreement == pytest.approx(2 / 3)


@given(
    st.lists(
        st.lists(st.one_of(st.integers(1, 4), st.just(NAN)), min_size=4, max_size=4),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([Level.NOMINAL, Level.ORDINAL]),
    st.sampled_from([0.51, 0.6, 2 / 3, 0.75, 1.0]),
    st.integers(0, 3),
)
def test_all_at_once_is_as_one_by_one(rows, level, majority, spread):
    """Each unit on its own, counted by Python."""
    wanted = {}
    for unit, row in enumerate(rows):
        values = sorted(value for value in row if not isnan(value))
        if len(values) < 2:
            continue
        largest = max(Counter(values).values())
        if level is Level.NOMINAL:
            if largest / len(values) < majority - 1e-9:
                wanted[unit] = (tuple(values), 1 - largest / len(values))
        elif values[-1] - values[0] > spread:
            wanted[unit] = (tuple(values), values[-1] - values[0])
    listed = found(rows, level, majority_share=majority, score_range=spread)
    assert {of.unit: (of.values, of.disagreement) for of in listed} == wanted


def test_fewer_judgments_than_wanted_are_left_alone():
    assert not found([[1, 2, 3, NAN]], fewest_ratings=4)
    assert found([[1, 2, 3, NAN]], fewest_ratings=3)


@given(
    st.lists(st.lists(st.integers(1, 10), min_size=3, max_size=3), min_size=1, max_size=6),
    st.randoms(),
)
def test_the_order_of_people_changes_nothing(rows, random):
    shuffled = [random.sample(row, len(row)) for row in rows]
    for level in (Level.NOMINAL, Level.ORDINAL):
        assert found(rows, level) == found(shuffled, level)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"majority_share": 0.5}, "majority_share"),
        ({"majority_share": 1.1}, "majority_share"),
        ({"majority_share": None}, "majority_share"),
        ({"score_range": -1}, "score_range"),
        ({"score_range": 9.5}, "score_range"),
        ({"score_range": NAN}, "score_range"),
        ({"score_range": True}, "score_range"),
        ({"fewest_ratings": 1}, "fewest_ratings"),
        ({"fewest_ratings": 2.5}, "fewest_ratings"),
        ({"score_ranges": {"legal_meaning": 10}}, "score_ranges.legal_meaning"),
        ({"score_ranges": {"simplicity": 1}}, "score_ranges.simplicity"),
    ],
)
def test_rules_that_make_no_sense_are_named(given, field):
    (problem,) = rules_problems(given, FRJUDGE)
    assert (problem.field, bool(problem.message.fr)) == (field, True)


def test_a_range_ends_where_its_scale_does():
    rules = {"score_range": 100, "score_ranges": {"worded": 4}}
    (problem,) = rules_problems(rules, UNEQUAL)
    assert problem.message.en == "Give a number from 0 to 3."
    assert not rules_problems({"score_range": 100, "score_ranges": {"worded": 3}}, UNEQUAL)
    (problem,) = rules_problems({"score_range": 101}, UNEQUAL)
    assert problem.message.fr == "Donnez un nombre de 0 à 100."


def test_rules_from_a_mapping():
    assert dispute_rules({"score_range": 4}, FRJUDGE) == DisputeRules(score_range=4)
    # As it could be stored before bounds came from the scales: lists nothing, and still may be.
    assert dispute_rules({"score_range": 9}, {"worded": 3}) == DisputeRules(score_range=3)


@pytest.mark.parametrize(
    ("protocol", "widths", "general"),
    [
        ("legal_meaning", FRJUDGE, 3),
        ("jades", {"fluency": 3, "meaning": 3, "simplicity": 3}, 1),
        ("direct_assessment", {"meaning": 100, "fluency": 100, "simplicity": 100}, 33),
        ("operations", {}, 3),
        ("assetann", {}, 3),
    ],
)
def test_usual_ranges_are_a_third_of_a_protocols_scales(protocol, widths, general):
    assert scale_widths(PROTOCOLS[protocol, "1"]) == widths
    assert usual_rules(widths) == DisputeRules(score_range=general)


def test_each_scale_has_its_own_range():
    rules = usual_rules(UNEQUAL)
    assert rules == DisputeRules(score_range=33, score_ranges={"worded": 1})
    assert (rules.of("worded").score_range, rules.of("points").score_range) == (1, 33)
    assert disputes(Ratings.from_matrix([[1, 4]]), level=Level.ORDINAL, rules=rules.of("worded"))
