"""Families that measure pairs together, and what they say of pairs that they do not measure."""

from __future__ import annotations

import pytest

from annotation.metrics.metric import (
    FAILED,
    LANGUAGE,
    LEARNED,
    Direction,
    Family,
    MetricUnavailable,
    TextMetric,
    pair,
)
from annotation.protocols.base import Wording
from annotation.scoring.splits import source_key

SHORT, LONG, OTHER = pair("Une clause.", "Court."), pair("Une clause.", "Plus long."), pair("A", "")


def length(text_pair):
    if not text_pair.simplification:
        raise ZeroDivisionError
    return {"length": len(text_pair.simplification)}


def family(many, **fields) -> Family:
    metric = TextMetric("length", Wording("Longueur", "Length"), Direction.HIGHER, None)
    return Family("length", (metric,), length, measure_many=many, **fields)


def test_pairs_are_measured_in_one_call():
    calls = []

    def many(pairs):
        calls.append(len(pairs))
        return [length(text_pair) for text_pair in pairs]

    assert family(many).all_readings([SHORT, LONG]) == [{"length": 6.0}, {"length": 10.0}]
    assert calls == [2]
    assert family(many).all_readings([]) == []


def test_what_fails_on_one_pair_is_said_there():
    readings = family(lambda pairs: [length(text_pair) for text_pair in pairs]).all_readings(
        [SHORT, OTHER, LONG]
    )
    assert [reading["length"] for reading in readings] == [6.0, FAILED, 10.0]
    assert family(None).all_readings([SHORT, OTHER]) == [{"length": 6.0}, {"length": FAILED}]


@pytest.mark.parametrize("error", [MetricUnavailable(Wording("Rien.", "Nothing.")), ImportError()])
def test_what_is_missing_fails_on_every_pair(error):
    def many(_pairs):
        raise error

    with pytest.raises(type(error)):
        family(many).all_readings([SHORT])


def test_no_pair_of_an_original_that_it_has_learned_from_is_measured():
    measured = []

    def many(pairs):
        measured.extend(pairs)
        return [length(text_pair) for text_pair in pairs]

    learned = frozenset([source_key("Une  CLAUSE !")])
    unrelated = pair("Autre chose.", "Une clause.")
    readings = family(many, learned=learned).all_readings([SHORT, OTHER, unrelated])
    assert [reading["length"] for reading in readings] == [LEARNED, FAILED, LEARNED]
    assert set(measured) == {OTHER}


def test_refused_pairs_keep_their_places():
    english = pair("A clause.", "Short.", (), "en")
    readings = family(
        lambda pairs: [length(text_pair) for text_pair in pairs], languages=frozenset(["fr"])
    ).all_readings([SHORT, english, LONG])
    assert [reading["length"] for reading in readings] == [6.0, LANGUAGE, 10.0]
