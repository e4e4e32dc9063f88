"""Where a rule may change a text: one stretch of it, and what stands there afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

_Option = TypeVar("_Option")
APOSTROPHE = "['’]"
_ENDS = re.compile(r"[.;:!?](?=\s|$)|\n")


@dataclass(frozen=True)
class Spot:
    """Characters ``start:end`` become ``new``; all else stays as it is."""

    start: int
    end: int
    new: str

    def made_in(self, text: str) -> str:
        """The text after the change."""
        return text[: self.start] + self.new + text[self.end :]


Rule = Callable[[str, np.random.Generator], Iterator[Spot]]
"""Every spot of a text where the rule applies; a value that is drawn comes from the generator."""
Rewrite = Callable[[re.Match[str], np.random.Generator], str | None]


def pattern(source: str, rewrite: Rewrite, *, flags: int = re.IGNORECASE) -> Rule:
    """What ``rewrite`` says of each match; None leaves it alone. The first letter keeps its
    case."""
    compiled = re.compile(source, flags)

    def rule(text: str, rng: np.random.Generator) -> Iterator[Spot]:
        for match in compiled.finditer(text):
            new = rewrite(match, rng)
            if new is not None:
                yield Spot(match.start(), match.end(), cased(match.group(), new))

    return rule


def swapped(words: Mapping[str, str], *, before: str = r"(?<![\w'’-])", after: str = "") -> Rule:
    """Each word that stands alone becomes the one that ``words`` gives."""
    listed = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    source = rf"{before}({listed})(?![\w'’-]){after}"
    return pattern(source, lambda match, _rng: words.get(match.group(1).lower()))


def joined(*rules: Rule) -> Rule:
    """The spots of all of them."""

    def rule(text: str, rng: np.random.Generator) -> Iterator[Spot]:
        for part in rules:
            yield from part(text, rng)

    return rule


def cased(former: str, new: str) -> str:
    """With a capital where the former words had one; in capitals where they were (two letters or
    more)."""
    letters = [letter for letter in former if letter.isalpha()]
    if len(letters) > 2 and all(letter.isupper() for letter in letters):
        return new.upper()
    if former[:1].isupper():
        return new[:1].upper() + new[1:]
    return new


def sentence_around(text: str, place: int) -> tuple[int, int]:
    """Start and end of the sentence that holds the place; a semicolon, a colon and a new line end
    one as well."""
    start = 0
    for match in _ENDS.finditer(text):
        if match.end() > place:
            return start, match.start()
        start = match.end()
    return start, len(text)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each, without the blanks around it and without what ends it."""
    start = 0
    for end in [*(match.start() for match in _ENDS.finditer(text)), len(text)]:
        begun = start + len(text[start:end]) - len(text[start:end].lstrip(" \t.;:!?\n\u00a0"))
        if begun < end:
            yield begun, begun + len(text[begun:end].rstrip())
        start = end


def within(match: re.Match[str]) -> str:
    """The sentence that holds a match, in lower case."""
    start, end = sentence_around(match.string, match.start())
    return match.string[start:end].lower()


def before(match: re.Match[str]) -> str:
    """What stands before a match in its sentence, in lower case."""
    start, _end = sentence_around(match.string, match.start())
    return match.string[start : match.start()].lower()


def another(value: int, rng: np.random.Generator, *, most: int | None = None) -> int:
    """Another whole number that could stand there: twice, three or ten times as much, half."""
    many = [value * factor for factor in (2, 3, 10)]
    numbers = [number for number in many if most is None or number <= most] or [max(1, value // 2)]
    if value == 0:
        numbers = [5]
    return drawn_of([number for number in numbers if number != value] or [value + 1], rng)


def drawn_of(options: Sequence[_Option], rng: np.random.Generator) -> _Option:
    """One of them."""
    return options[int(rng.integers(len(options)))]


def grouped(value: int, like: str) -> str:
    """Digits, in thousands where the former number was or where there are five or more."""
    if value < 1000 or (value < 10_000 and len(re.sub(r"\D", "", like)) >= 4 and like.isdigit()):
        return str(value)
    mark = next(
        (character for character in like if not character.isdigit() and character != "."), " "
    )
    return f"{value:,}".replace(",", mark)
