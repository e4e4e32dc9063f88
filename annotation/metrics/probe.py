"""The legal probe of a family of metrics: each at the human scale's own threshold, whose place is
laid on the metric's range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from annotation.agreement.systems.figure import wording_facts
from annotation.metrics.metric import (
    UNDEFINED,
    Direction,
    Family,
    MetricPair,
    MetricUnavailable,
    Reading,
    TextMetric,
    oriented,
    pair,
)
from annotation.scoring.legal.cases import Case
from annotation.scoring.legal.probe import UNSCORED, Threshold, measure


def probed(
    family: Family, cases: Sequence[Case], threshold: Threshold, language: str, seed: int
) -> list[dict[str, Any]]:
    """Of each metric what ``legal.probe.measure`` says, with its name, label and signature, and of
    how many cases there is no value, by the code of the reason (``missing``); where nothing of the
    family can be computed here, ``unavailable`` says why instead.

    Raises ``ScoringError`` ("no_cases") without any case.
    """
    text_pairs = dict.fromkeys(
        (case.original, text) for case in cases for text in (case.unchanged, case.changed)
    )
    pairs: list[MetricPair] = [pair(*texts, (), language) for texts in text_pairs]
    try:
        readings = dict(zip(text_pairs, family.all_readings(pairs), strict=True))
    except (ImportError, MetricUnavailable) as error:
        why = wording_facts(error.why) if isinstance(error, MetricUnavailable) else str(error)
        return [{**_named(metric), "unavailable": why} for metric in family.metrics]
    rows = []
    for metric in family.metrics:
        scores = {texts: _turned(said[metric.name], metric) for texts, said in readings.items()}
        predict = partial(_looked_up, scores)
        missing = _missing(metric, readings, cases)
        unscored = UNDEFINED[next(iter(missing))] if len(missing) == 1 else UNSCORED
        figures = measure(predict, cases, _threshold(metric, threshold), seed, unscored)
        reasons = [
            {"code": code, "n": number, "reason": wording_facts(UNDEFINED[code])}
            for code, number in missing.items()
        ]
        rows.append({**_named(metric), "missing": reasons, **figures})
    return rows


def _missing(
    metric: TextMetric,
    readings: Mapping[tuple[str, str], Mapping[str, Reading]],
    cases: Sequence[Case],
) -> dict[str, int]:
    """How many cases have no value before or after the change, by why."""
    codes = []
    for case in cases:
        both = [
            readings[case.original, text][metric.name] for text in (case.unchanged, case.changed)
        ]
        codes += [code for code in both if isinstance(code, str)][:1]
    return dict(Counter(codes))


def _looked_up(
    scores: Mapping[tuple[str, str], float], text_pairs: Sequence[tuple[str, str]]
) -> list[float]:
    return [scores[texts] for texts in text_pairs]


def _named(metric: TextMetric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "label": wording_facts(metric.label),
        "signature": f"{metric.signature}|refs:original",
    }


def _turned(reading: Reading, metric: TextMetric) -> float:
    """Higher is better; NaN where there is no value."""
    return float("nan") if isinstance(reading, str) else oriented(reading, metric.direction)


def _threshold(metric: TextMetric, threshold: Threshold) -> Threshold | None:
    """On the metric's range; None where it has no ends, or neither way is better."""
    if metric.bounds is None or metric.direction == Direction.NEITHER:
        return None
    low, high = sorted(oriented(end, metric.direction) for end in metric.bounds)
    return threshold.on((low, high))
