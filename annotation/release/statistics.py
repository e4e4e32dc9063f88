"""Statistics of the released texts, as in table 3 of Beauchemin et al. (2025), section 3.3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from annotation.corpus.readability import words_of
from annotation.corpus.sentences import split

_DIGITS = 4


@dataclass(frozen=True)
class TextStatistics:
    """Counts over a set of texts.

    ``words`` and ``types`` (distinct words, as they are written) leave punctuation out.
    ``richness`` is types divided by words, in percent; ``words_per_text`` and
    ``words_per_sentence`` are means. None where nothing was counted.
    """

    texts: int
    sentences: int
    words: int
    types: int
    richness: float | None
    words_per_text: float | None
    words_per_sentence: float | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe values, rounded to 4 digits."""
        return asdict(self)


def text_statistics(texts: Iterable[str]) -> TextStatistics:
    """The statistics of these texts, each counted once for each time that it occurs."""
    count = sentences = words = 0
    types: set[str] = set()
    for text in texts:
        own_words = words_of(text)
        count, sentences, words = count + 1, sentences + len(split(text)), words + len(own_words)
        types.update(own_words)
    return TextStatistics(
        texts=count,
        sentences=sentences,
        words=words,
        types=len(types),
        richness=_ratio(100 * len(types), words),
        words_per_text=_ratio(words, count),
        words_per_sentence=_ratio(words, sentences),
    )


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, _DIGITS) if whole else None
