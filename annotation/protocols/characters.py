"""Where a text cannot be cut: inside what a reader sees as one character. PURE.

Offsets count Unicode code points, and one character may be made of several: a letter with an accent
written apart, a sign with a variation selector, signs tied by a joiner.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_TONES = ("\U0001f3fb", "\U0001f3ff")
"""The first and the last of the skin tones, which qualify the sign before them."""


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
