"""What people typed about themselves or each other, taken out of what is frozen for publication.

Pseudonyms replace identities by construction (see ``pseudonyms``); this is for free text, where somebody may have
written a name. The only module of the exports that reads names, and it hands none back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from annotation.models import Study, User

MARK = "[…]"
FREE_TEXT = frozenset({"comment", "explanation", "note", "justifications"})
"""The columns that people type: source texts and simplifications are the data and stay as they are."""

_ADDRESS = r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
_SHORTEST = 3
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


class Redaction:
    """Takes e-mail addresses, and the names of a study's people, out of free text; ``count`` says how many."""

    def __init__(self, names: list[str]) -> None:
        whole = sorted({name for name in names if len(name) >= _SHORTEST}, key=lambda name: (-len(name), name))
        found = "|".join([_ADDRESS, *(rf"(?<!\w){re.escape(name)}(?!\w)" for name in whole)])
        self._pattern = re.compile(found)
        # What every match holds: looking for it first is a hundred times faster than the pattern.
        self._signs = ("@", *whole)
        self.count = 0

    def text(self, text: str) -> str:
        """The text with each address and name replaced by ``MARK``."""
        redacted, count = self._pattern.subn(MARK, text)
        self.count += count
        return redacted

    def lines(self, text: str) -> str:
        """Lines of JSON objects with their free text redacted; everything else is byte for byte as it was."""
        if not self._may_tell(text):
            return text
        # Not ``splitlines``: that would also cut at line separators inside a text.
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _may_tell(self, text: str) -> bool:
        return any(sign in text for sign in self._signs)

    def _line(self, line: str) -> str:
        if not self._may_tell(line) or not self._pattern.search(line):
            return line
        before = self.count
        row = self._value(json.loads(line), "")
        return line if self.count == before else _encode(row)

    def _value(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: self._value(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._value(inner, name) for inner in value]
        return self.text(value) if isinstance(value, str) and name in FREE_TEXT else value


def redaction(study: Study) -> Redaction:
    """For what the people of this study typed: its annotators and leads, by whole name and by each part of it."""
    people = User.objects.filter(Q(annotates__study=study) | Q(led__study=study)).distinct()
    return Redaction([part for name in people.values_list("name", flat=True) for part in _parts(name)])


def _parts(name: str) -> Iterator[str]:
    yield name.strip()
    # A first name alone gives somebody away too. Lower-case particles ("de", "von") do not.
    yield from (part for part in name.split() if part[:1].isupper())
