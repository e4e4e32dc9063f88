"""How easy each side is to read, and by how much that changes: Kandel and Moles's reading ease for
French, the Flesch–Kincaid grade for English.

Kandel and Moles (1958): see ``annotation.corpus.readability``. Kincaid, Fishburne, Rogers and
Chissom (1975), Derivation of new readability formulas for Navy enlisted personnel:
``0.39 · words / sentences + 11.8 · syllables / words - 15.59``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from annotation.corpus import sentences
from annotation.corpus.readability import readability, words_of
from annotation.metrics.metric import (
    NO_WORDS,
    Direction,
    Family,
    MetricPair,
    Reading,
    TextMetric,
)
from annotation.protocols.base import Wording

if TYPE_CHECKING:
    from pyphen import Pyphen  # type: ignore[import-untyped]

_SIDES = {
    "": Wording("de la simplification", "of the simplification"),
    "_original": Wording("de l'original", "of the original"),
    "_change": Wording("changement", "change"),
}


def kandel_moles(text: str) -> float | None:
    """Reading ease of a French text, about 0–130, higher is easier; None without words."""
    return readability(text).score


def fkgl(text: str) -> float | None:
    """School grade of an English text, lower is easier; None without words."""
    words, parts = words_of(text), len(sentences.split(text))
    if not words or not parts:
        return None
    hyphenation = _english()
    syllables = sum(1 + len(hyphenation.positions(word)) for word in words)
    return 0.39 * len(words) / parts + 11.8 * syllables / len(words) - 15.59


@cache
def _english() -> Pyphen:
    from pyphen import Pyphen

    return Pyphen(lang="en_US")


def _measured(
    name: str, formula: Callable[[str], float | None]
) -> Callable[[MetricPair], dict[str, Reading]]:
    def measure(pair: MetricPair) -> dict[str, Reading]:
        before, after = formula(pair.original), formula(pair.simplification)
        change = NO_WORDS if before is None or after is None else after - before
        return {
            name: NO_WORDS if after is None else after,
            f"{name}_original": NO_WORDS if before is None else before,
            f"{name}_change": change,
        }

    return measure


def _family(
    name: str,
    label: str,
    formula: Callable[[str], float | None],
    direction: Direction,
    language: str,
    settings: tuple[tuple[str, str], ...],
    library: str,
) -> Family:
    metrics = tuple(
        TextMetric(
            name=f"{name}{side}",
            label=Wording(f"{label} {words.fr}", f"{label} {words.en}"),
            # How easy the original is says nothing of its simplification.
            direction=Direction.NEITHER if side == "_original" else direction,
            bounds=None,
            settings=settings,
            library=library,
        )
        for side, words in _SIDES.items()
    )
    return Family(
        name,
        metrics,
        _measured(name, formula),
        languages=frozenset((language,)),
        needs_language=True,
    )


FRENCH = _family(
    "kandel_moles",
    "Kandel–Moles",
    kandel_moles,
    Direction.HIGHER,
    "fr",
    (("syllables", "phonetic"), ("sentences", "bareme")),
    "",
)
ENGLISH = _family(
    "fkgl",
    "FKGL",
    fkgl,
    Direction.LOWER,
    "en",
    (("syllables", "hyphenation"), ("sentences", "bareme")),
    "pyphen",
)
