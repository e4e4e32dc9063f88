"""What a remark is: by which answers an annotator speaks to the leads, and when it is settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When

from annotation.models import (
    Annotator,
    Judgment,
    ListedRemark,
    RemarkAnswer,
    SideAnswer,
    Study,
)
from annotation.protocols.base import Answers
from annotation.protocols.protocol import Protocol

KINDS = ("comment", "doubt")
SETTLED = Q(assignment__remark_settlement__revision__gte=F("revision"))
# Not ``~SETTLED`` alone: a remark that nobody settled has no row to compare with.
UNSETTLED = Q(assignment__remark_settlement__isnull=True) | ~SETTLED


def sides_of(study: Study, *kinds: str) -> QuerySet[SideAnswer]:
    """The answers of a judgment by which its annotator speaks to the leads, for an outer query."""
    return SideAnswer.objects.filter(
        judgment=OuterRef("pk"), field__in=_names(study.protocol, *kinds)
    )


def remarked(study: Study) -> QuerySet[Judgment]:
    """Submitted judgments of people with a remark."""
    return Judgment.objects.filter(
        Exists(sides_of(study, *KINDS)),
        assignment__annotator__study=study,
        assignment__annotator__kind=Annotator.Kind.PERSON,
        submitted_at__isnull=False,
    )


def has_remark(protocol: Protocol, answers: Answers) -> bool:
    """Whether who gives these answers says something to the leads with them: texts and flags, of
    which what is empty is not stored."""
    return bool(kinds_said(protocol, answers))


def kinds_said(protocol: Protocol, answers: Answers) -> set[str]:
    """Which of ``KINDS`` these answers hold."""
    return {kind for kind in KINDS if any(answers.get(name) for name in _names(protocol, kind))}


def remarks_open(study: Study, assignments: Collection[int]) -> Counter[tuple[int, bool]]:
    """By annotator and whether of practice: remarks on these pairs that are not settled."""
    rows = remarked(study).filter(UNSETTLED, assignment__in=assignments).order_by()
    return _by_tally(rows)


def remarks_open_of(annotators: Collection[int]) -> Counter[tuple[int, bool]]:
    """The same of everything that these people judged; two queries for each study of theirs."""
    counts: Counter[tuple[int, bool]] = Counter()
    for study in Study.objects.filter(annotators__in=annotators).order_by().distinct():
        rows = remarked(study).filter(UNSETTLED, assignment__annotator__in=annotators)
        counts += _by_tally(rows.order_by())
    return counts


def listed_now(study: Study, **which: Any) -> list[ListedRemark]:
    """What is to stand in the list of remarks, as it follows from the judgments; ``which``: of
    which judgments. Unsaved, by the judgment's key."""
    rows = (
        remarked(study)
        .filter(**which)
        .annotate(
            comment=Exists(sides_of(study, "comment")),
            doubt=Exists(sides_of(study, "doubt")),
            settled=Case(When(SETTLED, then=Value(True)), default=Value(False)),
            answered=Exists(
                RemarkAnswer.objects.filter(assignment=OuterRef("assignment")).order_by()
            ),
        )
        .order_by("pk")
    )
    names = ("pk", "assignment__annotator", "submitted_at", "comment", "doubt", "settled")
    return [
        ListedRemark(
            judgment_id=judgment,
            study_id=study.pk,
            annotator_id=annotator,
            submitted_at=at,
            has_comment=comment,
            has_doubt=doubt,
            is_open=not settled,
            is_answered=answered,
        )
        for judgment, annotator, at, comment, doubt, settled, answered in rows.values_list(
            *names, "answered"
        )
    ]


def listing_departs(annotator: Annotator) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """By judgment, what is kept of one person's remarks and what is counted, where they differ."""
    kept = {remark.pk: _said(remark) for remark in ListedRemark.objects.filter(annotator=annotator)}
    now = {
        remark.pk: _said(remark)
        for remark in listed_now(annotator.study, assignment__annotator=annotator)
    }
    return {
        pk: (kept.get(pk, ()), now.get(pk, ()))
        for pk in sorted(kept.keys() | now.keys())
        if kept.get(pk) != now.get(pk)
    }


def _said(remark: ListedRemark) -> tuple[int, ...]:
    moment = int(remark.submitted_at.timestamp() * 1_000_000)
    flags = (remark.has_comment, remark.has_doubt, remark.is_open, remark.is_answered)
    return (remark.study_id, moment, *map(int, flags))


def _by_tally(rows: QuerySet[Judgment]) -> Counter[tuple[int, bool]]:
    names = ("assignment__annotator", "assignment__in_practice")
    return Counter(
        {
            (annotator, practice): number
            for annotator, practice, number in rows.values_list(*names).annotate(Count("pk"))
        }
    )


def _names(protocol: Protocol, *kinds: str) -> list[str]:
    names = {"comment": protocol.remarks, "doubt": protocol.doubts}
    return [name for kind in kinds for name in names[kind]]
