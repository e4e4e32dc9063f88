"""What the outputs are, all of them and each system's: their number, their texts, what people said
of them, and what each metric gives them on the average. Papers print these before anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.agreement.systems.figure import rounded
from annotation.metrics.metric import MetricPair
from annotation.metrics.report.people import BoolArray, Candidate, People
from annotation.metrics.report.scale import exponent, unit
from annotation.metrics.report.strata import MOST_VALUES
from annotation.metrics.tokens import plain_words

SIDES = ("original", "simplification")


def parts(
    people: People, pairs: Sequence[MetricPair], lines: Sequence[Candidate]
) -> list[dict[str, Any]]:
    r"""One entry for all outputs (``system`` "") and one for each system, JSON-safe: ``n``,
    ``sources``; of ``people``'s means the quartiles, mean and standard deviation (n - 1);
    ``means`` of the metrics by name, without turned signs, None where there is no value. Of both
    texts, in lower-case runs of ``\w``: ``vocabulary`` (distinct words), ``words`` per text,
    ``richness`` (distinct words over all words), and ``richness_of_texts`` (a text's distinct words
    over the vocabulary, in per cent, the mean); None where a text is not cut into words by spaces
    or there is no word."""
    systems = np.array([output.system for output in people.outputs])
    named = [name for name in np.unique(systems) if name]
    chosen = [("", np.ones(len(systems), dtype=bool))]
    if len(named) <= MOST_VALUES:
        chosen += [(str(name), systems == name) for name in named]
    return [_part(name, inside, people, pairs, lines) for name, inside in chosen]


def _part(
    name: str,
    inside: BoolArray,
    people: People,
    pairs: Sequence[MetricPair],
    lines: Sequence[Candidate],
) -> dict[str, Any]:
    own = [pair for pair, is_inside in zip(pairs, inside, strict=True) if is_inside]
    return {
        "system": name,
        "n": len(own),
        "sources": len(np.unique(people.groups[inside])),
        "people": _spread(people.means[inside]),
        **{side: _texts(side, own) for side in SIDES},
        "means": {line.name: _mean(line, inside) for line in lines},
    }


def _spread(means: np.ndarray[Any, Any]) -> dict[str, float | None]:
    low, middle, high = np.quantile(means, [0.25, 0.5, 0.75])
    figures = {
        "min": means.min(),
        "low": low,
        "median": middle,
        "mean": means.mean(),
        "sd": means.std(ddof=1) if len(means) > 1 else None,
        "high": high,
        "max": means.max(),
    }
    return {
        name: rounded(None if value is None else float(value)) for name, value in figures.items()
    }


def _mean(line: Candidate, inside: BoolArray) -> float | None:
    known = line.values[inside & line.present]
    if not len(known):
        return None
    return line.written(float(np.ldexp(unit(known).mean(), exponent(known))))


def _texts(side: str, pairs: Sequence[MetricPair]) -> Mapping[str, float | None]:
    cut = [plain_words(getattr(pair, side)) for pair in pairs]
    distinct = [set(words) for words in cut]
    vocabulary, number = len(set().union(*distinct)), sum(map(len, cut))
    if not number or any(pair.is_uncut for pair in pairs):
        return dict.fromkeys(("vocabulary", "words", "richness", "richness_of_texts"))
    shares = [100 * len(words) / vocabulary for words in distinct]
    return {
        "vocabulary": vocabulary,
        "words": rounded(number / len(cut)),
        "richness": rounded(vocabulary / number),
        "richness_of_texts": rounded(float(np.mean(shares))),
    }
