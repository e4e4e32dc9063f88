"""What an amended guide sends back: pairs to look at again, and judgments to choose from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q
from django.db.models.functions import Left

from annotation.models import Annotator, Assignment, Item, RejudgeRequest, Simplification, Study

_OPENING = 140
"""Characters of the original by which an item is known again."""
# Those that are asked for already. Of all studies: there are few, and an index holds no others;
# for those of one study SQLite looks at each of its pairs.
_ASKED_FOR = Q(
    pk__in=RejudgeRequest.objects.filter(resolved_at__isnull=True).order_by().values("assignment")
)


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


def candidate_items(
    study: Study, *, given: tuple[str, int] | None = None, doubt: bool = False
) -> list[int]:
    """The ids of the items that have judgments in the open round, perhaps only those that somebody
    put into a class (``given``: dimension and value) or doubted, in their order; one query."""
    items = study.items.all()
    for more in (
        Q(),
        *([] if given is None else [_put_into(*given)]),
        *([_doubted(study)] if doubt else []),
    ):
        these = Assignment.objects.filter(sendable(study) & more).order_by()
        items = items.filter(pk__in=these.values("simplification__item"))
    return list(items.order_by("position").values_list("pk", flat=True))


def candidates(study: Study, items: Collection[int] | None = None) -> list[Candidate]:
    """What is known of items that have judgments in the open round, in the order of the study:
    ``items`` by their ids, or all. Six queries at most, none of which brings a judgment."""
    # From the assignments, by the study's people: from judgments, those of every study were read to
    # find which are among them. Of some items by their outputs' ids: SQLite would go through all
    # that anybody has.
    own, heads = sendable(study), study.items.all()
    if items is not None:
        outputs = Simplification.objects.filter(item__in=items).order_by()
        own &= Q(simplification__in=list(outputs.values_list("pk", flat=True)))
        heads = Item.objects.filter(pk__in=items)
    judgments = _per_item(own)
    waiting = _per_item(own & _ASKED_FOR)
    doubts = _per_item(own & _doubted(study))
    given = _given(study, own)
    return [
        Candidate(
            key=key,
            opening=opening,
            given={name: tuple(sorted(given[pk, name])) for name in _classes(study)},
            doubts=doubts.get(pk, 0),
            judgments=judgments[pk],
            waiting=waiting.get(pk, 0),
        )
        for pk, key, opening in heads.order_by("position").values_list(
            "pk", "key", Left("original", _OPENING)
        )
        if pk in judgments
    ]


def waiting_to_be_made(study: Study) -> int:
    """How many judgments that can be sent back are asked for already; one query."""
    return Assignment.objects.filter(sendable(study) & _ASKED_FOR).count()


def _doubted(study: Study) -> Q:
    """As a condition on assignments; one that holds several doubts comes as often."""
    return Q(judgment__sides__field__in=study.protocol.doubts)


def _put_into(dimension: str, value: int) -> Q:
    return Q(judgment__ratings__dimension=dimension, judgment__ratings__value=value)


def _per_item(wanted: Q) -> dict[int, int]:
    rows = Assignment.objects.filter(wanted).order_by().values_list("simplification__item")
    return dict(rows.annotate(number=Count("pk", distinct=True)))


def _given(study: Study, wanted: Q) -> dict[tuple[int, str], set[int]]:
    """The classes that anybody put an item into, by its id and the dimension."""
    given: dict[tuple[int, str], set[int]] = defaultdict(set)
    rated = Q(judgment__ratings__dimension__in=_classes(study))
    columns = ("simplification__item", "judgment__ratings__dimension", "judgment__ratings__value")
    rows = Assignment.objects.filter(wanted & rated).order_by().values_list(*columns)
    for item, dimension, value in rows.distinct():
        given[item, dimension].add(value)
    return given


def _classes(study: Study) -> list[str]:
    return [dimension.name for dimension in study.protocol.classes]
