"""A study's items as the list of them is asked for: which, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Length

from annotation.models import Annotator, Item, Simplification, Study
from annotation.selectors.base.rounds import items_in
from annotation.selectors.base.sizes import expected_languages

FLAGS = {
    "identical": Q(simplifications__is_identical=True),
    "no_pair": Q(simplifications__isnull=True),
}
OTHER_LANGUAGE = "other_language"
# Each ends on the position, which no two items share.
ORDERS = {
    "position": ("position",),
    "key": ("key", "position"),
    "shortest": ("length", "position"),
    "longest": ("-length", "position"),
    "fewest": ("judgments", "position"),
    "most": ("-judgments", "position"),
}
MOST_CHOICES = 100
_JUDGED = Q(
    simplifications__assignments__judgment__submitted_at__isnull=False,
    simplifications__assignments__annotator__kind__in=[
        Annotator.Kind.PERSON,
        Annotator.Kind.IMPORTED,
    ],
)
_COUNT = Count("simplifications__assignments__judgment", filter=_JUDGED, distinct=True)


@dataclass(frozen=True)
class ItemFilter:
    """What a list of items is asked for; "" and None are everything. ``lacks``: a system of which
    the items have no simplification; ``fewer``: with fewer judgments than that."""

    search: str = ""
    round: str = ""
    flag: str = ""
    system: str = ""
    lacks: str = ""
    source: str = ""
    fewer: int | None = None
    order: str = "position"

    @property
    def is_by_pair(self) -> bool:
        """Whether something is asked of an item's simplifications or of where it comes from."""
        return bool(self.system or self.lacks or self.source)

    @property
    def is_narrowed(self) -> bool:
        """Whether some of the items may be left out."""
        return (
            self.is_by_pair
            or bool(self.search or self.round or self.flag)
            or self.fewer is not None
        )


def items_listed(study: Study, wanted: ItemFilter) -> QuerySet[Any]:
    """The items that are wanted, in their order; practice and main ones where no round is named. A
    round, finding or order that nobody offers is as good as none. Judgments are counted only where
    the order or the choice is by them."""
    items: QuerySet[Any] = study.items.filter(items_in(_round(wanted.round)))
    # One condition after another: each looks at simplifications of its own.
    if wanted.search:
        items = items.filter(
            Q(key__icontains=wanted.search)
            | Q(original__icontains=wanted.search)
            | Q(source__icontains=wanted.search)
            | Q(pk__in=_simplified(study, text__icontains=wanted.search))
        )
    if wanted.flag in FLAGS:
        items = items.filter(pk__in=study.items.filter(FLAGS[wanted.flag]).values("pk"))
    if wanted.flag == OTHER_LANGUAGE:
        items = items.filter(pk__in=_in_other_languages(study))
    if wanted.system:
        items = items.filter(pk__in=_simplified(study, system=wanted.system))
    if wanted.lacks:
        items = items.exclude(pk__in=_simplified(study, system=wanted.lacks))
    if wanted.source:
        items = items.filter(source=wanted.source)
    order = wanted.order if wanted.order in ORDERS else "position"
    if order in ("fewest", "most") or wanted.fewer is not None:
        items = items.annotate(judgments=_COUNT)
    if order in ("shortest", "longest"):
        items = items.annotate(length=Length("original"))
    if wanted.fewer is not None:
        items = items.filter(judgments__lt=wanted.fewer)
    return items.order_by(*ORDERS[order])


def with_details(items: QuerySet[Item]) -> QuerySet[Any]:
    """The same, each with ``judgments``, ``length`` and its simplifications."""
    return items.annotate(judgments=_COUNT, length=Length("original")).prefetch_related(
        "simplifications"
    )


def systems_of(study: Study) -> list[str]:
    """The names of the study's systems, for a choice; none where they are too many for one."""
    names = Simplification.objects.filter(item__study=study).exclude(system="")
    return _few(names.order_by("system").values_list("system", flat=True))


def sources_of(study: Study) -> list[str]:
    """Where the study's items come from, likewise."""
    return _few(study.items.exclude(source="").order_by("source").values_list("source", flat=True))


def _few(names: QuerySet[Any, str]) -> list[str]:
    choices = list(names.distinct()[: MOST_CHOICES + 1])
    return choices if len(choices) <= MOST_CHOICES else []


def _round(round_: str) -> str:
    return round_ if round_ in (*Item.Round.values, *Item.Aside.values) else "all"


def _in_other_languages(study: Study) -> QuerySet[Any]:
    expected = expected_languages(study)
    others = _simplified(study).exclude(language__in=expected)
    return others if expected else others.none()


def _simplified(study: Study, **wanted: Any) -> QuerySet[Any]:
    return Simplification.objects.filter(item__study=study, **wanted).order_by().values("item")
