"""Where an annotator stands in their own order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Value

from annotation.models import Annotator, Assignment, Item, Study, offered_with, out_of_sight, round_shown
from annotation.prepared import Prepared
from annotation.selectors.rejudging import AGAIN

JUDGED = Q(judgment__submitted_at__isnull=False)
# A judgment that an amended guide sends back waits like one that was never made.
DONE = JUDGED & ~AGAIN
# What an annotator keeps for later comes after everything else; it is no less to be judged.
ASIDE = Q(set_aside_at__isnull=False)


@dataclass(frozen=True)
class Place:
    """A position among the pairs of its round, and its neighbours."""

    ordinal: int
    total: int
    done: int
    previous: int | None
    following: int | None
    next_open: int | None


@dataclass(frozen=True)
class Waiting:
    """What waits for one annotator beside their next pair: ``aside`` pairs of the open round that they keep for later,
    ``unread`` answers of leads to their remarks."""

    aside: int
    unread: int


def visible(annotator: Annotator) -> QuerySet[Assignment]:
    """The annotator's assignments that they may look at: main items stay hidden during practice, and what is
    ``out_of_sight`` for good."""
    assignments = Assignment.objects.filter(annotator=annotator).exclude(out_of_sight())
    if annotator.study.state == Study.State.PRACTICE:
        return assignments.filter(simplification__item__round="practice")
    return assignments


def place(annotator: Annotator, position: int, round_: str) -> Place:
    """Where ``position`` stands in its round; one query. ``next_open`` is the next pair without a judgment (or to be
    judged again), after this one if there is one, else from the start of the round; what was set aside comes last."""
    found = _standing(offered_with(round_)).rows(annotator=annotator.pk, position=position)[0]
    return Place(
        ordinal=found["before"] + 1,
        total=found["total"],
        done=found["done"],
        previous=found["previous"],
        following=found["following"],
        next_open=found["open_after"] or found["open_anywhere"] or found["aside"],
    )


@cache
def _standing(rounds: tuple[str, ...]) -> Prepared[dict[str, Any]]:
    def build(annotator: int, position: int) -> QuerySet[Any, Any]:
        before, after = Q(position__lt=position), Q(position__gt=position)
        among = Assignment.objects.filter(annotator=annotator, simplification__item__round__in=rounds)
        # One row over all of them: a constant is nothing to group by.
        return (
            among.exclude(out_of_sight())
            .order_by()
            .values(all=Value(1))
            .annotate(
                total=Count("pk"),
                done=Count("pk", filter=DONE),
                before=Count("pk", filter=before),
                previous=Max("position", filter=before),
                following=Min("position", filter=after),
                open_after=Min("position", filter=after & ~ASIDE & ~DONE),
                open_anywhere=Min("position", filter=~ASIDE & ~DONE & ~Q(position=position)),
                aside=Min("position", filter=ASIDE & ~DONE & ~Q(position=position)),
            )
        )

    return Prepared(build, plan_once=True, annotator=2_000_000_001, position=2_000_000_002)


def ordinals(annotator: Annotator) -> dict[int, int]:
    """By position, the number by which its annotator knows each of their pairs: as ``place`` counts, practice and main
    each on its own. Whatever names a pair to its annotator takes it from here or from there; one query."""
    rows = Assignment.objects.filter(annotator=annotator).exclude(out_of_sight()).order_by("position")
    counted: Counter[str] = Counter()
    found: dict[int, int] = {}
    for position, round_ in rows.values_list("position", "simplification__item__round"):
        shown = round_shown(round_)
        counted[shown] += 1
        found[position] = counted[shown]
    return found


def first_open(annotator: Annotator) -> int | None:
    """Position of the first pair in the open round that has no judgment yet, or is to be judged again; a begun
    one counts as open, and one that was set aside comes last. Silent repeats come after the rest: being sent back to a
    pair of last week would tell what it is."""
    found = (
        visible(annotator)
        .filter(simplification__item__round__in=annotator.study.open_rounds)
        .exclude(DONE)
        .aggregate(
            first=Min("position", filter=~ASIDE & ~Q(simplification__item__round=Item.Aside.REPEAT)),
            repeat=Min("position", filter=~ASIDE),
            aside=Min("position"),
        )
    )
    first: int | None = found["first"] or found["repeat"] or found["aside"]
    return first


def waiting_of(annotators: Collection[Annotator]) -> dict[int, Waiting]:
    """By annotator id; two queries for all of them. Their studies are there already."""
    rounds = {one.pk: one.study.open_rounds for one in annotators}
    seen = Assignment.objects.filter(annotator__in=list(rounds)).exclude(out_of_sight()).order_by()
    aside: Counter[int] = Counter()
    for key, round_ in seen.filter(ASIDE).exclude(DONE).values_list("annotator", "simplification__item__round"):
        aside[key] += round_ in rounds[key]
    unread = Counter(
        seen.filter(JUDGED, remark_answers__isnull=False, remark_answers__read_at__isnull=True).values_list(
            "annotator", flat=True
        )
    )
    return {key: Waiting(aside[key], unread[key]) for key in rounds}


def counts(annotator: Annotator) -> tuple[int, int]:
    """(done, total) in the open round, or over all rounds once the study is closed."""
    return counts_of([annotator])[annotator.pk]


def counts_of(annotators: Iterable[Annotator]) -> dict[int, tuple[int, int]]:
    """What ``counts`` says of each, by its key; one query for all of them. Their studies are there already."""
    found: dict[int, tuple[int, int]] = {}
    by_rounds: dict[tuple[str, ...], list[int]] = {}
    for annotator in annotators:
        found[annotator.pk] = (0, 0)
        by_rounds.setdefault(annotator.study.open_rounds, []).append(annotator.pk)
    wanted = Q(pk__in=[])
    for rounds, keys in by_rounds.items():
        wanted |= Q(annotator__in=keys) & (Q(simplification__item__round__in=rounds) if rounds else Q())
    rows = Assignment.objects.filter(wanted).exclude(out_of_sight()).order_by().values_list("annotator")
    for key, done, total in rows.annotate(done=Count("pk", filter=DONE), total=Count("pk")):
        found[key] = (done, total)
    return found
