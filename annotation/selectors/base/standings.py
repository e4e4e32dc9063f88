"""What each assignment stands for and how many there are of each, counted from the rows that say
so.

What is kept (``Assignment.standing`` and ``ordinal``, ``Tally``) must equal it:
``services/base/standings.py`` writes it so, and the command ``check_positions`` compares.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
    Window,
)

from annotation.models import (
    Annotator,
    Assignment,
    Item,
    RejudgeRequest,
    RemarkAnswer,
    Tally,
    out_of_sight,
)
from annotation.selectors.base.answered import expected_of
from annotation.selectors.base.remarked import remarks_open_of

Standing = Assignment.Standing
# As a condition on an assignment: its annotator is asked to judge it again.
AGAIN = Q(
    Exists(
        RejudgeRequest.objects.filter(
            assignment=OuterRef("pk"), resolved_at__isnull=True
        ).order_by()
    ),
)
JUDGED = Q(judgment__submitted_at__isnull=False)
# A judgment that an amended guide sends back waits like one that was never made.
DONE = JUDGED & ~AGAIN
# What an annotator keeps for later comes after everything else; it is no less to be judged.
ASIDE = Q(set_aside_at__isnull=False)

# The numbers of a tally.
KEPT = ("total", "done", "aside", "unread", "judged", "awaited", "beside", "remarks", "again")


@dataclass(frozen=True)
class Departure:
    """Something kept that is not what is counted. ``what`` names it: an assignment, or an
    annotator's numbers."""

    what: str
    kept: tuple[int, ...]
    counted: tuple[int, ...]


def counted(rows: QuerySet[Assignment]) -> QuerySet[Any]:
    """These assignments, each with ``now_standing`` and ``now_practice`` as they follow from
    everything else."""
    return rows.annotate(
        now_standing=Case(
            When(out_of_sight(), then=Value(Standing.HIDDEN)),
            When(DONE, then=Value(Standing.DONE)),
            When(ASIDE, then=Value(Standing.ASIDE)),
            When(simplification__item__round=Item.Aside.REPEAT, then=Value(Standing.REPEAT)),
            default=Value(Standing.OPEN),
            output_field=IntegerField(),
        ),
        now_practice=Case(
            When(simplification__item__round=Item.Round.PRACTICE, then=Value(True)),
            default=Value(False),
        ),
    ).order_by()


def numbered(rows: QuerySet[Assignment]) -> Any:
    """``counted`` with ``now_ordinal``. ``rows`` are all of their annotators': numbers follow from
    what is before."""
    seen = Case(
        When(now_standing=Standing.HIDDEN, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    before = Window(
        Sum(seen), partition_by=[F("annotator"), F("now_practice")], order_by=F("position").asc()
    )
    hidden = When(now_standing=Standing.HIDDEN, then=Value(0))
    return counted(rows).annotate(
        now_ordinal=Case(hidden, default=before, output_field=IntegerField())
    )


def tallied(annotators: Collection[int]) -> dict[tuple[int, bool], Tally]:
    """By annotator and round, the numbers that follow from what is kept of each assignment, and
    from their judgments; seven queries, two for each study. Both rounds of everybody are there."""
    tallies = {
        (annotator, in_practice): Tally(annotator_id=annotator, in_practice=in_practice)
        for annotator in annotators
        for in_practice in (True, False)
    }
    rows = Assignment.objects.filter(
        annotator__in=annotators, standing__gt=Standing.HIDDEN
    ).order_by()
    numbers: dict[str, Any] = {
        "total": Count("pk"),
        "done": Count("pk", filter=Q(standing=Standing.DONE)),
        "aside": Count("pk", filter=Q(standing=Standing.ASIDE)),
    }
    for annotator, in_practice, *of in rows.values_list("annotator", "in_practice").annotate(
        **numbers
    ):
        tally = tallies[annotator, in_practice]
        tally.total, tally.done, tally.aside = of
    unread = RemarkAnswer.objects.filter(
        read_at__isnull=True,
        assignment__annotator__in=annotators,
        assignment__standing__gt=Standing.HIDDEN,
        assignment__judgment__submitted_at__isnull=False,
    )
    whose = unread.order_by().values_list("assignment__annotator", "assignment__in_practice")
    for annotator, in_practice, number in whose.annotate(Count("pk")):
        tallies[annotator, in_practice].unread = number
    for annotator, in_practice, *of in expected_of(
        Assignment.objects.filter(annotator__in=annotators)
    ):
        tally = tallies[annotator, in_practice]
        tally.judged, tally.awaited, tally.beside = of
    for key, number in remarks_open_of(annotators).items():
        tallies[key].remarks = number
    for key, number in sent_back(
        RejudgeRequest.objects.filter(assignment__annotator__in=annotators)
    ):
        tallies[key].again = number
    return tallies


def sent_back(requests: QuerySet[RejudgeRequest]) -> Iterator[tuple[tuple[int, bool], int]]:
    """By annotator and whether of practice, how many of these wait for another judgment."""
    names = ("assignment__annotator", "assignment__in_practice")
    rows = requests.filter(resolved_at__isnull=True).order_by().values_list(*names)
    for annotator, in_practice, number in rows.annotate(Count("pk")):
        yield (annotator, in_practice), number


def departures(annotators: Collection[int]) -> list[Departure]:
    """Where what is kept of these annotators departs from what is counted; none, one hopes."""
    every = numbered(Assignment.objects.filter(annotator__in=annotators))
    names = (
        "pk",
        "standing",
        "in_practice",
        "ordinal",
        "now_standing",
        "now_practice",
        "now_ordinal",
    )
    rows = every.values_list(*names).order_by("pk")
    departing = [
        Departure(f"assignment {pk}", tuple(of[:3]), tuple(of[3:]))
        for pk, *of in rows
        if of[:3] != of[3:]
    ]
    kept = {
        (tally.annotator_id, tally.in_practice): tally
        for tally in Tally.objects.filter(annotator__in=annotators)
    }
    for key, now in tallied(annotators).items():
        there = _numbers(kept.get(key) or Tally())
        if there != _numbers(now):
            departing.append(
                Departure(f"annotator {key[0]}, practice {key[1]}", there, _numbers(now))
            )
    return departing


def _numbers(tally: Tally) -> tuple[int, ...]:
    return tuple(getattr(tally, name) for name in KEPT)


def annotators_kept() -> list[int]:
    """Everybody of whom something is kept: whoever judges as a person."""
    return list(Annotator.objects.order_by("pk").values_list("pk", flat=True))
