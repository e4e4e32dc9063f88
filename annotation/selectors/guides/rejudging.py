"""What an amended guide sends back: pairs to look at again, and judgments to choose from."""

from __future__ import annotations

from collections.abc import Mapping
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
from annotation.protocols.protocol import Protocol


@dataclass(frozen=True)
class Candidate:
    """An item whose judgments may be sent back. ``given``: the classes that anybody put it into, by
    dimension (``Protocol.classes``). ``waiting``: of the judgments, how many are asked for
    already."""

    key: str
    opening: str
    given: Mapping[str, tuple[int, ...]]
    doubts: int
    judgments: int
    waiting: int

    @property
    def classes(self) -> tuple[int, ...]:
        """The classes on the protocol's first dimension of classes."""
        return next(iter(self.given.values()), ())


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
    study: Study, *, given: tuple[str, int] | None = None, doubt: bool = False
) -> list[Candidate]:
    """The items that have judgments in the open round, perhaps only those that somebody put into a
    class (``given``: dimension and value) or doubted. A constant number of queries."""
    rows = (
        Judgment.objects.filter(assignment__in=Assignment.objects.filter(sendable(study)))
        .select_related("assignment__simplification__item")
        .prefetch_related("ratings", "sides")
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
    found = [_candidate(study.protocol, key, judgments) for key, judgments in by_item.items()]
    return [
        one
        for one in found
        if (given is None or given[1] in one.given.get(given[0], ())) and (one.doubts or not doubt)
    ]


def _candidate(protocol: Protocol, key: str, judgments: list[Judgment]) -> Candidate:
    found: dict[str, set[int]] = {one.name: set() for one in protocol.classes}
    for judgment in judgments:
        for rating in judgment.ratings.all():
            if rating.dimension in found:
                found[rating.dimension].add(rating.value)
    return Candidate(
        key=key,
        opening=judgments[0].assignment.simplification.item.original[:140],
        given={name: tuple(sorted(values)) for name, values in found.items()},
        doubts=sum(
            any(side.field in protocol.doubts for side in judgment.sides.all())
            for judgment in judgments
        ),
        judgments=len(judgments),
        waiting=sum(bool(judgment.again) for judgment in judgments),  # type: ignore[attr-defined]  # annotated
    )
