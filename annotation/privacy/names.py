"""How a person's name, address and user name are written in running text: PURE.

Everything is looked for in folded text (no case, no accents) and between word borders; a hyphen
joins two words to one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from annotation.privacy.folding import Folded, fold
from annotation.privacy.words import PARTICLES, common_words

SHORTEST = 3
"""Letters of a word that is looked for by itself; a shorter one only after a title or beside the
rest of the name."""

_BEFORE, _AFTER = r"(?<!\w)(?<!\w-)", r"(?!\w)(?!-\w)"
_GAP = r"(?:[ -]{1,3}|[ ]?\n[ ]?)"
TITLES = (
    r"(?:m\.?|mm\.?|mr\.?|mrs\.?|ms\.?|mme\.?|mmes\.?|mlle\.?|me\.?|mes\.?|dr\.?|dre\.?|pr\.?|pre\.?|prof\.?|"
    r"professeure?|docteure?|monsieur|madame|mademoiselle|maitre|juge|notaire|justice|judge|sir|madam)"
)
_TITLED = re.compile(rf"(?<!\w){TITLES}(?:(?<=\.)| )$")
_IS_TITLE = re.compile(rf"{TITLES}$")
# What somebody does, and a thing does not: at the start of a sentence it tells "Martin croit" from
# "Page blanche".
_DOES = re.compile(
    r"(?:,? (?:et moi|and i))|,? (?:n'|ne )?(?:a|avait|pense|dit|disait|trouve|croit|confirme|propose|"  # noqa: E501
    r"insiste|suggere|"
    r"estime|veut|voudrait|prefere|aime|ecrit|note|signale|repond|hesite|explique|precise|demande|says|said|thinks|"
    r"thought|wrote|writes|prefers|would|agrees|believes|suggests|notes)(?!\w)"
)
_SENTENCE = re.compile(r"(?:^|[.!?:…\n«\"“(–—-])[ »\"”)]*$")
_PIECE = re.compile(r"[^\W_]+")


class Kind(StrEnum):
    """What of a person stands somewhere."""

    ADDRESS = "address"
    WHOLE = "whole"
    PART = "part"
    TITLED = "titled"
    INITIALS = "initials"
    USERNAME = "username"


class Doubt(StrEnum):
    """Why it may not be this person: a word like any other, or somebody else's initials."""

    NONE = ""
    WORD = "word"
    INITIALS = "initials"


@dataclass(frozen=True, order=True)
class Hit:
    """Where (code points, end excluded) something of a person stands, and whether it may be
    something else."""

    start: int
    end: int
    kind: Kind
    doubt: Doubt = Doubt.NONE


@dataclass(frozen=True)
class Person:
    """Somebody's name as they typed it, and their address ("" where none is to be looked for)."""

    name: str
    email: str = ""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The name's words, folded, without commas and dots at their edges."""
        words = [word for part in fold(self.name).split() if (word := part.strip(".,;:()[]'\"-"))]
        return tuple(words[1:] if len(words) > 1 and _IS_TITLE.match(words[0]) else words)

    @cached_property
    def parts(self) -> frozenset[str]:
        """Words of the name, and what hyphens join, that are looked for by themselves."""
        pieces = {piece for word in self.words for piece in (word, *word.split("-"))}
        pieces |= {piece[2:] for piece in pieces if piece[:2] in ("d'", "l'", "o'")}
        alone = len(self.words) == 1
        return frozenset(
            part for part in pieces if len(part) >= SHORTEST and (alone or part not in PARTICLES)
        )

    @cached_property
    def short(self) -> tuple[str, ...]:
        """Words of one or two letters, which say something only after a title."""
        return tuple(word for word in self.words if len(word) < SHORTEST and word not in PARTICLES)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The initials of the name; a hyphenated given name has two."""
        return tuple(
            piece[0]
            for word in self.words
            if word not in PARTICLES
            for piece in word.split("-")
            if piece
        )

    @cached_property
    def username(self) -> str:
        """What stands before the @ of the address, where it is long enough to be anybody's."""
        local = fold(self.email.partition("@")[0])
        return local if len(local) > SHORTEST and local not in self.parts else ""

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """Nothing is found in a folded text in which none of these stands: cheaper to look for than
        the patterns."""
        initial = f"{self.letters[0]}." if len(self.letters) > 1 else ""
        whole = self.words[0] if self.words and not self.parts else ""
        signs = {fold(self.email), self.username, initial, whole, *self.parts, *self.short}
        return tuple(sorted(sign for sign in signs if sign))

    @cached_property
    def patterns(self) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
        """For folded text. A group, where there is one, is what counts of the match."""
        return tuple((kind, re.compile(source)) for kind, source in self._sources())

    def _sources(self) -> Iterator[tuple[Kind, str]]:
        if self.email:
            yield Kind.ADDRESS, rf"(?<![\w.+%-]){re.escape(fold(self.email))}(?![\w-])(?!\.\w)"
        if len(self.words) > 1:
            yield Kind.WHOLE, _either(self._wholes())
        if self.parts:
            yield Kind.PART, _either([*map(re.escape, self.parts), *self._with_particles()])
        if self.short:
            short = "|".join(map(re.escape, self.short))
            yield Kind.TITLED, rf"(?<!\w){TITLES}(?:(?<=\.) {{0,2}}| {{1,2}})({short}){_AFTER}"
        if len(self.letters) > 1:
            dotted = r"[ -]{0,2}".join(rf"{re.escape(letter)}\." for letter in self.letters)
            yield Kind.INITIALS, rf"(?<!\w)(?<!\w\.)(?<!\w-)(?<!\w\. ){dotted}(?!\w)(?![ -]?\w\.)"
        if self.username:
            yield (
                Kind.USERNAME,
                rf"(?<![\w.+%-])(?:(?<!@)@)?{re.escape(self.username)}(?![\w@-])(?!\.\w)",
            )

    def _with_particles(self) -> Iterator[str]:
        """Family names with what stands before them: "Le Roux", "de la Tour"."""
        for place, word in enumerate(self.words):
            first = place
            while first and self.words[first - 1] in PARTICLES:
                first -= 1
            if first < place and word in self.parts:
                yield _GAP.join(map(re.escape, self.words[first : place + 1]))

    def _wholes(self) -> Iterator[str]:
        """The whole name in both orders, and initials with the family name. Hyphens and blanks are
        typed for one another."""
        words = [_GAP.join(map(re.escape, word.split("-"))) for word in self.words]
        yield _GAP.join(words)
        # As it was typed, with what is no word: "Anne Roy (stagiaire)".
        yield _GAP.join(map(re.escape, fold(self.name).split()))
        for cut in range(1, len(words)):
            given, family = _GAP.join(words[:cut]), _GAP.join(words[cut:])
            yield f"{family},?{_GAP}{given}"
            letters = (piece[0] for word in self.words[:cut] for piece in word.split("-") if piece)
            yield "".join(rf"{re.escape(letter)}\.[ -]{{0,2}}" for letter in letters) + family

    def hits(self, text: str, known: frozenset[str] = frozenset()) -> list[Hit]:
        """What of this person stands in the text, in order, nothing twice. ``known``: further words
        that are common."""
        return hits([self], text, known)


def hits(people: Iterable[Person], text: str, known: frozenset[str] = frozenset()) -> list[Hit]:
    """As ``Person.hits``, of several people at once."""
    plain = fold(text)
    near = [person for person in people if any(sign in plain for sign in person.signs)]
    if not near:
        return []
    folded = Folded.of(text)
    taken: list[Hit] = []
    # The surest first: what overlaps it is part of it.
    for kind in (Kind.ADDRESS, Kind.WHOLE, Kind.TITLED, Kind.USERNAME, Kind.PART, Kind.INITIALS):
        for person in near:
            for hit in _hits_of_kind(person, kind, folded, known):
                place = bisect(taken, hit)
                after_former = place == 0 or taken[place - 1].end <= hit.start
                if after_former and (place == len(taken) or hit.end <= taken[place].start):
                    taken.insert(place, hit)
    return taken


def _hits_of_kind(
    person: Person, kind: Kind, folded: Folded, known: frozenset[str]
) -> Iterator[Hit]:
    for own, pattern in person.patterns:
        if own is not kind:
            continue
        for match in pattern.finditer(folded.text):
            start, end = folded.span(*match.span(match.lastindex or 0))
            doubt = _doubt(person, kind, folded.original, start, end, known)
            if kind is not Kind.INITIALS or folded.original[start].isupper():
                yield Hit(start, end, kind, doubt)


def _doubt(
    person: Person, kind: Kind, text: str, start: int, end: int, known: frozenset[str]
) -> Doubt:
    mention = text[start:end]
    if kind is Kind.INITIALS:
        return Doubt.INITIALS
    if kind in (Kind.ADDRESS, Kind.TITLED) or mention.startswith("@") or is_titled(text, start):
        return Doubt.NONE
    pieces = _PIECE.findall(unicodedata.normalize("NFC", mention))
    if any(
        fold(piece) not in known | common_words() and len(fold(piece)) >= SHORTEST
        for piece in pieces
    ):
        return Doubt.NONE
    if kind is Kind.WHOLE and all(piece[0].isupper() for piece in pieces):
        return Doubt.NONE
    # Of several names the one that is written as a name. Somebody called "Main" alone may stand for
    # any "Main".
    if len(person.words) == 1 or kind is not Kind.PART or not mention[0].isupper():
        return Doubt.WORD
    does = _DOES.match(fold(text[end : end + 20])) and not mention.isupper()
    return Doubt.NONE if does or not is_capital_for_nothing(text, start, end) else Doubt.WORD


def _either(sources: Iterable[str]) -> str:
    return (
        f"{_BEFORE}(?:{'|'.join(sorted(set(sources), key=lambda source: (-len(source), source)))})"
        f"{_AFTER}"
    )


def is_titled(text: str, start: int) -> bool:
    """Whether a title ("Me", "Mme", "juge") stands before this place."""
    return _TITLED.search(fold(text[max(0, start - 20) : start])) is not None


def is_capital_for_nothing(text: str, start: int, end: int) -> bool:
    """Whether a capital letter here says nothing: it begins a sentence or a quotation, or all is in
    capitals."""
    if _SENTENCE.search(text[max(0, start - 8) : start]):
        return True
    around = [
        letter
        for letter in text[max(0, start - 20) : start] + text[end : end + 20]
        if letter.isalpha()
    ]
    return text[start:end].isupper() and bool(around) and all(letter.isupper() for letter in around)
