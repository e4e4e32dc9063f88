"""Two studies side by side, or two parts of one: their judgments read, their outputs matched."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.agreement.studies.matching import KEY, JudgedText, Matching, matching
from annotation.agreement.studies.orders import Order, orders
from annotation.agreement.studies.report import DimensionStudies, studies_side_by_side
from annotation.agreement.studies.table import Measured
from annotation.agreement.studies.wording import (
    ALREADY,
    CHOSEN,
    NO_COMMON_DIMENSION,
    NO_COMMON_OUTPUT,
    NOT_SENT_BACK,
    NOT_YET_AGAIN,
    ORDER_ALONE,
    TWICE_ALIKE,
    UNREADABLE,
    WAITING,
)
from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.models import Annotator, GuideVersion, Judgment, Simplification, Study
from annotation.protocols.base import Wording
from annotation.selectors.agreement.reliability import (
    PEOPLE,
    OfWithdrawn,
    StudyRatings,
    is_open_ended,
    level_of,
    scale_of,
    study_ratings,
)
from annotation.selectors.agreement.sent_back import SentBack, sent_back_ratings
from annotation.selectors.base.rounds import items_in, judgments_in

SAME_JUDGMENTS = Wording(
    "Ce sont les mêmes jugements des deux côtés\u00a0: choisissez une autre étude, une autre "
    "ronde, l'autre affichage du texte voisin ou une autre version du guide.",
    "These are the same judgments on both sides: choose another study, another round, the other "
    "display of the neighbouring text, or another version of the guide.",
)

_ACCOUNT = "account:"


@dataclass(frozen=True)
class Part:
    """Which judgments of a study: a round ("main" or "practice"), ``context`` "shown", "not_shown"
    or "" for both, ``guide`` the number of a version or None for all.

    ``stood``: "" as judgments stand; "before" and "after" are those that the guide of that number
    (None: any) sent back, as they stood then and as they were made again.
    """

    round: str = "main"
    context: str = ""
    guide: int | None = None
    stood: str = ""

    def __str__(self) -> str:
        """For signatures and file names: ``round:main|context:shown|guide:2|stood:before``."""
        named = {
            "round": self.round,
            "context": self.context,
            "guide": self.guide,
            "stood": self.stood,
        }
        return "|".join(f"{name}:{value}" for name, value in named.items() if value)


@dataclass(frozen=True)
class SideFacts:
    """One side as the figures tell of it; ``labels``: how its protocol asks each dimension;
    ``of_withdrawn``: what is counted that no snapshot holds."""

    key: str
    title: str
    protocol: str
    part: Part
    judgments: int
    outputs: int
    of_withdrawn: OfWithdrawn
    labels: Mapping[str, Wording]

    def as_dict(self) -> dict[str, Any]:
        return {
            "study": self.key,
            "title": self.title,
            "protocol": self.protocol,
            "round": self.part.round,
            "context": self.part.context,
            "guide": self.part.guide,
            "stood": self.part.stood,
            "judgments": self.judgments,
            "outputs": self.outputs,
            "of_withdrawn": self.of_withdrawn._asdict(),
        }


@dataclass(frozen=True)
class StudiesFigures:
    """All of it. ``outputs`` counts judged ones. ``orders``: of dimensions without counterpart on
    the same scale. ``item_of`` names the item of each output of the first study; ``sent_back`` is
    told where judgments are held against what they were before."""

    first: SideFacts
    second: SideFacts
    matching: Matching
    dimensions: Mapping[str, DimensionStudies]
    drawn: Drawn
    orders: tuple[Order, ...]
    item_of: Mapping[str, str]
    sent_back: SentBack | None = None

    @property
    def reason(self) -> Wording | None:
        """Why nothing at all can be compared."""
        if self.sent_back is not None and not self.sent_back.again:
            number = self.sent_back.sent
            return NOT_YET_AGAIN.format(sent=number) if number else NOT_SENT_BACK
        if not self.matching.matches:
            return NO_COMMON_OUTPUT
        return None if self.is_measured_alike or self._ordered else NO_COMMON_DIMENSION

    @property
    def is_measured_alike(self) -> bool:
        """Whether there is a dimension that both measure on one scale."""
        return any(dimension.undefined is None for dimension in self.dimensions.values())

    @property
    def _ordered(self) -> bool:
        return any(order.spearman.value is not None for order in self.orders)

    @property
    def notes(self) -> tuple[Wording, ...]:
        """What has to be said beside everything."""
        surplus, sent_back = self.matching.surplus, self.sent_back
        notes = [TWICE_ALIKE.format(outputs=surplus)] if surplus else []
        notes += [ORDER_ALONE] if self._ordered and not self.is_measured_alike else []
        if sent_back is not None and sent_back.again:
            notes += [WAITING.format(waiting=sent_back.waiting)] if sent_back.waiting else []
            notes += [ALREADY.format(already=sent_back.already)] if sent_back.already else []
            notes.append(CHOSEN)
        return tuple(notes)

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe, without NaN."""
        matched = self.matching
        return {
            "first": self.first.as_dict(),
            "second": self.second.as_dict(),
            "undefined": wording_facts(self.reason),
            "notes": [wording_facts(note) for note in self.notes],
            "sent_back": None if self.sent_back is None else self.sent_back.as_dict(),
            "matching": {
                "rule": matched.rule,
                "matched": len(matched.matches),
                "first_only": matched.first_only,
                "second_only": matched.second_only,
                "texts_differ": matched.altered,
                "systems_differ": matched.renamed,
                "surplus": matched.surplus,
            },
            "dimensions": {
                name: dimension.as_dict() for name, dimension in self.dimensions.items()
            },
            "orders": [order.as_dict() for order in self.orders],
            "settings": {
                "method": "bareme-studies/2",
                "draws": self.drawn.draws,
                "seed": self.drawn.seed,
                "confidence": self.drawn.confidence,
            },
        }


def studies_figures(
    first: tuple[Study, Part],
    second: tuple[Study, Part],
    rule: str,
    drawn: Drawn | None = None,
    *,
    withdrawn: bool = True,
) -> StudiesFigures:
    """Compute everything; a constant number of queries. Raises ``ValueError`` for an unknown rule.

    One person of both studies is told by their account; who judged in a published file is somebody
    else in every study.
    """
    sides = [
        _Side(study, part, _ratings(study, part, withdrawn=withdrawn))
        for study, part in (first, second)
    ]
    return _side_by_side(sides, rule, drawn or Drawn())


def sent_back_figures(
    study: Study, part: Part, drawn: Drawn | None = None, *, withdrawn: bool = True
) -> StudiesFigures:
    """The judgments of a part that its guide sent back (``Part.guide``; None: any version): as they
    stood then, against how the same people made them again. A constant number of queries."""
    sent_back, *tables = sent_back_ratings(
        study,
        round=part.round,
        kinds=PEOPLE,
        withdrawn=withdrawn,
        context=part.context == "shown" if part.context else None,
        guide=part.guide,
    )
    sides = [
        _Side(study, replace(part, stood=stood), table)
        for stood, table in zip(("before", "after"), tables, strict=True)
    ]
    figures = _side_by_side(sides, KEY, drawn or Drawn())
    gone = {dimension.name for field in study.protocol.former for dimension in field.dimensions}
    dimensions = {
        name: DimensionStudies(UNREADABLE) if name in gone else dimension
        for name, dimension in figures.dimensions.items()
    }
    return replace(figures, sent_back=sent_back, dimensions=dimensions)


def _unknown(
    sides: Sequence[_Side], people: Sequence[Mapping[Hashable, Hashable]]
) -> frozenset[Hashable]:
    """Whom no account tells from people of the other study; within one study everybody is told
    from everybody else."""
    if sides[0].study.pk == sides[1].study.pk:
        return frozenset()
    everybody = {str(who) for known in people for who in known.values()}
    return frozenset(who for who in everybody if not who.startswith(_ACCOUNT))


class _Side(NamedTuple):
    study: Study
    part: Part
    ratings: StudyRatings


def _side_by_side(sides: Sequence[_Side], rule: str, drawn: Drawn) -> StudiesFigures:
    texts = [_texts(side.study, side.part, side.ratings) for side in sides]
    matched = matching(texts[0], texts[1], rule)
    measured = [_measured(side.ratings) for side in sides]
    people = [_people(side.study, side.ratings) for side in sides]
    dimensions = studies_side_by_side(
        measured[0],
        measured[1],
        matched.matches,
        people=(people[0], people[1]),
        drawn=drawn,
        unknown=_unknown(sides, people),
    )
    facts = [
        SideFacts(
            side.study.key,
            side.study.title,
            f"{side.study.protocol_key} {side.study.protocol_version}",
            side.part,
            side.ratings.judgments,
            len(judged),
            side.ratings.of_withdrawn,
            {name: side.study.protocol.dimension(name).label for name in side.ratings.tables},
        )
        for side, judged in zip(sides, texts, strict=True)
    ]
    item_of = {unit.key: unit.item_key for unit in sides[0].ratings.items}
    ordered = orders(measured[0], measured[1], matched.matches, drawn)
    return StudiesFigures(facts[0], facts[1], matched, dimensions, drawn, ordered, item_of)


def comparable(led: QuerySet[Study]) -> list[Study]:
    """Of the studies that somebody leads those whose answers can be read now, by title; one
    query. One that holds a published file's judgments has some before its main round opens."""
    brought = Judgment.objects.filter(
        judgments_in("main"),
        submitted_at__isnull=False,
        assignment__annotator__study=OuterRef("pk"),
    )
    open_ = Q(state__in=[Study.State.MAIN, Study.State.CLOSED]) | Exists(brought)
    studies = led.filter(open_).order_by("title", "key")
    return [study for study in studies if not study.hides_answers()]


def guide_numbers(study: Study) -> list[int]:
    """The versions of its guide; one query."""
    guides = GuideVersion.objects.filter(study=study).order_by("number")
    return list(guides.values_list("number", flat=True))


def _ratings(study: Study, part: Part, *, withdrawn: bool) -> StudyRatings:
    return study_ratings(
        study,
        round=part.round,
        withdrawn=withdrawn,
        context=part.context == "shown" if part.context else None,
        guide=part.guide,
    )


def _texts(study: Study, part: Part, ratings: StudyRatings) -> list[JudgedText]:
    """The outputs that were judged, in the study's order."""
    rated = {
        table.unit_ids[at]
        for table in ratings.tables.values()
        for at in set(table.unit_index.tolist())
    }
    rows = Simplification.objects.filter(items_in(part.round, "item__"), item__study=study)
    words = {
        pk: (original, text)
        for pk, original, text in rows.order_by().values_list("pk", "item__original", "text")
    }
    return [
        JudgedText(unit.key, unit.key, unit.system, *words[unit.pk], unit.source)
        for unit in ratings.items
        if unit.key in rated
    ]


def _measured(ratings: StudyRatings) -> dict[str, Measured]:
    return {
        name: Measured(
            table,
            level_of(ratings.protocol, name),
            scale_of(ratings.protocol, name),
            is_open_ended(ratings.protocol, name),
        )
        for name, table in ratings.tables.items()
    }


def _people(study: Study, ratings: StudyRatings) -> dict[Hashable, Hashable]:
    """Who each pseudonym is: an account, else the annotator of this study."""
    rows = Annotator.objects.filter(study=study, kind=Annotator.Kind.PERSON, user__isnull=False)
    accounts = dict(rows.values_list("pk", "user_id"))
    return {
        rater.pseudonym: f"{_ACCOUNT}{accounts[rater.pk]}"
        if rater.pk in accounts
        else f"annotator:{rater.pk}"
        for rater in ratings.annotators
    }
