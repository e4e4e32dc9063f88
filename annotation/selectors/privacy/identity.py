"""Who somebody is, for an erasure: name, address, and the studies in which they had a part."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db.models import Q
from django.utils.translation import override

from annotation.models import (
    Annotator,
    Event,
    GuideVersion,
    Item,
    Lead,
    Simplification,
    Study,
    User,
)
from annotation.privacy.folding import fold
from annotation.privacy.names import Doubt, Hit, Person, hits
from annotation.privacy.words import WORD, common_words, words_of
from annotation.protocols.base import Wording
from annotation.protocols.registry import COMPOSED, PROTOCOLS, protocol, published
from annotation.selectors.accounts.new_address import addresses_held
from annotation.selectors.base.redaction import MARK


@dataclass(frozen=True)
class Identity:
    """A person as they are recognised, by the names and addresses that they had ``before`` too.
    ``studies``: ids of those in which they have or had a part."""

    person: Person
    studies: frozenset[int] = frozenset()
    account: int = 0
    known: frozenset[str] = field(default=frozenset(), repr=False)
    """Further words that mean something in these studies: what is found of such a name may be the
    word."""
    before: tuple[Person, ...] = ()

    @classmethod
    def of(cls, user: User) -> Identity:
        person = Person(" ".join(user.name.split()), user.email)
        before = (
            *(Person(former.name) for former in user.former_names.all()),
            *(Person("", held.email) for held in addresses_held(user) if held.until),
        )
        studies = had_part(user)
        known = frozenset().union(*(words_in_use(named, studies) for named in (person, *before)))
        return cls(person, studies, user.pk, known, before)

    def hits(self, text: str) -> list[Hit]:
        """What of this person stands in a text of one of their studies."""
        return hits([self.person, *self.before], text, self.known)

    def cleaned(self, text: str) -> str:
        """A text without what surely is this person."""
        return without(
            text, [(hit.start, hit.end) for hit in self.hits(text) if hit.doubt is Doubt.NONE]
        )


def without(text: str, stretches: list[tuple[int, int]]) -> str:
    """The text with the mark of redaction instead of each stretch (start, end)."""
    for start, end in sorted(stretches, reverse=True):
        text = text[:start] + MARK + text[end:]
    return text


def had_part(user: User) -> frozenset[int]:
    """Studies that the person annotates or leads, or did: the audit trail remembers former leads,
    who was removed, and who acted."""
    studies = set(Annotator.objects.filter(user=user).values_list("study", flat=True))
    studies |= set(Lead.objects.filter(user=user).values_list("study", flat=True))
    about = Q(verb__in=Event.PARTS, details__user=user.pk)
    events = Event.objects.filter(Q(actor=user) | about, study__isnull=False)
    return frozenset(studies | set(events.order_by().values_list("study", flat=True).distinct()))


def words_in_use(person: Person, studies: frozenset[int]) -> frozenset[str]:
    """Of the name's words those that the program or these studies' texts use as words."""
    left = {
        piece for word in (*person.parts, person.username) for piece in WORD.findall(word)
    } - common_words()
    in_use = left & (program_words() | _composed_words(studies))
    left -= in_use
    texts = (
        (Item.objects.filter(study__in=studies), "original"),
        (Simplification.objects.filter(item__study__in=studies), "text"),
        (GuideVersion.objects.filter(study__in=studies), "body_fr"),
        (GuideVersion.objects.filter(study__in=studies), "body_en"),
        (Study.objects.filter(pk__in=studies), "title"),
    )
    for rows, column in texts:
        if not left:
            break
        for text in rows.order_by().values_list(column, flat=True).iterator(chunk_size=2000):
            plain = fold(text)
            if any(word in plain for word in left):
                in_use |= left & words_of(text)
        left -= in_use
    return frozenset(in_use)


def _composed_words(studies: frozenset[int]) -> frozenset[str]:
    """Folded words of the protocols that people have installed and these studies follow: of others
    a name says nothing here."""
    published()
    pinned = Study.objects.filter(pk__in=studies).values_list("protocol_key", "protocol_version")
    texts = [text for name in COMPOSED.keys() & set(pinned) for text in _wordings(protocol(*name))]
    return frozenset(piece for text in texts for piece in WORD.findall(fold(text)))


@cache
def program_words() -> frozenset[str]:
    """Folded words of what the program stores and shows of its own: choices with their labels,
    protocols."""
    own = [known for name, known in list(PROTOCOLS.items()) if name not in COMPOSED]
    said: list[str] = [part for known in own for part in (known.key, known.version)]
    for known in own:
        said.extend(_wordings(known))
    for language in ("fr", "en"):
        with override(language):
            for model in apps.get_app_config("annotation").get_models():
                said.append(model._meta.model_name or "")
                for column in model._meta.concrete_fields:
                    said.append(column.name)
                    said.extend(str(part) for choice in column.flatchoices for part in choice)
    return frozenset(piece for text in said for piece in WORD.findall(fold(text)))


def _wordings(value: Any) -> list[str]:
    """Every text and keyword in a protocol's definition."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Wording):
        return [value.fr, value.en]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in _wordings(inner)]
    if is_dataclass(value) and not isinstance(value, type):
        return [text for member in fields(value) for text in _wordings(getattr(value, member.name))]
    return []
