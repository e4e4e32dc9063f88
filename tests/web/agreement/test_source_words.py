"""What the page says of alpha where pairs share source texts."""

from __future__ import annotations

import numpy as np
import pytest
from django.utils.translation import override

from annotation.agreement.result import Interval
from annotation.management.commands.agreement import _further
from annotation.web.agreement.dashboard.words import reading, strength
from tests.agreement.test_sources import CELLS, OF, report


def said(agreement_report) -> str:
    with override("en"):
        return reading(agreement_report)


def test_other_source_texts_lead_where_pairs_share_them():
    words = said(report(CELLS, OF))
    first = words.index(
        "For these annotators on other source texts of the same kind, its 95% interval"
    )
    assert words.index("Each pair taken for itself, as on other pairs of these same texts") > first
    assert "on other items of the same kind" not in words
    others = words.index(
        "For other annotators of the same kind on other texts, its 95% interval is"
    )
    assert others < first
    with override("fr"):
        assert "sur d'autres textes sources du même genre" in reading(report(CELLS, OF))


def test_why_nothing_is_said_of_them():
    few = report(CELLS[:9], {unit: OF[unit] for unit in range(9)})
    words = said(few)
    assert "other source texts of the same kind" not in words
    # It is the first interval that is spoken of: nothing before names it.
    own = "as on other pairs of these same texts, alpha's 95% interval is"
    assert words.count("interval is") == words.count(own) == 1
    with override("fr"):
        assert "ces mêmes textes, l'intervalle à 95 % de l'alpha va de" in reading(few).replace(
            "\xa0", " "
        )
    assert "For other source texts: No interval: it takes at least 12 original texts" in words
    assert [line.endswith("and there are 3.") for line in _further(few)] == [True]
    texts, others = _further(report(CELLS, OF))
    assert texts.startswith("    for other source texts (12 here):  [")
    assert others.startswith("    for other annotators too (5 here):  [")
    (_nothing, why) = _further(report(CELLS[:, :3], OF))
    assert why.endswith("and there are 3.")
    assert list(_further(report(CELLS * 0 + 4, OF))) == []


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@pytest.mark.parametrize(("seed", "holds_0"), [(0, False), (1, True), (2, False)])
def test_better_than_chance_is_what_the_interval_to_quote_tells(seed, holds_0):
    rng = np.random.default_rng(seed)
    truth = rng.random((14, 4)) < 0.7
    cells = np.where(truth, rng.integers(1, 6, (14, 1)), rng.integers(1, 6, (14, 4)))
    figures = report(cells.astype(float), None)
    low, high = ends(figures.leading)
    assert (low <= 0 <= high) is holds_0
    assert ("better than chance is not shown" in said(figures)) is holds_0
    with override("fr"):
        words = "rien n'établit qu'il fait mieux que le hasard, puisque son intervalle contient 0."
        assert (words in reading(figures)) is holds_0


def test_of_few_texts_the_interval_over_items_tells():
    few = report(np.array([[1.0, 1, 1], [3, 3, 1], [2, 2, 3], [4, 4, 2]]), None)
    assert few.leading.low is None
    low, high = ends(few.fitting_alpha.interval)
    assert few.fitting_alpha.value is not None
    assert low < 0 < few.fitting_alpha.value < high
    assert "that it is better than chance is not shown, since its interval holds 0" in said(few)


@pytest.mark.parametrize(
    ("value", "low_and_high", "words"),
    [
        (0.43, (-0.26, 1.0), "not shown"),
        (0.11, (-0.40, 0.55), "not shown"),
        (0.85, (0.0, 1.0), "not shown"),
        (-0.02, (-0.3, 0.2), "not shown"),
        (0.43, (0.01, 1.0), "but too low"),
        (0.11, (0.02, 0.2), "hardly better than chance"),
        (-0.2, (-0.3, -0.1), "no better than chance, or worse"),
        (0.43, None, "but too low"),
        (0.43, (None, None), "but too low"),
    ],
)
def test_strength_follows_the_interval(value, low_and_high, words):
    interval = (
        None if low_and_high is None else Interval(low_and_high[0], low_and_high[1], 0.95, 1000)
    )
    with override("en"):
        assert words in strength(value, interval)


def test_as_before_where_each_pair_has_its_own():
    assert "For these annotators on other items of the same kind" in said(report(CELLS, None))
    assert "interval" not in said(report(CELLS, None, draws=0))
