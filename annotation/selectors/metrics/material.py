"""What a report on metrics starts from: a study's judged simplifications, their texts and ratings,
and what they may be compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.metrics.languages import with_languages
from annotation.metrics.metric import MetricPair, pair
from annotation.metrics.report.people import REFERENCES, FloatArray, Output, People
from annotation.models import BroughtMetric, BroughtScore, Item, Rating, Simplification, Study
from annotation.protocols.base import Level
from annotation.selectors.agreement.figures import majority_classes
from annotation.selectors.agreement.reliability import (
    NOTHING_WITHDRAWN,
    PEOPLE,
    OfWithdrawn,
    RatedUnit,
    StudyRatings,
    level_of,
    scale_of,
    study_ratings,
)
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.rounds import judgments_in


class _Texts(NamedTuple):
    original: str
    text: str
    finish_reason: str
    language: str


@dataclass(frozen=True, eq=False)
class Material:
    """Judged outputs: their ids and pairs of texts in the order of ``people.outputs``.
    ``references``: how many an output has at most, ``fewest`` at least. ``beside_ids`` and
    ``beside_pairs``: judged outputs of the reference systems, as ``people.beside`` has them.
    ``of_withdrawn``: what of ``people.ratings`` no snapshot holds."""

    people: People
    ids: tuple[int, ...]
    pairs: tuple[MetricPair, ...]
    references: int
    fewest: int
    beside_ids: tuple[int, ...] = ()
    beside_pairs: tuple[MetricPair, ...] = ()
    of_withdrawn: OfWithdrawn = NOTHING_WITHDRAWN

    @property
    def without(self) -> int:
        """How many outputs have no reference."""
        return sum(not metric_pair.references for metric_pair in self.pairs)


def rated_dimensions(study: Study) -> list[str]:
    """Dimensions that metrics can be held against: what has an order. What a scorer predicts comes
    first."""
    names = [
        name
        for name in study.protocol.dimensions
        if level_of(study.protocol, name) != Level.NOMINAL
    ]
    return sorted(names, key=lambda name: name != study.protocol.predicted)


def systems_unknown(study: Study, names: Sequence[str]) -> list[str]:
    """Those of these systems that no pair of the main round has."""
    pairs = Simplification.objects.filter(item__study=study, item__round="main")
    return [name for name in names if not pairs.filter(system=name).exists()]


def systems_there(study: Study) -> list[str]:
    """The systems of the main round's pairs, sorted."""
    pairs = Simplification.objects.filter(item__study=study, item__round="main")
    named = pairs.exclude(system="").values_list("system", flat=True)
    return sorted(named.distinct().order_by())


@one_moment()
def material(study: Study, dimension: str, references: Collection[str] = ()) -> Material:
    """Every judged simplification of the main round with its ratings on ``dimension``; a constant
    number of queries. The outputs of the systems ``references``, judged or not, are what the others
    are compared with, and no outputs themselves; those judged stand beside."""
    ratings = study_ratings(study)
    table = ratings.tables[dimension]
    texts = _texts(study)
    classes = majority_classes(ratings, study.seed)
    written = _references(ratings.items, texts, references)
    row_of = {str(unit): place for place, unit in enumerate(table.unit_ids)}
    rated = {str(table.unit_ids[place]) for place in np.unique(table.unit_index)}
    judged = [unit for unit in ratings.items if unit.key in rated]
    units = [unit for unit in judged if unit.system not in references]
    own = [unit for unit in judged if unit.system in references]
    scale = scale_of(study.protocol, dimension)
    people = People(
        tuple(_output(unit, texts[unit.pk], classes) for unit in units),
        table.matrix[[row_of[unit.key] for unit in units]],
        float(min(scale)),
        float(max(scale)),
        better=study.protocol.dimension(dimension).better,
    ).with_beside(
        REFERENCES,
        [_output(unit, texts[unit.pk], classes) for unit in own],
        np.nanmean(table.matrix[[row_of[unit.key] for unit in own]], axis=1),
    )
    pairs, beside = (
        with_languages([_pair(texts[unit.pk], written.get(unit.item_key, ())) for unit in some])
        for some in (units, own)
    )
    numbers = [len(metric_pair.references) for metric_pair in pairs] or [0]
    return Material(
        people,
        tuple(unit.pk for unit in units),
        pairs,
        max(numbers),
        min(numbers),
        tuple(unit.pk for unit in own),
        beside,
        _of_withdrawn(people.ratings, table.rater_ids, ratings),
    )


def _of_withdrawn(
    given: FloatArray, names: Sequence[Hashable], ratings: StudyRatings
) -> OfWithdrawn:
    """Of ratings (outputs, ``names``), NaN where there is none: those of who has withdrawn."""
    withdrawn = {rater.pseudonym for rater in ratings.annotators if rater.withdrawn}
    theirs = ~np.isnan(given[:, [place for place, name in enumerate(names) if name in withdrawn]])
    return OfWithdrawn(int(theirs.any(axis=0).sum()), int(theirs.sum()))


def _pair(texts: _Texts, references: tuple[str, ...]) -> MetricPair:
    return pair(texts.original, texts.text, references, texts.language)


def _texts(study: Study) -> dict[int, _Texts]:
    rows = Simplification.objects.filter(item__study=study, item__round="main").order_by()
    texts = rows.values_list("pk", "item__original", "text", "finish_reason", "language")
    return {pk: _Texts(*rest) for pk, *rest in texts}


def _references(
    units: Sequence[RatedUnit], texts: Mapping[int, _Texts], systems: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """By item, what these systems wrote, in the study's order; judged or not."""
    references: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        if unit.system in systems:
            references[unit.item_key].append(texts[unit.pk].text)
    return {item: tuple(written) for item, written in references.items()}


def _output(unit: RatedUnit, texts: _Texts, classes: Mapping[int, int]) -> Output:
    return Output(
        unit=unit.key,
        original=texts.original,
        simplification=texts.text,
        system=unit.system,
        finish_reason=texts.finish_reason,
        majority=str(classes.get(unit.pk, "")),
    )


def is_judged(study: Study, dimension: str, references: Collection[str] = ()) -> bool:
    """Whether anybody rated an output of the main round on this dimension, those of the systems
    ``references`` aside."""
    rated = Rating.objects.filter(
        judgments_in("main", "judgment__"),
        dimension=dimension,
        judgment__submitted_at__isnull=False,
        judgment__assignment__simplification__item__study=study,
        judgment__assignment__annotator__kind__in=PEOPLE,
    )
    return rated.exclude(judgment__assignment__simplification__system__in=references).exists()


def pair_names(study: Study) -> dict[str, int]:
    """The id of each simplification that ``named_pairs`` knows by the name that a file of scores
    knows it by: ``<item>/<position>``, as in the study's exports."""
    return {unit.key: unit.pk for unit in named_pairs(study)}


def named_pairs(study: Study) -> list[RatedUnit]:
    """Every simplification of the main round, in the study's order, then those that a draw left to
    models: their scores help where people judged a part."""
    left = Item.Aside.MACHINE.value
    return [*study_ratings(study).items, *study_ratings(study, round=left).items]


def brought_metrics(study: Study) -> list[BroughtMetric]:
    """Metrics whose scores were brought in, by name."""
    return list(BroughtMetric.objects.filter(study=study).select_related("brought_by"))


def brought_values(metrics: Sequence[BroughtMetric]) -> dict[int, dict[int, float]]:
    """By metric and simplification; one query."""
    values: dict[int, dict[int, float]] = {metric.pk: {} for metric in metrics}
    rows = BroughtScore.objects.filter(metric__in=metrics).order_by()
    for metric, simplification, value in rows.values_list(
        "metric_id", "simplification_id", "value"
    ):
        values[metric][simplification] = value
    return values
