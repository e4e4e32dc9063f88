"""What a reader sees of a text: where it cannot be cut, inside what is one character to them, and
whether it shows anything at all. PURE.

Offsets count Unicode code points, and one character may be made of several: a letter with an accent
written apart, a sign with a variation selector, signs tied by a joiner.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_TONES = ("\U0001f3fb", "\U0001f3ff")
"""The first and the last of the skin tones, which qualify the sign before them."""

_EMPTY_SHAPES = frozenset(
    (
        *("\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\uffa0"),
        *map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))),
    )
)
"""Characters without a shape of their own that are no format characters to Unicode: joiners,
fillers, variation selectors, a pattern of Braille without dots."""
_SHAPELESS = frozenset(("Cf", "Zs", "Zl", "Zp"))


def shows_nothing(text: str) -> bool:
    """Whether nobody would see anything of it: it is empty, or of spaces and characters without a
    shape alone. Control characters are no text, and count as seen unless they are spaces."""
    return all(
        character.isspace()
        or unicodedata.category(character) in _SHAPELESS
        or character in _EMPTY_SHAPES
        for character in text
    )


def is_inside(text: str, offset: int) -> bool:
    """Whether ``offset`` (0 … the length of ``text``) parts a character: a combining mark, a
    variation selector, a skin tone or a joiner follows, or a joiner stands before."""
    if not 0 < offset < len(text):
        return False
    after = text[offset]
    return (
        unicodedata.category(after).startswith("M")
        or after == _JOINER
        or _TONES[0] <= after <= _TONES[1]
        or text[offset - 1] == _JOINER
    )
