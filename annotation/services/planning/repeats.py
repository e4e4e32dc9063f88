"""Silent repeats: some of what a person has judged is offered to them again, to see how
consistently they judge.

The annotator gets a pair like any other, in the place of the first. The first answer is out of
their sight from then on (``models.out_of_sight``) and stays the one that counts; the second stands
in a round of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotation.models import (
    PARKED,
    Annotator,
    Assignment,
    Item,
    Simplification,
    Study,
    StudyPlan,
)
from annotation.selectors.base.standings import AGAIN
from annotation.selectors.planning.absence import judging
from annotation.selectors.planning.repeats import repeats_drawn
from annotation.services.base.answered import items_recount
from annotation.services.base.item_rows import last_position
from annotation.services.base.sizes import size_add
from annotation.services.base.standings import annotators_hold, standings_recount
from annotation.services.platform.events import event_record

AT_ONCE = 50
"""Pairs of one person that are offered in one transaction."""
MOST = 1000
"""Of a study at one look: what is due beside that is offered at the next."""
# Between two such transactions whoever waits on SQLite gets in, which asks every tenth of a second.
_BREATH_SECONDS = 0.15
_DRAWN_BY = ("seed", "repeat_percent", "repeat_after_days")


def repeats_sweep() -> int:
    """Offer in every open study what is due; how many. By the periodic look."""
    plans = StudyPlan.objects.filter(
        repeat_percent__isnull=False,
        study__state=Study.State.MAIN,
        study__archived_at__isnull=True,
    )
    return sum(repeats_offer(study=plan.study) for plan in plans.select_related("study"))


def repeats_offer(*, study: Study) -> int:
    """Offer each annotator again what is drawn for them and was judged long enough ago, up to about
    ``MOST``; how many.

    What is due is looked for while nothing is locked, and offered in steps: where much is due at
    once (a plan that asks for repeats once ten thousand pairs are judged), whoever judges meanwhile
    waits for one of them."""
    plan = StudyPlan.objects.filter(study=study, repeat_percent__isnull=False).first()
    if plan is None:
        return 0
    offered = 0
    for annotator, firsts, of in _steps(study, plan):
        if offered:
            time.sleep(_BREATH_SECONDS)
        number = _offer(plan, annotator, firsts, of=of)
        if number is None:
            break
        offered += number
        if offered >= MOST:
            break
    return offered


def _steps(study: Study, plan: StudyPlan) -> Iterator[tuple[Annotator, list[int], int]]:
    """Each person with some of what is due, and how many are drawn for them in all."""
    for annotator in judging(study):
        chosen = repeats_drawn(study, plan, annotator)
        room = max(0, len(chosen) - _repeats_of(annotator).count())
        due = [first.pk for first in _due(chosen, plan.repeat_after_days)[:room]]
        for start in range(0, len(due), AT_ONCE):
            yield annotator, due[start : start + AT_ONCE], len(chosen)


@transaction.atomic
def _offer(plan: StudyPlan, annotator: Annotator, firsts: list[int], *, of: int) -> int | None:
    """Offer these again; how many. None where the plan or the study is another than when they were
    looked for, or gone: the next look is soon. ``of``: how many are drawn for this person."""
    study = Study.objects.select_for_update(no_key=True).filter(pk=plan.study_id).first()
    now = StudyPlan.objects.filter(pk=plan.pk).values_list(*_DRAWN_BY).first()
    is_as_it_was = now == tuple(getattr(plan, name) for name in _DRAWN_BY)
    if study is None or not is_as_it_was or "main" not in study.open_rounds:
        return None
    # Only now: somebody may be saving or submitting one at this moment.
    annotators_hold([annotator.pk])
    if not judging(study).filter(pk=annotator.pk).exists():
        return 0
    room = max(0, of - _repeats_of(annotator).count())
    due = _due(firsts, plan.repeat_after_days)[:room]
    if not due:
        return 0
    Assignment.objects.filter(pk__in=[first.pk for first in due]).update(
        position=F("position") + PARKED
    )
    Assignment.objects.bulk_create(
        Assignment(
            annotator=annotator,
            simplification=_repeat(study, first.simplification),
            position=first.position,
            context_shown=first.context_shown,
        )
        for first in due
    )
    standings_recount([annotator.pk])
    items_recount(_items_of_repeats(annotator))
    event_record(
        actor=None,
        study=study,
        verb="repeats_offered",
        target=annotator,
        number=len(due),
        of=of,
        seed=plan.seed,
    )
    return len(due)


def _repeats_of(annotator: Annotator) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        annotator=annotator, simplification__item__round=Item.Aside.REPEAT
    )


def _items_of_repeats(annotator: Annotator) -> set[int]:
    rows = _repeats_of(annotator).order_by()
    return set(rows.values_list("simplification__item", flat=True))


def _due(chosen: list[int], days: int) -> list[Assignment]:
    """Of these, in their order: judged so long ago, with nothing typed since, not sent back, not
    repeated."""
    rows = Assignment.objects.filter(
        Q(draft__isnull=True) | Q(draft__saved_at__lte=F("judgment__submitted_at")),
        ~AGAIN,
        pk__in=chosen,
        standing__gt=Assignment.Standing.HIDDEN,
        judgment__submitted_at__lte=timezone.now() - timedelta(days=days),
        judgment__surplus=False,
    ).select_related("simplification__item")
    by_pk = {row.pk: row for row in rows}
    return [by_pk[pk] for pk in chosen if pk in by_pk]


def _repeat(study: Study, first: Simplification) -> Simplification:
    """The pair once more, as an item of its own; one for everybody who judges it twice."""
    repeat = Simplification.objects.filter(repeat_of=first).first()
    if repeat is not None:
        return repeat
    source = first.item
    item = Item.objects.create(
        study=study,
        key=_key(study, f"{source.key[:60]}.repeat-{first.position}"),
        position=last_position(study) + 1,
        round=Item.Aside.REPEAT,
        source=source.source,
        context_before=source.context_before,
        original=source.original,
        context_after=source.context_after,
    )
    size_add(study, rounds=[item.round])
    return Simplification.objects.create(
        item=item,
        system=first.system,
        text=first.text,
        language=first.language,
        is_identical=first.is_identical,
        finish_reason=first.finish_reason,
        repeat_of=first,
    )


def _key(study: Study, wanted: str) -> str:
    """The key, with a number behind it where the study has it already."""
    key, number = wanted, 2
    while study.items.filter(key=key).exists():
        key, number = f"{wanted}.{number}", number + 1
    return key
