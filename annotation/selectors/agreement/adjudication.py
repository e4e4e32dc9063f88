"""What disagrees in a study, what was ruled on it, and one case as the person who rules sees it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet

from annotation.agreement.disputes import (
    DisputeRules,
    OutOfReach,
    dispute_rules,
    disputes,
    out_of_reach,
    scale_widths,
    usual_rules,
)
from annotation.agreement.marks.disputed import mark_disputes, marks_digest
from annotation.agreement.table import Ratings
from annotation.allocation import seeded_order
from annotation.answers import PARTS
from annotation.models import (
    Adjudication,
    AdjudicationRules,
    Item,
    Judgment,
    Simplification,
    Study,
)
from annotation.protocols.base import Level
from annotation.protocols.edits import SIDES, MarkedPair, edit_of
from annotation.protocols.kinds import Field
from annotation.protocols.tokens import Cut
from annotation.selectors.agreement.marked import marked_pairs
from annotation.selectors.agreement.reliability import (
    PEOPLE,
    OfWithdrawn,
    RatedUnit,
    StudyRatings,
    level_of,
    study_ratings,
    units_of,
)
from annotation.selectors.agreement.voices import Voice, voice_of
from annotation.selectors.base.one_moment import one_moment

OPEN, RULED, DUE_AGAIN = "open", "ruled", "due_again"
ADJUDICATED = "adjudicated"


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
    """Every case of a study under its rules, open ones first; ``of_withdrawn``: what is counted
    that no snapshot holds; ``out_of_reach``: on which dimensions these rules can list nothing."""

    rules: DisputeRules
    cases: list[Case]
    of_withdrawn: OfWithdrawn
    out_of_reach: list[OutOfReach]

    def count(self, state: str) -> int:
        return sum(case.state == state for case in self.cases)


def rules_of(study: Study) -> DisputeRules:
    """The study's thresholds; the usual ones of its scales where nobody has set any."""
    stored = AdjudicationRules.objects.filter(study=study).first()
    widths = scale_widths(study.protocol)
    return dispute_rules(stored.rules, widths) if stored else usual_rules(widths)


@one_moment()
def adjudication_queue(study: Study, *, ratings: StudyRatings | None = None) -> Queue:
    """What disagrees in the main round, and what was ruled although it does not disagree any
    more."""
    ratings = ratings or study_ratings(study)
    rules = rules_of(study)
    unit_of = {unit.key: unit for unit in ratings.items}
    key_of = {unit.pk: unit.key for unit in ratings.items}
    rulings = {(ruling.simplification_id, ruling.dimension): ruling for ruling in in_force(study)}
    cases = []
    for name, table in ratings.tables.items():
        if field := counted_field(study, name):
            marked = marked_pairs(study, field.name)
            digests = _marked_digests(marked)
            listed = mark_disputes(marked, rules)
        else:
            digests = digests_of(table, {key_of[pk] for pk, _name in rulings if pk in key_of})
            listed = disputes(table, level=level_of(study.protocol, name), rules=rules.of(name))
        for dispute in listed:
            unit = unit_of[str(dispute.unit)]
            ruling = rulings.pop((unit.pk, name), None)
            state = _state(ruling, digests.get(str(dispute.unit), ""))
            cases.append(Case(unit, name, dispute.values, dispute.disagreement, state, ruling))
        for (pk, dimension), ruling in list(rulings.items()):
            if dimension == name and pk in key_of:
                state = _state(ruling, digests.get(key_of[pk], ""))
                cases.append(Case(unit_of[key_of[pk]], name, (), 0.0, state, ruling))
    order = {OPEN: 0, DUE_AGAIN: 1, RULED: 2}
    cases.sort(key=lambda case: order[case.state])
    return Queue(rules, cases, ratings.of_withdrawn, _out_of_reach(study, ratings, rules))


def _out_of_reach(study: Study, ratings: StudyRatings, rules: DisputeRules) -> list[OutOfReach]:
    """Of classes by how many there are; an edit is marked or is not."""
    reached = []
    for name, table in ratings.tables.items():
        if counted_field(study, name):
            values = 2
        elif level_of(study.protocol, name) is Level.NOMINAL:
            values = len(study.protocol.dimension(name).scale)
        else:
            continue
        reached.append(out_of_reach(name, set(table.ratings_per_unit.tolist()), values, rules))
    return [case for case in reached if case is not None]


def in_force(study: Study) -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(study=study, superseded_at__isnull=True).select_related(
        "decided_by"
    )


def ruling_of(pair: Simplification, dimension: str) -> Adjudication | None:
    """The ruling in force on a case."""
    return in_force(pair.item.study).filter(simplification=pair, dimension=dimension).first()


def rulings_of(study: Study) -> dict[tuple[int, str], tuple[str, float | None]]:
    """Rulings in force as a snapshot takes them: by (simplification id, dimension), outcome and
    value."""
    return {
        (ruling.simplification_id, ruling.dimension): (ruling.outcome, ruling.value)
        for ruling in in_force(study)
    }


def ruled_pairs(study: Study, field: Field) -> list[MarkedPair]:
    """The pairs of the main round whose marks by a question were settled, with those that stand, in
    the order of pairs; their annotator is called "adjudicated"."""
    ruled = {
        ruling.simplification_id: ruling
        for ruling in in_force(study).filter(dimension=field.counted, marks__isnull=False)
    }
    pairs = Simplification.objects.in_bulk([*ruled])
    originals = dict(Item.objects.filter(study=study).values_list("pk", "original"))
    return [
        MarkedPair(
            unit.key,
            ADJUDICATED,
            originals[pairs[unit.pk].item_id],
            pairs[unit.pk].text,
            Cut.WORDS,
            tuple(edit_of(mark["type"], mark) for mark in ruled[unit.pk].marks or ()),
        )
        for unit in units_of(study, Item.Round.MAIN)
        if unit.pk in ruled
    ]


def digests_of(table: Ratings, units: Collection[str]) -> dict[str, str]:
    """Of these units: a SHA-256 of who gave which value, to see whether a ruling still speaks of
    these ratings."""
    numbers = [number for number, unit in enumerate(table.unit_ids) if str(unit) in units]
    lines: dict[int, list[str]] = {number: [] for number in numbers}
    for at in np.flatnonzero(np.isin(table.unit_index, numbers)):
        rater = table.rater_ids[table.rater_index[at]]
        lines[int(table.unit_index[at])].append(f"{rater}={table.values[at]:g}")
    return {
        str(table.unit_ids[number]): hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()
        for number, rows in lines.items()
    }


def counted_field(study: Study, dimension: str) -> Field | None:
    """The question whose marks this dimension counts: a ruling on it is on each mark."""
    return next((field for field in study.protocol.fields if field.counted == dimension), None)


def _marked_digests(marked: Sequence[MarkedPair]) -> dict[str, str]:
    by_pair: dict[str, list[MarkedPair]] = defaultdict(list)
    for marked_pair in marked:
        by_pair[marked_pair.pair].append(marked_pair)
    return {pair: marks_digest(those) for pair, those in by_pair.items()}


def _state(ruling: Adjudication | None, digest: str) -> str:
    if ruling is None:
        return OPEN
    return RULED if ruling.judgments_digest == digest else DUE_AGAIN


def voices(study: Study, simplification: Simplification, *, named: bool) -> list[Voice]:
    """Everybody's judgment of a simplification, in an order that the study's seed draws for it.

    Without ``named`` each is a number, so that whoever rules weighs reasons and not people.
    """
    judgments = (
        Judgment.objects.filter(
            assignment__simplification=simplification,
            assignment__annotator__kind__in=PEOPLE,
            submitted_at__isnull=False,
            surplus=False,
        )
        .select_related("assignment__annotator")
        .prefetch_related(*PARTS)
    )
    by_pseudonym = {judgment.assignment.annotator.pseudonym: judgment for judgment in judgments}
    drawn = seeded_order(by_pseudonym, f"{study.seed}:adjudication:{simplification.pk}")
    if named:
        names = {pseudonym: pseudonym for pseudonym in sorted(drawn)}
    else:
        names = {pseudonym: str(number) for number, pseudonym in enumerate(drawn, start=1)}
    return [
        voice_of(study, by_pseudonym[pseudonym], name=name, mark=name)
        for pseudonym, name in names.items()
    ]


def heard_marks(
    pair: Simplification, voices_heard: Sequence[Voice], field: Field
) -> list[MarkedPair]:
    """What each voice marked on a pair by a question, under the names that the voices have."""
    return [
        MarkedPair(
            pair.pair_name,
            voice.name,
            pair.item.original,
            pair.text,
            Cut.WORDS,
            tuple(
                edit_of(passage.type, {side: passage.spans(side) for side in SIDES})
                for passage in field.passages(voice.answers[field.name])
            ),
        )
        for voice in voices_heard
    ]


def case_digest(
    study: Study, pair: Simplification, voices_heard: Sequence[Voice], dimension: str
) -> str:
    """Of what was judged in a case: the ratings, or all marks where the dimension counts them."""
    if field := counted_field(study, dimension):
        people = [replace(voice, name=voice.pseudonym) for voice in voices_heard]
        return marks_digest(heard_marks(pair, people, field))
    return ratings_digest(voices_heard, dimension)


def seen_digest(judgments: str, ruling: Adjudication | None) -> str:
    """Of all that a ruling replaces or rests on: the ``case_digest`` of what was judged, and the
    ruling in force, where there is one."""
    if ruling is None:
        return judgments
    return hashlib.sha256(f"{judgments}\n{ruling.pk}".encode()).hexdigest()


def ratings_digest(voices_heard: Sequence[Voice], dimension: str) -> str:
    """As ``digests_of``, for one case."""
    rows = sorted(
        f"{voice.pseudonym}={voice.ratings[dimension]:g}"
        for voice in voices_heard
        if dimension in voice.ratings
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
