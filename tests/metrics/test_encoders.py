"""Cosine and BERTScore from vectors; where these come from is tests/workers/metrics."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.metrics.encoders import (
    Encoded,
    bertscore,
    cosine,
    encoder_family,
    encoder_metrics,
)
from annotation.metrics.metric import NO_WORDS, pair
from annotation.metrics.registry import metrics

# One row a token; the first and the last are the encoder's own marks.
CANDIDATE = np.array([[1, 0, 0], [1, 2, 0], [0, 1, 3], [0, 0, 1]], dtype=float)
REFERENCE = np.array([[1, 0, 0.5], [1, 1, 0], [0, 2, 1], [3, 0, 1], [0.5, 0, 1]], dtype=float)


@pytest.mark.parametrize(
    ("weights", "expected"),
    # bert_score.utils.greedy_cos_idf of bert-score 0.3.13 on these vectors: P, R, F; the second
    # with weights that idf would give.
    [
        (([0, 1, 1, 0], [0, 1, 1, 1, 0]), (0.8986057177, 0.8991221987, 0.8988638840)),
        (([0, 0.5, 2, 0], [0, 0.5, 1.5, 1, 0]), (0.8685591695, 0.8743416490, 0.8714408169)),
    ],
)
def test_bertscore_is_that_of_its_authors(weights, expected):
    scores = bertscore(
        Encoded(CANDIDATE.mean(0), CANDIDATE, np.array(weights[0], dtype=float)),
        Encoded(REFERENCE.mean(0), REFERENCE, np.array(weights[1], dtype=float)),
    )
    assert tuple(scores.values()) == pytest.approx(expected, abs=1e-9)
    assert list(scores) == ["precision", "recall", "f1"]


def test_no_likeness_at_all_is_no_division_by_zero():
    vector, other = np.array([[1.0, 0]]), np.array([[0, 1.0]])
    scores = bertscore(Encoded(vector[0], vector, np.ones(1)), Encoded(other[0], other, np.ones(1)))
    assert scores == {"precision": 0, "recall": 0, "f1": 0}


def test_a_token_without_length_is_like_nothing():
    tokens = np.array([[0.0, 0], [1, 0]])
    scores = bertscore(
        Encoded(tokens[1], tokens, np.ones(2)), Encoded(tokens[1], tokens[1:], np.ones(1))
    )
    assert scores["precision"] == 0.5
    assert scores["recall"] == 1


def test_whole_texts_cannot_be_matched():
    with pytest.raises(ValueError, match="no tokens"):
        bertscore(Encoded(np.ones(2)), Encoded(np.ones(2)))


def test_cosine_of_two_vectors():
    assert cosine(np.array([1.0, 0]), np.array([1.0, 1])) == pytest.approx(2**-0.5)
    assert cosine(np.array([1.0, 0]), np.array([-2.0, 0])) == -1


VECTORS = {
    "source": [1.0, 0.0],
    "near": [1.0, 1.0],
    "far": [0.0, 1.0],
    "": [0.0, 0.0],
}


def whole_texts(texts):
    asked.append(list(texts))
    return [Encoded(np.array(VECTORS[text])) for text in texts]


asked: list[list[str]] = []
FAMILY = encoder_family("small", encoder_metrics("small", matches=False), whole_texts)


def readings(*pairs):
    asked.clear()
    return [reading["encoder-small-cosine"] for reading in FAMILY.all_readings(pairs)]


def test_each_text_is_encoded_once_for_all_pairs():
    assert readings(pair("source", "near"), pair("source", "far"), pair("near", "near")) == (
        pytest.approx([2**-0.5, 0, 1])
    )
    assert asked == [["near", "source", "far"]]
    assert FAMILY.readings(pair("source", "source"))["encoder-small-cosine"] == pytest.approx(1)


def test_of_several_references_the_most_similar_counts():
    assert readings(pair("source", "near", ("far", "near"))) == pytest.approx([1])
    # The original is no reference where there are some.
    assert readings(pair("near", "near", ("far",))) == pytest.approx([2**-0.5])


def test_a_text_that_holds_nothing_has_no_value():
    assert readings(pair("source", ""), pair("", "source")) == [NO_WORDS, NO_WORDS]
    assert readings(pair("source", "near", ("", "near"))) == pytest.approx([1])
    empty = Encoded(np.ones(2), np.ones((2, 2)), np.zeros(2))
    assert empty.is_empty
    assert not Encoded(np.zeros(2), np.ones((1, 2)), np.ones(1)).is_empty


def test_every_metric_says_what_it_is():
    own_metrics = encoder_metrics("small", (("encoder", "sha256:abc"),), pooling="cls")
    assert [metric.name for metric in own_metrics] == [
        "encoder-small-cosine",
        "encoder-small-bertscore_precision",
        "encoder-small-bertscore_recall",
        "encoder-small-bertscore_f1",
    ]
    assert own_metrics[0].signature == (
        "encoder-small-cosine|encoder:sha256:abc|pooling:cls|definition:1"
    )
    assert own_metrics[-1].signature == (
        "encoder-small-bertscore_f1|encoder:sha256:abc|layer:last|idf:no|baseline:no|definition:1"
    )
    assert not {metric.name for metric in own_metrics} & set(metrics())
