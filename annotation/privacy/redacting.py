"""Free text without the people of a study and ways to reach anybody: PURE. Never complete: see
docs/leads.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.privacy.contacts import contacts
from annotation.privacy.folding import fold
from annotation.privacy.names import Doubt, Hit, Person, hits

MARK = "[…]"

# Initials that stand for something else in legal writing and in everyday French and English.
_LISTED = """
ac cs ca cq lc lq je rj qc sc ps nb eg ie pm am dp cc ci rc rcs ccq cpc lrq lrc csc jq db ed id op
vs ce ue us uk ad bc
sa sl td tp
"""
_ABBREVIATIONS = frozenset(_LISTED.split())


@dataclass(frozen=True)
class Redactor:
    """Finds the names of ``people``, and addresses, numbers and accounts of anybody."""

    people: tuple[Person, ...]
    known: frozenset[str] = frozenset()

    def stretches(self, text: str) -> list[tuple[int, int]]:
        """Where (start, end) something is to be replaced, in order, none touching another."""
        stretches = [
            *contacts(text),
            *(
                (hit.start, hit.end)
                for hit in hits(self.people, text, self.known)
                if _goes(text, hit)
            ),
        ]
        return _joined(text, stretches)

    def redacted(self, text: str) -> tuple[str, int]:
        """The text with each stretch replaced by ``MARK``, and how many there were."""
        stretches = self.stretches(text)
        for start, end in reversed(stretches):
            text = text[:start] + MARK + text[end:]
        return text, len(stretches)


def _goes(text: str, hit: Hit) -> bool:
    if hit.doubt is Doubt.INITIALS:
        return "".join(re.findall(r"\w", fold(text[hit.start : hit.end]))) not in _ABBREVIATIONS
    return hit.doubt is Doubt.NONE


def _joined(text: str, stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches that overlap, or that only blanks part, as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if joined and (start <= joined[-1][1] or not text[joined[-1][1] : start].strip(" \u00a0")):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
