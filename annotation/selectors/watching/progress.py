"""How far a study is, for those who run it. A constant number of queries, whatever its size."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Annotator, Assignment, Item, Judgment, Simplification, Study, Tally
from annotation.selectors.base.rounds import items_in
from annotation.selectors.watching.latest import latest_of
from annotation.selectors.watching.pay import seconds_of_erased, with_work, worked_hours

JUDGED = Q(judgment__submitted_at__isnull=False)
# Neither released to others nor submitted after as many answers as the plan counts.
EXPECTED = Q(judgment__surplus=False, judgment__submitted_at__isnull=False) | Q(
    judgment__submitted_at__isnull=True, released_at__isnull=True
)


@dataclass(frozen=True)
class AnnotatorProgress:
    """One annotator's work: judgments by round, drafts begun (``Latest.open``), active hours, last
    sign of life."""

    annotator: Annotator
    practice_done: int
    practice_total: int
    main_done: int
    main_total: int
    drafts: int
    active_hours: float
    last_at: datetime | None


@dataclass(frozen=True)
class StudyCounts:
    """What a study holds. ``pairs`` counts simplifications."""

    items: int
    practice_items: int
    pairs: int
    identical: int
    other_language: int
    judgments: int
    expected: int


def annotators_progress(study: Study) -> list[AnnotatorProgress]:
    """Everybody who judges in the study, in the order in which they came; no models. Four queries,
    and one where somebody has no account."""
    annotators = list(
        with_work(study.annotators.exclude(kind=Annotator.Kind.MACHINE)).select_related("user")
    )
    numbers = _by_annotator(study)
    keys = [one.pk for one in annotators]
    latest = latest_of(keys, timezone.now(), in_practice=False, seen=False, again=False)
    erased = seconds_of_erased(annotators)
    none = (0, 0)
    return [
        AnnotatorProgress(
            annotator,
            *numbers.get((annotator.pk, Item.Round.PRACTICE), none),
            *numbers.get((annotator.pk, Item.Round.MAIN), none),
            drafts=latest[annotator.pk].open,
            active_hours=worked_hours(annotator, erased.get(annotator.pk)),
            last_at=latest[annotator.pk].last_at,
        )
        for annotator in annotators
    ]


def _by_annotator(study: Study) -> dict[tuple[int, str], tuple[int, int]]:
    """(done, total), by annotator and round."""
    rows = (
        Assignment.objects.filter(EXPECTED, annotator__study=study)
        .values_list("annotator_id", "simplification__item__round")
        .annotate(done=Count("pk", filter=JUDGED), total=Count("pk"))
        .order_by()
    )
    return {(annotator, round_): (done, total) for annotator, round_, done, total in rows}


def with_sizes(studies: QuerySet[Study]) -> QuerySet[Any]:
    """The same studies with ``item_count``, ``annotator_count`` (of people who judge, here or
    elsewhere) and ``submitted`` (without what was sent back), each found on its own: joined, every
    item would be counted once for each annotator."""
    people = Annotator.objects.filter(
        study=OuterRef("pk"), kind__in=[Annotator.Kind.PERSON, Annotator.Kind.IMPORTED]
    )
    theirs = Q(
        annotator__study=OuterRef("pk"),
        annotator__kind__in=[Annotator.Kind.PERSON, Annotator.Kind.IMPORTED],
    )
    # What they see, as it is kept; and what they judged and do not see: it is offered again.
    kept = Tally.objects.filter(theirs)
    # Both rounds are named, as the index has them before what a pair stands for.
    parked = Assignment.objects.filter(
        theirs, JUDGED, in_practice__in=[True, False], standing=Assignment.Standing.HIDDEN
    )

    def one(rows: QuerySet[Any], study: str, number: Count | Sum) -> Coalesce:
        found = rows.order_by().values(study).annotate(number=number).values("number")
        return Coalesce(Subquery(found), 0)

    return studies.annotate(
        item_count=one(Item.objects.filter(study=OuterRef("pk")), "study", Count("pk")),
        annotator_count=one(people, "study", Count("pk")),
        submitted=one(kept, "annotator__study", Sum("done"))
        + one(parked, "annotator__study", Count("pk")),
    )


def study_counts(study: Study) -> StudyCounts:
    """What the study holds, in three queries."""
    items = Item.objects.filter(items_in("all"), study=study).aggregate(
        all=Count("pk"), practice=Count("pk", filter=Q(round="practice"))
    )
    pairs = Simplification.objects.filter(items_in("all", "item__"), item__study=study).aggregate(
        all=Count("pk"),
        identical=Count("pk", filter=Q(is_identical=True)),
        foreign=Count("pk", filter=~Q(language__in=["", "fr"])),
    )
    people = Assignment.objects.filter(
        EXPECTED, items_in("all", "simplification__item__"), annotator__study=study
    ).exclude(annotator__kind=Annotator.Kind.MACHINE)
    work = people.aggregate(expected=Count("pk"), judged=Count("pk", filter=JUDGED))
    return StudyCounts(
        items=items["all"],
        practice_items=items["practice"],
        pairs=pairs["all"],
        identical=pairs["identical"],
        other_language=pairs["foreign"],
        judgments=work["judged"],
        expected=work["expected"],
    )


def has_judgments(study: Study) -> bool:
    """Whether any person has judged in this study: from then on some settings are fixed."""
    return Judgment.objects.filter(assignment__annotator__study=study, origin="person").exists()
