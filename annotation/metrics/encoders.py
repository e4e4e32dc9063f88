"""Metrics over an encoder's vectors: the cosine of two texts, and BERTScore (Zhang et al. 2020).

Which encoder, and how its vectors come about, is the worker's matter; what follows from them is
here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.metrics.metric import (
    NO_WORDS,
    Direction,
    Family,
    MetricPair,
    Reading,
    References,
    TextMetric,
)
from annotation.protocols.base import Wording

FloatArray = npt.NDArray[np.float32] | npt.NDArray[np.float64]
PREFIX = "encoder-"
SENTENCES = "use-multilingual"
"""The encoder of whole sentences that comes as a library: Google's Universal Sentence Encoder,
multilingual, version 3 (16 languages, French among them)."""
ENGLISH = "minilm-english"
"""The encoder of English that comes as a library: all-MiniLM-L6-v2, with vectors of tokens."""
LIBRARIES = (SENTENCES, ENGLISH)
"""Those that come as libraries, in the order in which they stand before the folders of admins."""
PARTS = ("precision", "recall", "f1")
_PART_LABELS = {
    "precision": Wording("précision", "precision"),
    "recall": Wording("rappel", "recall"),
    "f1": Wording("F1", "F1"),
}


@dataclass(frozen=True, eq=False)
class Encoded:
    """A text as an encoder reads it. ``pooled`` (d,): the whole text. ``tokens`` (n, d) with their
    ``weights`` (n,), 0 for the encoder's own marks; None where it gives none of single tokens."""

    pooled: FloatArray
    tokens: FloatArray | None = None
    weights: FloatArray | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the text holds nothing that counts."""
        if self.weights is not None:
            return not self.weights.any()
        return not self.pooled.any()


Encode = Callable[[Sequence[str]], Sequence[Encoded]]


def cosine(first: FloatArray, second: FloatArray) -> float:
    """Of two vectors (d,), neither of them zero."""
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def bertscore(candidate: Encoded, reference: Encoded) -> dict[str, float]:
    """Greedy matching of contextual tokens (Zhang et al. 2020, section 3): each of the candidate's
    tokens with the most similar one of the reference, weighted, is ``precision``; the other way
    round ``recall``; ``f1`` their harmonic mean, 0 where they add up to nothing.

    As in bert-score 0.3.13, marks of the encoder may be matched with, and weigh nothing.
    """
    if any(tokens is None for tokens in (candidate.tokens, reference.tokens)):
        raise ValueError("an encoder of whole texts has no tokens to match")
    similar = _unit(candidate.tokens) @ _unit(reference.tokens).T
    precision = float(np.average(similar.max(axis=1), weights=candidate.weights))
    recall = float(np.average(similar.max(axis=0), weights=reference.weights))
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def _unit(tokens: FloatArray | None) -> npt.NDArray[np.float64]:
    vectors = np.asarray(tokens, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: npt.NDArray[np.float64] = np.divide(
        vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0
    )
    return unit


def encoder_metrics(
    name: str,
    settings: tuple[tuple[str, str], ...] = (),
    *,
    library: str = "",
    pooling: str = "mean",
    matches: bool = True,
) -> tuple[TextMetric, ...]:
    """The metrics of an encoder. ``settings``: which one it is, and how it reads. ``matches``: it
    gives vectors of tokens, so that there is a BERTScore."""
    whole = TextMetric(
        f"{PREFIX}{name}-cosine",
        Wording(f"Cosinus ({name})", f"Cosine ({name})"),
        Direction.HIGHER,
        (0, 1),
        (*settings, ("pooling", pooling)),
        library,
    )
    matched = [
        TextMetric(
            f"{PREFIX}{name}-bertscore_{part}",
            Wording(
                f"BERTScore, {_PART_LABELS[part].fr} ({name})",
                f"BERTScore, {_PART_LABELS[part].en} ({name})",
            ),
            Direction.HIGHER,
            (0, 1),
            (*settings, ("layer", "last"), ("idf", "no"), ("baseline", "no")),
            library,
        )
        for part in PARTS
    ]
    return (whole, *matched) if matches else (whole,)


def encoder_family(name: str, metrics: tuple[TextMetric, ...], encode: Encode) -> Family:
    """What is measured with an encoder. Of several references the most similar counts, for each
    metric by itself (as in bert-score)."""

    named = {metric.name.removeprefix(f"{PREFIX}{name}-"): metric.name for metric in metrics}

    def many(pairs: Sequence[MetricPair]) -> list[dict[str, Reading]]:
        texts = list(dict.fromkeys(text for pair in pairs for text in _texts(pair)))
        vectors = dict(zip(texts, encode(texts), strict=True))
        return [_measured(named, pair, vectors) for pair in pairs]

    return Family(
        name=f"{PREFIX}{name}",
        metrics=metrics,
        measure=lambda pair: many([pair])[0],
        measure_many=many,
        references=References.INSTEAD,
        needs_words=False,
    )


def _texts(pair: MetricPair) -> tuple[str, ...]:
    return (pair.simplification, *pair.against)


def _measured(
    named: Mapping[str, str], pair: MetricPair, vectors: Mapping[str, Encoded]
) -> dict[str, Reading]:
    """What the family has metrics for: ``named`` is their names, by what they say."""
    candidate = vectors[pair.simplification]
    against = [vectors[text] for text in pair.against if not vectors[text].is_empty]
    if candidate.is_empty or not against:
        return dict.fromkeys(named.values(), NO_WORDS)
    readings: dict[str, Reading] = {
        named["cosine"]: max(cosine(candidate.pooled, other.pooled) for other in against)
    }
    if candidate.tokens is not None and len(named) > 1:
        matched = [bertscore(candidate, other) for other in against]
        for part in PARTS:
            readings[named[f"bertscore_{part}"]] = max(other[part] for other in matched)
    return readings
