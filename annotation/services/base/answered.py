"""How many answers each item has, kept in the transaction of whatever changes it.

An item's row comes last of all that is locked: study, pairs, assignments, tallies, items, these by
their number. A submission adds to one item; nobody else waits for it but who submits the same item
at the same moment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F

from annotation.models import Annotator, Assignment, Item, Study
from annotation.selectors.base.answered import (
    KEPT,
    ItemNumbers,
    items_counted,
    items_kept,
    with_numbers,
)
from annotation.selectors.base.standings import Departure

AT_ONCE = 500
# Of two submissions the later one's moment, whichever is stored first. Somebody's own answers count
# as long as they are there, which is asked in the same moment.
_ADD = (
    f"UPDATE {Item._meta.db_table} SET answers = answers + %s, expected = expected + %s, "  # noqa: S608  (our own tables)
    "waits_since = CASE WHEN waits_since < %s THEN %s ELSE waits_since END WHERE id = %s AND "
    f"EXISTS (SELECT 1 FROM {Annotator._meta.db_table} WHERE id = %s AND kind = %s "
    "AND withdrawn_at IS NULL)"
)
# Only what differs is written: a row that stays as it is holds up nobody.
_FOLLOW = """
WITH found AS MATERIALIZED ({found})
UPDATE {table} SET answers = found.now_answers, expected = found.now_expected,
    waits_since = found.now_waits_since
FROM found WHERE found.pk = {table}.id AND ({table}.answers <> found.now_answers
OR {table}.expected <> found.now_expected OR {table}.waits_since <> found.now_waits_since)
"""


def item_add(assignment: Assignment, *, answers: int, expected: int, moment: datetime) -> None:
    """Add to the item what a submission changes. The pair is held. Of somebody who has withdrawn in
    this very moment nothing counts: who withdraws them holds all of their pairs first."""
    at = connection.ops.adapt_datetimefield_value(moment)
    whose = (
        assignment.simplification.item_id,
        assignment.annotator_id,
        Annotator.Kind.PERSON.value,
    )
    with connection.cursor() as cursor:
        cursor.execute(_ADD, [answers, expected, at, at, *whose])


def items_of(assignments: Collection[int]) -> set[int]:
    """The items of these assignments: read them before rows go."""
    rows = Assignment.objects.filter(pk__in=assignments).order_by()
    return set(rows.values_list("simplification__item", flat=True))


def items_of_annotator(annotator: int) -> set[int]:
    """Everything that somebody was given."""
    rows = Assignment.objects.filter(annotator=annotator).order_by()
    return set(rows.values_list("simplification__item", flat=True))


def items_expect(added: Mapping[int, int]) -> None:
    """Add so many pairs that were given out to these items; the study is held, and whom they were
    given to is here."""
    alike: dict[int, list[int]] = defaultdict(list)
    for item, number in added.items():
        alike[number].append(item)
    _held(added)
    for number, items in alike.items():
        for part in _parts(items):
            Item.objects.filter(pk__in=part).update(expected=F("expected") + number)


def items_recount(items: Collection[int]) -> None:
    """Count the answers of these items anew. What changes them is stored, and the study or their
    pairs are held."""
    _held(items)
    for part in _parts(items):
        now = with_numbers(Item.objects.filter(pk__in=part))
        numbers = now.values("pk", *(f"now_{name}" for name in KEPT))
        sql, params = numbers.query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(_FOLLOW.format(table=Item._meta.db_table, found=sql), params)


def items_check(*, rebuild: bool = False) -> Iterator[Departure]:
    """Where what is kept of items departs from what is counted; with ``rebuild`` it is counted anew
    there. So many at a time, in a transaction that holds them."""
    for study in Study.objects.order_by("pk").values_list("pk", flat=True):
        every = Item.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
        for part in _parts(list(every)):
            yield from _checked(part, rebuild=rebuild)


@transaction.atomic
def _checked(part: list[int], *, rebuild: bool) -> list[Departure]:
    _held(part)
    kept, counted = items_kept(part), items_counted(part)
    departing = [
        Departure(f"item {pk}", _numbers(numbers), _numbers(counted[pk]))
        for pk, numbers in sorted(kept.items())
        if numbers != counted[pk]
    ]
    if departing and rebuild:
        items_recount(part)
    return departing


def _held(items: Collection[int]) -> None:
    for part in _parts(items):
        rows = Item.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=part)
        list(rows.order_by("pk").values_list("pk"))


def _numbers(item: ItemNumbers) -> tuple[int, ...]:
    return item.answers, item.expected, int(item.waits_since.timestamp())


def _parts(items: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(items)
    for start in range(0, len(ordered), AT_ONCE):
        yield ordered[start : start + AT_ONCE]
