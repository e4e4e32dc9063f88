"""How far a study is, for those who run it. A constant number of queries, whatever its size."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, Sum

from annotation.models import Annotator, Assignment, Draft, Item, Judgment, Simplification, Study
from annotation.selectors.base.rounds import items_in
from annotation.selectors.watching.pay import with_work, worked_hours

JUDGED = Q(judgment__submitted_at__isnull=False)
# Neither released to others nor submitted after as many answers as the plan counts.
EXPECTED = Q(judgment__surplus=False, judgment__submitted_at__isnull=False) | Q(
    judgment__submitted_at__isnull=True, released_at__isnull=True
)


@dataclass(frozen=True)
class AnnotatorProgress:
    """One annotator's work: judgments by round, drafts begun, active hours, last sign of life."""

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
    """Everybody who judges in the study, in the order in which they came; no models. Four
    queries."""
    done = _by_annotator(study, JUDGED)
    total = _by_annotator(study, Q())
    begun: dict[int, dict[str, Any]] = {
        row["assignment__annotator"]: dict(row)
        for row in Draft.objects.filter(assignment__annotator__study=study)
        .values("assignment__annotator")
        .annotate(
            seconds=Sum("active_seconds"),
            last=Max("saved_at"),
            open=Count("pk", filter=Q(assignment__judgment__isnull=True)),
        )
    }
    return [
        AnnotatorProgress(
            annotator=annotator,
            practice_done=done.get((annotator.pk, "practice"), 0),
            practice_total=total.get((annotator.pk, "practice"), 0),
            main_done=done.get((annotator.pk, "main"), 0),
            main_total=total.get((annotator.pk, "main"), 0),
            drafts=begun.get(annotator.pk, {}).get("open", 0),
            active_hours=worked_hours(annotator, begun.get(annotator.pk, {}).get("seconds")),
            last_at=begun.get(annotator.pk, {}).get("last"),
        )
        for annotator in with_work(
            study.annotators.exclude(kind=Annotator.Kind.MACHINE)
        ).select_related("user")
    ]


def _by_annotator(study: Study, condition: Q) -> dict[tuple[int, str], int]:
    rows = (
        Assignment.objects.filter(condition, EXPECTED, annotator__study=study)
        .values_list("annotator_id", "simplification__item__round")
        .annotate(number=Count("pk"))
        .order_by()
    )
    return {(annotator, round_): number for annotator, round_, number in rows}


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
