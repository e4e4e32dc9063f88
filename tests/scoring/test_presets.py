"""Published recipes: their numbers are the papers', their splits and hold-outs as stated."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scoring.augmentation import Synthetic, are_unrelated
from annotation.scoring.errors import ScoringError
from annotation.scoring.presets import PRESETS, hold_out, hold_out_shares, random_split
from workers.scorers.recipe import Recipe


def test_the_papers_numbers():
    """JUDGEBERT §5.1 and §5.3.4; MeaningBERT §4."""
    judge, meaning = (Recipe.from_dict(dict(PRESETS[name].parameters)) for name in (
        "judgebert",
        "meaningbert",
    ))  # fmt: skip
    assert (judge.epochs, judge.patience, judge.batch, judge.learning_rate) == (100, 5, 16, 5e-5)
    assert (meaning.epochs, meaning.batch, meaning.learning_rate) == (250, 16, 5e-5)
    assert meaning.patience >= meaning.epochs, "it never stops early"
    assert (judge.labels, judge.precision, judge.warmup) == ("raw", "float32", 0.0)
    assert [PRESETS[name].hold_out for name in ("judgebert-da", "meaningbert-da")] == [297, 359]
    assert [PRESETS[name].augment for name in ("judgebert", "judgebert-da")] == [False, True]


@pytest.mark.parametrize(("rows", "test"), [(297, 89), (891, 267), (1355, 407)])
def test_rows_are_split_at_random(rows, test):
    split = random_split(rows, 42)
    sides = (split.train, split.validation, split.test)
    assert np.sort(np.concatenate(sides)).tolist() == list(range(rows))
    assert len(split.test) == test
    assert random_split(rows, 43).test.tolist() != split.test.tolist()


def corpus(word: str, count: int) -> list[str]:
    return [
        f"{word}{number} {word}a{number} {word}b{number} vaut {number}" for number in range(count)
    ]


def test_a_hold_out_matches_unseen_sentences_of_two_texts():
    act, code = corpus("loi", 40), corpus("code", 60)
    pairs, left = hold_out([act, code], 20, 1.0, 10.0)
    identical, unrelated = pairs[:20], pairs[20:]
    assert all(pair.original == pair.simplification and pair.label == 10 for pair in identical)
    assert [pair.original for pair in unrelated] == [pair.original for pair in identical]
    assert all(pair.original in act and pair.simplification in code for pair in unrelated)
    assert all(are_unrelated(pair.original, pair.simplification) for pair in unrelated)
    assert {pair.kind for pair in unrelated} == {Synthetic.UNRELATED}
    used = {text for pair in pairs for text in (pair.original, pair.simplification)}
    assert len(used) == 40
    assert sorted(left) == sorted({*act, *code} - used), "nothing of it is learned from"
    assert hold_out([act, code], 20, 1.0, 10.0)[0] == pairs
    halves, _ = hold_out([act], 10, 1.0, 10.0)
    assert {pair.original for pair in halves} <= set(act[:20])


def test_too_small_a_corpus_is_said():
    with pytest.raises(ScoringError) as refused:
        hold_out([corpus("loi", 5)], 20, 1.0, 10.0)
    assert refused.value.code == "corpus_too_small"


def test_shares_of_the_hold_out_with_and_without_rounding():
    scores = np.array([10.0, 9.92, 9.9, 5.0, 1.0, 1.08, 1.1, 5.0])
    plain = hold_out_shares(scores, 4, 1.0, 10.0, rounded=False)
    assert plain == {"identical": 0.5, "unrelated": 0.5}
    rounded = hold_out_shares(scores, 4, 1.0, 10.0, rounded=True)
    assert rounded == {"identical": 0.75, "unrelated": 0.75}
