"""How near two texts are to being the same: what differs on the surface alone, and what in words.

A text that says its original but for a slip of the pen must not score as a free rewording does.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from workers.scorers.text import Text, is_number

_FAR = 0.12
"""The share of words that differ from which on nothing of nearness is left."""
_LONG_ENOUGH = 5
_SAME = frozenset(
    frozenset(pair)
    for pair in (("et", "&"), ("and", "&"), ("dollars", "$"), ("euros", "€"), ("pourcent", "%"))
)
_LABELS = frozenset(
    (
        *("note", "notes", "nota", "nb", "remarque", "remarques", "attention", "avis", "rappel"),
        *("important", "notice", "warning"),
    )
)


def nearness(original: Text, simplification: Text) -> float:
    """1 where the texts differ on the surface alone (a slip of one letter, a sign for its word, a
    label in front), falling to 0 as a share of ``_FAR`` of the longer text's words differs."""
    longest = max(len(original.words), len(simplification.words))
    if not longest:
        return 0.0
    before, after = _unlabelled(original), _unlabelled(simplification)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    apart = sum(
        _words_apart(before[a1:a2], after[b1:b2])
        for tag, a1, a2, b1, b2 in matcher.get_opcodes()
        if tag != "equal"
    )
    return max(0.0, 1 - apart / (_FAR * longest))


def is_slip(first: str, second: str) -> bool:
    """Whether two words differ by one letter that was left out, added, changed or swapped with its
    neighbour, in a word long enough that another word is unlikely."""
    if min(len(first), len(second)) < _LONG_ENOUGH or is_number(first) or is_number(second):
        return False
    if first == second or abs(len(first) - len(second)) > 1:
        return first == second
    start = next(
        (place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    rest, other = first[start:], second[start:]
    return (
        rest[1:] == other
        or rest == other[1:]
        or rest[1:] == other[1:]
        or (rest[:2] == other[:2][::-1] and rest[2:] == other[2:])
    )


def _words_apart(before: Sequence[str], after: Sequence[str]) -> int:
    if len(before) != len(after):
        return max(len(before), len(after))
    return sum(
        not (is_slip(word, other) or frozenset((word, other)) in _SAME)
        for word, other in zip(before, after, strict=True)
    )


def _unlabelled(text: Text) -> tuple[str, ...]:
    """The words, less a label in front: «Note : »."""
    labelled = text.plain.partition(":")[0].strip().lower().replace(".", "")
    return text.words[1:] if labelled in _LABELS else text.words
