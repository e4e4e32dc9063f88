"""What a plan of judgments is worth before it is carried out: what is known of the ratings to come,
and what each number of annotators per pair would give."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from annotation.agreement.generalizability import ANNOTATORS, ITEMS, REST, SOURCES, variance_study
from annotation.agreement.precision import (
    DIFFERENCE,
    MEAN,
    PAIR,
    Assumptions,
    Cost,
    Precision,
    cost,
    precision,
)
from annotation.models import Annotator, Event, Item, Judgment, Simplification, Study, plan_of
from annotation.protocols.base import Level, Wording
from annotation.selectors.agreement.reliability import level_of, scale_of, study_ratings
from annotation.selectors.agreement.sources import kept_sources
from annotation.selectors.base.rounds import judgments_in

PER_PAIR = (1, 2, 3, 5, 10, 20)
"""Annotators per pair that are compared, as far as there are so many, beside everybody."""
METHOD = "bareme-precision/5"
"""Since 2 it learns from what outputs of one system vary by: what systems differ by had been
counted among it. Since 3 chance between texts is learned from each text that is drawn, and teams
are as strict as a normal has them: by another seed the texts that are needed had been others by a
tenth. Since 4 what holds with other annotators is as wide as the page on systems will have it: of
differences it had been that for the same annotators. Since 5 a difference in rotating teams rests
on whoever judged both outputs of a text, as on that page: it had been of all answers, and too
narrow by up to a quarter."""
MOST_PEOPLE, MOST_SYSTEMS = 200, 50
_TIMED = 500
# Twenty studies in a list are looked through by eye; nobody plans by the fiftieth.
_MOST_STUDIES = 50


class Pilot(NamedTuple):
    """A scale of a study whose ratings may be learned from."""

    study: Study
    dimension: str


class Learned(NamedTuple):
    """What a pilot's ratings say: ``assumed`` (None where they say nothing, for ``reason``), from
    how many; ``told_apart``: whether texts and outputs of one text are; ``seconds`` per judgment,
    None where none was timed."""

    assumed: Assumptions | None
    reason: Wording | None
    ratings: int
    items: int
    annotators: int
    told_apart: bool
    seconds: float | None


@dataclass(frozen=True)
class PrecisionAim:
    """What is planned: ``texts``, each with an output of every one of ``systems``; ``annotators``
    there are; ``half_width`` in points, of ``target``; ``seconds`` for one judgment."""

    texts: int
    systems: int
    annotators: int
    target: str
    half_width: float
    seconds: float
    seed: int
    confidence: float = 0.95


@dataclass(frozen=True)
class Choice:
    """What so many annotators per pair give. ``widths``: half-widths with the texts that are
    planned, by (target, with other annotators); None where no interval can be given. ``texts``:
    how many it takes for the half-width that is wanted, by whether it is to hold with other
    annotators; None where no number of texts does."""

    per_pair: int
    everybody: bool
    precision: Precision
    widths: dict[tuple[str, bool], float | None]
    cost: Cost
    texts: dict[bool, int | None]
    texts_cost: Cost | None


class Standing(NamedTuple):
    """What a study has at this moment; counts only, nothing of what was answered."""

    texts: int
    systems: int
    annotators: int
    per_pair: int | None
    judged: int


def pilots(study: Study, led: QuerySet[Study]) -> list[Pilot]:
    """Scales to learn from: of this study and of the newest others that the reader leads
    (``access.studies_led``), never while a study hides its answers."""
    judged = Judgment.objects.filter(
        judgments_in("main"),
        submitted_at__isnull=False,
        assignment__annotator__study=OuterRef("pk"),
    )
    studies = led.filter(Exists(judged)).order_by("-created_at")
    newest = [*studies.filter(pk=study.pk), *studies.exclude(pk=study.pk)[:_MOST_STUDIES]]
    return [
        Pilot(pilot_study, name)
        for pilot_study in newest
        if not pilot_study.hides_answers("main") and pilot_study.protocol.is_installed
        for name in pilot_study.protocol.dimensions
        if level_of(pilot_study.protocol, name) != Level.NOMINAL
    ]


def learned(pilot: Pilot) -> Learned:
    """What the ratings of the main round say of ratings to come. What systems differ by on average
    is no chance, and is taken out: a study of differences does not vary by them. The caller has
    asked whether they may be read (``pilots``)."""
    ratings = study_ratings(pilot.study)
    table = ratings.tables[pilot.dimension]
    study = variance_study(
        table,
        level=str(level_of(ratings.protocol, pilot.dimension)),
        sources=ratings.source_of,
        systems={unit.key: unit.system for unit in ratings.items},
        draws=0,
        seed=0,
        confidence=0.95,
    )
    parts = {component.name: component.variance for component in study.components}
    assumed = None
    if not study.undefined:
        assumed = Assumptions(
            mean=float(table.values.mean()),
            sources=parts.get(SOURCES, 0.0),
            outputs=parts[ITEMS],
            annotators=parts[ANNOTATORS],
            rest=parts[REST],
            scale=tuple(map(float, scale_of(ratings.protocol, pilot.dimension))),
        )
    return Learned(
        assumed=assumed,
        reason=study.undefined,
        ratings=table.n_ratings,
        items=table.n_rated,
        annotators=table.n_active,
        told_apart=SOURCES in parts,
        seconds=_seconds(pilot.study),
    )


def choices(assumed: Assumptions, wanted: PrecisionAim) -> list[Choice]:
    """What each number of annotators per pair would give, by simulation. Raises
    ``ImpossibleAssumptions``."""
    numbers = sorted({*(k for k in PER_PAIR if k <= wanted.annotators), wanted.annotators})
    return [choice(assumed, wanted, per_pair) for per_pair in numbers]


def standing(study: Study) -> Standing:
    """What the study has: distinct texts, systems for each, people, the plan's answers per pair,
    and how many judgments of the main round count. A constant number of queries."""
    items = Item.objects.filter(study=study, round=Item.Round.MAIN)
    texts = len(set(kept_sources(items).values()))
    outputs = Simplification.objects.filter(item__in=items).count()
    people = Annotator.objects.filter(
        study=study, kind=Annotator.Kind.PERSON, withdrawn_at__isnull=True
    ).count()
    judged = Judgment.objects.filter(
        judgments_in("main"),
        submitted_at__isnull=False,
        # No release holds them, and others are given their pairs.
        assignment__annotator__withdrawn_at__isnull=True,
        assignment__simplification__item__study=study,
    ).exclude(assignment__annotator__kind=Annotator.Kind.MACHINE)
    per_pair = plan_of(study).per_item
    systems = max(round(outputs / texts), 1) if texts else 1
    return Standing(texts, systems, people, per_pair, judged.count())


def chosen_design(study: Study) -> dict[str, Any] | None:
    """The design that a lead chose last (``services.agreement.precision``), the day on which they
    did (UTC), and what the plan asks for now; None where nobody chose any."""
    event = Event.objects.filter(study=study, verb="precision_chosen").order_by("-pk").first()
    if event is None:
        return None
    design = {
        "chosen_on": event.created_at.date().isoformat(),
        "per_pair": event.details["per_item"],
        **event.details["design"],
        "plan_per_pair": plan_of(study).per_item,
    }
    # Databases keep the order of keys or not; a snapshot's bytes are the same on all of them.
    ordered: dict[str, Any] = json.loads(json.dumps(design, sort_keys=True))
    return ordered


def choice(assumed: Assumptions, wanted: PrecisionAim, per_pair: int) -> Choice:
    """What ``per_pair`` annotators per output would give, by simulation. Raises
    ``ImpossibleAssumptions``."""
    simulated = _simulated(assumed, wanted.annotators, per_pair, wanted.seed)
    texts = {
        others: simulated.texts_for(
            wanted.target, wanted.half_width, confidence=wanted.confidence, others=others
        )
        for others in (False, True)
    }
    known: Sequence[int] = [number for number in texts.values() if number is not None]
    return Choice(
        per_pair=per_pair,
        everybody=per_pair == wanted.annotators,
        precision=simulated,
        widths={
            (target, others): simulated.half_width(
                target, wanted.texts, confidence=wanted.confidence, others=others
            )
            for target in (DIFFERENCE, MEAN, PAIR)
            for others in (False, True)
        },
        cost=cost(wanted.texts, wanted.systems, per_pair, wanted.seconds),
        texts=texts,
        texts_cost=cost(max(known), wanted.systems, per_pair, wanted.seconds) if known else None,
    )


@lru_cache(maxsize=256)
def _simulated(assumed: Assumptions, annotators: int, per_pair: int, seed: int) -> Precision:
    """Of the same assumptions and seed comes the same; who asks for another width, or chooses one
    of what the page showed, waits for no simulation again."""
    return precision(assumed, annotators=annotators, per_pair=per_pair, seed=seed)


def _seconds(study: Study) -> float | None:
    """Median active time of the newest judgments of people that were timed."""
    timed = list(
        Judgment.objects.filter(
            judgments_in("main"),
            submitted_at__isnull=False,
            active_seconds__gt=0,
            assignment__simplification__item__study=study,
            assignment__annotator__kind=Annotator.Kind.PERSON,
        )
        .order_by("-submitted_at")
        .values_list("active_seconds", flat=True)[:_TIMED]
    )
    return float(median(timed)) if timed else None
