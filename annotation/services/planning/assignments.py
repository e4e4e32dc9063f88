"""Who judges what: assignments are made and taken back here and nowhere else."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from io import StringIO
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.allocation import annotator_seed, seeded_order
from annotation.models import (
    PARKED,
    Annotator,
    Assignment,
    Item,
    Simplification,
    Study,
    User,
    plan_of,
)
from annotation.selectors.planning.absence import judging
from annotation.selectors.planning.plan import Allocation, allocation, pairs_of
from annotation.services.base.answered import items_expect, items_of, items_recount
from annotation.services.base.standings import (
    NewAssignment,
    annotators_hold,
    standings_follow,
    standings_number,
    standings_recount,
)
from annotation.services.planning.context_arm import context_draw
from annotation.services.platform.events import event_record
from annotation.services.platform.row_counts import row_counts_refresh_on_commit
from annotation.services.platform.study_rows import study_row_lock

_NAMED = 1000
"""Pairs that a query names at most; of more, all that people hold is read."""


@transaction.atomic
def assignments_fill(*, actor: User | None, study: Study) -> int:
    """Give every annotator who is a person what the study's plan has for them and they do not have
    yet.

    Practice and control pairs go to everybody, pairs of the main round as the plan says: everyone ×
    everything, or so many people per pair. Practice comes first; within a round each annotator has
    an order of their own, drawn by the study's seed and their pseudonym. What somebody already has
    keeps its place: later items follow, so that a position never changes its meaning. Returns how
    many were added.
    """
    study = study_row_lock(study.pk, no_key=True)
    return allocation_apply(actor=actor, study=study, drawn=allocation(study, plan_of(study)))


def allocation_apply(*, actor: User | None, study: Study, drawn: Allocation) -> int:
    """Carry out an allocation of the main round, and give everybody the rest. Within a transaction
    that holds the study. Returns how many assignments were added."""
    annotators = list(judging(study))
    teams = drawn.per_item is not None
    # A plan of teams is drawn when its round opens: before that, people still come and go.
    waits = teams and study.state in (Study.State.DRAFT, Study.State.PRACTICE)
    # Items come last of all that is locked: what is taken back is counted there once all is given.
    turned = items_of(drawn.dropped)
    dropped = main_pairs_undo(study) if waits else _release(drawn.dropped)
    main = {} if waits else drawn.added
    added, again = _give(study, annotators, _wanted(study, annotators, main))
    items_recount(turned | again)
    if added or dropped:
        plan: dict[str, Any] = {"per_item": drawn.per_item, "seed": drawn.seed} if teams else {}
        taken: dict[str, Any] = {"released": dropped} if dropped else {}
        event_record(
            actor=actor,
            study=study,
            verb="assignments_filled",
            added=added,
            annotators=len(annotators),
            **plan,
            **taken,
        )
    return added


def main_pairs_undo(study: Study) -> int:
    """Take back the main pairs that an earlier plan gave out, before their round opens: nobody can
    have seen one yet. Within a transaction that holds the study. Returns how many."""
    rows = Assignment.objects.filter(
        annotator__study=study, simplification__item__round=Item.Round.MAIN
    )
    unused = {f"{relation.name}__isnull": True for relation in Assignment._meta.related_objects}
    given = rows.filter(annotator__kind=Annotator.Kind.PERSON, **unused)
    undone = given.filter(opened_at__isnull=True).order_by()
    annotators = set(undone.values_list("annotator", flat=True).distinct())
    annotators_hold(annotators)
    turned = set(undone.values_list("simplification__item", flat=True).distinct())
    number = _delete(undone)
    standings_recount(annotators)
    # Before their round opens nobody is at one of these items, and nobody waits for them.
    items_recount(turned)
    return number


def _delete(unused: QuerySet[Assignment]) -> int:
    """Take away rows to which none refers; how many. The ORM would bring each, and look for what
    refers to it in nine tables: of 50,000 for eight seconds in place of one, all in memory."""
    sql, params = unused.values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        table = Assignment._meta.db_table
        cursor.execute(f"DELETE FROM {table} WHERE id IN ({sql})", params)  # noqa: S608  (our own)
        return int(cursor.rowcount)


def _release(assignments: Collection[int]) -> int:
    """Take back what nobody has submitted. The rows stay: a position never changes its meaning, and
    who has begun one may still submit it. Whoever is submitting one at this moment is waited for,
    and keeps it."""
    annotators = _annotators_of(assignments)
    annotators_hold(annotators)
    rows = Assignment.objects.filter(
        pk__in=assignments, released_at__isnull=True, judgment__isnull=True
    )
    number = rows.update(released_at=timezone.now())
    standings_recount(annotators)
    return number


# One block of an annotator's order: simplification ids by key. Blocks follow one another.
Block = dict[str, int]


def _wanted(
    study: Study, annotators: list[Annotator], main: dict[str, list[str]]
) -> dict[int, list[Block]]:
    """By annotator id, what they are to have that the main round's allocation or the study gives
    them."""
    practice = pairs_of(study, [Item.Round.PRACTICE])
    control = pairs_of(study, [Item.Aside.CONTROL])
    pairs = pairs_of(study, [Item.Round.MAIN])
    mine: dict[str, Block] = defaultdict(dict)
    for pair, names in main.items():
        for name in names:
            mine[name][pair] = pairs[pair]
    return {
        annotator.pk: [practice, mine[annotator.pseudonym] | control] for annotator in annotators
    }


def _give(
    study: Study, annotators: list[Annotator], wanted: dict[int, list[Block]]
) -> tuple[int, set[int]]:
    """Store what is not there; what was released and comes back is taken up where it was. Returns
    how many, and the items of what came back, whose answers are to be counted anew."""
    held: dict[int, dict[int, tuple[int, bool]]] = defaultdict(dict)
    rows = Assignment.objects.filter(annotator__in=annotators)
    pairs = {pair for blocks in wanted.values() for block in blocks for pair in block.values()}
    # Where little is to be given, most of what people hold has nothing to do with it.
    looked_at = rows.filter(simplification__in=pairs) if len(pairs) <= _NAMED else rows
    for pk, whose, pair, released in looked_at.values_list(
        "pk", "annotator_id", "simplification_id", "released_at"
    ):
        held[whose][pair] = pk, released is not None
    in_order = rows.filter(position__lt=PARKED).order_by()
    last = dict(in_order.values_list("annotator_id").annotate(Max("position")))
    item_of, beside = _items_of_pairs(study)
    new: list[NewAssignment] = []
    back: list[int] = []
    for annotator in annotators:
        # A quarter of a million times round: what stays the same is read once.
        whose, theirs = annotator.pk, held[annotator.pk]
        position = max(last.get(whose, 0), annotator.places_used)
        for pair, practice in _in_order(annotator, wanted[whose]):
            there = theirs.get(pair)
            if there is None:
                position += 1
                new.append(NewAssignment(whose, pair, position, practice, pair in beside))
            elif there[1]:
                back.append(there[0])
    _take_up(back)
    if new:
        context_draw(annotators[0].study, new)
        given: Counter[int] = Counter()
        for pair, number in Counter(map(attrgetter("simplification_id"), new)).items():
            given[item_of[pair]] += number
        someones = _items_of_somebody(annotators[0].study, given)
        totals = standings_number(new)
        _store(new)
        # All that takes long comes before the tallies: who submits waits for theirs. Items come
        # after them, but those that nobody is at.
        items_expect({item: number for item, number in given.items() if item not in someones})
        _references_check()
        standings_follow(new, totals)
        items_expect({item: number for item, number in given.items() if item in someones})
        row_counts_refresh_on_commit(len(new), Assignment)
    return len(new) + len(back), items_of(back)


def _items_of_somebody(study: Study, items: Collection[int]) -> set[int]:
    """Those of these items, and others, of which somebody has a pair, whoever they are."""
    rows = Assignment.objects.filter(annotator__study=study).order_by()
    if len(items) <= _NAMED:
        rows = rows.filter(simplification__item__in=items)
    return set(rows.values_list("simplification__item", flat=True).distinct())


def _references_check() -> None:
    """Look up what the rows of this transaction refer to, as PostgreSQL would at its end."""
    if connection.vendor == "postgresql":
        connection.check_constraints()


def _items_of_pairs(study: Study) -> tuple[dict[int, int], set[int]]:
    """By simplification id, its item; and which of them are controls or repeats."""
    rows = Simplification.objects.filter(item__study=study).order_by()
    pairs = list(rows.values_list("pk", "item", "item__round"))
    asides = {pk for pk, _, round_ in pairs if round_ in Item.Aside.values}
    return {pk: item for pk, item, _ in pairs}, asides


_COLUMNS = (
    "annotator_id",
    "simplification_id",
    "position",
    "context_shown",
    "standing",
    "in_practice",
    "ordinal",
)
_TABLE = Assignment._meta.db_table
_NAMES = ", ".join(_COLUMNS)
# Out of a list of their numbers SQLite makes somebody's rows by itself. Row by row it would enter
# each into every index of the table before it takes the next from Python, which is twice the time.
_INSERT = (
    f"INSERT INTO {_TABLE} ({_NAMES}) SELECT %s, value, %s + key, substr(%s, key + 1, 1) = x'01', "  # noqa: S608  (our own table)
    "%s, %s, %s + key FROM json_each(%s)"
)
_COPY = f"COPY {_TABLE} ({_NAMES}) FROM STDIN"
_LINE = "\t".join(["%d"] * len(_COLUMNS)) + "\n"


def _store(new: list[NewAssignment]) -> None:
    """Insert these; every other column is empty or has its default in the database. A quarter of a
    million rows go in by what each database has for many at once.

    Of one person and round they follow one another, and so do their places and numbers.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for _whose, run in groupby(new, attrgetter("annotator_id", "in_practice")):
                cursor.execute(_INSERT, _run(list(run)))
            return
        lines = map(_LINE.__mod__, map(attrgetter(*_COLUMNS), new))
        # Numbers and truths only (1 and 0 are such to COPY): nothing has to be escaped.
        # The driver's own method: its errors are to be Django's all the same.
        with connection.wrap_database_errors:
            cursor.copy_expert(_COPY, StringIO("".join(lines)))


def _run(run: list[NewAssignment]) -> list[Any]:
    """For ``_INSERT``."""
    first = run[0]
    shown = bytes([assignment.context_shown for assignment in run])
    before = [first.annotator_id, first.position, shown, first.standing, first.in_practice]
    return [
        *before,
        first.ordinal,
        json.dumps([assignment.simplification_id for assignment in run]),
    ]


def _take_up(released: list[int]) -> None:
    """These are their annotators' again."""
    annotators = _annotators_of(released)
    annotators_hold(annotators)
    Assignment.objects.filter(pk__in=released).update(released_at=None)
    standings_recount(annotators)


def _annotators_of(assignments: Collection[int]) -> set[int]:
    rows = Assignment.objects.filter(pk__in=assignments).order_by()
    return set(rows.values_list("annotator", flat=True))


def _in_order(annotator: Annotator, blocks: list[Block]) -> Iterator[tuple[int, bool]]:
    """Pairs, and whether they are of the practice round: the first block is."""
    seed = annotator_seed(annotator.study.seed, annotator.pseudonym)
    for number, keys in enumerate(blocks):
        for key in seeded_order(keys, seed):
            yield keys[key], number == 0
