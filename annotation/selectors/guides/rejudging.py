"""What an amended guide sends back: pairs to look at again, and judgments to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from annotation.models import (
    Annotator,
    Assignment,
    Item,
    RejudgeRequest,
    Study,
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
            simplification__item__study=study,
            annotator__kind=Annotator.Kind.PERSON,
            annotator__user__isnull=False,
            annotator__withdrawn_at__isnull=True,
            judgment__submitted_at__isnull=False,
            judgment__surplus=False,
            simplification__item__round__in=[
                name for name in study.open_rounds if name in Item.Round.values
            ],
        )
        # As it is kept: worked out anew (``out_of_sight``), repeats are looked for in every study.
        & Q(standing__gt=Assignment.Standing.HIDDEN)
    )


def candidates(
    study: Study, *, given: tuple[str, int] | None = None, doubt: bool = False
) -> list[Candidate]:
    """The items that have judgments in the open round, perhaps only those that somebody put into a
    class (``given``: dimension and value) or doubted. A constant number of queries."""
    # From the assignments, by the study's people: from judgments, those of every study were read to
    # find which are among them.
    rows = (
        Assignment.objects.filter(sendable(study))
        .select_related("judgment", "simplification__item")
        .prefetch_related("judgment__ratings", "judgment__sides")
        .annotate(
            again=Exists(
                RejudgeRequest.objects.filter(assignment=OuterRef("pk"), resolved_at__isnull=True)
            )
        )
        .order_by("simplification__item__position", "judgment")
    )
    by_item: dict[str, list[Assignment]] = {}
    for assignment in rows:
        by_item.setdefault(assignment.simplification.item.key, []).append(assignment)
    listed = [_candidate(study.protocol, key, judged) for key, judged in by_item.items()]
    return [
        candidate
        for candidate in listed
        if (given is None or given[1] in candidate.given.get(given[0], ()))
        and (candidate.doubts or not doubt)
    ]


def _candidate(protocol: Protocol, key: str, judged: list[Assignment]) -> Candidate:
    given: dict[str, set[int]] = {dimension.name: set() for dimension in protocol.classes}
    for assignment in judged:
        for rating in assignment.judgment.ratings.all():
            if rating.dimension in given:
                given[rating.dimension].add(rating.value)
    return Candidate(
        key=key,
        opening=judged[0].simplification.item.original[:140],
        given={name: tuple(sorted(values)) for name, values in given.items()},
        doubts=sum(
            any(side.field in protocol.doubts for side in assignment.judgment.sides.all())
            for assignment in judged
        ),
        judgments=len(judged),
        waiting=sum(bool(assignment.again) for assignment in judged),  # type: ignore[attr-defined]  # annotated
    )
