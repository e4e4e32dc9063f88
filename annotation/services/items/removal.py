"""Items, simplifications and whole imports taken out again, as long as nobody has judged or saved
anything of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Annotator, Item, Output, PairsImport, Simplification, Study, User
from annotation.protocols.base import Problem, Wording
from annotation.selectors.items.removal import (
    OBSTACLES,
    Doomed,
    Removal,
    import_doomed,
    item_doomed,
    items_doomed,
    removal,
    simplification_doomed,
)
from annotation.services.base.answered import items_recount
from annotation.services.base.item_rows import items_take_out
from annotation.services.base.outputs import undecided_recount_all
from annotation.services.base.sizes import size_recount
from annotation.services.base.standings import annotators_hold, standings_recount
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.controls import controls_keep_up
from annotation.services.planning.unassigning import assignments_undo
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_lock

_NONE = ("none", Wording("Cochez d'abord des clauses.", "Tick some items first."))
_GONE = (
    "gone",
    Wording(
        "Une des clauses n'existe plus : rechargez la page.",
        "One of the items is not there any more: reload the page.",
    ),
)


@transaction.atomic
def item_remove(*, actor: User | None, item: Item) -> Removal:
    """Remove an item with its simplifications. Raises ``RuleError`` with what stands in the way,
    ``Http404`` where it was removed in the meantime."""
    _study_hold(item.study)
    item = row_lock(Item.objects.select_related("study"), item.pk)
    gone = _take(item_doomed(item))
    event_record(actor=actor, study=item.study, verb="item_removed", target=item, **_counts(gone))
    _remove(actor, item_doomed(item))
    return gone


@transaction.atomic
def items_remove(*, actor: User | None, study: Study, keys: Collection[str]) -> Removal:
    """Remove several items with their simplifications: all of them, or none. Raises ``RuleError``:
    none chosen, one that is not there any more, and as ``item_remove``."""
    _study_hold(study)
    doomed, wanted = items_doomed(study, keys), set(keys)
    doomed_keys = sorted(doomed.items.order_by().values_list("key", flat=True))
    if not wanted or len(doomed_keys) < len(wanted):
        raise RuleError([Problem("item", *(_GONE if wanted else _NONE))])
    gone = _take(doomed)
    event_record(
        actor=actor,
        study=study,
        verb="items_removed",
        target=study,
        keys=doomed_keys,
        **_counts(gone),
    )
    _remove(actor, doomed)
    return gone


@transaction.atomic
def simplification_remove(*, actor: User | None, simplification: Simplification) -> Removal:
    """Remove one simplification; its item stays. Raises ``RuleError`` as ``item_remove``."""
    study = simplification.item.study
    _study_hold(study)
    simplification = row_lock(
        Simplification.objects.select_related("item__study"), simplification.pk
    )
    gone = _take(simplification_doomed(simplification))
    event_record(
        actor=actor,
        study=study,
        verb="simplification_removed",
        target=simplification,
        **_counts(gone),
    )
    _remove(actor, simplification_doomed(simplification))
    return gone


@transaction.atomic
def import_undo(*, actor: User | None, record: PairsImport) -> Removal:
    """Take out what an import made, its own judgments with it. The record stays, and says so.
    Raises ``RuleError`` with what stands in the way."""
    _study_hold(record.study)
    record = PairsImport.objects.select_for_update(of=("self",)).get(pk=record.pk)
    gone = _take(import_doomed(record))
    record.undone_at, record.undone_by = timezone.now(), actor
    record.save(update_fields=["undone_at", "undone_by"])
    event_record(
        actor=actor, study=record.study, verb="import_undone", target=record, **_counts(gone)
    )
    _remove(actor, import_doomed(record))
    return gone


def _study_hold(study: Study) -> None:
    """Nobody submits or brings in anything until this transaction ends."""
    study_row_lock(study.pk)


def _take(doomed: Doomed) -> Removal:
    """What goes, once whoever is saving something of it was waited for. Raises ``RuleError``."""
    annotators_hold(set(doomed.assignments.order_by().values_list("annotator", flat=True)))
    gone = removal(doomed)
    if gone.obstacles:
        raise RuleError([Problem("removal", key, OBSTACLES[key]) for key in gone.obstacles])
    return gone


def _remove(actor: User | None, doomed: Doomed) -> None:
    study = doomed.study
    assignments_undo(doomed.others)
    judges = set(doomed.own.order_by().values_list("annotator", flat=True))
    answered = set(doomed.own.order_by().values_list("simplification__item", flat=True))
    doomed.own.delete()
    # What is asked below changes with what is gone: by number, while all of it is there.
    pairs, items = list(doomed.pairs.values_list("pk", flat=True)), _items(doomed)
    # What a model wrote and somebody removed is not taken over again.
    Output.objects.filter(simplification__in=pairs).update(decision=Output.Decision.EXCLUDE)
    Simplification.objects.filter(pk__in=pairs).delete()
    items_take_out(study, Item.objects.filter(pk__in=items))
    _judges_leave(judges)
    items_recount(answered)
    size_recount(study)
    undecided_recount_all(study)
    if study.open_rounds:
        controls_keep_up(actor=actor, study=study)
        assignments_fill(actor=actor, study=study)


def _items(doomed: Doomed) -> list[int]:
    return [
        *doomed.items.values_list("pk", flat=True),
        *doomed.controls.values_list("pk", flat=True),
    ]


def _judges_leave(judges: set[int]) -> None:
    """Judges of a file of whom nothing is left go with it; the others are counted anew."""
    gone = Annotator.objects.filter(
        pk__in=judges, kind=Annotator.Kind.IMPORTED, assignments__isnull=True
    )
    left = judges - set(gone.values_list("pk", flat=True))
    gone.delete()
    standings_recount(left)


def _counts(gone: Removal) -> dict[str, int]:
    return {name: number for name, number in asdict(gone).items() if number and name != "obstacles"}
