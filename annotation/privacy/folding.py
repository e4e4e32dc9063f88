"""Text without case, accents and ligatures, each character knowing where it stood: PURE."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# What stands for other letters and has no decomposition of its own; ways to write an apostrophe, a
# hyphen, a blank.
_PLAIN = {
    **dict.fromkeys("œŒ", "oe"),
    **dict.fromkeys("æÆ", "ae"),
    **dict.fromkeys("øØ", "o"),
    **dict.fromkeys("łŁ", "l"),
    **dict.fromkeys("đĐðÐ", "d"),
    **dict.fromkeys("þÞ", "th"),
    "ı": "i",
    **dict.fromkeys("’‘ʼ`´′＇", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63\uff0d", "-"),
}


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    if character in _PLAIN:
        return _PLAIN[character]
    if character.isspace():
        return "\n" if character in "\r\n\u2028\u2029" else " "
    # Accents, and what is not seen: soft hyphens, joiners, marks of direction.
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ""
    parts = unicodedata.normalize("NFKD", character)
    if parts != character:
        return "".join(_plain(part) if part != character else part for part in parts).casefold()
    return character.casefold()


def fold(text: str) -> str:
    """The text in small letters without accents: ``TREMBLAY``, ``Marie-Ève`` and ``Œuvre`` as one
    would type them."""
    return text.lower() if text.isascii() and "`" not in text else "".join(map(_plain, text))


@dataclass(frozen=True)
class Folded:
    """A folded text that knows where each of its characters stood in ``original``."""

    original: str
    text: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, original: str) -> Folded:
        letters: list[str] = []
        places: list[int] = []
        for place, character in enumerate(original):
            plain = _plain(character)
            letters.append(plain)
            places.extend([place] * len(plain))
        return cls(original, "".join(letters), tuple(places))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the folded text stands in the original, with the accents that follow
        its last letter."""
        first, last = self.places[start], self.places[end - 1] + 1
        while last < len(self.original) and unicodedata.category(self.original[last]) in (
            "Mn",
            "Me",
        ):
            last += 1
        return first, last
