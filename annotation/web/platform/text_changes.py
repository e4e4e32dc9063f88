"""What changed between two texts, for a reader: lines with the words that went and came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
KEPT, REMOVED, ADDED = "kept", "removed", "added"


@dataclass(frozen=True)
class Stretch:
    """Some words of a line, ``kind`` being kept, removed or added."""

    kind: str
    text: str


Line = tuple[Stretch, ...]


def text_changes(before: str, after: str) -> list[Line]:
    """The lines that differ, each as stretches of words; empty where nothing differs."""
    old, new = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    changed: list[Line] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            changed.extend(_changed(old[a:b], new[c:d]))
    return [line for line in changed if any(stretch.text.strip() for stretch in line)]


def _changed(old: list[str], new: list[str]) -> Iterator[Line]:
    """Lines that were replaced one by one are compared by words; what is left over went or came as
    a whole."""
    both = min(len(old), len(new))
    for former, present in zip(old, new, strict=False):
        yield tuple(_words(former, present))
    yield from ((Stretch(REMOVED, line),) for line in old[both:])
    yield from ((Stretch(ADDED, line),) for line in new[both:])


def _words(former: str, present: str) -> Iterator[Stretch]:
    old, new = _WORDS.findall(former), _WORDS.findall(present)
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Stretch(KEPT, "".join(old[a:b]))
            continue
        if a < b:
            yield Stretch(REMOVED, "".join(old[a:b]))
        if c < d:
            yield Stretch(ADDED, "".join(new[c:d]))
