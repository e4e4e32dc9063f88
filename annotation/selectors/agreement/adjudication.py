"""What disagrees in a study, what was ruled on it, and one case as the person who rules sees it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.agreement.disputes import DisputeRules, dispute_rules, disputes
from annotation.agreement.table import Ratings
from annotation.allocation import seeded_order
from annotation.answers import PARTS
from annotation.models import Adjudication, AdjudicationRules, Judgment, Simplification, Study
from annotation.selectors.agreement.reliability import (
    PEOPLE,
    RatedUnit,
    StudyRatings,
    level_of,
    study_ratings,
)
from annotation.selectors.agreement.voices import Voice, voice_of

OPEN, RULED, DUE_AGAIN = "open", "ruled", "due_again"


class Case(NamedTuple):
    """One disputed dimension of one simplification. ``state``: open, ruled, or ruled before a
    judgment changed."""

    unit: RatedUnit
    dimension: str
    values: tuple[float, ...]
    disagreement: float
    state: str
    ruling: Adjudication | None


@dataclass(frozen=True)
class Queue:
    """Every case of a study under its rules, open ones first."""

    rules: DisputeRules
    cases: list[Case]

    def count(self, state: str) -> int:
        return sum(case.state == state for case in self.cases)


def rules_of(study: Study) -> DisputeRules:
    """The study's thresholds; the defaults where nobody has set any."""
    stored = AdjudicationRules.objects.filter(study=study).first()
    return dispute_rules(stored.rules) if stored else DisputeRules()


def adjudication_queue(study: Study, *, ratings: StudyRatings | None = None) -> Queue:
    """What disagrees in the main round, and what was ruled although it does not disagree any
    more."""
    found = ratings or study_ratings(study)
    rules = rules_of(study)
    unit_of = {unit.key: unit for unit in found.items}
    rulings = {(one.simplification_id, one.dimension): one for one in in_force(study)}
    cases = []
    for name, table in found.tables.items():
        digests = digests_of(table)
        listed = disputes(table, level=level_of(study.protocol, name), rules=rules)
        for dispute in listed:
            unit = unit_of[str(dispute.unit)]
            ruling = rulings.pop((unit.pk, name), None)
            state = _state(ruling, digests[str(dispute.unit)])
            cases.append(Case(unit, name, dispute.values, dispute.disagreement, state, ruling))
        key_of = {unit.pk: unit.key for unit in found.items}
        for (pk, dimension), ruling in list(rulings.items()):
            if dimension == name and pk in key_of:
                state = _state(ruling, digests.get(key_of[pk], ""))
                cases.append(Case(unit_of[key_of[pk]], name, (), 0.0, state, ruling))
    order = {OPEN: 0, DUE_AGAIN: 1, RULED: 2}
    cases.sort(key=lambda case: order[case.state])
    return Queue(rules, cases)


def in_force(study: Study) -> Iterable[Adjudication]:
    return Adjudication.objects.filter(study=study, superseded_at__isnull=True).select_related(
        "decided_by"
    )


def rulings_of(study: Study) -> dict[tuple[int, str], tuple[str, float | None]]:
    """Rulings in force as a snapshot takes them: by (simplification id, dimension), outcome and
    value."""
    return {
        (one.simplification_id, one.dimension): (one.outcome, one.value) for one in in_force(study)
    }


def digests_of(table: Ratings) -> dict[str, str]:
    """By unit: a SHA-256 of who gave which value, to see whether a ruling still speaks of these
    ratings."""
    lines: dict[str, list[str]] = {str(unit): [] for unit in table.unit_ids}
    for unit, rater, value in zip(table.unit_index, table.rater_index, table.values, strict=True):
        lines[str(table.unit_ids[unit])].append(f"{table.rater_ids[rater]}={value:g}")
    return {
        unit: hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()
        for unit, rows in lines.items()
    }


def _state(ruling: Adjudication | None, digest: str) -> str:
    if ruling is None:
        return OPEN
    return RULED if ruling.judgments_digest == digest else DUE_AGAIN


def voices(study: Study, simplification: Simplification, *, named: bool) -> list[Voice]:
    """Everybody's judgment of a simplification, in an order that the study's seed draws for it.

    Without ``named`` each is a number, so that whoever rules weighs reasons and not people.
    """
    found = (
        Judgment.objects.filter(
            assignment__simplification=simplification,
            assignment__annotator__kind__in=PEOPLE,
            submitted_at__isnull=False,
            surplus=False,
        )
        .select_related("assignment__annotator")
        .prefetch_related(*PARTS)
    )
    by_pseudonym = {judgment.assignment.annotator.pseudonym: judgment for judgment in found}
    drawn = seeded_order(by_pseudonym, f"{study.seed}:adjudication:{simplification.pk}")
    if named:
        names = {pseudonym: pseudonym for pseudonym in sorted(drawn)}
    else:
        names = {pseudonym: str(number) for number, pseudonym in enumerate(drawn, start=1)}
    return [
        voice_of(study, by_pseudonym[pseudonym], name=name, mark=name)
        for pseudonym, name in names.items()
    ]


def ratings_digest(found: Sequence[Voice], dimension: str) -> str:
    """As ``digests_of``, for one case."""
    rows = sorted(
        f"{voice.pseudonym}={voice.ratings[dimension]:g}"
        for voice in found
        if dimension in voice.ratings
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
