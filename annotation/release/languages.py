"""What a release says of the texts: the languages they are written in and the field they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from annotation.protocols.base import Wording

NOT_RECORDED = "language not recorded"
_TENTH = 10

# What ``detect_language`` tells apart; in French as an adjective of « textes ».
_NAMES = {
    "fr": Wording("français", "French"),
    "en": Wording("anglais", "English"),
    "es": Wording("espagnols", "Spanish"),
    "it": Wording("italiens", "Italian"),
    "pt": Wording("portugais", "Portuguese"),
    "de": Wording("allemands", "German"),
    "nl": Wording("néerlandais", "Dutch"),
    "ja": Wording("japonais", "Japanese"),
    "zh": Wording("chinois", "Chinese"),
    "th": Wording("thaïlandais", "Thai"),
    "lo": Wording("laotiens", "Lao"),
    "my": Wording("birmans", "Burmese"),
    "km": Wording("khmers", "Khmer"),
    "bo": Wording("tibétains", "Tibetan"),
}


def languages_of(stored: Iterable[str]) -> tuple[str, ...]:
    """The languages of simplifications as they are stored ("" where not recorded), the most
    frequent first; none where most have none.

    The language is told of each simplification by itself, and now and then wrongly: one that fewer
    than a tenth of those with a language are in is no language of the data.
    """
    counts = Counter(stored)
    unknown = counts.pop("", 0)
    known = counts.total()
    if unknown > known:
        return ()
    ordered = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    return tuple(code for code, number in ordered if _TENTH * number >= known)


def main_language(stored: Iterable[str], unknown: str = "fr") -> str:
    """The first of ``languages_of``, or ``unknown``."""
    return next(iter(languages_of(stored)), unknown)


def named(languages: Sequence[str], shown_in: str = "en") -> str:
    """“French and English”, « français et anglais »; empty where none is known."""
    names = [_NAMES[code].get(shown_in) if code in _NAMES else code for code in languages]
    last = " et " if shown_in == "fr" else " and "
    return last.join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
