"""A scorer off its corpus: who learns from what, and the figures beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotation.scoring.baselines import signals
from annotation.scoring.cross_validation import OutOfFold
from annotation.scoring.dataset import TrainingSet, joined
from annotation.scoring.errors import ScoringError
from annotation.scoring.off_corpus import left_out, off_corpus
from tests.scorers.judged import judged_set
from tests.scoring.test_cross_validation import repeat
from tests.workers.scorers import figures


def of_corpora(*names: str) -> TrainingSet:
    """60 made-up pairs, dealt to corpora in turn."""
    data = judged_set()
    return replace(
        data,
        pairs=tuple(
            replace(pair, corpus=names[number % len(names)])
            for number, pair in enumerate(data.pairs)
        ),
    )


def test_a_source_that_two_corpora_share_is_not_learned_from():
    data = of_corpora("A", "B")
    shared = replace(data.pairs[0], corpus="B", key="again", simplification="Autre chose.")
    data = replace(data, pairs=(*data.pairs, shared))
    first, second = left_out(data)
    # Of 31 and 30 pairs: the larger first.
    assert (first.name, len(first.held), len(first.train)) == ("B", 31, 29)
    assert (second.name, len(second.held), len(second.train)) == ("A", 30, 30)
    for part in (first, second):
        held = {data.originals[place] for place in part.held}
        assert not held & {data.originals[place] for place in part.train}


@pytest.mark.parametrize("names", [("",), ("A",), ("A", "B", "C", "D"), ("A", *"BCDEFGH")])
def test_one_corpus_or_small_ones_are_said_in_words(names):
    data = of_corpora(*names)
    parts = left_out(data)
    assert parts == []
    report = off_corpus(data, parts, [], {}, repeat(42, data))
    assert report["corpora"] == []
    assert "one corpus" in report["undefined"]["en"]


def test_the_figures_of_a_corpus_left_out():
    data = of_corpora("A", "B")
    parts = left_out(data)
    scores = [data.labels[part.held] ** 2 for part in parts]
    beside = signals([(pair.original, pair.simplification) for pair in data.pairs])
    crossed = repeat(42, data)
    report = off_corpus(data, parts, scores, beside, crossed)
    for corpus, part, said in zip(report["corpora"], parts, scores, strict=True):
        truth = data.labels[part.held]
        expected = np.corrcoef(said, truth)[0, 1]
        assert corpus["metrics"]["pearson"]["value"] == pytest.approx(expected)
        within = np.corrcoef(crossed.scores[part.held], truth)[0, 1]
        assert corpus["within"]["pearson"]["value"] == pytest.approx(within)
        for other in corpus["beside"]:
            values = beside[other["name"]]
            alone = np.corrcoef(values[part.held], truth)[0, 1]
            assert other["pearson"]["value"] == pytest.approx(alone)
            assert other["difference"]["value"]["value"] == pytest.approx(expected - alone)
            slope, cut = np.polyfit(values[part.train], data.labels[part.train], 1)
            errors = slope * values[part.held] + cut - truth
            assert other["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))


def test_sets_are_joined_as_corpora():
    first, second = judged_set(20, name="one-1"), judged_set(30, name="two-1")
    both = joined([first, second])
    assert both.name == "one-1 + two-1"
    assert [pair.row for pair in both.pairs] == list(range(1, 51))
    assert len({pair.key for pair in both.pairs}) == 50
    assert [pair.corpus for pair in both.pairs].count("two-1") == 30
    assert joined([first]) is first
    assert TrainingSet.from_bytes(both.to_bytes()) == both
    with pytest.raises(ScoringError) as refused:
        joined([first, replace(second, target="csmd/meaning")])
    assert "target differs" in refused.value.message.en


def test_the_same_pseudonym_in_two_studies_is_two_people():
    pairs = tuple(replace(pair, ratings={"A01": pair.label}) for pair in judged_set(20).pairs)
    sets = [replace(judged_set(20), name=name, pairs=pairs) for name in ("one-1", "two-1")]
    assert joined(sets).rating_table().shape == (40, 2)


@pytest.mark.skipif(not figures.DATA.exists(), reason="the shared data are not here")
def test_what_learns_nothing_on_simplicity_da():
    """Computed by another hand on the same 600 outputs: chrF .641, ROUGE-L .632."""
    data = figures.training_set(figures.repaired(), figures.campaigns())
    part = next(part for part in left_out(data) if part.name == "SimplicityDA")
    assert len(part.held) == 600
    read = signals([(pair.original, pair.simplification) for pair in data.pairs])
    crossed = OutOfFold(1, [0] * len(data.pairs), data.labels.tolist(), data.labels.tolist())
    report = off_corpus(data, [part], [data.labels[part.held]], read, crossed)
    correlations = {
        baseline["name"]: baseline["pearson"]["value"]
        for baseline in report["corpora"][0]["beside"]
    }
    assert correlations == {
        "chrf": pytest.approx(0.641, abs=5e-4),
        "rouge_l": pytest.approx(0.632, abs=5e-4),
    }
