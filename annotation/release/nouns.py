"""Numbers with their nouns, as the English pages of a release say them."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """“1 annotator”, “5 annotators”; ``several`` where it is not the noun with an s."""
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"
