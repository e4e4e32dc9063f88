"""What a machine can see of a simplification: its language, and whether it repeats the original."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from annotation.accents import composed
from annotation.uncut import script_language

FRENCH = "fr"
LIKELY = ("fr", "en", "es", "it", "pt", "de", "nl")
# Below either, a guess would be noise: an annotator would be asked to confirm a right answer.
_SURE = 0.75
_LETTERS_NEEDED = 20

# Frequent words of the one language that are rare in the others; the model is asked where they do
# not decide.
_FRENCH = (
    "les des une est et dans pour vous nous que qui pas sont avec cette ces aux ou être été leur "
    "leurs votre vos notre par lorsque lorsqu dont ne au il ils elles lui ce sa ses son doit "
    "doivent peut peuvent sauf tout toute tous le la du d l qu n s"
)
_OTHERS = (
    "the of and to is are for with you your this that which not if by be an it his will must may "
    "in el los las del con por una su lo che di per della sono non um os da em com não der die das "
    "und ist nicht den von het een van"
)
_FRENCH_WORDS, _OTHER_WORDS = frozenset(_FRENCH.split()), frozenset(_OTHERS.split())
_WORDS = re.compile(r"[^\W\d_]+")
_SAMPLE = 1000


def detect_language(text: str) -> str:
    """ISO 639-1 code of a text's language; "" where it is too short or could be several."""
    sample, words = _sample(text)
    if spaceless := script_language(sample):
        return spaceless
    if _are_french(words):
        return FRENCH
    if sum(map(len, words)) < _LETTERS_NEEDED:
        return ""
    language, probability = _identifier().classify(sample)
    return str(language) if probability >= _SURE else ""


def is_plainly_french(text: str) -> bool:
    """Whether frequent words tell: without the model, for whoever shows a text."""
    return _are_french(_sample(text)[1])


def original_language(stated: str, text: str, *, beside: str = "", around: str = "") -> str:
    """The language of an original, or of how it begins; "" where it is not known. ``stated``: what
    its protocol says of every original; ``beside``: the language of its simplification, ``around``
    that of the study, which are taken for it where it is not French."""
    if stated:
        return stated
    if is_plainly_french(text):
        return FRENCH
    return next((other for other in (beside, around) if other and other != FRENCH), "")


def simplification_language(stated: str, detected: str, text: str, *, around: str = "") -> str:
    """That of a simplification. One that should be French may not be; what a protocol says of
    another language stands."""
    if stated not in ("", FRENCH):
        return stated
    return detected or original_language(stated, text, around=around)


def _sample(text: str) -> tuple[str, list[str]]:
    # Some write a letter and its accents as several characters.
    sample = composed(text[: 4 * _SAMPLE])[:_SAMPLE]
    return sample, _WORDS.findall(sample.lower())


def _are_french(words: list[str]) -> bool:
    french = sum(map(_FRENCH_WORDS.__contains__, words))
    others = sum(map(_OTHER_WORDS.__contains__, words))
    return french >= 2 and french >= 3 * others and french * 8 >= len(words)


def detector_load() -> None:
    """Load the model now, for a process that others are forked from: unpacked it passes through 68
    MB of temporary space, which a dozen processes at once do not have."""
    _identifier()


def detector_is_loaded() -> bool:
    """Whether this process has it, or has it from its parent."""
    return _identifier.cache_info().currsize > 0


@cache
def _identifier() -> Any:
    """The model, loaded the first time that a text is not plainly French: most imports never need
    it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LIKELY)
    return identifier


SAME_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("«»“”„‟", '"'),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "\u00ad": None,
        "\u200b": None,
        "\ufeff": None,
    }
)
"""Shapes of one and the same character, for ``str.translate``."""
_SPACED = re.compile(r' ?(["?!:;]) ?')


def is_identical(original: str, simplification: str) -> bool:
    """Whether two texts are the same but for case, spacing and the shape of quotation marks and
    dashes."""
    if original == simplification:
        return True
    # Normalising costs more than all the rest of an import; most pairs differ too much in length to
    # need it.
    # Not even this one is measured before its accents are put together: apart they count twice.
    lengths = [
        len("".join(text.split()))
        for text in (
            text if unicodedata.is_normalized("NFC", text) else composed(text)
            for text in (original, simplification)
        )
    ]
    if max(lengths) - min(lengths) > 10 + max(lengths) // 10:
        return False
    return _normalised(original) == _normalised(simplification)


def _normalised(text: str) -> str:
    same = text.translate(SAME_CHARACTERS)
    same = composed(same, "NFKC").translate(SAME_CHARACTERS).casefold()
    # One space each first: a pattern that looks for many at each of them takes the square of a long
    # row.
    return " ".join(_SPACED.sub(r" \1 ", " ".join(same.split())).split())
