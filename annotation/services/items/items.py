"""Items and simplifications brought in, all of a file or nothing of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from annotation.corpus.pairs import PairRow, Pairs, structure_of
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError, StudyArchived
from annotation.models import Item, PairsImport, Simplification, Study, User, text_digest
from annotation.rows import columns_insert
from annotation.selectors.items.imports import Place, Plan, pairs_plan
from annotation.services.base.item_rows import Seen, last_position, seen
from annotation.services.base.sizes import NewPair, size_add
from annotation.services.items.brought import import_count, import_open
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.controls import controls_keep_up
from annotation.services.platform.events import event_record
from annotation.services.platform.row_counts import row_counts_refresh_on_commit
from annotation.services.platform.study_rows import study_row_lock


@dataclass(frozen=True)
class ImportOutcome:
    """What an import added."""

    items: int
    simplifications: int
    skipped: int = 0
    """Duplicates that were left out, as asked."""
    judgments: int = 0
    judges: int = 0
    attached: int = 0
    """How many of the judgments went onto pairs that were there."""
    columns_left_out: list[str] = field(default_factory=list)
    """The columns of a program's file that hold nothing of a pair or judgment."""
    encoding_guessed: str = ""
    """What a program's file was taken to be in, where that had to be guessed."""
    rows_hidden: list[int] = field(default_factory=list)
    """The rows of a program's workbook that a filter hides, by number: they went in as well."""


class RowsRefused(RuleError):
    """Rows that cannot go in; nothing was stored. ``rows`` names every one."""

    def __init__(self, rows: Sequence[RowProblem]) -> None:
        super().__init__(rows)
        self.rows = list(rows)


@transaction.atomic
def pairs_import(
    *,
    actor: User | None,
    study: Study,
    pairs: Pairs,
    round: str = Item.Round.MAIN,  # noqa: A002 (the column's name)
    skip_duplicates: bool = False,
    name: str = "",
) -> ImportOutcome:
    """Add every pair of a file (its ``name``) to a round of the study, after what is there.

    Rows of one identifier, or of one original where there is none, become one item. In an open
    round the annotators get the new pairs at once, after theirs. Raises ``RowsRefused`` with every
    row that cannot go in, and ``RuleError`` for a closed study.
    """
    study = study_for_import(study)
    plan = pairs_plan(study=study, pairs=pairs, round=round)
    if refused := plan.refusals(skip_duplicates=skip_duplicates):
        raise RowsRefused(refused)
    record = import_open(actor=actor, study=study, rows=len(pairs.rows), name=name, round=round)
    simplifications = _store(study, plan, record)
    row_counts_refresh_on_commit(len(plan.places), Item, Simplification)
    outcome = ImportOutcome(
        items=plan.items, simplifications=simplifications, skipped=plan.duplicates
    )
    import_count(
        record,
        items=outcome.items,
        simplifications=outcome.simplifications,
        skipped=outcome.skipped,
    )
    if outcome.items or simplifications:
        event_record(
            actor=actor,
            study=study,
            verb="pairs_imported",
            target=study,
            round=str(round),
            items=outcome.items,
            simplifications=outcome.simplifications,
            skipped=outcome.skipped,
        )
        if study.open_rounds:
            controls_keep_up(actor=actor, study=study)
            assignments_fill(actor=actor, study=study)
    return outcome


def study_for_import(study: Study) -> Study:
    """The study, locked, so that two imports wait for each other. Raises ``RuleError`` where it is
    closed, and ``StudyArchived``."""
    # Submissions share the study, and go on while a long import is stored.
    study = study_row_lock(study.pk, no_key=True)
    if study.archived_at is not None:
        raise StudyArchived(study)
    if study.state == Study.State.CLOSED:
        raise RuleError.single(
            "study",
            "closed",
            "L'étude est fermée : rouvrez-la pour y importer des paires.",
            "The study is closed: reopen it to import pairs.",
        )
    return study


def _store(study: Study, plan: Plan, record: PairsImport) -> int:
    """How many simplifications were stored."""
    new = [place for place in plan.places if place.pk is None]
    _number(study, new)
    now = timezone.now()
    items = columns_insert(
        Item,
        {
            "key": [place.key for place in new],
            "position": [place.position for place in new],
            "round": [place.round for place in new],
            "source": [place.passage[0] for place in new],
            "context_before": [place.passage[1] for place in new],
            "original": [place.original for place in new],
            "original_digest": [text_digest(place.original) for place in new],
            "context_after": [place.passage[2] for place in new],
            "structure": [structure_of(place.pairs) for place in new],
        },
        study_id=study.pk,
        brought_by_id=record.pk,
        created_at=now,
    )
    pk_of = {place.key: pk for place, pk in zip(new, items, strict=True)}
    made = [
        _New(pk_of.get(place.key) or place.pk, position, pair, seen(place.original, text))
        for place in plan.places
        for position, (pair, text) in enumerate(_written(place), start=place.next_position)
    ]
    columns_insert(
        Simplification,
        {
            "item_id": [new.item for new in made],
            "text": [new.pair.simplification for new in made],
            "system": [new.pair.system for new in made],
            "position": [new.position for new in made],
            "language": [new.seen.language for new in made],
            "is_identical": [new.seen.is_identical for new in made],
        },
        brought_by_id=record.pk,
        created_at=now,
    )
    pairs = [NewPair(new.pair.system, *new.seen) for new in made]
    size_add(study, rounds=[place.round for place in new], pairs=pairs)
    return len(made)


class _New(NamedTuple):
    """A simplification that is to be stored."""

    item: int | None
    position: int
    pair: PairRow
    seen: Seen


def _written(place: Place) -> Iterator[tuple[PairRow, str]]:
    """Pairs whose simplification is written: not a passage that waits for a model."""
    return ((pair, pair.simplification) for pair in place.pairs if pair.simplification)


def _number(study: Study, places: list[Place]) -> None:
    """Positions after the last one, and a stable key for each item that came without."""
    last = last_position(study)
    taken = {place.key for place in places}
    if not all(place.key for place in places):
        taken |= set(study.items.values_list("key", flat=True))
    for position, place in enumerate(places, start=last + 1):
        place.position = position
    nameless = [place for place in places if not place.key]
    for place, key in zip(
        nameless, free_keys([place.position for place in nameless], taken), strict=True
    ):
        place.key = key


def free_keys(positions: Iterable[int], taken: Collection[str]) -> Iterator[str]:
    """A key for each position: as the position says where that is free; never a number twice."""
    number = 0
    for position in positions:
        number = max(number + 1, position)
        while (key := f"item-{number:04}") in taken:
            number += 1
        yield key
