"""Where an annotator stands in their own order.

Everything here is kept as it changes (``services/base/standings.py``): no request looks at more
rows than it shows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Annotator, Assignment, Item, Study, Tally
from annotation.prepared import STAND_IN, Prepared

Standing = Assignment.Standing
# What an annotator sees, as seeks in an index: a number is looked up under each.
IN_SIGHT = (Standing.OPEN, Standing.REPEAT, Standing.ASIDE, Standing.DONE)


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
    """What waits for one annotator beside their next pair: ``aside`` pairs of the open round that
    they keep for later, ``unread`` answers of leads to their remarks."""

    aside: int
    unread: int


def visible(annotator: Annotator) -> QuerySet[Assignment]:
    """The annotator's assignments that they may look at: main items stay hidden during practice,
    and what is out of sight for good."""
    assignments = Assignment.objects.filter(annotator=annotator, standing__gt=Standing.HIDDEN)
    if annotator.study.state == Study.State.PRACTICE:
        return assignments.filter(in_practice=True)
    return assignments


def place(assignment: Assignment) -> Place:
    """Where this pair stands in its round, with its number as it was read; one query. ``next_open``
    is the next pair without a judgment (or to be judged again), after this one if there is one,
    else from the start of the round; what was set aside comes last."""
    ordinal = assignment.ordinal
    rows = _around(assignment.in_practice)
    row = rows.first(
        annotator=assignment.annotator_id, here=ordinal, before=ordinal - 1, after=ordinal + 1
    )
    if row is None:
        return Place(ordinal, 0, 0, None, None, None)
    ahead, behind = (
        [
            position
            for position in (row[f"{side}_open"], row[f"{side}_repeat"])
            if position is not None
        ]
        for side in ("ahead", "behind")
    )
    return Place(
        ordinal=ordinal,
        total=row["total"],
        done=row["done"],
        previous=row["previous"],
        following=row["following"],
        next_open=min(ahead, default=None)
        or min(behind, default=None)
        or row["behind_aside"]
        or row["ahead_aside"],
    )


def of_round(in_practice: bool) -> Q:
    """As a condition on assignments and tallies: those of practice, or of the main round."""
    # Django words "= false" as NOT, by which SQLite finds nothing in an index.
    return Q(in_practice__in=[in_practice])


@cache
def _around(in_practice: bool) -> Prepared[dict[str, Any]]:
    def build(annotator: int, here: int, before: int, after: int) -> QuerySet[Any, Any]:
        mine = Assignment.objects.filter(
            of_round(in_practice), annotator=OuterRef("annotator")
        ).order_by("ordinal")

        def first(**wanted: Any) -> Subquery:
            return Subquery(mine.filter(**wanted).values("position")[:1])

        kinds = {"open": Standing.OPEN, "repeat": Standing.REPEAT, "aside": Standing.ASIDE}
        return (
            Tally.objects.filter(of_round(in_practice), annotator=annotator)
            .order_by()
            .values("total", "done")
            .annotate(
                previous=first(standing__in=IN_SIGHT, ordinal=before),
                following=first(standing__in=IN_SIGHT, ordinal=after),
                **{
                    f"ahead_{name}": first(standing=kind, ordinal__gt=here)
                    for name, kind in kinds.items()
                },
                **{
                    f"behind_{name}": first(standing=kind, ordinal__lt=here)
                    for name, kind in kinds.items()
                },
            )
        )

    return Prepared(
        build,
        plan_once=True,
        annotator=STAND_IN,
        here=STAND_IN + 1,
        before=2_000_000_003,
        after=2_000_000_004,
    )


def ordinals(annotator: Annotator, positions: Collection[int] | None = None) -> dict[int, int]:
    """By position, the number by which its annotator knows each of their pairs (or of those at
    ``positions``): as ``place`` says it, practice and main each on its own. Whatever names a pair
    to its annotator takes it from here, from there or from the pair's row; one query."""
    rows = Assignment.objects.filter(annotator=annotator, standing__gt=Standing.HIDDEN)
    if positions is not None:
        rows = rows.filter(position__in=positions)
    return dict(rows.order_by().values_list("position", "ordinal"))


@dataclass(frozen=True)
class Ahead:
    """A pair that comes after the one at hand. ``revision``: of its draft, 0 where nobody has
    answered anything."""

    position: int
    simplification: int
    context_shown: bool
    revision: int


def ahead(assignment: Assignment, number: int) -> list[Ahead]:
    """The next pairs that wait for their annotator's judgment, in the order in which ``next_open``
    would lead through them; a few seeks, which read ``number`` rows each at most."""
    mine = Assignment.objects.filter(
        of_round(assignment.in_practice), annotator=assignment.annotator_id
    ).exclude(pk=assignment.pk)
    waits, aside = (Standing.OPEN, Standing.REPEAT), (Standing.ASIDE,)
    pairs: list[Ahead] = []
    for kinds, where in (
        (waits, Q(ordinal__gt=assignment.ordinal)),
        (waits, Q(ordinal__lt=assignment.ordinal)),
        (aside, Q()),
    ):
        # Each kind on its own, so that the index gives them in order.
        rows = [
            row
            for kind in kinds
            for row in _ahead(mine.filter(where, standing=kind), number - len(pairs))
        ]
        pairs += [pair for _ordinal, pair in sorted(rows, key=itemgetter(0))][: number - len(pairs)]
    return pairs


def _ahead(rows: QuerySet[Assignment], number: int) -> list[tuple[int, Ahead]]:
    if not number:
        return []
    fields = (
        "ordinal",
        "position",
        "simplification",
        "context_shown",
        Coalesce("draft__revision", 0),
    )
    return [
        (row[0], Ahead(*row[1:])) for row in rows.order_by("ordinal").values_list(*fields)[:number]
    ]


def first_open(annotator: Annotator) -> int | None:
    """Position of the first pair in the open round that has no judgment yet, or is to be judged
    again; a begun one counts as open, and one that was set aside comes last. Silent repeats come
    after the rest: being sent back to a pair of last week would tell what it is."""
    rounds = annotator.study.open_rounds
    if not rounds:
        return None
    position: int | None = _first_open(Item.Round.PRACTICE in rounds).first(annotator=annotator.pk)
    return position


def first_open_pair(annotator: Annotator) -> Assignment | None:
    """The pair at ``first_open``, with everything that is told of it."""
    rounds = annotator.study.open_rounds
    if not rounds:
        return None
    assignment = _first_pair(Item.Round.PRACTICE in rounds).first(annotator=annotator.pk)
    if assignment is not None:
        assignment.annotator = annotator
    return assignment


def _waiting(in_practice: bool, annotator: int) -> QuerySet[Assignment]:
    # In the order of ``Standing``, and of the index.
    return Assignment.objects.filter(
        of_round(in_practice),
        annotator=annotator,
        standing__gte=Standing.OPEN,
        standing__lte=Standing.ASIDE,
    ).order_by("standing", "ordinal")


@cache
def _first_open(in_practice: bool) -> Prepared[int]:
    return Prepared(
        lambda annotator: _waiting(in_practice, annotator).values_list("position", flat=True)[:1],
        annotator=STAND_IN,
    )


@cache
def _first_pair(in_practice: bool) -> Prepared[Assignment]:
    return Prepared(
        lambda annotator: _waiting(in_practice, annotator).select_related(
            "simplification__item", "draft", "judgment"
        )[:1],
        plan_once=True,
        annotator=STAND_IN,
    )


def waiting_of(annotators: Collection[Annotator]) -> dict[int, Waiting]:
    """By annotator id; one query for all of them. Their studies are there already."""
    waiting = {}
    tallies = _tallies(annotators)
    for annotator in annotators:
        mine = tallies.get(annotator.pk, [])
        aside = sum(tally.aside for tally in mine if _is_of(tally, annotator.study.open_rounds))
        waiting[annotator.pk] = Waiting(aside, sum(tally.unread for tally in mine))
    return waiting


def counts(annotator: Annotator) -> tuple[int, int]:
    """(done, total) in the open round. Where none is, in the main round, or in practice where they
    have none there."""
    return counts_of([annotator])[annotator.pk]


def counts_of(annotators: Collection[Annotator]) -> dict[int, tuple[int, int]]:
    """What ``counts`` says of each, by its key; one query for all of them. Their studies are there
    already."""
    tallies = _tallies(annotators)
    numbers = {}
    for annotator in annotators:
        every = tallies.get(annotator.pk, [])
        rounds = annotator.study.open_rounds or (
            Item.Round.MAIN
            if any(tally.total for tally in every if not tally.in_practice)
            else Item.Round.PRACTICE,
        )
        mine = [tally for tally in every if _is_of(tally, rounds)]
        numbers[annotator.pk] = (
            sum(tally.done for tally in mine),
            sum(tally.total for tally in mine),
        )
    return numbers


def _tallies(annotators: Collection[Annotator]) -> dict[int, list[Tally]]:
    by_annotator: dict[int, list[Tally]] = {}
    for tally in Tally.objects.filter(annotator__in=[annotator.pk for annotator in annotators]):
        by_annotator.setdefault(tally.annotator_id, []).append(tally)
    return by_annotator


def _is_of(tally: Tally, rounds: Collection[str]) -> bool:
    return (Item.Round.PRACTICE if tally.in_practice else Item.Round.MAIN) in rounds
