"""Items drawn from a source document by a seed, and a draw taken back. Only while a study is in
preparation."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.corpus.drawing import Draw, DrawError
from annotation.corpus.funnel import Verdict
from annotation.errors import RuleError
from annotation.models import Item, Study, User, text_digest
from annotation.models.document import SourceDocument
from annotation.protocols.base import Problem, Wording
from annotation.rows import rows_insert
from annotation.selectors.documents.documents import items_drawn, passage_source
from annotation.services.base.item_rows import items_take_out, last_position
from annotation.services.base.sizes import size_add, size_recount
from annotation.services.items.items import free_keys
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_lock


@transaction.atomic
def items_draw(
    *, actor: User | None, document: SourceDocument, practice: int, main: int | None, seed: str
) -> list[Item]:
    """Draw practice and main items (``main`` None: all that there is) and add them to the study,
    after what is there.

    The same file, settings, decisions, seed and items of the study give the same items. Raises
    ``RuleError``: a round was opened, this document was drawn from before, or the draw cannot be
    made.
    """
    document = _in_preparation(document)
    if document.drawn_at is not None:
        raise RuleError.single(
            "document",
            "drawn",
            (
                "Des clauses ont été tirées de ce document : rien n'est tiré une deuxième fois. "
                "Annulez d'abord le tirage."
            ),
            (
                "Items were drawn from this document: nothing is drawn twice. Take the draw back "
                "first."
            ),
        )
    drawn = draw_of(document, practice=practice, main=main, seed=seed)
    items = _items(document, drawn)
    rows_insert(*items)
    size_add(document.study, rounds=[item.round for item in items])
    numbers = {"practice": len(drawn.practice), "main": len(drawn.main)}
    blocks = sorted((*drawn.practice, *drawn.main), key=lambda verdict: verdict.block.number)
    keys = {verdict.key: item.key for verdict, item in zip(blocks, items, strict=True)}
    document.draw = {"seed": drawn.seed, **numbers, "all": main is None, "items": keys}
    document.drawn_at = timezone.now()
    document.save(update_fields=["draw", "drawn_at"])
    event_record(
        actor=actor,
        study=document.study,
        verb="items_drawn",
        target=document,
        seed=drawn.seed,
        **numbers,
    )
    return items


def draw_of(document: SourceDocument, *, practice: int, main: int | None, seed: str) -> Draw:
    """What a draw would give. Raises ``RuleError`` at the field "practice" where it cannot be
    made."""
    try:
        return items_drawn(document, practice=practice, main=main, seed=seed)
    except DrawError as error:
        message = Wording(
            f"{error.message.fr} {error.remedy.fr}", f"{error.message.en} {error.remedy.en}"
        )
        raise RuleError([Problem("practice", error.code, message)]) from error


def _items(document: SourceDocument, drawn: Draw) -> list[Item]:
    rounds = {verdict.key: Item.Round.PRACTICE for verdict in drawn.practice}
    blocks = sorted((*drawn.practice, *drawn.main), key=lambda verdict: verdict.block.number)
    taken = set(document.study.items.values_list("key", flat=True))
    first = last_position(document.study) + 1
    positions = range(first, first + len(blocks))
    return [
        _item(document, verdict, position, key, rounds.get(verdict.key, Item.Round.MAIN))
        for position, key, verdict in zip(
            positions, free_keys(positions, taken), blocks, strict=True
        )
    ]


def _item(
    document: SourceDocument, verdict: Verdict, position: int, key: str, round_: Item.Round
) -> Item:
    block = verdict.block
    return Item(
        study=document.study,
        key=key,
        position=position,
        round=round_,
        source=passage_source(document, verdict),
        context_before=block.before,
        original=block.text,
        original_digest=text_digest(block.text),
        context_after=block.after,
    )


@transaction.atomic
def draw_undo(*, actor: User, document: SourceDocument) -> int:
    """Take a draw back: its items go, and the document's settings may change again; returns how
    many went.

    Raises ``RuleError``: a round was opened, nothing was drawn, or models or people wrote for one
    of the items.
    """
    document = _in_preparation(document)
    if document.drawn_at is None:
        raise RuleError.single(
            "document", "undrawn", "Rien n'a été tiré de ce document.", "Nothing was drawn from it."
        )
    items = document.study.items.filter(key__in=document.draw["items"].values())
    used = (
        items.filter(Q(simplifications__isnull=False) | Q(generations__isnull=False))
        .distinct()
        .count()
    )
    if used:
        raise RuleError.single(
            "document",
            "used",
            (
                f"{used} des clauses tirées ont déjà une simplification ou une demande à un "
                "modèle : le tirage reste."
            ),
            (
                f"{used} of the drawn items have a simplification or a request to a model already: "
                "the draw stands."
            ),
        )
    number = items.count()
    items_take_out(document.study, items)
    size_recount(document.study)
    event_record(
        actor=actor,
        study=document.study,
        verb="draw_undone",
        target=document,
        seed=document.draw["seed"],
        items=number,
    )
    document.draw, document.drawn_at = {}, None
    document.save(update_fields=["draw", "drawn_at"])
    return number


def _in_preparation(document: SourceDocument) -> SourceDocument:
    """The document with its study, both locked: two draws of one study wait for each other. Raises
    ``Http404`` where one of them was deleted."""
    study = study_row_lock(document.study_id)
    if study.state != Study.State.DRAFT:
        raise RuleError.single(
            "document",
            "opened",
            (
                "Une ronde a été ouverte : le tirage ne change plus. Ramenez d'abord l'étude en "
                "préparation."
            ),
            "A round was opened: the draw is fixed. Take the study back to preparation first.",
        )
    document = row_lock(SourceDocument.objects.select_for_update(), document.pk)
    document.study = study
    return document
