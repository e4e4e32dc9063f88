"""Everything that the page on systems shows, computed once and then shown in any language: numbers,
never words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.agreement.systems.methods import systems_methods
from annotation.agreement.systems.rates import Finding, Rates, rates
from annotation.agreement.systems.report import Dimension, DimensionSystems, side_by_side
from annotation.agreement.systems.table import Output
from annotation.agreement.systems.wording import NO_SYSTEM, ONE_SYSTEM, ONE_UNNAMED, UNNAMED
from annotation.models import Simplification, Study
from annotation.protocols.base import Wording
from annotation.scoring.strata import looks_truncated
from annotation.selectors.agreement.facts import JudgmentFacts, judgment_facts, mark_types, only
from annotation.selectors.agreement.figures import majority_classes
from annotation.selectors.agreement.filters import Filters, chosen_pairs
from annotation.selectors.agreement.reliability import (
    PEOPLE,
    OfWithdrawn,
    RatedUnit,
    StudyRatings,
    is_open_ended,
    level_of,
    scale_of,
    study_ratings,
)
from annotation.selectors.agreement.with_models import SystemsHelped, systems_helped
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.base.rounds import items_in

METHOD = "bareme-systems/4"
"""Of version 1, higher was better on every scale; of version 2, systems had the places of their
means where tests said the opposite, which were outside the range beside them; of version 3, the
interval of Cliff's delta leaned away from 0, and that of eta squared could leave out its value."""
FLAGS = ("truncated", "identical", "language")
"""What a machine sees in an output: it was cut off, it is the original unchanged, it is in another
language than most."""
ANY_ERROR = "any"


class _OutputFacts(NamedTuple):
    """What is known of an output besides its place in the tables."""

    text: str
    finish_reason: str
    is_identical: bool
    language: str


@dataclass(frozen=True)
class SystemsFigures:
    """All of it. ``item_of`` gives an item's key for each source; ``brackets`` and ``errors`` are
    empty where no judgment holds any; ``marks``: those that nobody calls errors, by field.
    ``labels``: what the dimensions are called.
    ``helped``: the same systems with the help of models that judge; None where there is none, or
    where the filters keep a part only. ``flagged``: by flag the units that bear it, of those that
    somebody judged."""

    systems: tuple[str, ...]
    dimensions: Mapping[str, DimensionSystems]
    brackets: tuple[Rates, ...]
    errors: tuple[Rates, ...]
    item_of: Mapping[str, str]
    judgments: int
    unnamed: int
    drawn: Drawn
    of_withdrawn: OfWithdrawn
    labels: Mapping[str, Wording] = field(default_factory=dict)
    helped: SystemsHelped | None = None
    flagged: tuple[tuple[str, tuple[str, ...]], ...] = ()
    marks: Mapping[str, tuple[Rates, ...]] = field(default_factory=dict)

    @property
    def reason(self) -> Wording | None:
        """Why no system can be compared with another."""
        if not self.systems:
            return NO_SYSTEM
        return ONE_SYSTEM.format(system=self.systems[0]) if len(self.systems) == 1 else None

    @property
    def notes(self) -> tuple[Wording, ...]:
        """What has to be said beside everything."""
        if not self.unnamed or not self.systems:
            return ()
        return (ONE_UNNAMED if self.unnamed == 1 else UNNAMED.format(outputs=self.unnamed),)

    @property
    def methods(self) -> Wording | None:
        """The paragraph for a paper; None where nothing is compared."""
        if self.reason is not None:
            return None
        return systems_methods(
            {name: dimension.as_dict() for name, dimension in self.dimensions.items()},
            systems=len(self.systems),
            drawn=self.drawn,
            labels=self.labels,
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe, without NaN."""
        return {
            "systems": list(self.systems),
            "undefined": wording_facts(self.reason),
            "notes": [wording_facts(note) for note in self.notes],
            "judgments": self.judgments,
            "unnamed_outputs": self.unnamed,
            "dimensions": {
                name: dimension.as_dict() for name, dimension in self.dimensions.items()
            },
            "bracket_rates": [bracket.as_dict() for bracket in self.brackets],
            "error_rates": [error.as_dict() for error in self.errors],
            "mark_rates": {
                name: [system.as_dict() for system in of_field]
                for name, of_field in self.marks.items()
            },
            "with_models": self.helped.as_dict() if self.helped is not None else None,
            "methods": wording_facts(self.methods),
            "settings": {
                "method": METHOD,
                "draws": self.drawn.draws,
                "seed": self.drawn.seed,
                "confidence": self.drawn.confidence,
            },
        }


@one_moment()
def systems_figures(
    study: Study,
    filters: Filters,
    drawn: Drawn | None = None,
    *,
    withdrawn: bool = True,
    helped: bool = True,
) -> SystemsFigures:
    """Compute everything, of one moment; a constant number of queries. ``helped``: with what models
    add that judge or score."""
    drawn = drawn or Drawn()
    withdrawn = withdrawn and filters.has_withdrawn
    ratings = _ratings(study, filters, withdrawn=withdrawn)
    facts = _outputs(study, filters.round)
    judged = {unit for table in ratings.tables.values() for unit in _rated(table)}
    units = [unit for unit in ratings.items if unit.key in judged]
    outputs = [Output(unit.key, unit.system, unit.source) for unit in units]
    kinds = (filters.kind,) if filters.kind else PEOPLE
    everybody = {rater.pk for rater in ratings.annotators}
    sealed = judgment_facts(study, round=filters.round, kinds=kinds, context=filters.context_shown)
    judgments = [
        judgment
        for judgment in only(sealed, {unit.pk for unit in units})
        if judgment.annotator in everybody
    ]
    dimensions = {
        name: Dimension(
            table,
            level_of(ratings.protocol, name),
            scale_of(ratings.protocol, name),
            is_open_ended(ratings.protocol, name),
            ratings.protocol.dimension(name).better,
        )
        for name, table in ratings.tables.items()
    }
    brackets, errors, marks = _finding_rates(
        study, ratings, filters.round, judgments, outputs, drawn
    )
    flagged = _flagged(units, facts)
    is_whole = helped and not replace(filters, withdrawn="").chosen()
    return SystemsFigures(
        systems=tuple(sorted({unit.system for unit in units if unit.system})),
        dimensions=side_by_side(dimensions, outputs, flags=flagged, drawn=drawn),
        brackets=brackets,
        errors=errors,
        marks=marks,
        item_of=_items(units),
        judgments=ratings.judgments,
        unnamed=sum(not unit.system for unit in units),
        drawn=drawn,
        helped=systems_helped(study, drawn, withdrawn=withdrawn) if is_whole else None,
        flagged=tuple((flag, tuple(sorted(own))) for flag, own in flagged.items()),
        of_withdrawn=ratings.of_withdrawn,
        labels={name: ratings.protocol.dimension(name).label for name in dimensions},
    )


def _ratings(study: Study, filters: Filters, *, withdrawn: bool) -> StudyRatings:
    kinds = (filters.kind,) if filters.kind else PEOPLE
    context = filters.context_shown

    def read(pairs: Collection[int] | None) -> StudyRatings:
        return study_ratings(
            study,
            round=filters.round,
            kinds=kinds,
            simplifications=pairs,
            withdrawn=withdrawn,
            context=context,
        )

    ratings = read(None)
    if not filters.of_pairs:
        return ratings
    classes = majority_classes(ratings, study.seed, filters.class_dimension)
    return read(chosen_pairs(study, filters, classes))


def _rated(table: Any) -> list[str]:
    return [table.unit_ids[at] for at in set(table.unit_index.tolist())]


def _outputs(study: Study, round_: str) -> dict[int, _OutputFacts]:
    rows = Simplification.objects.filter(items_in(round_, "item__"), item__study=study)
    facts = rows.order_by().values_list("pk", "text", "finish_reason", "is_identical", "language")
    return {row[0]: _OutputFacts(*row[1:]) for row in facts}


def _flagged(units: Sequence[RatedUnit], facts: Mapping[int, _OutputFacts]) -> dict[str, set[str]]:
    languages = Counter(facts[unit.pk].language for unit in units if facts[unit.pk].language)
    usual = languages.most_common(1)[0][0] if languages else ""
    flagged: dict[str, set[str]] = {flag: set() for flag in FLAGS}
    for unit in units:
        own = facts[unit.pk]
        if looks_truncated(own.text, own.finish_reason):
            flagged["truncated"].add(unit.key)
        if own.is_identical:
            flagged["identical"].add(unit.key)
        if own.language not in ("", usual):
            flagged["language"].add(unit.key)
    return flagged


def _items(units: Sequence[RatedUnit]) -> dict[str, str]:
    """The first item of each source; where several have the same text, the one with most
    outputs."""
    per_item: dict[str, Counter[str]] = defaultdict(Counter)
    for unit in units:
        per_item[unit.source][unit.item_key] += 1
    return {source: counts.most_common(1)[0][0] for source, counts in per_item.items()}


def _finding_rates(
    study: Study,
    ratings: StudyRatings,
    round_: str,
    judgments: Sequence[JudgmentFacts],
    outputs: Sequence[Output],
    drawn: Drawn,
) -> tuple[tuple[Rates, ...], tuple[Rates, ...], dict[str, tuple[Rates, ...]]]:
    """Brackets, errors, and by field the marks that are none, where judgments hold them: imported
    ones need not."""
    key_of = {unit.pk: unit.key for unit in ratings.items}
    known = [judgment for judgment in judgments if judgment.bracket is not None]
    if not known:
        return (), (), {}
    values = sorted(
        {judgment.bracket for judgment in known if judgment.bracket is not None}, reverse=True
    )
    brackets = rates(
        [
            Finding(key_of[judgment.simplification], judgment.annotator, {str(judgment.bracket): 1})
            for judgment in known
        ],
        outputs,
        [str(value) for value in values],
        name="bracket",
        drawn=drawn,
        are_shares=True,
    )
    types = mark_types(study, round=round_)

    def marked(name: str, of_fields: Collection[str]) -> tuple[Rates, ...]:
        """How often each type was marked in any of these fields, and all of them together."""
        own: dict[int, Counter[str]] = {judgment.pk: Counter() for judgment in known}
        for of in of_fields:
            for judgment_id, numbers in types.get(of, {}).items():
                if judgment_id in own:
                    own[judgment_id].update(numbers)
        findings = [
            Finding(
                key_of[judgment.simplification],
                judgment.annotator,
                {**own[judgment.pk], ANY_ERROR: own[judgment.pk].total()},
            )
            for judgment in known
        ]
        kinds = sorted({kind for counts in own.values() for kind in counts})
        things = [ANY_ERROR, *kinds]
        return rates(findings, outputs, things, name=name, drawn=drawn, are_shares=False)

    others = [marking.name for marking in study.protocol.no_errors]
    # Of a field whose kind is gone it is not known that its marks are no errors.
    errors = {*(marking.name for marking in study.protocol.marked), *types}.difference(others)
    return (
        brackets,
        marked("errors", errors) if errors else (),
        {of: marked(f"marks.{of}", [of]) for of in others},
    )
