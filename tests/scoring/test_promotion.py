"""The promotion rule: an established gain, no established loss, no more false accepts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from annotation.scoring.bootstrap import compare
from annotation.scoring.promotion import decide, decide_first

RNG = np.random.default_rng(3)
LABELS = RNG.uniform(1, 10, 90)
GOOD, BAD = LABELS + RNG.normal(0, 1, 90), LABELS + RNG.normal(0, 4, 90)


def decision(candidate, current, accept=(0.1, 0.1), items=90):
    comparison = compare(candidate[:items], current[:items], LABELS[:items], seed=1, draws=300)
    return decide(comparison, candidate_false_accept=accept[0], current_false_accept=accept[1])


def test_a_better_scorer_is_promoted_with_its_numbers():
    verdict = decision(GOOD, BAD)
    assert verdict.is_promoted
    assert any("paired interval" in reason.en for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (decision(BAD, GOOD), "No established gain"),
        (decision(GOOD, GOOD), "No established gain"),
        (decision(GOOD, BAD, accept=(0.3, 0.1)), "false-accept share rises"),
        (decision(GOOD, BAD, accept=(None, 0.1)), "not run"),
        (decision(GOOD, BAD, items=20), "Only 20 test items"),
    ],
)
def test_what_speaks_against_is_said(verdict, words):
    assert not verdict.is_promoted
    assert any(words in reason.en and reason.fr for reason in verdict.reasons)


def first(candidate, accept=0.1, items=90):
    mean = np.full(items, LABELS.mean())
    return decide_first(
        compare(candidate[:items], mean, LABELS[:items], seed=1, draws=300),
        candidate_false_accept=accept,
    )


def test_the_first_scorer_has_to_beat_the_mean():
    verdict = first(GOOD)
    assert verdict.is_promoted
    assert verdict.reasons[0].en == "No scorer is in service."
    assert any("RMSE changes by -" in reason.en for reason in verdict.reasons)
    said = next(reason for reason in verdict.reasons if "RMSE changes by" in reason.en)
    assert re.findall(r"[+-]\d+.\d{3}", said.fr) == [
        number.replace(".", ",") for number in re.findall(r"[+-]\d+.\d{3}", said.en)
    ]


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (first(BAD), "not established to be lower"),
        (first(np.full(90, LABELS.mean())), "not established to be lower"),
        (first(GOOD, items=20), "Only 20 test items"),
        (first(GOOD, accept=None), "not run"),
        (decide_first(None, candidate_false_accept=0.1), "train again"),
    ],
)
def test_what_speaks_against_a_first_scorer(verdict, words):
    assert not verdict.is_promoted
    assert any(words in reason.en and reason.fr for reason in verdict.reasons)
