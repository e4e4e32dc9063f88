"""The record of an import: what was brought in at once, by whom, from which file."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from annotation.models import Item, PairsImport, Study, User

_LONGEST = 200


def import_open(
    *,
    actor: User | None,
    study: Study,
    rows: int,
    name: str = "",
    kind: str = PairsImport.Kind.PAIRS,
    round: str = Item.Round.MAIN,  # noqa: A002 (the column's name)
) -> PairsImport:
    """A record to which what is made points. Within the transaction of the import, which holds the
    study: no two imports of a study have one moment."""
    return PairsImport.objects.create(
        study=study,
        imported_by=actor,
        name=name[:_LONGEST],
        kind=kind,
        round=str(round),
        rows=rows,
        created_at=_moment(study),
    )


def import_count(
    record: PairsImport, *, items: int, simplifications: int, judgments: int = 0, skipped: int = 0
) -> None:
    """Keep what it made; of one that made nothing there is no record."""
    if not (items or simplifications or judgments):
        record.delete()
        return
    record.item_count, record.simplification_count = items, simplifications
    record.judgment_count, record.skipped = judgments, skipped
    record.save(update_fields=["item_count", "simplification_count", "judgment_count", "skipped"])


def _moment(study: Study) -> datetime:
    """Now, and in any case after the study's earlier imports: judgments that came onto pairs that
    were there are known by the moment of their import."""
    latest = study.pairs_imports.aggregate(latest=Max("created_at"))["latest"]
    now = timezone.now()
    return now if latest is None else max(now, latest + timedelta(microseconds=1))
