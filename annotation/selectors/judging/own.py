"""What an annotator may read of their own work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Substr

from annotation.accents import folded
from annotation.answers import PARTS
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    DraftVersion,
    Item,
    ListedRemark,
    RemarkAnswer,
    Study,
    Tally,
    standing,
)
from annotation.protocols.base import Answers
from annotation.selectors.base.lists import KeysFirst
from annotation.selectors.base.standings import AGAIN, ASIDE, DONE, JUDGED
from annotation.selectors.judging.queue import IN_SIGHT, of_round, visible

# As ``round_shown`` says it: what stands aside is a pair of the main round like any other.
_ROUND_SHOWN = Case(
    When(simplification__item__round=Item.Round.PRACTICE, then=Value(Item.Round.PRACTICE.value)),
    default=Value(Item.Round.MAIN.value),
)
Standing = Assignment.Standing
# States that are told by what a pair stands for, as long as none was sent back.
_BY_STANDING = {
    "submitted": (Standing.DONE,),
    "open": (Standing.OPEN, Standing.REPEAT, Standing.ASIDE),
    "aside": (Standing.ASIDE,),
}


class OwnList(NamedTuple):
    """Pairs to be cut into pages; ``number`` is None where nobody knows how many there are."""

    rows: Any
    number: int | None


@dataclass(frozen=True)
class OwnRevision:
    """One former submission."""

    number: int
    answers: Answers
    score: int | None
    submitted_at: datetime
    active_seconds: int


@dataclass(frozen=True)
class OwnVersion:
    """Answers that its annotator decided against, kept for a while."""

    number: int
    answers: Answers
    origin: str
    saved_at: datetime
    kept_at: datetime


def own_judgments(annotator: Annotator, *, state: str = "", search: str = "") -> QuerySet[Any]:
    """The annotator's pairs in their own order; ``state`` is one of ``STATES`` or "" for all,
    ``search`` words that all stand in the pair (``_ids_with_words``).

    Rows are ``Assignment`` objects with ``opening`` (the start of the original), ``round``,
    ``again``, ``answered``, ``put_aside`` (a version of the draft is kept), ``unread`` (answers of
    leads that their annotator has not seen), their draft, judgment and private note, and the
    judgment's ratings prefetched.
    """
    return _with_details(_narrowed(annotator, state, search))


def own_list(annotator: Annotator, *, state: str = "", search: str = "") -> OwnList:
    """The same for pages, of which each is read alone. Where what is kept says how many there are,
    they are counted, and found by their standing; else they are looked for in the annotator's
    order, and nobody knows how many there will be."""
    if not search.strip():
        if state not in STATES:
            whole = WholeList(annotator)
            return OwnList(whole, whole.count())
        kept = StandingList(annotator, state) if state in _BY_STANDING else None
        if kept and (state == "aside" or not kept.sent_back):
            return OwnList(kept, kept.count())
    narrowed = _narrowed(annotator, state, search)
    return OwnList(KeysFirst(narrowed, lambda keys: _detailed(keys).order_by("position")), None)


def _narrowed(annotator: Annotator, state: str, search: str) -> QuerySet[Assignment]:
    if state == "doubt":
        rows = _doubted(annotator)
    else:
        rows = visible(annotator).filter(_STATES.get(state, Q())).order_by("position")
    if words := folded(search).split():
        rows = rows.filter(pk__in=_ids_with_words(annotator, words))
    return rows


def _doubted(annotator: Annotator) -> QuerySet[Assignment]:
    """Those of which their annotator says a doubt: by their keys alone, since a database that knows
    whose they are goes through all pairs of that person in their order."""
    doubted = ListedRemark.objects.filter(annotator=annotator, has_doubt=True).order_by()
    keys = list(doubted.values_list("judgment__assignment", flat=True))
    rows = Assignment.objects.filter(pk__in=keys, standing__gt=Standing.HIDDEN)
    if annotator.study.state == Study.State.PRACTICE:
        rows = rows.filter(in_practice=True)
    return rows.order_by("position")


def _detailed(keys: list[int]) -> QuerySet[Any]:
    return _with_details(Assignment.objects.filter(pk__in=keys))


def _with_details(rows: QuerySet[Assignment]) -> QuerySet[Any]:
    received = RemarkAnswer.objects.filter(assignment=OuterRef("pk")).order_by()
    return (
        rows.select_related("draft", "judgment", "private_note")
        .prefetch_related(*(f"judgment__{part}" for part in PARTS))
        .annotate(opening=Substr("simplification__item__original", 1, 140), round=_ROUND_SHOWN)
        .annotate(
            again=AGAIN,
            answered=Exists(received),
            unread=Exists(received.filter(read_at__isnull=True)),
        )
        .annotate(
            put_aside=Exists(DraftVersion.objects.filter(assignment=OuterRef("pk")).order_by())
        )
    )


class WholeList:
    """All of ``own_judgments`` for a paginator, practice first: counted by the tallies and cut by
    the pairs' numbers. The last page reads no more rows than the first."""

    ordered = True

    def __init__(self, annotator: Annotator) -> None:
        self._rows = Assignment.objects.filter(annotator=annotator)
        tallies = Tally.objects.filter(annotator=annotator)
        if annotator.study.state == Study.State.PRACTICE:
            tallies = tallies.filter(in_practice=True)
        self._totals = dict(tallies.values_list("in_practice", "total"))

    def count(self) -> int:
        return sum(self._totals.values())

    def __getitem__(self, part: slice) -> list[Assignment]:
        practice, main = (self._totals.get(in_practice, 0) for in_practice in (True, False))
        return [
            *self._numbered(True, part.start, min(part.stop, practice)),
            *self._numbered(False, max(0, part.start - practice), min(part.stop - practice, main)),
        ]

    def _numbered(self, in_practice: bool, after: int, to: int) -> list[Assignment]:
        if after >= to:
            return []
        # What is in sight is said once, by what the index holds: SQLite takes one range for each
        # column.
        shown = self._rows.filter(
            of_round(in_practice), standing__in=IN_SIGHT, ordinal__gt=after, ordinal__lte=to
        )
        # Keys first: PostgreSQL takes a range of the index for many rows, and would read all texts.
        keys = list(shown.order_by().values_list("pk", flat=True))
        return list(_detailed(keys).order_by("ordinal"))


class StandingList:
    """The annotator's pairs in a state that what is kept tells, practice first: ranges of one
    index, put in order. Its first page reads no more rows because there are more pairs; a later
    one reads the numbers of those before it.

    ``sent_back``: some are to be judged again. They stand as open ones and are submitted, and the
    ranges do not tell them apart.
    """

    ordered = True

    def __init__(self, annotator: Annotator, state: str) -> None:
        self._rows = Assignment.objects.filter(annotator=annotator)
        self._standings = _BY_STANDING[state]
        tallies = Tally.objects.filter(annotator=annotator)
        if annotator.study.state == Study.State.PRACTICE:
            tallies = tallies.filter(in_practice=True)
        self._tallies = {tally.in_practice: tally for tally in tallies}
        self.sent_back = sum(tally.again for tally in self._tallies.values())

    def count(self) -> int:
        return self._number(True) + self._number(False)

    def __getitem__(self, part: slice) -> list[Assignment]:
        practice = self._number(True)
        keys = [
            *self._keys(True, part.start, min(part.stop, practice)),
            *self._keys(False, max(0, part.start - practice), part.stop - practice),
        ]
        by_key = {row.pk: row for row in _detailed(keys)}
        return [by_key[key] for key in keys if key in by_key]

    def _number(self, in_practice: bool) -> int:
        tally = self._tallies.get(in_practice) or Tally()
        if Standing.DONE in self._standings:
            return tally.done
        return tally.aside if len(self._standings) == 1 else tally.total - tally.done

    def _keys(self, in_practice: bool, after: int, to: int) -> list[int]:
        if after >= to or in_practice not in self._tallies:
            return []
        ranges = [
            self._rows.filter(of_round(in_practice), standing__in=[standing])
            .order_by("ordinal")
            .values_list("ordinal", "pk")[:to]
            for standing in self._standings
        ]
        return [pk for _ordinal, pk in islice(merge(*ranges), after, to)]


# What narrows the list to a state.
_STATES = {
    "submitted": JUDGED,
    "begun": ~JUDGED & Q(draft__isnull=False),
    "open": ~JUDGED,
    "aside": ASIDE & ~DONE,
    "again": AGAIN,
    "answered": Q(Exists(RemarkAnswer.objects.filter(assignment=OuterRef("pk")).order_by())),
    "doubt": JUDGED,
    "noted": Q(private_note__isnull=False) & ~Q(private_note__text=""),
}
STATES = tuple(_STATES)
RECENT = 5


def own_recent(annotator: Annotator) -> list[Assignment]:
    """The pairs that the annotator worked on last, the latest first; with their draft."""
    shown = Q(assignment__standing__gt=Standing.HIDDEN)
    if annotator.study.state == Study.State.PRACTICE:
        shown &= Q(assignment__in_practice=True)
    latest = Draft.objects.filter(shown, annotator=annotator).order_by("-saved_at")
    return [
        draft.assignment
        for draft in latest.select_related("assignment__simplification__item")[:RECENT]
    ]


def _ids_with_words(annotator: Annotator, words: list[str]) -> list[int]:
    """Ids of the annotator's pairs that hold all of these folded words: in their texts, in what the
    annotator wrote with their answers, or in their note. Looked at one by one: no database folds
    accents as the other does."""
    names = (
        "simplification__item__original",
        "simplification__text",
        "draft__answers",
        "private_note__text",
    )
    ids = []
    protocol = annotator.study.protocol
    for pk, original, simplification, answers, note in (
        visible(annotator).values_list("pk", *names).iterator()
    ):
        typed = protocol.typed(answers or {})
        text = folded("\n".join([original, simplification, note or "", *typed]))
        if all(word in text for word in words):
            ids.append(pk)
    return ids


def own_revisions(assignment: Assignment) -> list[OwnRevision]:
    """Every submission of one pair that was not taken back, the newest first."""
    study = assignment.annotator.study
    return [
        OwnRevision(
            number=revision.number,
            answers=revision.answers,
            score=study.protocol.running_score(revision.answers, study.rulings),
            submitted_at=revision.submitted_at,
            active_seconds=revision.active_seconds,
        )
        for revision in assignment.revisions.filter(standing()).order_by("-number")
    ]


def own_versions(assignment: Assignment) -> list[OwnVersion]:
    """What of one pair's draft was put aside and is still kept, the newest first."""
    return [
        OwnVersion(kept.number, kept.answers, kept.origin, kept.saved_at, kept.kept_at)
        for kept in assignment.draft_versions.order_by("-number")
    ]


def own_former_answers(assignment: Assignment, source: str, number: int) -> Answers | None:
    """The answers of a kept version of the draft (``source`` "draft") or of a submission
    ("submission"); None where there is none of that number (any more)."""
    rows: Any = {
        "draft": assignment.draft_versions,
        "submission": assignment.revisions.filter(standing()),
    }.get(source)
    version = rows.filter(number=number).first() if rows is not None else None
    return version.answers if version else None
