r"""Texts cut into tokens: the units on which edits are shown and counted. PURE.

The rule ``words``, for French and English alike:

- a run of letters and digits is a token, accents that are written apart included;
- an elided word ends behind its apostrophe: ``l'``, ``d'``, ``qu'``, ``jusqu'``, ``lorsqu'``,
  ``puisqu'``, ``quoiqu'``; any other apostrophe inside a word stays (``aujourd'hui``, ``O'Brien``);
- English endings are tokens of their own: ``'s``, ``'re``, ``'ve``, ``'ll``, ``'d``, ``'m``,
  ``n't``;
- hyphens keep a word whole (``arc-en-ciel``), but an inverted subject is a token: ``-t-il``,
  ``-elle``, ``-on``, ``-je``, ``-tu``, ``-ce``;
- a number is one token with its decimals and its groups of three (``1 250,50``), with what is
  written to it (``2e``, ``12km``), and with its sign, a space between them or none (``10 %``,
  ``$250``); a unit in letters behind a space is a token of its own (``10`` ``km``);
- full stops in a row are one token, any other mark is one by itself.

The rule ``spaces`` is that of released files that were cut before: what stands between white space.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Span(NamedTuple):
    """Characters ``start`` … ``end`` − 1 of a text, counted as Unicode code points from 0."""

    start: int
    end: int


class Cut(StrEnum):
    """By which rule a text is cut."""

    WORDS = "words"
    SPACES = "spaces"


_ACCENTS = "\u0300-\u036f"
_LETTER = rf"[\w{_ACCENTS}]"
_APOSTROPHE, _HYPHEN = "['\u2019]", "[-\u2010\u2011]"
_SPACE, _SIGN = "[ \u00a0\u202f]", "[$€£¢%‰°]"
_ENDING = rf"{_APOSTROPHE}(?:s|re|ve|ll|d|m)(?!{_LETTER})"
_SUBJECT = rf"{_HYPHEN}(?:t{_HYPHEN})?(?:ils?|elles?|on|je|tu|ce)(?!{_LETTER})"
_NEGATION = rf"n{_APOSTROPHE}t(?!{_LETTER})"
_WORDS = re.compile(
    rf"""
    [$€£]?(?:[0-9]{{1,3}}(?:{_SPACE}[0-9]{{3}})+(?![0-9])|[0-9]+)(?:[.,:/][0-9]+)*
        (?:{_SPACE}?{_SIGN}|{_LETTER}+)?(?:{_HYPHEN}{_LETTER}+)*
    | (?<!{_LETTER})(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu){_APOSTROPHE}(?={_LETTER})
    | (?<={_LETTER})(?:{_ENDING}|{_SUBJECT}|{_NEGATION})
    | {_LETTER}+?(?={_NEGATION})
    | {_LETTER}+(?:(?!{_ENDING}|{_SUBJECT})(?:{_APOSTROPHE}|{_HYPHEN}){_LETTER}+)*
    | \.+
    | \S[{_ACCENTS}]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SPACES = re.compile(r"\S+")


@lru_cache(maxsize=4096)
def tokens(text: str, cut: Cut) -> tuple[Span, ...]:
    """The tokens of a text in order. They do not overlap, and hold all of it but white space."""
    pattern = _SPACES if cut is Cut.SPACES else _WORDS
    return tuple(Span(*match.span()) for match in pattern.finditer(text))
