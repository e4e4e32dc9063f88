"""Translation edit rate of long texts: sacrebleu's number, without its minutes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from sacrebleu.metrics import lib_ter
from sacrebleu.metrics.ter import TER

from annotation.metrics.families import ter_shifts
from annotation.metrics.families.ter import FAMILY
from annotation.metrics.metric import pair


def words_of(rng: random.Random, size: int, vocabulary: int) -> list[str]:
    return [f"mot{rng.randrange(vocabulary)}" for _ in range(size)]


def changed(rng: random.Random, words: list[str], how: str) -> list[str]:
    other = list(words)
    if how == "shuffled":
        rng.shuffle(other)
    elif how == "moved":
        for _ in range(4):
            start, length = rng.randrange(len(other)), rng.randrange(1, 8)
            taken = other[start : start + length]
            del other[start : start + length]
            to = rng.randrange(len(other) + 1)
            other[to:to] = taken
    elif how == "shorter":
        other = [word for word in other if rng.random() > 0.4]
    else:
        other = words_of(rng, rng.choice([1, 5, 80]), 20)
    return other


@pytest.mark.parametrize("how", ["shuffled", "moved", "shorter", "another"])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_it_is_what_sacrebleu_counts(how: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ter_shifts, "_FEWEST_WORDS", 1)
    rng = random.Random(f"{how}{size}")
    for vocabulary in (3, 20, 200):
        words = words_of(rng, size, vocabulary)
        other = changed(rng, words, how) or ["mot"]
        for text, reference in ((words, other), (other, words)):
            counted = lib_ter.translation_edit_rate(list(text), reference)
            assert ter_shifts.edit_rate(list(text), reference) == counted


def test_nothing_is_far_from_something() -> None:
    assert ter_shifts.edit_rate([], ["a", "b"]) == (2, 2)
    assert ter_shifts.edit_rate(["a", "b"], []) == (2, 0)


def test_a_long_text_is_compared_with_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of a thousand shifts was measured by itself: two and a half minutes for two texts of
    20,000 characters, in which a report stood still."""
    rng = random.Random(7)
    words = words_of(rng, 90, 30)
    text, reference = " ".join(changed(rng, words, "shuffled")), " ".join(words)
    score = TER().sentence_score(text, [reference, text[::-1]]).score
    by_itself: list[int] = []
    one = lib_ter.BeamEditDistance.__call__

    def counted(self: Any, words: list[str]) -> Any:
        by_itself.append(len(words))
        return one(self, words)

    monkeypatch.setattr(lib_ter.BeamEditDistance, "__call__", counted)
    readings = FAMILY.readings(pair("", text, (reference, text[::-1])))
    assert readings == {"ter": score}
    assert len(by_itself) < 100
