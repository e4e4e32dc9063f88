"""Computed once, kept by content."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.metrics.metric import Direction, Family, TextMetric, pair
from annotation.models import KeptReadings
from annotation.protocols.base import Wording
from annotation.services.metrics import readings as module
from annotation.services.metrics.readings import content_of, pair_readings

pytestmark = pytest.mark.django_db


class Counting:
    """A family that counts how often it is asked."""

    def __init__(self, name="odd", definition="1"):
        self.asked = 0
        metric = TextMetric(
            name, Wording(name, name), Direction.HIGHER, None, definition=definition
        )
        self.family = Family(name, (metric,), self.measure)

    def measure(self, texts):
        self.asked += 1
        return {self.family.name: len(texts.simplification)}


PAIRS = [pair("Une clause.", "Court."), pair("Une clause.", "Plus long.")]


def test_the_same_texts_are_measured_once():
    odd = Counting()
    first = pair_readings(PAIRS, [odd.family])
    assert first == [{"odd": 6.0}, {"odd": 10.0}]
    assert pair_readings(PAIRS, [odd.family]) == first
    assert odd.asked == 2
    assert KeptReadings.objects.count() == 2
    assert "Court" not in str(KeptReadings.objects.values_list().first())


def test_another_metric_or_definition_is_measured_beside():
    odd, even, newer = Counting(), Counting("even"), Counting(definition="2")
    pair_readings(PAIRS, [odd.family])
    both = pair_readings(PAIRS, [odd.family, even.family])
    assert both[0] == {"odd": 6.0, "even": 6.0}
    pair_readings(PAIRS, [newer.family])
    assert (odd.asked, even.asked, newer.asked) == (2, 2, 2)
    assert len(KeptReadings.objects.first().readings) == 3


def test_content_tells_texts_references_and_languages_apart():
    ways = [
        pair("a", "b"),
        pair("ab", ""),
        pair("a", "b", ("c",)),
        pair("a", "b", (), "fr"),
        pair("b", "a"),
    ]
    assert len({content_of(way) for way in ways}) == len(ways)
    assert content_of(pair("é", "b")) == content_of(pair("e\u0301", "b"))


def test_progress_is_told_through_all_parts(monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    steps: list[int] = []
    pair_readings(PAIRS, [Counting().family], steps.append)
    assert steps == [1, 2]
    assert pair_readings([], [Counting().family]) == []


def test_what_a_former_rule_measured_is_not_read_where_the_rule_refuses():
    odd = Counting()
    pair_readings(PAIRS, [odd.family])
    refusing = replace(odd.family, languages=frozenset(("fr",)), needs_language=True)
    assert pair_readings(PAIRS, [refusing]) == [{"odd": "unknown_language"}] * 2
