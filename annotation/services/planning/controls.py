"""Control pairs: an identical one must be judged as saying the same, an unrelated one as missing it
entirely.

They are made of the study's own passages by the plan's seed, and stand in a round of their own in
the data. Their annotators meet them among the pairs of the main round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from typing import NamedTuple

from annotation.allocation import seeded_order
from annotation.errors import RuleError
from annotation.models import Item, Simplification, Study, StudyPlan, User, plan_of, text_digest
from annotation.scoring.augmentation import are_unrelated
from annotation.services.base.item_rows import last_position, unsaved_simplification
from annotation.services.base.sizes import size_add
from annotation.services.platform.events import event_record

TRIES = 50
"""How many passages are tried before a passage is said to have no unrelated one."""


class ControlNumbers(NamedTuple):
    """How many control pairs of each kind a plan asks for."""

    identical: int
    unrelated: int


def controls_wanted(plan: StudyPlan, main_pairs: int) -> ControlNumbers:
    """As numbers, whatever unit the plan counts them in; a share is rounded up."""
    numbers = (plan.control_identical, plan.control_unrelated)
    if plan.control_unit == StudyPlan.ControlUnit.PERCENT:
        numbers = (ceil(numbers[0] * main_pairs / 100), ceil(numbers[1] * main_pairs / 100))
    return ControlNumbers(*numbers)


def controls_make(*, actor: User | None, study: Study, plan: StudyPlan) -> int:
    """Make what is missing of the control pairs that the plan asks for; how many. None is ever
    taken away: some may be judged. Within a transaction that holds the study, whose main round is
    open.

    Raises ``RuleError`` where the study has too few passages to make them of.
    """
    made = _missing(study, plan)
    if made:
        _store(study, made)
        event_record(
            actor=actor,
            study=study,
            verb="controls_made",
            identical=sum(item.control == Item.Control.IDENTICAL for item, _ in made),
            unrelated=sum(item.control == Item.Control.UNRELATED for item, _ in made),
            seed=plan.seed,
        )
    return len(made)


def controls_keep_up(*, actor: User | None, study: Study) -> int:
    """``controls_make`` after pairs came late into an open main round: a share of the pairs is then
    more. Where the passages do not suffice nothing is made, and setting the plan says so."""
    if study.state != Study.State.MAIN:
        return 0
    try:
        return controls_make(actor=actor, study=study, plan=plan_of(study))
    except RuleError:
        return 0


def controls_check(study: Study, plan: StudyPlan) -> None:
    """Raise ``RuleError`` where ``controls_make`` would. Without passages yet there is nothing to
    say."""
    if study.items.filter(round=Item.Round.MAIN, simplifications__isnull=False).exists():
        _missing(study, plan)


Made = tuple[Item, str]


def _missing(study: Study, plan: StudyPlan) -> list[Made]:
    passages = list(
        Item.objects.filter(
            study=study, round=Item.Round.MAIN, simplifications__isnull=False
        ).distinct()
    )
    wanted = controls_wanted(plan, Simplification.objects.filter(item__in=passages).count())
    there = list(
        Item.objects.filter(study=study, round=Item.Aside.CONTROL).values_list(
            "control", "original"
        )
    )
    used = {
        kind: [original for of, original in there if of == kind] for kind in Item.Control.values
    }
    return [
        *_identical(study, plan, passages, used[Item.Control.IDENTICAL], wanted.identical),
        *_unrelated(study, plan, passages, used[Item.Control.UNRELATED], wanted.unrelated),
    ]


def _identical(
    study: Study, plan: StudyPlan, passages: list[Item], used: list[str], wanted: int
) -> Iterator[Made]:
    free = _drawn(plan, Item.Control.IDENTICAL, passages, used)
    missing = wanted - len(used)
    if missing > len(free):
        raise _too_few("control_identical", wanted, len(used) + len(free))
    for passage in free[: max(0, missing)]:
        yield _item(study, passage, Item.Control.IDENTICAL), passage.original


def _unrelated(
    study: Study, plan: StudyPlan, passages: list[Item], used: list[str], wanted: int
) -> Iterator[Made]:
    """Each passage beside another one's text, by the rule of the paper (``are_unrelated``)."""
    missing, made = wanted - len(used), 0
    texts = {passage.key: passage.original for passage in passages}
    for passage in _drawn(plan, Item.Control.UNRELATED, passages, used):
        if made >= missing:
            return
        others = seeded_order(texts, f"{plan.seed}:unrelated:{passage.key}")[:TRIES]
        other = next(
            (texts[key] for key in others if are_unrelated(passage.original, texts[key])), None
        )
        if other is not None:
            made += 1
            yield _item(study, passage, Item.Control.UNRELATED), other
    if made < missing:
        raise _too_few("control_unrelated", wanted, len(used) + made)


def _drawn(plan: StudyPlan, kind: str, passages: list[Item], used: Iterable[str]) -> list[Item]:
    """The passages that have no control pair of this kind, in the order of the draw; equal texts
    count once."""
    left = {passage.key: passage for passage in passages if passage.original not in set(used)}
    first: dict[str, str] = {}
    for key in seeded_order(left, f"{plan.seed}:{kind}"):
        first.setdefault(left[key].original, key)
    return [left[key] for key in first.values()]


def _item(study: Study, source: Item, kind: str) -> Item:
    return Item(
        study=study,
        round=Item.Aside.CONTROL,
        control=kind,
        source=source.source,
        context_before=source.context_before,
        original=source.original,
        context_after=source.context_after,
        original_digest=text_digest(source.original),
    )


def _store(study: Study, made: list[Made]) -> None:
    taken = set(study.items.values_list("key", flat=True))
    last, number = last_position(study), 0
    for position, (item, _text) in enumerate(made, start=last + 1):
        item.position = position
        while not item.key:
            number += 1
            key = f"control-{number:04}"
            item.key = "" if key in taken else key
    stored = Item.objects.bulk_create([item for item, _text in made])
    size_add(study, rounds=[item.round for item in stored])
    Simplification.objects.bulk_create(
        unsaved_simplification(item=item, original=item.original, text=text)
        for item, (_item, text) in zip(stored, made, strict=True)
    )


def _too_few(field: str, wanted: int, possible: int) -> RuleError:
    several = wanted > 1
    return RuleError.single(
        field,
        "too_few",
        f"{wanted} {'paires' if several else 'paire'} de contrôle "
        f"{'demandées' if several else 'demandée'}, et les clauses de la ronde principale n'en "
        f"permettent {f'que {possible}' if possible else 'aucune'} : demandez-en moins, ou "
        "importez d'autres clauses d'abord.",
        f"{wanted} control {'pairs' if several else 'pair'} asked for, and the passages of the "
        f"main round allow {f'{possible} only' if possible else 'none'}: ask for fewer, or import "
        "more passages first.",
    )
