"""How easy a French text is to read, by the formula of Kandel and Moles.

Kandel, L. and Moles, A. (1958). Application de l'indice de Flesch à la langue française. Cahiers
Études de Radio-Télévision 19, 253-274: ``207 - 1.015 · words / sentences - 73.6 · syllables /
words``. The constants are textstat's for French. Easy texts score high, up to about 130; the study
keeps what scores at most 50.

A word is what stands between two spaces once punctuation is taken off, as textstat counts:
"l'assureur" and "celui-ci" are one word each, "1 200 $" two. Sentences come from
``annotation.corpus.sentences``, since textstat ends one at every "art." and "F.P.Q.".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from annotation.accents import composed
from annotation.corpus import sentences as sentence_rules
from annotation.corpus.syllables import COUNTERS
from annotation.protocols.base import NO_WORDING, Wording
from annotation.uncut import is_uncut

BASE, PER_SENTENCE_LENGTH, PER_WORD_LENGTH = 207.0, 1.015, 73.6
_APOSTROPHES = str.maketrans("’‘ʼ′", "''''")
_EDGES = "«»“”\"'()[]{}.,;:!?…–—-*•/\u00a0\u202f"


class Syllables(StrEnum):
    """How syllables are counted; see ``annotation.corpus.syllables``."""

    PHONETIC = "phonetic"
    """Vowels heard: the default, right for 59 of the 60 published examples in the tests (line
    breaks: 50)."""
    HYPHENATION = "hyphenation"
    """Places of line breaks (pyphen): to compare with textstat, scores come out some 4 points
    easier."""


@dataclass(frozen=True)
class Readability:
    """The reading ease of one text, or why there is none.

    ``score`` is None exactly where ``reason`` says why, never NaN; the three counts are always
    there.
    """

    score: float | None
    words: int
    sentences: int
    syllables: int
    reason: Wording = NO_WORDING


NO_WORDS = Wording(
    "Le texte ne contient aucun mot : sa lisibilité n'est pas définie.",
    "The text holds no word: its readability is undefined.",
)
UNCUT = Wording(
    "Le texte n'est pas découpé en mots par des espaces : sa lisibilité n'est pas définie.",
    "The text is not cut into words by spaces: its readability is undefined.",
)
NO_SENTENCES = Wording(
    "Le texte ne contient aucune phrase : sa lisibilité n'est pas définie.",
    "The text holds no sentence: its readability is undefined.",
)


def kandel_moles(words: int, sentences: int, syllables: int) -> float:
    """Kandel and Moles's reading ease from three counts. Raises ``ValueError`` unless words,
    sentences ≥ 1."""
    if words < 1 or sentences < 1 or syllables < 0:
        raise ValueError(
            f"reading ease is undefined for {words} words, {sentences} sentences, {syllables} "
            "syllables"
        )
    return BASE - PER_SENTENCE_LENGTH * words / sentences - PER_WORD_LENGTH * syllables / words


def words_of(text: str) -> list[str]:
    """The words of a text without the punctuation around them; each holds a letter or a digit."""
    words = text.translate(_APOSTROPHES).split()
    return [word.strip(_EDGES) or word for word in words if any(map(str.isalnum, word))]


def readability(
    text: str, *, sentences: int | None = None, counter: Syllables = Syllables.PHONETIC
) -> Readability:
    """The reading ease of ``text``; ``sentences`` is how many it has where that is known
    already."""
    text = composed(text)
    words = words_of(text)
    counted = len(sentence_rules.split(text)) if sentences is None else sentences
    syllables = sum(map(COUNTERS[counter.value], words))
    if is_uncut(text):
        return Readability(None, len(words), counted, syllables, UNCUT)
    if not words or counted < 1:
        return Readability(
            None, len(words), counted, syllables, NO_SENTENCES if words else NO_WORDS
        )
    return Readability(kandel_moles(len(words), counted, syllables), len(words), counted, syllables)
