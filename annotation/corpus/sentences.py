"""Where French legal sentences end. Rules, since the libraries break at "Dr.", "c.-à-d." or inside
«…».

A full stop ends a sentence where what follows may begin one and what precedes is not an
abbreviation. Two kinds of abbreviation: those that always call for a continuation ("art. 3", "M.
Roy"), and those that may also stand last ("etc.", "F.P.Q.", "chapitre A."), where only a word that
usually opens a sentence decides.

Texts come without line breaks too: what is looked at around a stop never grows with the text, so
that reading takes as long as the text is.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text: first code point, and the one after the last."""

    start: int
    end: int


_CONTINUED = (
    "al art arts av boul c c.-à-d cf ch chap col coll dr dre éd env ex fasc fig hon janv févr avr "
    "juill sept oct nov déc l.c l.q l.r.c l.r.q lt m me mgr mlle mm mme n n.b no nos nº n° o.c p "
    "p.ex p.-ex par parag pp pr préc prof réf règl r.r.q r.l.r.q s.-par sect ss st ste subd suppl "
    "supra t tabl tél vol v vs op i.e e.g"
)
_OPENING = (
    "à afin ainsi alors après au aucun aucune aussi autrement aux avant avec ce cela celle celui "
    "ceci cependant ces cet cette ceux chacun chacune chaque comme conformément dans de des deux "
    "dès du elle elles en enfin ensuite entre et il ils jusqu la le les leur leurs lors lorsqu "
    "lorsque l'un mais malgré même ne ni nous nul nulle on or ou où outre par pendant pour puis qu "
    "quand quant que quel quelle qui quiconque sa sans sauf selon ses si s'il son sous sur tant "
    "tel telle tous tout toute toutefois toutes un une vous voir y"
)
_ALWAYS, _STARTERS = frozenset(_CONTINUED.split()), frozenset(_OPENING.split())
_END = re.compile(r"(?:\.{2,}|[.!?…])[.!?…]*(?:[\s\u00a0\u202f]*[»”\"’\)\]])*")
_GLUED = re.compile(r"[^\W\d_]{3}[.!?](?=[A-ZÀ-ÖØ-Þ](?:[a-zà-öø-ÿ]|['’]))")
_BETWEEN_TOKENS = frozenset("(«“\"'’[;:,\u00a0\u202f")
_SPACE = re.compile(r"\s*")
# More than any word that opens a sentence, with the quotation marks before it.
_LOOKED_AT = 100
_DOTTED = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?")
_ENUMERATOR = re.compile(r"(?:[A-Za-z]|\d{1,3}(?:\.\d{1,3})*|[IVXLivxl]{1,5})")
_FIRST_WORD = re.compile(
    r"[«“\"'’\[(\s\u00a0\u202f]*(?:([^\W\d_]{2,}|[aàyAÀYO])(?!\.)\b|[cdjlmnstCDJLMNST]['’])"
)
_ITEM = re.compile(r"[a-z]{1,4}\)\s")
_OPENERS, _CLOSERS = "«“(", "»”)"


def split(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of ``text[start:end]``, in order, without the white space around them.

    Offsets are code points of ``text``. Together they hold all that is not white space; an empty
    stretch gives none. What stands between «…» or in parentheses is never cut.
    """
    end = len(text) if end is None else end
    spans: list[Span] = []
    first = start
    for cut in _cuts(text[start:end]):
        spans += _trimmed(text, first, start + cut)
        first = start + cut
    return spans + _trimmed(text, first, end)


def is_ended(text: str) -> bool:
    """Whether a line closes its sentence: a final stop, question or exclamation mark, or
    ellipsis."""
    bare = text.rstrip().rstrip('»”"’)]\u00a0\u202f ')
    return bare.endswith((".", "!", "?", "…")) and not _continues(bare)


def _continues(bare: str) -> bool:
    return bare.endswith(".") and _token(bare, len(bare) - 1).lower() in _ALWAYS


def _token(text: str, end: int) -> str:
    """What stands before ``end`` without a space, an opening mark or a comma."""
    start = end
    while start and text[start - 1] not in _BETWEEN_TOKENS and not text[start - 1].isspace():
        start -= 1
    return text[start:end]


def _cuts(text: str) -> list[int]:
    enclosed = _enclosed(text)
    cuts = {match.end() for match in _GLUED.finditer(text) if not enclosed[match.end() - 1]}
    previous = 0
    for match in _END.finditer(text):
        if match.end() in cuts or match.end() >= len(text) or not text[match.end()].isspace():
            continue
        # The stop itself may stand inside quotes that close right after it: "… garantie. »".
        if not enclosed[match.end() - 1] and _ends_here(text, previous, match):
            cuts.add(match.end())
            previous = match.end()
    return sorted(cuts)


def _ends_here(text: str, previous: int, match: re.Match[str]) -> bool:
    first = _after_space(text, match.end())
    after = text[first : first + _LOOKED_AT]
    opening = after.lstrip("«“\"'’([\u00a0\u202f ")
    if not opening or not (opening[0].isupper() or opening[0].isdigit() or _ITEM.match(opening)):
        return bool(opening) and after[0] in "•–—" and len(after) > 1
    if not match[0].startswith(".") or match[0].startswith(".."):
        return True
    token = _token(text, match.start())
    if token.lower() in _ALWAYS:
        return False
    if _ENUMERATOR.fullmatch(token) and _before_space(
        text, previous, match.start() - len(token)
    ) in ("", ":", ";"):
        return False  # "A. Tout dommage": the number of a clause
    return _may_end_with(token, after)


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _before_space(text: str, first: int, end: int) -> str:
    """The last character of ``text[first:end]`` that is no white space, or ""."""
    while end > first and text[end - 1].isspace():
        end -= 1
    return text[end - 1] if end > first else ""


def _may_end_with(token: str, after: str) -> bool:
    """Whether a full stop after ``token``, which is no abbreviation by itself, may end a sentence
    before ``after``."""
    if (
        (len(token) == 1 and token.isalpha())
        or _DOTTED.fullmatch(token)
        or token.lower() in {"inc", "ltée", "etc"}
    ):
        return opens_sentence(after)
    return True


def opens_sentence(after: str) -> bool:
    """Whether a text begins with a word that usually opens a sentence: "Le", "Toutefois", "L'"."""
    word = _FIRST_WORD.match(after)
    return word is not None and (word[1] is None or word[1].lower() in _STARTERS)


def _enclosed(text: str) -> list[bool]:
    """For each character, whether it stands inside a pair of quotes or parentheses that is closed
    again."""
    # Where stretches begin and end, counted: marking each stretch would take the square of how deep
    # they stand.
    turns = [0] * (len(text) + 1)
    opened: list[int] = []
    for place, character in enumerate(text):
        if character in _OPENERS:
            opened.append(place)
        elif (
            character in _CLOSERS
            and opened
            and _OPENERS.index(text[opened[-1]]) == _CLOSERS.index(character)
        ):
            turns[opened.pop()] += 1
            turns[place] -= 1
    return [depth > 0 for depth in accumulate(turns[:-1])]


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    stretch = text[start:end]
    bare = stretch.strip()
    if not bare:
        return []
    first = start + len(stretch) - len(stretch.lstrip())
    return [Span(first, first + len(bare))]
