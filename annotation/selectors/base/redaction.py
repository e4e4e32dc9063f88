"""What people typed about themselves or each other, taken out of what is frozen for publication.

Pseudonyms replace identities by construction (see ``pseudonyms``); this is for free text, where
somebody may have written a name. The only module of the exports that reads names, and it hands none
back. It is never complete: a nickname, a misspelling or a description passes, so whoever publishes
reads what was typed (docs/leads.md).
"""

from __future__ import annotations

import json
import re
from typing import Any

from django.db.models import Q

from annotation.models import Study, User
from annotation.privacy.names import Person
from annotation.privacy.redacting import MARK, Redactor

FREE_TEXT = frozenset({"comment", "explanation", "note", "justifications"})
"""The columns that people type: source texts and simplifications are the data and stay as they
are."""

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
# A free column that is not empty. Most lines have none, and are not read any further.
_TYPED = re.compile(rf'"(?:{"|".join(sorted(FREE_TEXT))})": ?(?:"[^"]|\[ ?[^\] ]|\{{)')


class Redaction:
    """Takes the names of a study's people, and ways to reach anybody, out of free text; ``count``
    says how many."""

    def __init__(self, people: list[Person]) -> None:
        self._redactor = Redactor(tuple(people))
        self.count = 0

    def text(self, text: str) -> str:
        """The text with each name, address, number and account replaced by ``MARK``."""
        redacted, count = self._redactor.redacted(text)
        self.count += count
        return redacted

    def lines(self, text: str) -> str:
        """Lines of JSON objects with their free text redacted; everything else is byte for byte as
        it was."""
        # Not ``splitlines``: that would also cut at line separators inside a text.
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str) -> str:
        if not _TYPED.search(line):
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
    """For what the people of this study typed: its annotators and leads, present and former."""
    people = (
        User.objects.filter(Q(annotates__study=study) | Q(led__study=study))
        .distinct()
        .order_by("pk")
    )
    return Redaction([Person(name, email) for name, email in people.values_list("name", "email")])


__all__ = ["FREE_TEXT", "MARK", "Redaction", "redaction"]
