"""In which language the texts of a pair are, for whoever shows them."""

from __future__ import annotations

from annotation.corpus.language import original_language, simplification_language
from annotation.models import Simplification, Study
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION


def languages_of(study: Study, simplification: Simplification) -> dict[str, str]:
    """ISO 639-1 codes by side; "" where nothing tells. The item must have been fetched."""
    texts = simplification.item.original, simplification.text
    return languages_of_texts(study, *texts, detected=simplification.language)


def languages_of_texts(
    study: Study, original: str, simplification: str, *, detected: str = ""
) -> dict[str, str]:
    """The same of texts as they are; ``detected``: of the simplification, when it came in."""
    return {
        ORIGINAL: language_of_original(study, original, beside=detected),
        SIMPLIFICATION: language_of_simplification(study, simplification, detected),
    }


def language_of_original(study: Study, text: str, *, beside: str = "") -> str:
    """Of an original, or of how it begins; ``beside``: that of its simplification, where known."""
    stated = study.protocol.language_of(ORIGINAL)
    return original_language(stated, text, beside=beside, around=study.language)


def language_of_simplification(study: Study, text: str, detected: str = "") -> str:
    """Of a simplification; ``detected`` when it came in."""
    stated = study.protocol.language_of(SIMPLIFICATION)
    return simplification_language(stated, detected, text, around=study.language)
