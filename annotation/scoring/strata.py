"""Strata of held-out items: truncated or whole, bracket of the human mean, class, length,
system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from annotation.scoring.metrics import FloatArray, Metrics, evaluate
from annotation.uncut import is_uncut

# What ends a sentence, then blanks and what closes a quotation or a bracket; full width too.
_ENDS = ".!?…:;。．｡！？：；؟۔।॥։"
_CLOSING = "»\"”’')]」』）］】〉》〕｣＂＇"
_CLOSED = re.compile(rf"[{re.escape(_ENDS)}][\s{re.escape(_CLOSING)}]*$")
_PUNCTUATED = frozenset(
    (
        *("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "ARABIC", "DEVANAGARI"),
        *("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "HALFWIDTH"),
    )
)
"""Scripts whose sentences end with one of these, by the first word of their letters' Unicode
names. Thai and others have no such mark."""
SHORT_WORDS, LONG_WORDS = 40, 90
FINISHED = "stop"


@dataclass(frozen=True)
class StratumItem:
    """What decides the strata of one item; an empty string or None is unknown and forms no stratum.

    ``human`` is the mean score, ``classes`` the item's class on each dimension that has some.
    """

    original: str
    simplification: str
    human: float
    finish_reason: str = ""
    system: str = ""
    classes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stratum:
    """One value of one dimension, with the metrics of its items. The dimension of classes is called
    "class", and "class:<name>" each where there are several."""

    dimension: str
    value: str
    metrics: Metrics


def looks_truncated(simplification: str, finish_reason: str = "") -> bool:
    """Whether a text was cut: by its ``finish_reason`` where known ("length"), else it ends without
    punctuation, in a script that ends its sentences with some."""
    if finish_reason:
        return finish_reason != FINISHED
    return not _CLOSED.search(simplification.strip()) and _is_punctuated(simplification)


def _is_punctuated(text: str) -> bool:
    """Whether half of the letters or more are of such a script; a text without letters may be."""
    scripts = [
        unicodedata.name(character, "").partition(" ")[0]
        for character in text
        if character.isalpha()
    ]
    return 2 * sum(script in _PUNCTUATED for script in scripts) >= len(scripts)


def bracket(human: float, tops: Sequence[float]) -> str:
    """Bracket of a mean score, by position from the lowest, "1"; ``tops`` are the upper ends of the
    lower brackets, (1, 6) for FrJUDGE's scale. "" where there are no brackets.

    A mean lies between whole scores; it belongs to the bracket of the nearest whole score, half
    upward.
    """
    if not tops:
        return ""
    return str(1 + sum(human >= top + 0.5 for top in tops))


def length_class(original: str) -> str:
    """ "short" up to 40 words, "long" from 91, else "medium"; "" where words cannot be told by
    spaces."""
    if is_uncut(original):
        return ""
    words = len(original.split())
    if words <= SHORT_WORDS:
        return "short"
    return "medium" if words <= LONG_WORDS else "long"


def strata(
    items: Sequence[StratumItem],
    predictions: FloatArray,
    *,
    bracket_tops: Sequence[float] = (),
) -> list[Stratum]:
    """Metrics of every stratum that holds an item, dimensions in a fixed order, values sorted."""
    labels = np.array([item.human for item in items], dtype=np.float64)
    parts = []
    for dimension, values in _values(items, bracket_tops).items():
        for value in sorted({value for value in values if value}):
            inside: npt.NDArray[np.bool_] = np.array([given == value for given in values])
            parts.append(Stratum(dimension, value, evaluate(predictions[inside], labels[inside])))
    return parts


def _values(items: Sequence[StratumItem], tops: Sequence[float]) -> dict[str, list[str]]:
    cut = [looks_truncated(item.simplification, item.finish_reason) for item in items]
    names = sorted({name for item in items for name in item.classes})
    return {
        "completeness": ["truncated" if is_cut else "whole" for is_cut in cut],
        "bracket": [bracket(item.human, tops) for item in items],
        **{
            "class" if len(names) == 1 else f"class:{name}": [
                item.classes.get(name, "") for item in items
            ]
            for name in names
        },
        "length": [length_class(item.original) for item in items],
        "system": [item.system for item in items],
    }
