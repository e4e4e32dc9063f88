"""The human ceiling against published and textbook values."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from annotation.scoring.ceiling import (
    ALL_ALIKE,
    INCOMPLETE,
    NO_RATINGS,
    ONE_ANNOTATOR,
    OTHERS_ALIKE,
    OWN_ALIKE,
    ceiling,
    mean_reliability,
    two_way_reliability,
)
from annotation.scoring.strata import StratumItem, bracket, length_class, looks_truncated, strata

RATINGS = Path(__file__).resolve().parents[3] / "shared" / "data" / "frjudge" / "ratings.csv"
# Shrout & Fleiss (1979), table 2: six targets, four judges; table 4 gives ICC(1,4) 0.44, ICC(3,4)
# 0.91.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    dtype=float,
)


def test_shrout_and_fleiss():
    assert mean_reliability(SHROUT_FLEISS)[0].value == pytest.approx(0.44, abs=0.005)
    assert mean_reliability(SHROUT_FLEISS)[1] == pytest.approx(4)
    assert two_way_reliability(SHROUT_FLEISS).value == pytest.approx(0.91, abs=0.005)
    # The single-rating ICC(1,1) of the same table is 0.17; four ratings by Spearman (1910) and
    # Brown (1910).
    assert pytest.approx(0.44, abs=0.005) == 4 * 0.1657 / (1 + 3 * 0.1657)


@pytest.mark.skipif(not RATINGS.exists(), reason="the shared data are not here")
def test_frjudge_leave_one_out_is_published():
    rows = list(csv.DictReader(RATINGS.read_text(encoding="utf-8").splitlines()))
    table = np.full((297, 5), np.nan)
    for row in rows:
        table[int(row["pair"]) - 1, "ABCDE".index(row["annotator"])] = float(row["legal_meaning"])
    human_ceiling = ceiling(table)
    # r ≈ 0.597 on FrJUDGE's released ratings.
    assert human_ceiling.leave_one_out.value == pytest.approx(0.597, abs=0.003)
    assert len(human_ceiling.by_annotator) == 5
    assert 0.6 < (human_ceiling.reliability.value or 0) < 0.9


def test_one_annotator_has_no_ceiling():
    human_ceiling = ceiling(np.array([[1.0], [2.0]]))
    assert human_ceiling.leave_one_out.value is None
    assert human_ceiling.reliability.undefined is ONE_ANNOTATOR


def test_labels_alone_are_not_called_one_annotator():
    human_ceiling = ceiling(np.empty((5, 0)))
    assert human_ceiling.leave_one_out.undefined is NO_RATINGS
    assert human_ceiling.reliability.undefined is NO_RATINGS
    assert human_ceiling.raters == 0


def test_answers_that_are_all_alike_are_not_too_few():
    human_ceiling = ceiling(np.full((5, 3), 4.0))
    assert human_ceiling.leave_one_out.undefined is ALL_ALIKE
    # Whoever else is constant too, of all alike the others' come first.
    assert [metric.undefined for metric in human_ceiling.by_annotator] == [OTHERS_ALIKE] * 3


def test_one_person_who_always_says_the_same_has_a_reason_of_their_own():
    each = ceiling(np.array([[4.0, 1], [4, 2], [4, 3]])).by_annotator
    assert [metric.undefined for metric in each] == [OWN_ALIKE, OTHERS_ALIKE]


def test_people_who_never_met_are_too_few():
    apart = np.array([[4.0, np.nan], [5, np.nan], [np.nan, 3], [np.nan, 2]])
    assert ceiling(apart).leave_one_out.undefined is INCOMPLETE
    met_twice = np.array([[4.0, 2], [5, 1], [3, np.nan]])
    assert ceiling(met_twice).leave_one_out.undefined is INCOMPLETE


def test_noise_has_no_reliability():
    noise = np.array([[1.0, 10.0], [10.0, 1.0], [1.0, 10.0], [10.0, 1.0]])
    assert mean_reliability(noise)[0].value is None


def test_missing_ratings_are_left_out():
    table = SHROUT_FLEISS.copy()
    table[0, 0] = np.nan
    assert 0 < (mean_reliability(table)[0].value or 0) < 1
    assert two_way_reliability(table).value is not None


@pytest.mark.parametrize(
    ("text", "reason", "cut"),
    [
        ("Il paie.", "", False),
        ("Il paie", "", True),
        ("Il paie", "stop", False),
        ("Il paie.", "length", True),
        ("彼は払います。", "", False),
        ("「本当に払いますか？」", "", False),
        ("（彼は払いました！）", "", False),
        ("彼は払い", "", True),
        ("Он платит", "", True),
        ("वह भुगतान करता है।", "", False),
        ("เขาจ่ายเงิน", "", False),
        ("เขาจ่ายเงินให้ NHK", "", False),
        ("12", "", True),
    ],
)
def test_truncation_is_told_by_finish_reason_first(text, reason, cut):
    assert looks_truncated(text, reason) is cut


@pytest.mark.parametrize(
    ("human", "name"), [(1.0, "1"), (1.4, "1"), (1.6, "2"), (6.4, "2"), (6.5, "3"), (10, "3")]
)
def test_bracket_of_a_mean(human, name):
    assert bracket(human, (1.0, 6.0)) == name
    assert bracket(human, ()) == ""


def test_strata_hold_their_items():
    items = [
        StratumItem("mot " * 10, "Texte.", 9.0, system="A"),
        StratumItem("mot " * 60, "Texte", 3.0, system="B"),
        StratumItem("mot " * 100, "Texte.", 1.0, system="A"),
    ]
    sizes = {
        (stratum.dimension, stratum.value): stratum.metrics.items
        for stratum in strata(items, np.array([8.0, 4.0, 2.0]), bracket_tops=(1.0, 6.0))
    }
    assert sizes["completeness", "truncated"] == 1
    assert sizes["system", "A"] == 2
    assert sizes["length", "long"] == 1
    assert ("class", "") not in sizes
    assert length_class("mot") == "short"
