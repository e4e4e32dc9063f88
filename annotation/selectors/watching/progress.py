"""How far a study is, for those who run it. A constant number of queries, whatever its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Annotator, Assignment, Judgment, Study, Tally
from annotation.selectors.base.sizes import sizes_kept
from annotation.selectors.watching.counting import round_counts
from annotation.selectors.watching.latest import latest_of
from annotation.selectors.watching.pay import seconds_of_erased, with_work, worked_hours

JUDGED = Q(judgment__submitted_at__isnull=False)


@dataclass(frozen=True)
class AnnotatorProgress:
    """One annotator's work: judgments by round (``counting``), drafts begun (``Latest.open``),
    active hours, last sign of life."""

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
    """What a study holds. ``pairs`` counts simplifications, ``asides`` control pairs and silent
    repeats, which stand beside them. Judgments are counted by round, as in ``counting``."""

    items: int
    practice_items: int
    pairs: int
    identical: int
    other_language: int
    asides: int
    practice_done: int
    practice_total: int
    main_done: int
    main_total: int

    @property
    def judgments(self) -> int:
        """Submitted, of both rounds."""
        return self.practice_done + self.main_done

    @property
    def expected(self) -> int:
        """These and those that are awaited."""
        return self.practice_total + self.main_total


def annotators_progress(study: Study) -> list[AnnotatorProgress]:
    """Everybody who judges in the study, in the order in which they came; no models. A constant
    number of queries."""
    annotators = list(
        with_work(study.annotators.exclude(kind=Annotator.Kind.MACHINE)).select_related("user")
    )
    counts = round_counts(annotators)
    keys = [annotator.pk for annotator in annotators]
    latest = latest_of(keys, timezone.now(), in_practice=False, seen=False, again=False)
    erased = seconds_of_erased(annotators)
    return [
        AnnotatorProgress(
            annotator,
            *counts[annotator.pk, True],
            *counts[annotator.pk, False],
            drafts=latest[annotator.pk].open,
            active_hours=worked_hours(annotator, erased.get(annotator.pk)),
            last_at=latest[annotator.pk].last_at,
        )
        for annotator in annotators
    ]


def with_sizes(studies: QuerySet[Study]) -> QuerySet[Any]:
    """The same studies with ``item_count``, ``annotator_count`` (of people who judge, here or
    elsewhere, and have not withdrawn) and ``submitted`` (as ``counting`` has it, of both rounds),
    each found on its own: joined, every item would be counted once for each annotator."""
    people = Annotator.objects.filter(
        study=OuterRef("pk"),
        kind__in=[Annotator.Kind.PERSON, Annotator.Kind.IMPORTED],
        withdrawn_at__isnull=True,
    )
    theirs = Q(
        annotator__study=OuterRef("pk"),
        annotator__kind__in=[Annotator.Kind.PERSON, Annotator.Kind.IMPORTED],
        annotator__withdrawn_at__isnull=True,
    )
    # What they see, as it is kept; and what they judged and do not see: it is offered again.
    kept = Tally.objects.filter(theirs)
    # Both rounds are named, as the index has them before what a pair stands for.
    parked = Assignment.objects.filter(
        theirs, JUDGED, in_practice__in=[True, False], standing=Assignment.Standing.HIDDEN
    )

    def number_of(rows: QuerySet[Any], study: str, number: Count | Sum) -> Coalesce:
        numbers = rows.order_by().values(study).annotate(number=number).values("number")
        return Coalesce(Subquery(numbers), 0)

    return studies.annotate(
        item_count=Coalesce(F("size__practice") + F("size__main"), 0),
        annotator_count=number_of(people, "study", Count("pk")),
        submitted=number_of(kept, "annotator__study", Sum("done"))
        + number_of(parked, "annotator__study", Count("pk")),
    )


def study_counts(study: Study, progress: Sequence[AnnotatorProgress] | None = None) -> StudyCounts:
    """What the study holds, as it is kept; a constant number of queries. ``progress``: of its
    annotators, where it was read already."""
    size = sizes_kept(study.pk)
    people = progress if progress is not None else annotators_progress(study)
    counted = [person for person in people if person.annotator.withdrawn_at is None]
    return StudyCounts(
        items=size.practice + size.main,
        practice_items=size.practice,
        pairs=size.pairs,
        identical=size.identical,
        other_language=size.other_language,
        asides=size.beside,
        practice_done=sum(person.practice_done for person in counted),
        practice_total=sum(person.practice_total for person in counted),
        main_done=sum(person.main_done for person in counted),
        main_total=sum(person.main_total for person in counted),
    )


def has_judgments(study: Study) -> bool:
    """Whether any person has judged in this study: from then on some settings are fixed."""
    return Judgment.objects.filter(assignment__annotator__study=study, origin="person").exists()
