"""What an amended guide sends back: pairs to look at again, and judgments to choose from."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Judgment,
    RejudgeRequest,
    Study,
    out_of_sight,
)


@dataclass(frozen=True)
class Candidate:
    """An item whose judgments may be sent back. ``waiting``: of them, how many are asked for
    already."""

    key: str
    opening: str
    classes: tuple[int, ...]
    doubts: int
    judgments: int
    waiting: int


def rejudge_reason(assignment: Assignment) -> str:
    """Why the pair is to be judged again; "" where it is not."""
    request = assignment.rejudge_requests.filter(resolved_at__isnull=True).first()
    return request.reason if request else ""


def sendable(study: Study) -> Q:
    """Which assignments can be sent back: submitted by people who still judge, in a round that is
    open; neither a first answer whose pair is offered again, nor what stands aside."""
    return (
        Q(
            annotator__study=study,
            annotator__kind=Annotator.Kind.PERSON,
            annotator__user__isnull=False,
            annotator__withdrawn_at__isnull=True,
            judgment__submitted_at__isnull=False,
            judgment__surplus=False,
            simplification__item__round__in=[
                name for name in study.open_rounds if name in Item.Round.values
            ],
        )
        & ~out_of_sight()
    )


def candidates(
    study: Study, *, characterization: int | None = None, doubt: bool = False
) -> list[Candidate]:
    """The items that have judgments in the open round, perhaps only those that somebody put into a
    class or doubted. Two queries, whatever the size."""
    rows = (
        Judgment.objects.filter(assignment__in=Assignment.objects.filter(sendable(study)))
        .select_related("assignment__simplification__item")
        .prefetch_related("ratings")
        .annotate(
            again=Exists(
                RejudgeRequest.objects.filter(
                    assignment=OuterRef("assignment"), resolved_at__isnull=True
                )
            )
        )
        .order_by("assignment__simplification__item__position", "pk")
    )
    by_item: dict[str, list[Judgment]] = {}
    for judgment in rows:
        by_item.setdefault(judgment.assignment.simplification.item.key, []).append(judgment)
    found = [_candidate(key, judgments) for key, judgments in by_item.items()]
    return [
        one
        for one in found
        if (characterization is None or characterization in one.classes)
        and (one.doubts or not doubt)
    ]


def _candidate(key: str, judgments: list[Judgment]) -> Candidate:
    classes = {
        rating.value
        for judgment in judgments
        for rating in judgment.ratings.all()
        if rating.dimension == "characterization"
    }
    return Candidate(
        key=key,
        opening=judgments[0].assignment.simplification.item.original[:140],
        classes=tuple(sorted(classes)),
        doubts=sum(judgment.doubt for judgment in judgments),
        judgments=len(judgments),
        waiting=sum(bool(judgment.again) for judgment in judgments),  # type: ignore[attr-defined]  # annotated
    )
