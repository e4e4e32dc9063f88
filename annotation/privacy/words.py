"""Words that a name may be as well: PURE. What is found of such a name may be the word."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from annotation.privacy.folding import fold

WORD = re.compile(r"[^\W\d_]+")
_LISTS = ("words_fr.txt", "words_en.txt")
_PARTICLES = """
de du des d la le les l von van der den ter ten zu zum zur del della di da das do dos e y el al bin ibn
ben bint abu ait
ould mac mc o st ste saint sainte san santa et and und jr sr
"""  # noqa: E501
PARTICLES = frozenset(_PARTICLES.split())


@cache
def common_words() -> frozenset[str]:
    """Words of French and English in everyday and legal use, folded; some of them are first or
    family names too."""
    here = Path(__file__).parent
    return (
        frozenset(
            word for name in _LISTS for word in fold((here / name).read_text("utf-8")).split()
        )
        | PARTICLES
    )


def words_of(text: str) -> frozenset[str]:
    """The words of a text that stand in small letters, folded: those that the text uses as words,
    not as names."""
    return frozenset(fold(word) for word in WORD.findall(text) if word[0].islower())
