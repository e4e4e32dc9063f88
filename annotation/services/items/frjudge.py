"""The released FrJUDGE ratings as a study's imported judgments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone

from annotation.corpus.frjudge import FrjudgeFile, FrjudgeRow
from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Judgment,
    Rating,
    Simplification,
    Study,
    User,
    text_digest,
)
from annotation.selectors.items.imports import frjudge_repeats
from annotation.services.base.item_rows import last_position, unsaved_simplification
from annotation.services.base.standings import standings_append
from annotation.services.items.items import BATCH, ImportOutcome, RowsRefused, study_for_import
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.events import event_record
from annotation.services.platform.row_counts import row_counts_refresh_on_commit

Pair = tuple[str, str]


@transaction.atomic
def frjudge_import(*, actor: User | None, study: Study, released: FrjudgeFile) -> ImportOutcome:
    """Add the pairs of a released file, each with its judgments.

    The file names no judge: the rows of a pair, in order, become judges J1, J2, … of unknown
    identity. Their judgments know a score but neither bracket nor errors nor times;
    ``submitted_at`` is the moment of this import. Raises ``RowsRefused`` for lines that are no
    judgment and for pairs that the study has already, ``RuleError`` for a closed study.
    """
    study = study_for_import(study)
    if study.protocol_key != "legal_meaning":
        raise RuleError.single(
            "study",
            "other_protocol",
            "Cette étude suit un autre protocole que FrJUDGE : importez dans une autre étude.",
            "This study follows another protocol than FrJUDGE: import into another study.",
        )
    if refused := [*released.problems, *frjudge_repeats(study=study, rows=released.rows)]:
        raise RowsRefused(refused)
    by_pair: dict[Pair, list[FrjudgeRow]] = defaultdict(list)
    for row in released.rows:
        by_pair[row.original, row.simplification].append(row)
    simplifications = _pairs(study, list(by_pair))
    judges = _judges(study, max(map(len, by_pair.values()), default=0))
    judgments = _judgments(study, zip(simplifications, by_pair.values(), strict=True), judges)
    row_counts_refresh_on_commit(judgments, Item, Simplification, Assignment, Judgment, Rating)
    outcome = ImportOutcome(
        items=len(by_pair), simplifications=len(by_pair), judgments=judgments, judges=len(judges)
    )
    event_record(
        actor=actor,
        study=study,
        verb="frjudge_imported",
        target=study,
        items=outcome.items,
        judgments=outcome.judgments,
        judges=outcome.judges,
    )
    if study.open_rounds:
        assignments_fill(actor=actor, study=study)
    return outcome


def _pairs(study: Study, pairs: Sequence[Pair]) -> list[Simplification]:
    position = last_position(study)
    number = _last_number(study.items.values_list("key", flat=True), r"frjudge-(\d+)")
    items = Item.objects.bulk_create(
        [
            Item(
                study=study,
                key=f"frjudge-{number + place:03}",
                position=position + place,
                original=original,
                original_digest=text_digest(original),
            )
            for place, (original, _text) in enumerate(pairs, start=1)
        ],
        batch_size=BATCH,
    )
    return Simplification.objects.bulk_create(
        [
            unsaved_simplification(item=item, original=original, text=text)
            for item, (original, text) in zip(items, pairs, strict=True)
        ],
        batch_size=BATCH,
    )


def _judges(study: Study, needed: int) -> list[Annotator]:
    """New judges after those of earlier files: nothing says that they are the same people."""
    last = _last_number(study.annotators.values_list("pseudonym", flat=True), r"J(\d+)")
    return Annotator.objects.bulk_create(
        Annotator(study=study, kind=Annotator.Kind.IMPORTED, pseudonym=f"J{last + number}")
        for number in range(1, needed + 1)
    )


def _judgments(
    study: Study,
    judged: Iterable[tuple[Simplification, list[FrjudgeRow]]],
    judges: Sequence[Annotator],
) -> int:
    assignments, sources = [], []
    for place, (simplification, rows) in enumerate(judged, start=1):
        for judge, row in zip(judges, rows, strict=False):
            assignments.append(
                Assignment(annotator=judge, simplification=simplification, position=place)
            )
            sources.append(row)
    standings_append(assignments, standing=Assignment.Standing.DONE)
    Assignment.objects.bulk_create(assignments, batch_size=BATCH)
    judgments = Judgment.objects.bulk_create(
        [
            Judgment(
                assignment=assignment,
                origin=Judgment.Origin.IMPORTED,
                dimensions_required=len(study.protocol.dimensions),
                comment=row.justifications,
                imported_row=row.row,
            )
            for assignment, row in zip(assignments, sources, strict=True)
        ],
        batch_size=BATCH,
    )
    Rating.objects.bulk_create(
        [rating for pair in zip(judgments, sources, strict=True) for rating in _ratings(*pair)],
        batch_size=BATCH,
    )
    # Sealing: from here the database vouches for them.
    return Judgment.objects.filter(
        assignment__annotator__in=judges, submitted_at__isnull=True, origin=Judgment.Origin.IMPORTED
    ).update(submitted_at=timezone.now())


def _ratings(judgment: Judgment, row: FrjudgeRow) -> list[Rating]:
    return [
        Rating(judgment=judgment, dimension="simplicity", value=row.simplicity),
        Rating(judgment=judgment, dimension="characterization", value=row.qualification),
        Rating(
            judgment=judgment,
            dimension="legal_meaning",
            value=row.legal_meaning,
            derivation="imported",
        ),
    ]


def _last_number(names: Iterable[str], pattern: str) -> int:
    numbers = [int(found[1]) for name in names if (found := re.fullmatch(pattern, name))]
    return max(numbers, default=0)
