"""A study's ratings as tables of units × raters: what every page, command and snapshot about
agreement starts from."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from django.db.models import F, FilteredRelation, Q

from annotation.agreement.bootstrap import CONFIDENCE, DRAWS
from annotation.agreement.report import SEED, DimensionReport, dimension_report
from annotation.agreement.table import Ratings, rating_tables
from annotation.models import Annotator, Item, Judgment, Simplification, Study
from annotation.protocols.base import Level
from annotation.protocols.protocol import Protocol
from annotation.selectors.agreement.sources import kept_sources
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.pseudonyms import disclosure
from annotation.selectors.base.rounds import items_in, judgments_in
from annotation.selectors.base.sources import sources_by_item

PEOPLE = (Annotator.Kind.PERSON.value, Annotator.Kind.IMPORTED.value)
"""Whose agreement is reported: judges of this study and of a published file. A model is none of
them."""
MANY = 1000
"""Pairs: of fewer it is quicker to find the source texts than to keep them."""


class RatedUnit(NamedTuple):
    """One simplification as a unit of the tables; ``key`` is its id in them, stable across
    exports; ``source`` names its source text (``base.sources``)."""

    pk: int
    key: str
    item_key: str
    source: str
    item_position: int
    position: int
    system: str
    round: str


class RaterFacts(NamedTuple):
    """One annotator; ``pseudonym`` is their id in the tables."""

    pk: int
    pseudonym: str
    kind: str
    withdrawn: bool


class OfWithdrawn(NamedTuple):
    """People who have withdrawn, and their judgments."""

    people: int
    judgments: int


NOTHING_WITHDRAWN = OfWithdrawn(0, 0)


@dataclass(frozen=True)
class StudyRatings:
    """The ratings of a study under some filters.

    ``tables``: by dimension in the protocol's order; all know the same units (``RatedUnit.key``)
    and raters (pseudonyms), which are those with a submitted judgment. ``items``: every
    simplification that the filters let through, judged or not, in the study's order.
    ``annotators``: everybody who may have judged, in their order.
    """

    protocol: Protocol
    tables: dict[str, Ratings]
    items: list[RatedUnit]
    annotators: list[RaterFacts]

    @property
    def judgments(self) -> int:
        """How many judgments there are: at least one dimension is rated in each of them."""
        return max((table.n_ratings for table in self.tables.values()), default=0)

    @property
    def of_withdrawn(self) -> OfWithdrawn:
        """What is counted here of people who have withdrawn: no snapshot holds it."""
        names = {rater.pseudonym for rater in self.annotators if rater.withdrawn}
        people: set[int] = set()
        judgments = 0
        for table in self.tables.values() if names else ():
            theirs = [code for code, name in enumerate(table.rater_ids) if name in names]
            ratings = table.rater_index[np.isin(table.rater_index, theirs)].tolist()
            people |= set(ratings)
            judgments = max(judgments, len(ratings))
        return OfWithdrawn(len(people), judgments)

    @cached_property
    def source_of(self) -> dict[Hashable, Hashable]:
        """The source text of each unit, as its name: what intervals draw."""
        return {unit.key: unit.source for unit in self.items}

    def report(
        self,
        dimension: str,
        *,
        draws: int = DRAWS,
        seed: int = SEED,
        confidence: float = CONFIDENCE,
    ) -> DimensionReport:
        """The report of one dimension at its own level and on its whole scale. Raises
        ``KeyError``."""
        return dimension_report(
            self.tables[dimension],
            level=level_of(self.protocol, dimension),
            scale=scale_of(self.protocol, dimension),
            sources=self.source_of,
            draws=draws,
            seed=seed,
            confidence=confidence,
            open_ended=is_open_ended(self.protocol, dimension),
        )

    def reports(
        self, *, draws: int = DRAWS, seed: int = SEED, confidence: float = CONFIDENCE
    ) -> dict[str, DimensionReport]:
        """The report of every dimension, in the protocol's order."""
        return {
            name: self.report(name, draws=draws, seed=seed, confidence=confidence)
            for name in self.tables
        }


@one_moment()
def study_ratings(
    study: Study,
    *,
    round: str = "main",  # noqa: A002
    kinds: Sequence[str] = PEOPLE,
    simplifications: Collection[int] | None = None,
    withdrawn: bool = True,
    context: bool | None = None,
    guide: int | None = None,
) -> StudyRatings:
    """The submitted ratings of a study, all of one moment; four queries.

    ``round``: one of ``rounds.ROUNDS``. ``kinds`` of annotators. ``simplifications``: only these
    ids, None for all. ``withdrawn``: with what annotators submitted who have left since.
    ``context``: only judgments made with the neighbouring text shown, or without; None for both.
    ``guide``: only those made under this version of the guide, by its number.
    """
    raters = raters_of(study, kinds, withdrawn=withdrawn)
    units = units_of(study, round, None if simplifications is None else set(simplifications))
    key_of = {unit.pk: unit.key for unit in units}
    rows = [
        row for row in _rows(study, round, context, guide) if row[0] in key_of and row[1] in raters
    ]
    columns = {
        name: [row[place] for row in rows]
        for place, name in enumerate(study.protocol.dimensions, start=2)
    }
    tables = rating_tables(
        [key_of[row[0]] for row in rows], [raters[row[1]].pseudonym for row in rows], columns
    )
    return StudyRatings(study.protocol, tables, units, list(raters.values()))


def level_of(protocol: Protocol, dimension: str) -> Level:
    """The level of measurement that the dimension states. Raises ``KeyError``."""
    return protocol.dimension(dimension).level


def scale_of(protocol: Protocol, dimension: str) -> tuple[int, ...]:
    """Every value that a rating on this dimension can have, ascending. Raises ``KeyError``."""
    return protocol.dimension(dimension).scale


def is_open_ended(protocol: Protocol, dimension: str) -> bool:
    """Whether its values are numbers of marks: how many there may be bounds what a page takes, and
    is no end of a scale that anybody has in mind."""
    return dimension in {marking.counted for marking in protocol.marked}


def raters_of(study: Study, kinds: Sequence[str], *, withdrawn: bool) -> dict[int, RaterFacts]:
    """By annotator id, in the annotators' order."""
    return {
        pk: RaterFacts(pk, rater.pseudonym, rater.kind, rater.withdrawn)
        for pk, rater in disclosure(study, withdrawn=withdrawn).raters.items()
        if rater.kind in kinds
    }


def units_of(
    study: Study,
    round: str,  # noqa: A002
    wanted: set[int] | None = None,
) -> list[RatedUnit]:
    """The simplifications of a round in the study's order, or those of the ``wanted`` ids; two
    queries, and a third where there are many and nobody asked before."""
    simplifications = Simplification.objects.filter(item__study=study)
    simplifications = simplifications.filter(items_in(round, "item__"))
    # Not by row ids: they follow the order of import, which is none of the data's.
    rows = simplifications.order_by("item__position", "position", "system", "text").values_list(
        "pk", "item__key", "item__position", "position", "system", "item__round"
    )
    items = Item.objects.filter(items_in(round), study=study)
    sources = kept_sources(items) if len(rows) >= MANY else sources_by_item(items)
    units, taken = [], set()
    for pk, item_key, item_position, position, system, its_round in rows:
        key, again = f"{item_key}/{position}", 2
        while key in taken:
            key, again = f"{item_key}/{position}.{again}", again + 1
        taken.add(key)
        if wanted is None or pk in wanted:
            source = sources[item_key]
            units.append(
                RatedUnit(pk, key, item_key, source, item_position, position, system, its_round)
            )
    return units


def _rows(
    study: Study,
    round: str,  # noqa: A002
    context: bool | None,
    guide: int | None,
) -> list[tuple[int, ...]]:
    """(simplification, annotator, value of each dimension …) of each submitted judgment, in no
    order."""
    dimensions = study.protocol.dimensions
    ratings = {
        f"rated_{name}": FilteredRelation("ratings", condition=Q(ratings__dimension=name))
        for name in dimensions
    }
    # By the study's items: PostgreSQL knows how many these are, and takes annotators of a small
    # study to have judged as much as those of a large one.
    judgments = Judgment.objects.filter(
        judgments_in(round),
        submitted_at__isnull=False,
        assignment__simplification__item__study=study,
    )
    if context is not None:
        judgments = judgments.filter(assignment__context_shown=context)
    if guide is not None:
        judgments = judgments.filter(guide__number=guide)
    return list(
        judgments.order_by()
        .annotate(**ratings)
        .values_list(
            "assignment__simplification_id",
            "assignment__annotator_id",
            *(F(f"rated_{name}__value") for name in dimensions),
        )
    )
