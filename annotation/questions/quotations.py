"""Where the words that a model quotes stand in a text.

Models change what does not change the words: spaces, line breaks, the shape of quotation marks and
dashes, capitals, and they leave out what stands between two passages. The same folding as where two
texts are held against each other (``corpus.language``), with the way back to the text's own places.
"""

from __future__ import annotations

import re
import unicodedata

from annotation.corpus.language import SAME_CHARACTERS

_LEFT_OUT = re.compile(r"\[\s?(?:\.{3}|…)\s?\]|\(\s?(?:\.{3}|…)\s?\)|\.{3}|…")
_MARKS = " \t\r\n\"'«»“”„‟‘’‚‛.,;:"
FEWEST_WORDS = 2
"""In each piece of a quotation that leaves something out: one word stands anywhere."""


def located(text: str, quotation: str) -> tuple[int, int] | None:
    """From where to where a quotation stands in ``text``, in code points, end excluded; from the
    first to the last piece where it leaves something out. None where it is not there, or holds no
    word."""
    folded, places = _folded(text)
    span = _from(text, folded, places, quotation, 0)
    if span is not None:
        return places[span[0]], places[span[1] - 1] + 1
    pieces = [piece for piece in _LEFT_OUT.split(quotation) if piece.strip(_MARKS)]
    if len(pieces) < 2 or any(len(re.findall(r"\w+", piece)) < FEWEST_WORDS for piece in pieces):
        return None
    first, end = None, 0
    for piece in pieces:
        span = _from(text, folded, places, piece, end)
        if span is None:
            return None
        first, end = (span[0] if first is None else first), span[1]
    return (places[first], places[end - 1] + 1) if first is not None else None


def _from(
    text: str, folded: str, places: list[int], quotation: str, start: int
) -> tuple[int, int] | None:
    """Where in the folded text, from ``start`` on, the quotation's words stand as whole words."""
    wanted = _folded(quotation.strip(_MARKS))[0]
    if not any(character.isalnum() for character in wanted):
        return None
    at = folded.find(wanted, start)
    while at >= 0:
        end = at + len(wanted)
        if not _cuts(folded, at) and not _cuts(folded, end):
            return at, end
        at = folded.find(wanted, at + 1)
    return None


def _cuts(folded: str, place: int) -> bool:
    """Whether a word goes on at this place."""
    return 0 < place < len(folded) and _in_word(folded[place - 1]) and _in_word(folded[place])


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.combining(character) > 0


def _folded(text: str) -> tuple[str, list[int]]:
    """What is compared of a text, and for each character of it the place where it stood. Spaces
    are kept between words alone, one each."""
    kept: list[str] = []
    places: list[int] = []
    space = False
    for place, character in enumerate(text):
        for letter in _plain(character):
            if letter.isspace():
                space = True
                continue
            if space and kept and _in_word(kept[-1]) and _in_word(letter):
                kept.append(" ")
                places.append(place - 1)
            space = False
            kept.append(letter)
            places.append(place)
    return "".join(kept), places


def _plain(character: str) -> str:
    if character.isascii():
        return character.lower().translate(SAME_CHARACTERS)
    same = unicodedata.normalize("NFKD", character.translate(SAME_CHARACTERS)).casefold()
    # Some letters unfold only now (İ).
    return unicodedata.normalize("NFKD", same).translate(SAME_CHARACTERS)
