"""Ways to reach somebody that stand in running text: PURE. Addresses, telephone numbers, streets,
accounts.

North American and French forms. Each pattern is bounded: none looks back over more than a few
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_AT = r"(?:@|＠| ?[\[(] ?(?:at|arobase|arobas|chez) ?[\])] ?)"
_DOT = r"(?:\.|(?<=[\w)\]]) ?[\[(] ?(?:dot|point) ?[\])] ?)"
_EMAIL = rf"(?<![\w.+%-])[\w.+%-]{{1,64}}{_AT}[\w-]{{1,63}}(?:{_DOT}[\w-]{{1,63}}){{1,5}}"

_GAP = r"[ .\u00a0\u202f-]"
_EXTENSION = r"(?:,? ?(?:poste|ext\.?|extension|x) ?\d{1,6})?"
_AREA = r"[2-9]\d\d"
_CALLED = (
    r"(?:t[ée]l\.?|t[ée]l[ée]phone|phone|cell\.?|cellulaire|mobile|num[ée]ro|fax|t[ée]l[ée]copieur|"
    r"appelez(?:-moi)?(?: au)?|"
    r"call(?: me)?(?: at)?)"
)
_PHONES = (
    # +1 514 555-0134, (514) 555-0134, 1-800-555-0134; ten digits need something between them, or a
    # word before.
    rf"(?<![\w.,-])(?:\+?1{_GAP})?(?:\({_AREA}\) ?|{_AREA}{_GAP}){_AREA}{_GAP}\d{{4}}{_EXTENSION}"
    r"(?![\w-]|[.,]\d)",
    # What stands in brackets, or after a country's +, needs none.
    rf"(?<![\w.,-])(?:(?:\+?1{_GAP}?)?\({_AREA}\) ?|\+1{_AREA}){_AREA}{_GAP}?\d{{4}}{_EXTENSION}"
    r"(?![\w-]|[.,]\d)",
    rf"(?<![\w.,+-])(?:(?:\+|00)33{_GAP}?(?:\(0\){_GAP}?)?[1-9]|0[1-9])(?:{_GAP}?\d\d){{4}}(?!\w|[.,-]\d)",
    rf"{_CALLED} ?:? ?((?:\+?1)?{_AREA}{_AREA}\d{{4}}{_EXTENSION}"
    rf"|{_AREA}[ -]\d{{4}}{_EXTENSION})(?![\w-])",
)

_NAME = r"(?:[A-ZÀ-ÖØ-Þ][\w'’-]{0,30}|\d{1,3}(?:e|er|re|th|st|nd|rd))"
_LITTLE = r"(?:(?:de la |de l['’]|du |des |de |d['’]|la |le |les |l['’])?)"
_FRENCH = (
    r"(?:rue|avenue|av\.|ave\.?|boulevard|boul\.|bd|bld|chemin|ch\.|place|pl\.|impasse|allée|route|rte|rang|montée|quai|"
    r"cours|square|côte|passage|ruelle|sentier|terrasse|croissant|faubourg)"
)
_ENGLISH = (
    r"(?:Street|St\.?|Avenue|Ave\.?|Road|Rd\.?|Drive|Dr\.?|Boulevard|Blvd\.?|Lane|Ln\.?|Court"
    r"|Crescent|Way|Square)"
)
_UNIT = r"(?:,? (?:app\.?|appartement|apt\.?|apartment|suite|bureau|unité|unit|étage) ?[\w-]{1,6})?"
_TOWN = r"(?:,? \d{5} [A-ZÀ-ÖØ-Þ][\w'’-]{1,30})?"
_NUMBER = r"(?<![\w.,/-])\d{1,5}(?: ?(?:bis|ter|[A-D]))?,? "
_STREETS = (
    rf"{_NUMBER}{_FRENCH} {_LITTLE}{_NAME}(?: {_NAME}){{0,3}}{_UNIT}{_TOWN}",
    rf"{_NUMBER}{_NAME}(?: {_NAME}){{0,3}} {_ENGLISH}"
    rf"(?: (?:West|East|North|South|W\.|E\.|N\.|S\.))?(?!\w){_UNIT}",
    # "101, 5e Avenue"
    rf"{_NUMBER}\d{{1,3}}(?:e|re|er) (?:Avenue|Rue|Rang|avenue|rue|rang){_UNIT}",
)
_POST_FIRST, _POST = "[ABCEGHJ-NPRSTVXYabceghj-nprstvxy]", "[A-CEGHJ-NPRSTV-Za-ceghj-nprstv-z]"
_POSTAL = rf"(?<![\w-]){_POST_FIRST}\d{_POST}[ -]?\d{_POST}\d(?![\w-])"

_HANDLE = r"(?<![\w.+%@/-])@[A-Za-z_][\w-]{2,30}(?:\.[\w-]{1,30}){0,3}"
_PROFILE = (
    r"(?:https?://)?(?:www\.|[a-z]{2}\.)?(?:linkedin\.com/in|facebook\.com|instagram\.com|twitter\.com|x\.com|tiktok\.com|"
    r"github\.com|t\.me|bsky\.app/profile)/@?[\w.%-]{2,60}"
)

_ANY_CASE = [re.compile(source, re.IGNORECASE) for source in (_EMAIL, *_PHONES, _HANDLE, _PROFILE)]
_AS_WRITTEN = [re.compile(source) for source in (*_STREETS, _POSTAL)]


def contacts(text: str) -> Iterator[tuple[int, int]]:
    """Where (code points, end excluded) somebody's ways to be reached stand; stretches may
    overlap."""
    for pattern in (*_ANY_CASE, *_AS_WRITTEN):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            # A full stop, or "'s", ends the sentence, not the address.
            stretch = text[start:end].rstrip(".-_%")
            yield start, start + len(stretch)
