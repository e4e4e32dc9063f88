"""One form for accents: a letter with its accent is one character or two, by the program that wrote
the text."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
MOST_ACCENTS = 30
"""On one letter. More are no text, and putting them in order takes the square of their number."""

_LONG_ROW = re.compile(rf"[^\w\s]{{{MOST_ACCENTS + 1},}}")


def composed(text: str, form: Form = "NFC") -> str:
    """The text in a normal form of Unicode, in time that grows with its length, whatever stands in
    it.

    What is canonically the same comes out the same, but for rows of more than ``MOST_ACCENTS``
    accents: these are put in order piece by piece.
    """
    if text.isascii():
        return text
    pieces, last = [], 0
    for row in _LONG_ROW.finditer(text):
        accents = 0
        for place in range(row.start(), row.end()):
            accents = accents + 1 if unicodedata.combining(text[place]) else 0
            if accents > MOST_ACCENTS:
                pieces.append(text[last:place])
                last, accents = place, 1
    pieces.append(text[last:])
    return "".join(unicodedata.normalize(form, piece) for piece in pieces)


def folded(text: str) -> str:
    """For comparing: without case and accents, as nobody types them in a search."""
    plain = composed(text, "NFKD").casefold().replace("œ", "oe").replace("æ", "ae")
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
