"""What each step of judging would otherwise count: kept in the transaction of whatever changes it.

Three ways, by what changed: one pair was done or is to be done again (``standing_set``,
``standings_turn``), pairs were added at the end of somebody's order (``standings_append``), or what
somebody sees has changed, and with it the numbers of their pairs (``standings_recount``).

Locks are taken in one order: a study's row, assignments, tallies; the assignments of one annotator
by their number. Whoever changes a tally holds the assignments that they change it for, so that a
recount, which holds all of them, finds nothing under way. So whoever may come to a recount holds
all of them from the beginning (``annotators_hold``): with one of them in hand, two would wait for
each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F, OuterRef, QuerySet, Subquery

from annotation.models import Assignment, Draft, Tally
from annotation.selectors.base.standings import (
    Departure,
    annotators_kept,
    counted,
    departures,
    numbered,
    tallied,
)

Standing = Assignment.Standing
_KEPT = ("total", "done", "aside", "unread")
_TABLE = Assignment._meta.db_table
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
class Given:
    """An assignment that is about to be stored among many: a round of a quarter of a million is
    opened while somebody waits, and the ORM's own objects take most of that time to make."""

    annotator_id: int
    simplification_id: int
    position: int
    in_practice: bool
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


def standing_set(assignment: Assignment, before: int, after: int) -> None:
    """Keep that this pair stands otherwise; it is held, and ``before`` was read under the lock.
    Where it was or comes out of sight, its annotator's pairs are counted anew, and are all held."""
    if before == after:
        return
    if Standing.HIDDEN in (before, after):
        standings_recount([assignment.annotator_id])
        return
    Assignment.objects.filter(pk=assignment.pk).update(standing=after)
    _tally_add(assignment.annotator_id, assignment.in_practice, _difference(before, after))


def standings_turn(assignments: Collection[int]) -> None:
    """Keep what these pairs stand for now. They are held, and what changed is stored. Where one
    was out of sight, everything of its annotator's is held."""
    rows = counted(Assignment.objects.filter(pk__in=assignments)).exclude(
        standing=F("now_standing")
    )
    names = ("pk", "annotator", "in_practice", "standing", "now_standing")
    turned = list(rows.values_list(*names).order_by("pk"))
    unseen = {annotator for _, annotator, _, *both in turned if Standing.HIDDEN in both}
    if unseen:
        standings_recount(unseen)
    added: dict[tuple[int, bool], Counter[str]] = {}
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
    for (annotator, in_practice), numbers in sorted(added.items()):
        _tally_add(annotator, in_practice, numbers)


def standings_append(
    new: Iterable[Assignment | Given], *, standing: Assignment.Standing = Standing.OPEN
) -> None:
    """Say of assignments that are about to be stored, at the end of their annotators' orders, what
    they stand for: ``standing`` (open, or done where their judgments come with them), and the next
    numbers. The study is held; ``in_practice`` is set."""
    by_order: dict[tuple[int, bool], list[Assignment | Given]] = {}
    for one in new:
        by_order.setdefault((one.annotator_id, one.in_practice), []).append(one)
    annotators = sorted({annotator for annotator, _ in by_order})
    missing = [
        Tally(annotator_id=one, in_practice=practice)
        for one in annotators
        for practice in (True, False)
    ]
    Tally.objects.bulk_create(missing, ignore_conflicts=True)
    for tally in _tallies_held(annotators):
        added = by_order.get((tally.annotator_id, tally.in_practice), [])
        for ordinal, one in enumerate(added, start=tally.total + 1):
            one.standing, one.ordinal = standing, ordinal
        if added:
            numbers = {"total": 1} | _difference(Standing.OPEN, standing)
            more = {name: number * len(added) for name, number in numbers.items()}
            _tally_add(tally.annotator_id, tally.in_practice, more)


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
        update_fields=_KEPT,
    )


def unread_add(assignment: Assignment, number: int) -> None:
    """Keep that so many more answers to remarks on this pair are unread, or fewer. The pair is
    held."""
    if number and assignment.standing != Standing.HIDDEN:
        _tally_add(assignment.annotator_id, assignment.in_practice, {"unread": number})


def positions_check(*, rebuild: bool = False) -> Iterator[Departure]:
    """Where what is kept departs from what is counted, for everybody; with ``rebuild`` it is
    counted anew there.

    Each annotator in a transaction of their own, which holds what is kept: nothing changes between
    the two readings.
    """
    for annotator in annotators_kept():
        with transaction.atomic():
            assignments_hold(Assignment.objects.filter(annotator=annotator))
            _tallies_held([annotator])
            found = departures([annotator])
            if found and rebuild:
                standings_recount([annotator])
        yield from found


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


def _tally_add(annotator: int, in_practice: bool, numbers: dict[str, int] | Counter[str]) -> None:
    changed = {name: F(name) + number for name, number in numbers.items() if number}
    if changed:
        Tally.objects.filter(annotator=annotator, in_practice=in_practice).update(**changed)


def _tallies_held(annotators: Collection[int]) -> list[Tally]:
    return list(
        Tally.objects.select_for_update()
        .filter(annotator__in=annotators)
        .order_by("annotator", "in_practice")
    )
