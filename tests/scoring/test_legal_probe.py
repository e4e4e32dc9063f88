"""False accepts and false rejects, counted at a threshold among what was accepted before."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from annotation.metrics.metric import Direction, Family, MetricUnavailable, TextMetric
from annotation.metrics.probe import probed
from annotation.protocols.base import Wording
from annotation.scoring.errors import ScoringError
from annotation.scoring.legal.cases import Case
from annotation.scoring.legal.kinds import Change, Place
from annotation.scoring.legal.probe import Threshold, measure, wilson
from annotation.scoring.splits import source_key

SEVEN = Threshold.of_scale(1, 10, (1.0, 6.0))


def cases(kind: Change, number: int, *, place: Place = Place.IDENTICAL) -> list[Case]:
    return [
        Case(place, kind, str(at), f"clause {at}", f"clause {at}", f"{kind} {at}", "a", "b")
        for at in range(number)
    ]


def of(probe, place, kind):
    (kind_row,) = [row for row in probe["kinds"] if (row["place"], row["kind"]) == (place, kind)]
    return kind_row["rate"]


def test_the_threshold_is_the_bottom_of_the_highest_bracket_or_two_thirds_up():
    assert SEVEN.at == 7
    assert SEVEN.by == "bracket"
    assert Threshold.of_scale(0, 90).at == 60
    assert SEVEN.on((0, 90)).at == 60


def test_shares_intervals_and_ranks():
    both = [*cases(Change.NUMBER, 10), *cases(Change.ORDER, 10), *cases(Change.ONLY, 6)]

    def predict(pairs):
        low = {"number 0": 9.0, "number 1": 9.0, "order 0": 3.0, "clause 9": 2.0}
        return [low.get(text, 8.0 if text[:2] in ("cl", "or") else 2.0) for _, text in pairs]

    probe = measure(predict, both, SEVEN, 1)
    number, order = of(probe, "identical", "number"), of(probe, "identical", "order")
    assert (number["value"], number["n"], number["cases"]) == (2 / 9, 9, 10)
    assert number["method"] == "sources"
    assert number["low"] < 2 / 9 < number["high"]
    assert order["value"] == 1 / 9
    only = of(probe, "identical", "only")
    assert (only["value"], only["low"], only["method"]) == (0, 0, "wilson")
    assert only["high"] > 0.3
    assert of(probe, "simplification", "number")["undefined"]["en"] == "No case."
    assert probe["rates"]["identical"]["false_reject"]["value"] == 1 / 9
    assert probe["rates"]["identical"]["ranked"]["n"] == 16
    assert probe["rates"]["simplification"]["ranked"]["value"] is None
    assert len(probe["scores"]) == len(both)


def test_what_is_undefined_is_said():
    few = cases(Change.NUMBER, 4)
    probe = measure(lambda pairs: [9.0] * len(pairs), few, SEVEN, 1)
    assert "Fewer than 5" in of(probe, "identical", "number")["undefined"]["en"]
    probe = measure(lambda pairs: [math.nan] * len(pairs), few, SEVEN, 1)
    assert "no value" in of(probe, "identical", "number")["undefined"]["en"]
    assert probe["scores"][0] == [None, None]
    probe = measure(lambda pairs: [9.0] * len(pairs), few, None, 1)
    assert "no ends" in of(probe, "identical", "number")["undefined"]["en"]
    with pytest.raises(ScoringError) as refusal:
        measure(lambda pairs: [], [], SEVEN, 1)
    assert refusal.value.code == "no_cases"


def test_wilson_as_published():
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20.
    for hits, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
    ):
        assert wilson(hits / n, n) == pytest.approx((low, high), abs=1e-4)


def metric(name, direction, bounds):
    return TextMetric(name, Wording(name, name), direction, bounds)


def test_metrics_are_probed_on_their_own_range():
    made = (
        metric("errors", Direction.LOWER, (0, 1)),
        metric("open", Direction.HIGHER, None),
        metric("odd", Direction.NEITHER, (0, 1)),
    )
    family = Family(
        "f", made, lambda pair: {"errors": 0.1, "open": "no_words", "odd": 0.5}, needs_words=False
    )
    errors, unbounded, odd = probed(family, cases(Change.NUMBER, 9), SEVEN, "fr", 1)
    assert of(errors, "identical", "number")["value"] == 1
    assert errors["threshold"]["at"] == pytest.approx(-1 / 3)
    assert unbounded["threshold"] is None
    assert odd["threshold"] is None
    assert errors["signature"].endswith("refs:original")


def test_what_a_scorer_has_learned_from_is_left_out_and_counted():
    learned = metric("scorer-v1", Direction.HIGHER, (1, 10))
    sources = frozenset(source_key(f"clause {at}") for at in range(6))
    family = Family(
        "s", (learned,), lambda pair: {"scorer-v1": 9.0}, needs_words=False, learned=sources
    )
    (some,) = probed(family, cases(Change.NUMBER, 11), SEVEN, "fr", 1)
    assert [(gap["code"], gap["n"]) for gap in some["missing"]] == [("learned", 6)]
    assert of(some, "identical", "number")["n"] == 5
    (none,) = probed(family, cases(Change.NUMBER, 6), SEVEN, "fr", 1)
    assert none["missing"][0]["n"] == 6
    assert "has learned from" in of(none, "identical", "number")["undefined"]["en"]
    (whole,) = probed(replace(family, learned=frozenset()), cases(Change.NUMBER, 6), SEVEN, "fr", 1)
    assert whole["missing"] == []


def test_a_family_that_cannot_be_computed_says_why():
    def fails(pair):
        raise MetricUnavailable(Wording("absent", "missing"))

    def not_installed(pair):
        raise ImportError("no library")

    for failing, words in (
        (fails, {"fr": "absent", "en": "missing"}),
        (not_installed, "no library"),
    ):
        family = Family("f", (metric("m", Direction.HIGHER, (0, 1)),), failing, needs_words=False)
        (report,) = probed(family, cases(Change.NUMBER, 5), SEVEN, "fr", 1)
        assert report["unavailable"] == words
