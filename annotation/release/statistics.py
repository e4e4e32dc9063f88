"""Statistics of the released texts, as in table 3 of Beauchemin et al. (2025), section 3.3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from annotation.corpus.readability import words_of
from annotation.corpus.sentences import split
from annotation.uncut import is_uncut

_DIGITS = 4
# As of languages: what fewer than a tenth of the texts are in is not what the data are in.
_TENTH = 10


@dataclass(frozen=True)
class TextStatistics:
    """Counts over a set of texts.

    ``words`` and ``types`` (distinct words, as they are written) leave punctuation out.
    ``richness`` is types divided by words, in percent; ``words_per_text`` and
    ``words_per_sentence`` are means. ``uncut`` texts are not cut into words by spaces: neither
    their words nor their sentences are counted, and where they are a tenth or more there is no
    count but that of texts. None where nothing was counted.
    """

    texts: int
    uncut: int
    sentences: int | None
    words: int | None
    types: int | None
    richness: float | None
    words_per_text: float | None
    words_per_sentence: float | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe values, rounded to 4 digits."""
        return asdict(self)


def text_statistics(texts: Iterable[str]) -> TextStatistics:
    """The statistics of these texts, each counted once for each time that it occurs."""
    count = uncut = sentences = words = 0
    types: set[str] = set()
    for text in texts:
        count += 1
        if is_uncut(text):
            uncut += 1
            continue
        own_words = words_of(text)
        sentences, words = sentences + len(split(text)), words + len(own_words)
        types.update(own_words)
    if uncut and _TENTH * uncut >= count:
        return TextStatistics(count, uncut, None, None, None, None, None, None)
    return TextStatistics(
        texts=count,
        uncut=uncut,
        sentences=sentences,
        words=words,
        types=len(types),
        richness=_ratio(100 * len(types), words),
        words_per_text=_ratio(words, count - uncut),
        words_per_sentence=_ratio(words, sentences),
    )


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, _DIGITS) if whole else None
