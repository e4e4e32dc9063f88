"""What a study holds: counted from its items and pairs, and as it is kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Count, Q

from annotation.models import OFFERED_ASIDE, Item, Simplification, Study, StudySize
from annotation.protocols.protocol import SIMPLIFICATION
from annotation.protocols.registry import UnknownProtocol
from annotation.selectors.base.rounds import items_in
from annotation.selectors.base.standings import Departure


class Sizes(NamedTuple):
    """The numbers of ``StudySize``, in the order of its columns."""

    practice: int = 0
    main: int = 0
    beside: int = 0
    pairs: int = 0
    identical: int = 0
    other_language: int = 0


def expected_languages(study: Study) -> tuple[str, ...]:
    """What may be detected in simplifications, "" for nothing; none where they may be in any.
    French where nobody knows the protocol any more."""
    try:
        language = study.protocol.language_of(SIMPLIFICATION).partition("-")[0]
    except UnknownProtocol:
        language = "fr"
    return ("", language) if language else ()


def is_other_language(language: str, expected: Collection[str]) -> bool:
    """Whether a language was detected that is not the one expected."""
    return bool(expected) and language not in expected


def sizes_counted(study: Study) -> Sizes:
    """As its items and pairs say; two queries."""
    expected = expected_languages(study)
    other = ~Q(language__in=expected) if expected else Q(language__isnull=True)
    items = Item.objects.filter(study=study).aggregate(
        practice=Count("pk", filter=Q(round=Item.Round.PRACTICE)),
        main=Count("pk", filter=Q(round=Item.Round.MAIN)),
        beside=Count("pk", filter=Q(round__in=OFFERED_ASIDE)),
    )
    pairs = Simplification.objects.filter(items_in("all", "item__"), item__study=study).aggregate(
        pairs=Count("pk"),
        identical=Count("pk", filter=Q(is_identical=True)),
        other_language=Count("pk", filter=other),
    )
    return Sizes(**items, **pairs)


def systems_counted(study: int) -> list[str]:
    """The names of the systems of its pairs, sorted; reads all of them."""
    pairs = Simplification.objects.filter(items_in("all", "item__"), item__study=study)
    names = pairs.exclude(system="").order_by().values_list("system", flat=True).distinct()
    return sorted(names)


def systems_kept(study: int) -> list[str]:
    """The same as they are kept: however many pairs there are, one row is read."""
    names = StudySize.objects.filter(study=study).values_list("systems", flat=True).first()
    return list(names or [])


def sizes_kept(study: int) -> Sizes:
    """As it is kept; one query."""
    sizes = StudySize.objects.filter(study=study).values_list(*Sizes._fields).first()
    return Sizes(*sizes) if sizes else Sizes()


def items_held(study: Study) -> int:
    """The study's own items that people are offered, as it is kept: no controls or repeats, which
    are made of these."""
    size = sizes_kept(study.pk)
    return size.practice + size.main


def sizes_departing(study: Study) -> list[Departure]:
    """Where what is kept departs from what is counted."""
    kept, counted = sizes_kept(study.pk), sizes_counted(study)
    departures = [Departure(f"study {study.key}", tuple(kept), tuple(counted))]
    names = systems_kept(study.pk), systems_counted(study.pk)
    # Numbers alone are told: how many are kept and not there, and the other way round.
    apart = tuple(len(set(own) - set(other)) for own, other in (names, names[::-1]))
    departures.append(Departure(f"systems of study {study.key}", apart, (0, 0)))
    return [departure for departure in departures if departure.kept != departure.counted]
