"""Strata of held-out items: truncated or whole, bracket of the human mean, class, length,
system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.scoring.metrics import FloatArray, Metrics, evaluate

_CLOSED = re.compile(r"[.!?…:;][\s»\"”’')\]]*$")
SHORT_WORDS, LONG_WORDS = 40, 90
FINISHED = "stop"


@dataclass(frozen=True)
class StratumItem:
    """What decides the strata of one item; an empty string or None is unknown and forms no stratum.

    ``human`` is the mean score, ``brackets`` the upper ends of the protocol's lower brackets on its
    scale.
    """

    original: str
    simplification: str
    human: float
    finish_reason: str = ""
    system: str = ""
    characterization: str = ""


@dataclass(frozen=True)
class Stratum:
    """One value of one dimension, with the metrics of its items."""

    dimension: str
    value: str
    metrics: Metrics


def looks_truncated(simplification: str, finish_reason: str = "") -> bool:
    """Whether a text was cut: by its ``finish_reason`` where known ("length"), else it ends without
    punctuation."""
    if finish_reason:
        return finish_reason != FINISHED
    return not _CLOSED.search(simplification.strip())


def bracket(human: float, tops: Sequence[float] = (1.0, 6.0)) -> str:
    """Bracket of a mean score, by position from the lowest: "1" off-track, "2" imprecise, "3"
    accurate on 1–10.

    A mean lies between whole scores; it belongs to the bracket of the nearest whole score, half
    upward.
    """
    return str(1 + sum(human >= top + 0.5 for top in tops))


def length_class(original: str) -> str:
    """ "short" up to 40 words, "long" from 91, else "medium"."""
    words = len(original.split())
    if words <= SHORT_WORDS:
        return "short"
    return "medium" if words <= LONG_WORDS else "long"


def strata(
    items: Sequence[StratumItem],
    predictions: FloatArray,
    *,
    bracket_tops: Sequence[float] = (1.0, 6.0),
) -> list[Stratum]:
    """Metrics of every stratum that holds an item, dimensions in a fixed order, values sorted."""
    labels = np.array([item.human for item in items], dtype=np.float64)
    found = []
    for dimension, values in _values(items, bracket_tops).items():
        for value in sorted({value for value in values if value}):
            inside: npt.NDArray[np.bool_] = np.array([one == value for one in values])
            found.append(Stratum(dimension, value, evaluate(predictions[inside], labels[inside])))
    return found


def _values(items: Sequence[StratumItem], tops: Sequence[float]) -> dict[str, list[str]]:
    cut = [looks_truncated(item.simplification, item.finish_reason) for item in items]
    return {
        "completeness": ["truncated" if is_cut else "whole" for is_cut in cut],
        "bracket": [bracket(item.human, tops) for item in items],
        "class": [item.characterization for item in items],
        "length": [length_class(item.original) for item in items],
        "system": [item.system for item in items],
    }
