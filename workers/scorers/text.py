"""One text as the lexical scorer reads it: words, stems, numbers, sentences, characters. Computed
once per text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

import snowballstemmer  # type: ignore[import-untyped]

from annotation.accents import composed
from workers.scorers.lexicon import (
    CLAUSE_END,
    CLOSED,
    NUMBER_WORDS,
    ONE,
    SENTENCE_END,
    TIME_UNITS,
    WORD,
)

_LANGUAGES = {"fr": "french", "en": "english"}
_SAME = str.maketrans(
    {**dict.fromkeys("‘’‚‛`´", "'"), **dict.fromkeys("«»“”„‟", '"'), "\u00ad": None, "\u200b": None}
)
_SPACES = re.compile(r"\s+")
_DIGITS_APART = re.compile(r"(?<=\d)[    .,](?=\d{3}\b)")
CHARACTER_ORDERS = (2, 3, 4, 5, 6)


def normalised(text: str) -> str:
    """NFKC, one shape of quotation marks and apostrophes, single spaces: the form in which identity
    is decided."""
    return _SPACES.sub(" ", composed(text.translate(_SAME), "NFKC").translate(_SAME)).strip()


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: str) -> str:
    """Snowball stem (Porter 2001) of a lower-case word; "fr" or "en", any other language reads as
    French."""
    return str(_stemmer(_LANGUAGES.get(language, "french")).stemWord(word))


@lru_cache(maxsize=4)
def _stemmer(name: str) -> snowballstemmer.Stemmer:
    return snowballstemmer.stemmer(name)


def is_number(word: str) -> bool:
    """Whether a lower-case word is a number in digits or one of ``NUMBER_WORDS``."""
    return word[0].isdigit() or word in NUMBER_WORDS


def number_value(token: str) -> str:
    """One spelling for one number: "1 000,50", "1,000.50" and "1000.50" agree; "douze" is "12"."""
    if token in NUMBER_WORDS:
        return NUMBER_WORDS[token]
    plain = _DIGITS_APART.sub("", token).replace(",", ".")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


@dataclass(frozen=True)
class Text:
    """A text and its readings; each reading is computed when first asked for."""

    raw: str
    language: str

    @cached_property
    def plain(self) -> str:
        """The normalised text, case kept."""
        return normalised(self.raw)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Words, numbers, blanks and currency signs as written."""
        return tuple(WORD.findall(self.plain))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The tokens in lower case."""
        return tuple(token.lower() for token in self.tokens)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """A stem per token; a number in its one spelling."""
        return tuple(_reading(word, self.language) for word in self.words)

    @cached_property
    def numbers(self) -> Counter[str]:
        """How often each number occurs, in digits or words; "un" and "one" count before a unit of
        time ("un an")."""
        counts = Counter(number_value(word) for word in self.words if is_number(word))
        follows = zip(self.words, self.words[1:], strict=False)
        counts["1"] += sum(word in ONE and after in TIME_UNITS for word, after in follows)
        return +counts

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Split at final punctuation, colon and semicolon: clauses of a list count as sentences."""
        return tuple(part for part in SENTENCE_END.split(self.plain) if part)

    @cached_property
    def clauses(self) -> tuple[tuple[str, ...], ...]:
        """Stems of each clause between punctuation marks; clauses under three words are joined to
        the one before."""
        clauses: list[tuple[str, ...]] = []
        for part in CLAUSE_END.split(self.plain):
            stems = tuple(_reading(word.lower(), self.language) for word in WORD.findall(part))
            if clauses and len(stems) < 3:
                clauses[-1] += stems
            elif stems:
                clauses.append(stems)
        return tuple(clauses)

    @cached_property
    def is_closed(self) -> bool:
        """Whether it ends in punctuation that can end a text; a text cut at a token cap does
        not."""
        return bool(CLOSED.search(self.plain))

    def character_ngrams(self, order: int) -> Counter[str]:
        """Overlapping character n-grams of the lower-case text, spaces included."""
        text = self.plain.lower()
        return Counter(
            text[start : start + order] for start in range(max(0, len(text) - order + 1))
        )

    def stem_ngrams(self, order: int) -> Counter[tuple[str, ...]]:
        """Overlapping n-grams of stems."""
        return Counter(zip(*(self.stems[start:] for start in range(order)), strict=False))


def _reading(word: str, language: str) -> str:
    return number_value(word) if is_number(word) else stem(word, language)
