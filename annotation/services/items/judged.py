"""The judgments of a long table as a study's imported judgments, by its own protocol."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from django.db import transaction

from annotation.corpus.judged import JudgedFile, JudgedRow
from annotation.errors import RuleError
from annotation.models import Study, User
from annotation.protocols.base import PairFacts, Parts
from annotation.protocols.description import NOT_INSTALLED
from annotation.protocols.kinds import ShapeError
from annotation.selectors.items.judged import JudgedPlan, file_name_kept, judged_plan
from annotation.selectors.items.judged_places import FilePair, item_of, pair_of
from annotation.services.base.item_rows import last_position
from annotation.services.items.imported import ImportedJudgment, ImportedPair, imported_store
from annotation.services.items.items import (
    ImportOutcome,
    RowsRefused,
    free_keys,
    study_for_import,
)


@transaction.atomic
def judged_import(
    *, actor: User | None, study: Study, judged: JudgedFile, name: str = ""
) -> ImportOutcome:
    """Add the judgments of a long table, by judges who are known by pseudonym only: onto the pairs
    that the study has, else with new ones. The file's ``name`` is kept where it cannot be one of
    theirs.

    Raises ``RowsRefused`` for rows that are no judgment and for those that fit no pair,
    ``RuleError`` for a closed study, one of another protocol, and one whose protocol is gone.
    """
    study = study_for_import(study)
    if not study.protocol.is_installed:
        raise RuleError([NOT_INSTALLED])
    if study.protocol.name != judged.protocol:
        raise RuleError.single(
            "study",
            "other_protocol",
            f"Ces jugements ont été lus par le protocole « {judged.protocol} », et l'étude suit "
            f"« {study.protocol.name} » : recommencez.",
            f"These judgments were read by the protocol “{judged.protocol}”, and the study follows "
            f"“{study.protocol.name}”: begin again.",
        )
    plan = judged_plan(study=study, judged=judged)
    if plan.problems:
        raise RowsRefused(plan.problems)
    if not judged.rows:
        raise RuleError.single(
            "file",
            "no_judgments",
            "Ce fichier n'a aucun jugement : rien n'a été importé.",
            "This file has no judgment: nothing was imported.",
        )
    pairs = list(_pairs(study, judged.rows, plan))
    name = file_name_kept(name, plan.judges)
    return imported_store(
        actor=actor,
        study=study,
        pairs=pairs,
        verb="judgments_imported",
        rows=len(judged.rows),
        name=name,
    )


def _pairs(study: Study, rows: Sequence[JudgedRow], plan: JudgedPlan) -> Iterator[ImportedPair]:
    """The pairs in the order of the file, those of a new item under one key."""
    by_pair: dict[FilePair | int, list[JudgedRow]] = defaultdict(list)
    for row in rows:
        by_pair[plan.places.get(pair_of(row)) or pair_of(row)].append(row)
    keys = _keys(study, [row for row in rows if pair_of(row) not in plan.places])
    for pair, judged in by_pair.items():
        first = judged[0]
        yield ImportedPair(
            there=pair if isinstance(pair, int) else None,
            key=keys.get(item_of(first), ""),
            original=first.original,
            text=first.simplification,
            system=first.system,
            source=first.source,
            context_before=first.context_before,
            context_after=first.context_after,
            structure=next((row.structure for row in judged if row.structure), ""),
            judgments=[
                ImportedJudgment(plan.judges[row.annotator], _parts(study, row), row.row)
                for row in judged
            ],
        )


def _keys(study: Study, rows: Sequence[JudgedRow]) -> dict[str, str]:
    """Every new item's key: its own, or a free one."""
    keys = {item_of(row): row.key for row in rows}
    nameless = [item for item, key in keys.items() if not key]
    taken = {*study.items.values_list("key", flat=True), *keys.values()}
    start = last_position(study) + 1
    free = free_keys(range(start, start + len(nameless)), taken)
    return keys | dict(zip(nameless, free, strict=True))


def _parts(study: Study, row: JudgedRow) -> Parts:
    """Asked of the protocol again: the row comes from a process that read a stranger's file."""
    facts = PairFacts(
        len(row.original),
        len(row.simplification),
        original=row.original,
        simplification=row.simplification,
    )
    try:
        return study.protocol.taken(row.cells, facts, study.rulings)
    except ShapeError as error:
        raise RuleError([error.problem]) from error
