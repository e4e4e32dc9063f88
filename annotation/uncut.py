"""Texts that are not cut into words by spaces, told by their characters: what a column of languages
says of them, or does not say, is no matter."""

from __future__ import annotations

import re

_SCRIPTS = {
    "ja": "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9d",
    "zh": "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af",
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "my": "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",
    "km": "\u1780-\u17ff",
    "bo": "\u0f00-\u0fff",
}
"""Ranges by the language that each is mostly written for. Hangul is not here: Korean has spaces."""
_SPACELESS = re.compile(f"[{''.join(_SCRIPTS.values())}]")
_EACH = {language: re.compile(f"[{ranges}]") for language, ranges in _SCRIPTS.items()}
# One letter in so many: names in Latin letters fill up to four tenths of a sentence of JADES, and
# a French sentence that quotes a Chinese word is cut into words.
_SHARE = 4
# Letters between two spaces. Japanese or Thai that a program has cut has two to four, prose as it
# is written ten and more.
_CUT = 4.0


def script_language(text: str) -> str:
    """ISO 639-1 code of the language of a text in a script without spaces between words: kana tell
    Japanese from Chinese. "" of any other text."""
    return _language(text) if _is_mostly_spaceless(text) else ""


def is_uncut(text: str) -> bool:
    """Whether the words of a text cannot be told by spaces: it is in such a script, and nobody has
    put spaces between its words."""
    if not _is_mostly_spaceless(text):
        return False
    stretches = [
        sum(map(str.isalpha, stretch)) for stretch in text.split() if _SPACELESS.search(stretch)
    ]
    return len(stretches) == 1 or sum(stretches) > _CUT * len(stretches)


def _is_mostly_spaceless(text: str) -> bool:
    if text.isascii() or _SPACELESS.search(text) is None:
        return False
    letters = [character for character in text if character.isalpha()]
    own = sum(_SPACELESS.match(letter) is not None for letter in letters)
    return 0 < len(letters) <= _SHARE * own


def _language(text: str) -> str:
    counts = {language: len(pattern.findall(text)) for language, pattern in _EACH.items()}
    # A tenth in kana is Japanese, however many of its words are written in Han characters.
    if 10 * counts["ja"] >= counts["zh"] > 0:
        return "ja"
    return max(counts, key=lambda language: counts[language])
