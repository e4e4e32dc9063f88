"""A text in passages, as the rules on reworded law read it: what each word means, what is denied,
which things and parties are named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from workers.scorers.law_terms import ACT_OF, ADVERBS, DENIALS, SENSE_OF, UNSAID
from workers.scorers.lexicon import FUNCTION_WORDS, MARKERS, WORD
from workers.scorers.text import Text, stem

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=:)\s+(?=\S+\s)")
_FULL_STOP = re.compile(r"(?<=[.!?])\s+(?=[^a-z])")
_CLAUSE = re.compile(r"[,;:()]\s+|\s[–-]\s|\s(?=(?:et|mais|ou|lorsque|si|sauf|car)\s)")
_EMPTY = FUNCTION_WORDS.union(
    ADVERBS, *(words for name, words in MARKERS.items() if name not in ("party", "deadline"))
)


@dataclass(frozen=True)
class Passage:
    """Words of a sentence or a clause."""

    words: tuple[str, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Of each word what it means: its act, its thing, else its stem; "" for a word of grammar
        or of logic, which the rules compare."""
        return tuple(map(_key, self.words))

    @cached_property
    def content(self) -> frozenset[str]:
        """What its words mean, each once."""
        return frozenset(key for key in self.keys if key)

    @cached_property
    def denies(self) -> bool:
        """Whether a negation stands in it; "ne … que" restricts."""
        return bool(negators(self.words))


def _key(word: str) -> str:
    if word in _EMPTY or (len(word) < 3 and not word[0].isdigit()):
        return ""
    return ACT_OF.get(word) or SENSE_OF.get(word) or stem(word, "fr")


_AT_ONCE = frozenset(("délai", "tarder", "attendre", "doute"))


def negators(words: Sequence[str]) -> list[int]:
    """Places of the words that deny; not of "ne" in "ne … que"."""
    places = []
    for place, word in enumerate(words):
        if word not in DENIALS:
            continue
        if word in ("ne", "n") and only_follows(words, place):
            continue
        # "Ou non", "avec ou sans" deny nothing.
        if word in ("non", "sans") and place and words[place - 1] == "ou":
            continue
        if word == "sans" and words[place + 1 : place + 2] and words[place + 1] in _AT_ONCE:
            continue
        # "F.A.Q. N° 2".
        if word == "n" and (place + 1 == len(words) or words[place + 1][0].isdigit()):
            continue
        places.append(place)
    return places


def only_follows(words: Sequence[str], place: int) -> bool:
    """Whether "ne" at this place goes with "que"."""
    for word in words[place + 1 : place + 10]:
        if word in DENIALS:
            return False
        if word in ("que", "qu"):
            return True
    return False


class Reading:
    """A text in sentences, and what it names."""

    def __init__(self, text: Text) -> None:
        parts = [part for part in _SENTENCE.split(text.plain) if part.strip()]
        self.sentences = [_passage(part) for part in parts]
        self.clauses = [
            [_passage(clause) for clause in _CLAUSE.split(part) if WORD.search(clause)]
            for part in parts
        ]
        # A heading ("Nous ne couvrons pas :") says it of the list that follows.
        self.paragraphs = [
            _passage(part) for part in _FULL_STOP.split(text.plain) if WORD.search(part)
        ]
        self.content = frozenset().union(*(sentence.content for sentence in self.sentences))
        self.words = tuple(word for sentence in self.sentences for word in sentence.words)
        self.named = Counter(
            sense for sentence in self.sentences for _, sense in named(sentence.words)
        )


def _passage(part: str) -> Passage:
    return Passage(tuple(word.lower() for word in WORD.findall(part)))


_BEFORE_A_PARTY = frozenset((
    "l", "d", "un", "une", "cet", "chaque", "tout", "les", "des", "aux", "le", "la",
    "du", "au", "autre", "personne", "personnes", "et", "ou", "à",
))  # fmt: skip


def named(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Places of things and parties, and which. "Assuré" after a noun says what is insured."""
    for place, word in enumerate(words):
        sense = SENSE_OF.get(word)
        if sense is None:
            continue
        if sense in ("assuré", "employé") and (
            not place or words[place - 1] not in _BEFORE_A_PARTY
        ):
            continue
        yield place, sense


def share(part: Set[str], whole: Set[str]) -> float:
    """How much of one set the other holds; 0 of nothing."""
    return len(part & whole) / len(part) if part else 0.0


def regions(sentence: Passage, passages: Sequence[Passage]) -> list[Passage]:
    """Those that speak of the same: a third of its content, and nearly as much as the best does."""
    shares = [share(sentence.content, passage.content) for passage in passages]
    least = max(0.3, 0.75 * max(shares, default=0.0))
    return [passage for passage, held in zip(passages, shares, strict=True) if held >= least]


def said_of(passage: Passage, reach: int = 6) -> set[str]:
    """The content words beside its negations."""
    return {
        key
        for place in negators(passage.words)
        for key in passage.keys[place : place + reach]
        if key
    }


def has_cue(words: Sequence[str]) -> bool:
    """Whether anything there denies, excludes, limits or restricts."""
    return bool(negators(words)) or any(word in UNSAID for word in words) or restricts(words)


def restricts(words: Sequence[str]) -> bool:
    """Whether "ne … que" stands there."""
    return any(
        word in ("ne", "n") and only_follows(words, place) for place, word in enumerate(words)
    )
