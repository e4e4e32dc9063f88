"""What is said first of a report on metrics: never agreement that its intervals do not show."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from django.utils.translation import override

from annotation.web.metrics.tables import sheet
from annotation.web.metrics.words import findings
from tests.metrics.reports import small_report

NONE = "none is shown to agree with people. The highest correlation is that of"


def report(*, ceiling=(0.5, 0.2, 0.7), **lines) -> dict[str, Any]:
    """One with these correlations: value, low and high of competing metrics by name."""
    made = deepcopy(small_report())
    sample = next(line for line in made["lines"] if line["name"] == "length")
    made["lines"] = [
        line | {"figures": line["figures"] | {"pearson": pearson(None, None, None)}}
        for line in made["lines"]
        if line["is_baseline"]
    ]
    for name, own in lines.items():
        figures = sample["figures"] | {"pearson": pearson(*own)}
        label = {"fr": name, "en": name}
        made["lines"].append(sample | {"name": name, "label": label, "figures": figures})
    best = max(lines, key=lambda name: lines[name][0])
    return made | {"best": best, "ceiling": pearson(*ceiling)}


def pearson(value, low, high):
    return {"value": value, "low": low, "high": high, "n": 12, "sources": 12, "undefined": None}


def first(language="en", **lines) -> str:
    with override(language):
        return findings(report(**lines))[0]


def test_the_best_agrees_where_its_whole_interval_is_above_zero():
    words = first(chrf=(0.5, 0.21, 0.7), bleu=(0.3, -0.1, 0.6))
    assert "chrf agrees best with people: r = 0.500 (95% interval: 0.210 to 0.700)." in words


@pytest.mark.parametrize("own", [(-0.08, -0.623, 0.379), (0.3, -0.01, 0.6), (-0.3, -0.5, -0.1)])
def test_no_metric_agrees_where_an_interval_holds_zero_or_less(own):
    words = first(chrf=own)
    assert f"{NONE} chrf" in words
    assert "agrees best" not in words


def test_without_an_interval_no_agreement_is_claimed():
    assert f"{NONE} chrf: r = 0.900 (without interval)." in first(chrf=(0.9, None, None))


def test_others_may_agree_where_the_highest_correlation_is_unsure():
    words = first(chrf=(0.5, -0.1, 0.8), bleu=(0.4, 0.1, 0.6), rouge=(0.2, -0.1, 0.4))
    assert "agreement is shown only for others" in words
    assert words.endswith("above zero: bleu (r = 0.400).")


def test_in_french_with_its_commas():
    words = first("fr", chrf=(-0.08, -0.623, 0.379))
    assert "aucune ne s'accorde de façon établie avec les gens" in words
    assert "r = −0,080 (intervalle à 95\u00a0%\u00a0: −0,623 à 0,379)." in words


@pytest.mark.parametrize(
    ("ceiling", "words"),
    [
        ((0.5, 0.2, 0.7), "One person agrees with the others at r = 0.500 (95% interval: 0.200"),
        ((0.1, -0.2, 0.3), "One person is not shown to agree with the others: r = 0.100 (95%"),
        ((0.9, None, None), "is not shown to agree with the others: r = 0.900 (without interval)"),
    ],
)
def test_people_are_held_to_the_same(ceiling, words):
    with override("en"):
        assert words in findings(report(ceiling=ceiling, chrf=(0.5, 0.2, 0.7)))[-1]


def test_a_baseline_at_exactly_zero_is_no_worse_than_less():
    made = report(chrf=(-0.08, -0.6, 0.4))
    baseline = next(line for line in made["lines"] if line["is_baseline"])
    baseline["figures"]["pearson"]["value"] = 0.0
    with override("en"):
        assert any("No better than what reads no meaning" in words for words in findings(made))


@pytest.mark.parametrize(
    ("difference", "is_said"),
    [((0.1, -0.05, 0.25), True), ((0.1, None, None), True), ((0.1, 0.02, 0.2), False)],
)
def test_a_baseline_is_beaten_where_the_whole_difference_is_above_zero(difference, is_said):
    made = report(chrf=(0.5, 0.2, 0.7))
    baseline = next(line for line in made["lines"] if line["is_baseline"])
    baseline["figures"]["pearson"]["value"] = 0.4
    keys = ("value", "low", "high")
    baseline["versus"] = {"difference": dict(zip(keys, difference, strict=True))}
    with override("en"):
        said = [words for words in findings(made) if "reads no meaning" in words]
    assert bool(said) is is_said
    if said:
        assert said[0].startswith("Not shown to agree better than what reads no meaning: ")
        assert "difference of Pearson 0.100 (" in said[0]


def test_williams_s_p_is_not_left_to_be_quoted_where_originals_have_several_outputs():
    """Of equal metrics whose errors outputs of one original share it calls far more than one in
    twenty worse at 0.05."""
    made = small_report()
    assert made["sources"] == made["n"]
    with override("en"):
        alone = sheet(None, made, "differences").note
        several = sheet(None, made | {"sources": made["n"] // 2}, "differences").note
    assert "Both tests are one-sided" in alone
    assert "takes each output for itself" not in alone
    assert several.startswith(alone.splitlines()[0])
    assert "Williams's test takes each output for itself, although several are of one" in several
    assert "The bootstrap draws originals" in several


def test_means_of_systems_over_other_originals_are_said_to_be_so():
    """As the page on systems says of the same means."""
    made = small_report()
    part = made["parts"][0]

    def note(*sources: int) -> str:
        parts = [part, *(part | {"system": f"s{at}", "sources": n} for at, n in enumerate(sources))]
        with override("en"):
            return sheet(None, made | {"parts": parts}, "systems").note

    assert "the same originals here" not in note(8, 8, 8)
    assert "Not all systems have outputs of the same originals here: the means" in note(8, 8, 3)
