"""A figure that rounds to nothing has no sign, wherever it is printed."""

from __future__ import annotations

import pytest

from annotation.release import card, recompute_agreement
from annotation.web.scoring import presenters

NEARLY_NOTHING = -0.000_001


def test_in_the_card():
    assert card._number("krippendorff_alpha", NEARLY_NOTHING) == "0.0000"
    assert card._number("krippendorff_alpha", -0.25) == "-0.2500"
    assert card._number("percent_agreement", 0.5) == "50.00 %"


def test_of_systems_in_the_card():
    figure = {"value": NEARLY_NOTHING, "low": NEARLY_NOTHING, "high": 0.5, "n": 3}
    report = {"dimension": "meaning", "reference": "", "ceiling": figure, "lines": []}
    (row,) = card._metric_rows(report)
    assert row[4:6] == ["0.000", "0.000 to 0.500"]


@pytest.mark.parametrize(
    ("value", "said"), [(NEARLY_NOTHING, "0.0000"), (-0.00005001, "-0.0001"), (0.12345, "0.1235")]
)
def test_what_recomputes_the_card_says_the_same(value, said):
    assert recompute_agreement.written({"alpha": value}) == f"alpha {said}"
    assert card._number("alpha", value) == said


def test_in_reports_on_scorers():
    assert presenters._number(NEARLY_NOTHING).lstrip("0").strip(",.") == "000"
