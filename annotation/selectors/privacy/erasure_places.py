"""Where a person who wants to be forgotten stands in what people typed: shown as a list before
anything is erased."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.apps import apps
from django.db.models import Min, Model, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.functional import Promise

from annotation.models import ErasureRequest, Job, PublishedProtocol, Study, User
from annotation.privacy.folding import fold
from annotation.privacy.names import Hit, Kind
from annotation.protocols.registry import published
from annotation.selectors.agreement.scored_pairs import NOTE
from annotation.selectors.privacy.free_text import (
    FREE_TEXT,
    SHARED,
    TO_EDIT,
    FreeText,
    Path,
    at,
    free_names,
    leaves,
)
from annotation.selectors.privacy.identity import Identity
from annotation.selectors.watching.remarks import hidden_rounds

AROUND = 60
"""Characters of an excerpt on each side of a mention."""
ELSEWHERE = "elsewhere"
"""Doubt about an address in a study in which the person had no part: it is left unless somebody
wants it out."""
ANSWER = "idempotencyrecord.answer"
REPORT = "job.result"
_FREE_BESIDE_ANSWERS = frozenset({"reason", "reasons"})


@dataclass(frozen=True)
class Choice:
    """What somebody decided by hand about one place. ``stamp``: of the text that they saw; "" for
    any."""

    take: bool
    reason: str
    stamp: str = ""


@dataclass(frozen=True)
class Place:
    """One mention. ``key`` names it for as long as its text stays, ``stamp`` tells that it did.
    ``start`` and ``end`` count in the text at ``way`` of the column. ``doubt``: why it is left
    where nobody decided otherwise."""

    column: str
    pk: Any
    way: Path
    number: int
    start: int
    end: int
    text: str
    stamp: str
    doubt: str
    study: int | None
    round: str = ""
    choice: Choice | None = None

    @property
    def key(self) -> str:
        return ":".join([self.column, str(self.pk), "/".join(self.way), str(self.number)])

    @property
    def shown(self) -> str:
        """What a form sends back of a place that was on the page."""
        return hashlib.sha256(f"{self.key} {self.stamp}".encode()).hexdigest()[:16]

    @property
    def is_taken(self) -> bool:
        """Whether an erasure takes it out."""
        return self.choice.take if self.choice is not None else not self.doubt

    @property
    def label(self) -> Promise:
        return FREE_TEXT[self.column].label


@dataclass(frozen=True)
class Excerpt:
    """A place as it may be read: its study's key and title, and the words before, of and after the
    mention; the words around it are withheld ("") where the reader must not know them, and
    ``is_withheld`` says so."""

    place: Place
    study: str
    title: str
    before: str
    mention: str
    after: str
    is_withheld: bool


@dataclass(frozen=True)
class Edit:
    """A mention that a person must mend: published, or named by what refers to it."""

    column: str
    pk: Any
    study: str
    title: str
    before: str
    mention: str
    after: str

    @property
    def label(self) -> Promise:
        return TO_EDIT[self.column][0]


def places(
    identity: Identity, choices: Mapping[str, Choice] | None = None, *, everywhere: bool = True
) -> list[Place]:
    """Every mention in free text, in a fixed order. ``everywhere``: the address also in studies in
    which the person had no part, for those who may read all of them; left as it is by default."""
    chosen = choices or {}
    published()
    mentions = [place for column in FREE_TEXT for place in _places_in(column, identity, everywhere)]
    return [_decided(place, chosen.get(place.key)) for place in mentions]


def choices_of(request: ErasureRequest) -> dict[str, Choice]:
    """What was decided by hand about places of this request."""
    return {
        key: Choice(bool(held["take"]), str(held["reason"]), str(held.get("stamp", "")))
        for key, held in request.places.items()
    }


def shown(mentions: Iterable[Place]) -> frozenset[str]:
    """What tells whether a list of places is the one that was shown."""
    return frozenset(place.shown for place in mentions)


def excerpts(mentions: Iterable[Place], readable: frozenset[int] | None = None) -> list[Excerpt]:
    """The places as they may be read. ``readable``: ids of the studies whose free text the reader
    may see; None: all.

    Answers that are hidden from those who run a study stay hidden here, and so do drafts and what
    is of somebody alone.
    """
    mentions = list(mentions)
    studies = Study.objects.in_bulk({place.study for place in mentions if place.study is not None})
    hidden = {pk: frozenset(hidden_rounds(study)) for pk, study in studies.items()}
    return [_excerpt(place, studies, hidden, readable) for place in mentions]


def edits(identity: Identity, readable: frozenset[int] | None = None) -> list[Edit]:
    """Mentions in what is published in studies of theirs, of those that the reader may see. A word
    that is common is none."""
    mentions: list[Edit] = []
    studies = identity.studies if readable is None else identity.studies & readable
    for column, (_label, way) in TO_EDIT.items():
        if not way:
            mentions += _in_protocols(column, identity, studies)
            continue
        model, name = _column(column)
        for pk, text, study in _to_look_at(model, name, way, studies, column in SHARED):
            first = next((hit for hit in identity.hits(text) if not hit.doubt), None)
            if first is not None:
                held = Study.objects.get(pk=study)
                mentions.append(
                    Edit(column, pk, held.key, held.title, *_around(text, first.start, first.end))
                )
    return mentions


def _in_protocols(column: str, identity: Identity, studies: frozenset[int]) -> Iterator[Edit]:
    """In what somebody composed and these studies follow, or the person has installed: a line for
    each, with one of these studies where there is one."""
    for protocol in PublishedProtocol.objects.exclude(installed_at=None).order_by("pk"):
        pinned = Study.objects.filter(
            pk__in=studies, protocol_key=protocol.key, protocol_version=protocol.version
        )
        held = pinned.order_by("pk").first()
        if held is None and protocol.installed_by_id != identity.account:
            continue
        first = next((hit for hit in identity.hits(protocol.file) if not hit.doubt), None)
        if first is not None:
            name = f"{protocol.key} {protocol.version}"
            around = _around(protocol.file, first.start, first.end)
            yield Edit(column, protocol.pk, held.key if held else name, name, *around)


def _to_look_at(
    model: type[Model], name: str, way: str, studies: frozenset[int], is_shared: bool
) -> Iterator[tuple[Any, str, int]]:
    """Row, text and study; of those that many rows share, the first row of each."""
    rows: QuerySet[Any, Any] = model._base_manager.filter(**{f"{way}__in": studies})
    if is_shared:
        first = rows.order_by().values(name, way).annotate(first=Min("pk")).order_by("first")
        yield from first.values_list("first", name, way).iterator(chunk_size=500)
    else:
        yield from rows.order_by("pk").values_list("pk", name, way).iterator(chunk_size=500)


def readable_studies(user: User) -> frozenset[int] | None:
    """Ids of the studies whose free text somebody who decides may read; None for all."""
    return None if user.is_admin else frozenset(user.led.values_list("study", flat=True))


def _column(column: str) -> tuple[type[Model], str]:
    model, _dot, name = column.partition(".")
    return apps.get_model("annotation", model), name


def _places_in(column: str, identity: Identity, everywhere: bool) -> Iterator[Place]:
    free = FREE_TEXT[column]
    model, name = _column(column)
    theirs = _theirs(column, free, identity)
    names = [
        "pk",
        name,
        *([free.study] if free.study else []),
        *([free.round] if free.round else []),
    ]
    rows: QuerySet[Any, Any] = model._base_manager.order_by("pk")
    for row in rows.filter(theirs).values_list(*names).iterator(chunk_size=2000):
        yield from _places_of(column, free, identity, row)
    if everywhere and free.study:
        # The address may stand anywhere, and is nobody else's; the database looks first.
        typed = rows.exclude(**{f"{free.study}__in": identity.studies}).annotate(
            typed=Cast(name, TextField())
        )
        typed = typed.filter(typed__icontains=identity.person.email)
        mine = set(
            rows.filter(theirs).filter(pk__in=typed.values("pk")).values_list("pk", flat=True)
        )
        for row in typed.values_list(*names).iterator(chunk_size=2000):
            if row[0] not in mine:
                yield from (
                    place for place in _places_of(column, free, identity, row, elsewhere=True)
                )


def _theirs(column: str, free: FreeText, identity: Identity) -> Q:
    """As a condition: rows of the studies in which the person had a part, and those outside of
    studies about them."""
    account = identity.account
    condition = Q(**{f"{free.study}__in": identity.studies}) if free.study else Q(pk__in=[])
    only = {
        # What the person began and never submitted goes with the account: of what is judged the
        # submission stands, and what they typed is emptied.
        "draft.answers": ~Q(assignment__annotator__user=account),
        # So do the versions that they put aside.
        "draftversion.answers": ~Q(assignment__annotator__user=account),
        REPORT: Q(kind=Job.Kind.METRICS),
        "job.parameters": Q(kind=Job.Kind.FREEZE),
        "question.text": Q(edited_at__isnull=False),
        "question.expected": Q(edited_at__isnull=False),
    }
    if column in only:
        return condition & only[column]
    if column == "event.details":
        about = Q(actor=account) | Q(target_type="user", target_id=str(account))
        return condition | (Q(study__isnull=True) & about)
    if column == "erasurerequest.reason":
        return Q(user=account)
    if column == "scorerpromotion.reason":
        return condition | Q(actor=account)
    if column == "scorer.promoted_reason":
        return condition | Q(promoted_by=account)
    if column in ("apitoken.name", ANSWER):
        # Of people who know them: the person's own rows go as they are.
        met = (
            Q(annotates__study__in=identity.studies)
            | Q(led__study__in=identity.studies)
            | Q(is_admin=True)
        )
        return Q(user__in=User.objects.filter(met).exclude(pk=account).values("pk"))
    return condition


def _places_of(
    column: str,
    free: FreeText,
    identity: Identity,
    row: tuple[Any, ...],
    *,
    elsewhere: bool = False,
) -> Iterator[Place]:
    pk, value, *rest = row
    study = rest[0] if free.study else None
    round_ = rest[-1] if free.round else ""
    for way, text in leaves(value, free.members):
        if elsewhere:
            hits = [hit for hit in identity.hits(text) if hit.kind is Kind.ADDRESS]
        elif column == ANSWER:
            hits = _answered(identity, value, way, text)
        elif column == REPORT:
            hits = _noted(identity, value, way, text)
        else:
            hits = identity.hits(text)
        stamp = (
            hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if hits else ""
        )
        for number, hit in enumerate(hits, start=1):
            doubt = ELSEWHERE if elsewhere else str(hit.doubt)
            yield Place(
                column, pk, way, number, hit.start, hit.end, text, stamp, doubt, study, round_
            )


def _answered(identity: Identity, value: Any, way: Path, text: str) -> list[Hit]:
    """What an answer to a program says of the person: it holds states, keys and titles too. The
    name beside their own address is theirs, whatever word it is."""
    own = fold(identity.person.email)
    free = _FREE_BESIDE_ANSWERS | free_names()
    if way and way[-1] in free:
        return identity.hits(text)
    beside = at(value, (*way[:-1], "email"))
    if way and way[-1] == "name" and isinstance(beside, str) and fold(beside) == own and text:
        return [Hit(0, len(text), Kind.WHOLE)]
    return [hit for hit in identity.hits(text) if hit.kind is Kind.ADDRESS]


def _noted(identity: Identity, value: Any, way: Path, text: str) -> list[Hit]:
    """What the note in a signature says of the person: the rest of it is names and settings."""
    start = text.find(NOTE)
    if start < 0 or at(value, (*way[:-1], "is_brought")) is not True:
        return []
    return [hit for hit in identity.hits(text) if hit.start >= start + len(NOTE)]


def _decided(place: Place, choice: Choice | None) -> Place:
    """A choice holds for the text that it was made about."""
    return (
        place
        if choice is None or choice.stamp not in ("", place.stamp)
        else replace(place, choice=choice)
    )


def _excerpt(
    place: Place,
    studies: Mapping[int, Study],
    hidden: Mapping[int, frozenset[str]],
    readable: frozenset[int] | None,
) -> Excerpt:
    study = studies.get(place.study) if place.study is not None else None
    foreign = readable is not None and place.study not in readable
    withheld = foreign or FREE_TEXT[place.column].is_private
    withheld = withheld or (study is not None and place.round in hidden[study.pk])
    before, mention, after = _around(place.text, place.start, place.end)
    if withheld:
        before = after = ""
    named = study is not None and not foreign
    return Excerpt(
        place, study.key if named and study else "", study.title if named and study else "", before,
        mention, after,
        withheld,
    )  # fmt: skip


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    return (
        ("…" if start > AROUND else "") + before,
        text[start:end],
        after + ("…" if end + AROUND < len(text) else ""),
    )
