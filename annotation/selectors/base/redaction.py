"""What people typed about themselves or each other, taken out of what is frozen for publication.

Pseudonyms replace identities by construction (see ``pseudonyms``); this is for free text, where
somebody may have written a name. The only module of the exports that reads names, and it hands none
back. It is never complete: a nickname, a misspelling or a description passes, so whoever publishes
reads what was typed (docs/leads.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from annotation.models import AddressChange, Event, FormerName, Study, User
from annotation.privacy.named import people_named
from annotation.privacy.names import Person
from annotation.privacy.redacting import MARK, Redactor

RELEASED = "justifications"
"""What the comment is called in the released FrJUDGE layout."""

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


class Redaction:
    """Takes the names of a study's people, and ways to reach anybody, out of free text; ``count``
    says how many.

    ``free``: the columns and members that people type, the protocol's, with all that stands below
    them; source texts and simplifications are the data and stay as they are.
    """

    def __init__(self, people: list[Person], free: Iterable[str]) -> None:
        self._redactor = Redactor(tuple(people))
        self._free = frozenset(free)
        # A free column that is not empty. Most lines have none, and are not read any further.
        names = "|".join(re.escape(name) for name in sorted(self._free))
        self._typed = re.compile(rf'"(?:{names})": ?(?:"[^"]|\[ ?[^\] ]|\{{)')
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
        if not self._typed.search(line):
            return line
        before = self.count
        row = self._value(json.loads(line), is_free=False)
        return line if self.count == before else _encode(row)

    def _value(self, value: Any, *, is_free: bool) -> Any:
        if isinstance(value, dict):
            return {
                key: self._value(inner, is_free=is_free or key in self._free)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self._value(inner, is_free=is_free) for inner in value]
        return self.text(value) if is_free and isinstance(value, str) else value


def redaction(study: Study) -> Redaction:
    """For what the people of this study typed: its annotators and leads, present and former,
    whoever else did anything in it, by the names and addresses that they had before too, and whom
    its annotators were told to ask, who may have no account."""
    here = Q(annotates__study=study) | Q(led__study=study) | Q(pk__in=_acted_or_left(study))
    people = User.objects.filter(here).distinct().order_by("pk")
    persons = [Person(name, email) for name, email in people.values_list("name", "email")]
    former = FormerName.objects.filter(user__in=people.order_by().values("pk")).order_by("pk")
    persons += [Person(name) for name in former.values_list("name", flat=True)]
    changes = AddressChange.objects.filter(user__in=people.order_by().values("pk"))
    before = changes.filter(taken_at__isnull=False).order_by("pk").values_list("before", flat=True)
    persons += [Person("", email) for email in before]
    persons += [person for line in _contacts(study) for person in people_named(line)]
    # Who leads it is often whom its annotators ask.
    return Redaction(list(dict.fromkeys(persons)), {RELEASED, *study.protocol.free_names})


def _contacts(study: Study) -> list[str]:
    """Whom its annotators ask, and were told to ask before."""
    changes = Event.objects.filter(study=study, verb="study_updated").order_by("pk")
    former = [
        said.get("contact")
        for details in changes.values_list("details", flat=True)
        for said in (details.get("before"), details.get("after"))
        if isinstance(said, dict)
    ]
    return [line for line in dict.fromkeys([study.contact, *former]) if isinstance(line, str)]


def _acted_or_left(study: Study) -> set[int]:
    """Ids of those whom the audit trail alone may remember."""
    events = Event.objects.filter(study=study).order_by()
    acted = events.exclude(actor=None).values_list("actor", flat=True).distinct()
    left = events.filter(verb__in=Event.PARTS).values_list("details__user", flat=True)
    return {*acted, *(user for user in left if isinstance(user, int))}


__all__ = ["MARK", "Redaction", "redaction"]
