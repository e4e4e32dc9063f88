"""Published judgments as a study's own rows, whatever its protocol: the one writer of them.

Who judged is known by pseudonym only, and how long they took is not; ``submitted_at`` is the moment
of the import, its record's own, by which an undoing finds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Judgment,
    PairsImport,
    Rating,
    Simplification,
    Study,
    User,
    text_digest,
)
from annotation.protocols.base import Parts
from annotation.rows import rows_insert
from annotation.services.base.item_rows import last_position, unsaved_simplification
from annotation.services.base.sealing import judgments_seal
from annotation.services.base.sizes import new_pairs, size_add
from annotation.services.base.standings import standings_append
from annotation.services.items.brought import import_count, import_open
from annotation.services.items.items import ImportOutcome
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.events import event_record
from annotation.services.platform.row_counts import row_counts_refresh_on_commit


@dataclass(frozen=True)
class ImportedJudgment:
    """What one judge decided. ``row``: its rank in the file, from 1."""

    judge: str
    parts: Parts
    row: int


@dataclass(frozen=True)
class ImportedPair:
    """A pair of a file. ``there``: the simplification of the study that it is (its id); None where
    it is new, and then those of one ``key`` are outputs of one item."""

    key: str
    original: str
    text: str
    judgments: Sequence[ImportedJudgment]
    system: str = ""
    source: str = ""
    context_before: str = ""
    context_after: str = ""
    structure: str = ""
    there: int | None = None


def imported_store(
    *,
    actor: User | None,
    study: Study,
    pairs: Sequence[ImportedPair],
    verb: str,
    rows: int,
    name: str = "",
) -> ImportOutcome:
    """Add the new pairs and all judgments and say so in the trail. A judge that the study has under
    this pseudonym from an earlier file is the same one. Of pairs that are there nothing changes.
    ``rows``: how many the file has, as its preview counted them.

    Called within a transaction, after what refuses a file was asked.
    """
    record = import_open(
        actor=actor, study=study, rows=rows, name=name, kind=verb.removesuffix("_imported")
    )
    new = [pair for pair in pairs if pair.there is None]
    made, items = _simplifications(study, new, record)
    judges = _judges(study, pairs)
    judgments = _judgments(study, _in_order(pairs, made), judges, record.created_at)
    row_counts_refresh_on_commit(judgments, Item, Simplification, Assignment, Judgment, Rating)
    outcome = ImportOutcome(
        items=items,
        simplifications=len(new),
        judgments=judgments,
        judges=len(judges),
        attached=sum(len(pair.judgments) for pair in pairs if pair.there is not None),
    )
    import_count(record, items=items, simplifications=len(new), judgments=judgments)
    event_record(
        actor=actor,
        study=study,
        verb=verb,
        target=study,
        items=outcome.items,
        judgments=outcome.judgments,
        judges=outcome.judges,
        **({"attached": outcome.attached} if outcome.attached else {}),
    )
    if study.open_rounds:
        assignments_fill(actor=actor, study=study)
    return outcome


def _in_order(
    pairs: Sequence[ImportedPair], made: Sequence[Simplification]
) -> Iterator[tuple[Simplification, ImportedPair]]:
    """Each pair with its row: made just now, or there already."""
    there = Simplification.objects.select_related("item").in_bulk(
        [pair.there for pair in pairs if pair.there is not None]
    )
    new = iter(made)
    for pair in pairs:
        yield (next(new) if pair.there is None else there[pair.there]), pair


def _simplifications(
    study: Study, pairs: Sequence[ImportedPair], record: PairsImport
) -> tuple[list[Simplification], int]:
    """The pairs' rows, in their order, and how many items they made."""
    start = last_position(study)
    first = {pair.key: pair for pair in reversed(pairs)}
    structures = {pair.key: pair.structure for pair in pairs if pair.structure}
    keys = dict.fromkeys(pair.key for pair in pairs)
    now = timezone.now()
    created = [
        Item(
            study=study,
            key=key,
            position=start + place,
            source=first[key].source,
            context_before=first[key].context_before,
            original=first[key].original,
            original_digest=text_digest(first[key].original),
            context_after=first[key].context_after,
            structure=structures.get(key, ""),
            brought_by=record,
            created_at=now,
        )
        for place, key in enumerate(keys, start=1)
    ]
    rows_insert(*created)
    item_of = {item.key: item for item in created}
    outputs: Counter[str] = Counter()
    made = []
    for pair in pairs:
        made.append(
            unsaved_simplification(
                item=item_of[pair.key],
                original=pair.original,
                text=pair.text,
                system=pair.system,
                position=outputs[pair.key],
                brought_by=record,
                created_at=now,
            )
        )
        outputs[pair.key] += 1
    rows_insert(*made)
    size_add(study, rounds=[item.round for item in created], pairs=new_pairs(made))
    return made, len(created)


def _judges(study: Study, pairs: Sequence[ImportedPair]) -> dict[str, Annotator]:
    """By pseudonym, in the order in which the file names them; those of an earlier file among
    them."""
    named = list(dict.fromkeys(judgment.judge for pair in pairs for judgment in pair.judgments))
    there = Annotator.objects.filter(study=study, kind=Annotator.Kind.IMPORTED)
    known = {judge.pseudonym: judge for judge in there if judge.pseudonym in named}
    created = Annotator.objects.bulk_create(
        Annotator(study=study, kind=Annotator.Kind.IMPORTED, pseudonym=name)
        for name in named
        if name not in known
    )
    return known | {judge.pseudonym: judge for judge in created}


def _judgments(
    study: Study,
    judged: Iterable[tuple[Simplification, ImportedPair]],
    judges: Mapping[str, Annotator],
    at: datetime,
) -> int:
    latest = _last_places(judges.values())
    assignments, judgments = [], []
    for simplification, pair in judged:
        for imported in pair.judgments:
            latest[imported.judge] += 1
            assignments.append(
                Assignment(
                    annotator=judges[imported.judge],
                    simplification=simplification,
                    position=latest[imported.judge],
                )
            )
            judgments.append(imported)
    standings_append(assignments, standing=Assignment.Standing.DONE)
    rows_insert(*assignments)
    made = [
        (
            Judgment(
                assignment=assignment, origin=Judgment.Origin.IMPORTED, imported_row=imported.row
            ),
            imported.parts,
        )
        for assignment, imported in zip(assignments, judgments, strict=True)
    ]
    return judgments_seal(made, study, at)


def _last_places(judges: Iterable[Annotator]) -> Counter[str]:
    """How far the judges' own orders go already."""
    places = (
        Assignment.objects.filter(annotator__in=list(judges))
        .order_by()
        .values_list("annotator__pseudonym")
        .annotate(last=Max("position"))
    )
    return Counter(dict(places))
