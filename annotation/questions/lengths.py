"""Texts longer than what a model can read: refused with their number of tokens, or cut where the
lead says that they may be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from annotation.corpus.sentences import split
from annotation.generation.prices import count_tokens
from annotation.protocols.base import Problem, Wording


class Border(StrEnum):
    """Where a text may be cut."""

    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"


BORDERS: dict[Border, Wording] = {
    Border.PARAGRAPH: Wording("à la fin d'un paragraphe", "at the end of a paragraph"),
    Border.SENTENCE: Wording("à la fin d'une phrase", "at the end of a sentence"),
}
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*|\n")


class TooLong(ValueError):
    """A text of more tokens than are allowed, which is not to be cut or has no border soon
    enough; ``problem`` says so."""

    def __init__(self, length: int, most: int, border: Border | None) -> None:
        if border is None:
            words = Wording(
                f"Le texte a environ {length} jetons; le maximum est {most}. Raccourcissez-le, ou "
                "permettez qu'il soit coupé.",
                f"The text has about {length} tokens; {most} are the most. Shorten it, or allow it "
                "to be cut.",
            )
        else:
            words = Wording(
                f"Le texte a environ {length} jetons; le maximum est {most}, et on ne peut le "
                f"couper avant {BORDERS[border].fr}.",
                f"The text has about {length} tokens; {most} are the most, and before them it "
                f"cannot be cut {BORDERS[border].en}.",
            )
        super().__init__(words.en)
        self.tokens, self.most = length, most
        self.problem = Problem("text", "too_long", words)


def tokens(text: str) -> int:
    """About how many tokens a text has; rather too many than too few."""
    return count_tokens(text)


def fitted(text: str, most: int, border: Border | None = None) -> str:
    """The text, or its beginning up to the last ``border`` within ``most`` tokens. Raises
    ``TooLong`` where it is longer and there is no border to cut it at."""
    if tokens(text) <= most:
        return text
    if border is not None:
        kept = ""
        for end in _ends(text, border):
            if tokens(text[:end]) > most:
                break
            kept = text[:end]
        if kept.strip():
            return kept.rstrip()
    raise TooLong(tokens(text), most, border)


def _ends(text: str, border: Border) -> Iterator[int]:
    """Where paragraphs or sentences end, ascending."""
    if border is Border.SENTENCE:
        yield from (span.end for span in split(text))
    else:
        yield from (match.start() for match in _PARAGRAPH_END.finditer(text))
