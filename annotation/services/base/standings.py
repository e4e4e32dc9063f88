"""What each step of judging would otherwise count: kept in the transaction of whatever changes it.

Three ways, by what changed: one pair was done or is to be done again (``standing_set``,
``standings_turn``), pairs were added at the end of somebody's order (``standings_append``, or
``standings_number`` and ``standings_follow`` around storing many), or what somebody sees has
changed, and with it the numbers of their pairs (``standings_recount``).

Locks are taken in one order: a study's row, assignments, tallies, items (``answered``); the
assignments of one annotator by their number. Whoever changes a tally holds the assignments that
they change it for, or their pair, or has just stored them, so that a
recount, which holds all of them, finds nothing under way. So whoever may come to a recount holds
all of them from the beginning (``annotators_hold``): with one of them in hand, two would wait for
each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from django.db import connection, transaction
from django.db.models import F, OuterRef, QuerySet, Subquery

from annotation.models import Annotator, Assignment, Draft, Item, RejudgeRequest, Study, Tally
from annotation.rows import row_update
from annotation.selectors.base.answered import expected_of
from annotation.selectors.base.remarked import listing_departs, remarks_open
from annotation.selectors.base.standings import (
    KEPT,
    Departure,
    annotators_kept,
    counted,
    departures,
    numbered,
    sent_back,
    tallied,
)
from annotation.selectors.base.worked import days_departing
from annotation.services.base.answered import items_check
from annotation.services.base.listed import remarks_relist
from annotation.services.base.outputs import undecided_check
from annotation.services.base.sizes import sizes_check
from annotation.services.base.worked import days_recount

Standing = Assignment.Standing
Changes = dict[tuple[int, bool], Counter[str]]
"""By annotator and whether of practice, what to add to each number of a tally."""
_TABLE, _TALLIES = Assignment._meta.db_table, Tally._meta.db_table
# Only what differs is written: a row that stays as it is holds up nobody. Numbered once, whatever
# the planner believes: beside rows that are as new as this transaction, PostgreSQL takes the tables
# for empty and would number everything anew for each row.
_FOLLOW = """
WITH found AS MATERIALIZED ({found})
UPDATE {table} SET standing = found.now_standing, in_practice = found.now_practice,
    ordinal = found.now_ordinal
FROM found WHERE found.pk = {table}.id AND ({table}.standing <> found.now_standing
OR {table}.in_practice <> found.now_practice OR {table}.ordinal <> found.now_ordinal)
"""


@dataclass(slots=True)
class NewAssignment:
    """An assignment that is about to be stored among many: a round of a quarter of a million is
    opened while somebody waits, and the ORM's own objects take most of that time to make."""

    annotator_id: int
    simplification_id: int
    position: int
    in_practice: bool
    is_beside: bool = False
    context_shown: bool = False
    standing: int = Standing.HIDDEN
    ordinal: int = 0


def assignments_hold(assignments: QuerySet[Assignment]) -> None:
    """Make whoever opens, saves or submits one of these wait until this transaction ends, and wait
    for who is doing so. What is read after that holds. The study is held already."""
    list(assignments.select_for_update(of=("self",)).order_by("pk").values_list("pk"))


def annotators_hold(annotators: Collection[int]) -> None:
    """``assignments_hold`` for everything that these annotators have, before any of it is held
    alone: what follows may count all of it anew."""
    assignments_hold(Assignment.objects.filter(annotator__in=annotators))


def standing_set(
    assignment: Assignment, before: int, after: int, more: Mapping[str, int] | None = None
) -> None:
    """Keep that this pair stands otherwise; it is held, and ``before`` was read under the lock.
    ``more``: what else changes of its annotator's numbers. Where it was or comes out of sight, its
    annotator's pairs are counted anew, and are all held."""
    if before != after and Standing.HIDDEN in (before, after):
        standings_recount([assignment.annotator_id])
        return
    if before != after:
        assignment.standing = after
        row_update(assignment, "standing")
    key = (assignment.annotator_id, assignment.in_practice)
    tallies_add({key: Counter(_difference(before, after) | dict(more or {}))})


def standings_turn(assignments: Collection[int], more: Changes | None = None) -> None:
    """Keep what these pairs stand for now. They are held, and what changed is stored. ``more``:
    what else changes of anybody's numbers. Where one was out of sight, everything of its
    annotator's is held."""
    rows = counted(Assignment.objects.filter(pk__in=assignments)).exclude(
        standing=F("now_standing")
    )
    names = ("pk", "annotator", "in_practice", "standing", "now_standing")
    turned = list(rows.values_list(*names).order_by("pk"))
    unseen = {annotator for _, annotator, _, *both in turned if Standing.HIDDEN in both}
    if unseen:
        standings_recount(unseen)
    added: Changes = {key: Counter(of) for key, of in (more or {}).items() if key[0] not in unseen}
    for standing in Standing.values:
        now = [
            pk
            for pk, annotator, _, _, after in turned
            if after == standing and annotator not in unseen
        ]
        Assignment.objects.filter(pk__in=now).update(standing=standing)
    for _pk, annotator, in_practice, before, after in turned:
        if annotator not in unseen:
            added.setdefault((annotator, in_practice), Counter()).update(_difference(before, after))
    tallies_add(added)


def standings_append(
    new: Iterable[Assignment | NewAssignment], *, standing: Assignment.Standing = Standing.OPEN
) -> None:
    """Say of assignments that are about to be stored, at the end of their annotators' orders, what
    they stand for: ``standing`` (open, or done where their judgments come with them), and the next
    numbers. The study is held; ``in_practice`` is set."""
    by_order = _by_order(new)
    for key, total in _totals_held(by_order).items():
        _number(by_order[key], standing, after=total)
        tallies_add({key: _appended(by_order[key], standing)})


Totals = dict[tuple[int, bool], int]
"""How many pairs somebody sees of a round."""


def standings_number(new: Iterable[NewAssignment]) -> Totals:
    """``standings_append`` for so many open pairs that storing them takes its time, in which nobody
    is to wait for their tally: as they stand now. Once they are stored, ``standings_follow`` with
    what this gives."""
    by_order = _by_order(new)
    there = Tally.objects.filter(annotator__in={annotator for annotator, _ in by_order})
    totals = dict.fromkeys(by_order, 0) | {
        (tally.annotator_id, tally.in_practice): tally.total for tally in there
    }
    for key, added in by_order.items():
        _number(added, Standing.OPEN, after=totals[key])
    return totals


def standings_follow(new: Iterable[NewAssignment], totals: Totals) -> None:
    """Keep these pairs, which are stored and nobody's before this transaction ends, in their
    annotators' numbers; where something came into sight or out of it meanwhile, their own follow.
    """
    by_order = _by_order(new)
    for key, total in _totals_held(by_order).items():
        added = by_order[key]
        if moved := total - totals[key]:
            annotator, in_practice = key
            Assignment.objects.filter(
                annotator=annotator,
                in_practice=in_practice,
                position__range=(added[0].position, added[-1].position),
            ).update(ordinal=F("ordinal") + moved)
        tallies_add({key: _appended(added, Standing.OPEN)})


Added = TypeVar("Added", Assignment, NewAssignment, Assignment | NewAssignment)


def _by_order(new: Iterable[Added]) -> dict[tuple[int, bool], list[Added]]:
    by_order: dict[tuple[int, bool], list[Added]] = {}
    for assignment in new:
        by_order.setdefault((assignment.annotator_id, assignment.in_practice), []).append(
            assignment
        )
    return by_order


def _number(
    added: Iterable[Assignment | NewAssignment], standing: Assignment.Standing, *, after: int
) -> None:
    number = int(standing)
    for ordinal, assignment in enumerate(added, start=after + 1):
        assignment.standing, assignment.ordinal = number, ordinal


def _totals_held(orders: Collection[tuple[int, bool]]) -> Totals:
    """Of these orders, whose tallies are there and held from here on."""
    annotators = sorted({annotator for annotator, _ in orders})
    missing = [
        Tally(annotator_id=annotator, in_practice=practice)
        for annotator in annotators
        for practice in (True, False)
    ]
    Tally.objects.bulk_create(missing, ignore_conflicts=True)
    held = {
        (tally.annotator_id, tally.in_practice): tally.total for tally in _tallies_held(annotators)
    }
    return {key: total for key, total in held.items() if key in orders}


def standings_recount(annotators: Collection[int]) -> None:
    """Count everything that is kept of these annotators anew. Their study is held, or one of their
    pairs; of their pairs none, or all (``annotators_hold``)."""
    if not annotators:
        return
    everything = Assignment.objects.filter(annotator__in=annotators)
    assignments_hold(everything)
    _tallies_held(annotators)
    now = numbered(everything).values("pk", "now_standing", "now_practice", "now_ordinal")
    sql, params = now.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_FOLLOW.format(table=_TABLE, found=sql), params)
    Tally.objects.bulk_create(
        tallied(annotators).values(),
        update_conflicts=True,
        unique_fields=["annotator", "in_practice"],
        update_fields=KEPT,
    )


def unread_add(assignment: Assignment, number: int) -> None:
    """Keep that so many more answers to remarks on this pair are unread, or fewer. The pair is
    held."""
    if assignment.standing != Standing.HIDDEN:
        key = (assignment.annotator_id, assignment.in_practice)
        tallies_add({key: Counter(unread=number)})


def numbers_of(study: Study, assignments: Collection[int]) -> Changes:
    """What these pairs add to their annotators' numbers that leads are told, counted: before a
    change and after it, for ``numbers_between``. They are held."""
    changes: Changes = {}
    for *key, judged, awaited, beside in expected_of(Assignment.objects.filter(pk__in=assignments)):
        changes[tuple(key)] = Counter(judged=judged, awaited=awaited, beside=beside)
    for whose, number in remarks_open(study, assignments).items():
        changes.setdefault(whose, Counter())["remarks"] = number
    for whose, number in sent_back(RejudgeRequest.objects.filter(assignment__in=assignments)):
        changes.setdefault(whose, Counter())["again"] = number
    return changes


def numbers_between(before: Changes, after: Changes) -> Changes:
    """What has changed."""
    changes = {key: Counter(of) for key, of in after.items()}
    for key, of in before.items():
        changes.setdefault(key, Counter()).subtract(of)
    return changes


def tallies_add(changed: Changes) -> None:
    """Add to these people's numbers. Whoever changes those of several takes them in one order."""
    for (annotator, in_practice), numbers in sorted(changed.items()):
        of = {name: number for name, number in sorted(numbers.items()) if number}
        if of:
            with connection.cursor() as cursor:
                cursor.execute(_adding(tuple(of)), [*of.values(), annotator, in_practice])


@cache
def _adding(names: tuple[str, ...]) -> str:
    # Worded once: the ORM takes ten times as long to put it together as it takes to carry it out.
    added = ", ".join(f"{name} = {name} + %s" for name in names)
    return f"UPDATE {_TALLIES} SET {added} WHERE annotator_id = %s AND in_practice = %s"  # noqa: S608  (our own table)


def positions_check(*, rebuild: bool = False) -> Iterator[Departure]:
    """Where what is kept departs from what is counted, for everybody, every day, remark, item,
    study and run of models; with ``rebuild`` it is counted anew there.

    Each annotator in a transaction of their own, which holds what is kept: nothing changes between
    the two readings.
    """
    for annotator in annotators_kept():
        with transaction.atomic():
            assignments_hold(Assignment.objects.filter(annotator=annotator))
            _tallies_held([annotator])
            departing, days = departures([annotator]), days_departing([annotator])
            if departing and rebuild:
                standings_recount([annotator])
            if days and rebuild:
                days_recount([annotator])
            listed = _listing_check(annotator, rebuild=rebuild)
        yield from (*departing, *days, *listed)
    yield from items_check(rebuild=rebuild)
    yield from sizes_check(rebuild=rebuild)
    yield from undecided_check(rebuild=rebuild)


def _listing_check(annotator: int, *, rebuild: bool) -> list[Departure]:
    person = Annotator.objects.select_related("study").get(pk=annotator)
    departing = listing_departs(person)
    if departing and rebuild:
        remarks_relist(person)
    return [Departure(f"remark of judgment {pk}", *of) for pk, of in departing.items()]


def drafts_own() -> int:
    """Say whose each draft is that an older version stored without, after the database was
    migrated; returns how many."""
    whose = Assignment.objects.filter(pk=OuterRef("assignment")).values("annotator")
    return Draft.objects.filter(annotator__isnull=True).update(annotator=Subquery(whose))


def _difference(before: int, after: int) -> dict[str, int]:
    return {
        "done": (after == Standing.DONE) - (before == Standing.DONE),
        "aside": (after == Standing.ASIDE) - (before == Standing.ASIDE),
    }


def _appended(
    new: Collection[Assignment | NewAssignment], standing: Assignment.Standing
) -> Counter[str]:
    """What so many new pairs of one person add to their numbers."""
    beside = sum(map(_is_beside, new))
    own = len(new) - beside
    each = {"total": 1} | _difference(Standing.OPEN, standing)
    numbers = Counter({name: number * len(new) for name, number in each.items()})
    is_done = standing == Standing.DONE
    numbers.update({"judged": own} if is_done else {"awaited": own, "beside": beside})
    return numbers


def _is_beside(assignment: Assignment | NewAssignment) -> bool:
    if isinstance(assignment, NewAssignment):
        return assignment.is_beside
    return assignment.simplification.item.round in Item.Aside.values


def _tallies_held(annotators: Collection[int]) -> list[Tally]:
    # By the column itself: the order of annotators would join their rows, and lock them as well,
    # against everybody who stores something that refers to one.
    return list(
        Tally.objects.select_for_update()
        .filter(annotator__in=annotators)
        .order_by("annotator_id", "in_practice")
    )
