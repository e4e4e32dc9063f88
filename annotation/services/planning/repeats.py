"""Silent repeats: some of what a person has judged is offered to them again, to see how
consistently they judge.

The annotator gets a pair like any other, in the place of the first. The first answer is out of
their sight from then on (``models.out_of_sight``) and stays the one that counts; the second stands
in a round of its own.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
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
from annotation.selectors.planning.repeats import repeats_drawn
from annotation.services.base.answered import items_recount
from annotation.services.base.item_rows import last_position
from annotation.services.base.sizes import size_add
from annotation.services.base.standings import annotators_hold, standings_recount
from annotation.services.platform.events import event_record


def repeats_sweep() -> int:
    """Offer in every open study what is due; how many. By the periodic look."""
    plans = StudyPlan.objects.filter(
        repeat_percent__isnull=False,
        study__state=Study.State.MAIN,
        study__archived_at__isnull=True,
    )
    return sum(repeats_offer(study=plan.study) for plan in plans.select_related("study"))


@transaction.atomic
def repeats_offer(*, study: Study) -> int:
    """Offer each annotator again what is drawn for them and was judged long enough ago; how
    many."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    plan = StudyPlan.objects.filter(study=study, repeat_percent__isnull=False).first()
    if plan is None or "main" not in study.open_rounds:
        return 0
    people = study.annotators.filter(
        kind=Annotator.Kind.PERSON, user__isnull=False, withdrawn_at__isnull=True
    )
    return sum(_offer(study, plan, annotator) for annotator in people)


def _offer(study: Study, plan: StudyPlan, annotator: Annotator) -> int:
    chosen = repeats_drawn(study, plan, annotator)
    there = Assignment.objects.filter(
        annotator=annotator, simplification__item__round=Item.Aside.REPEAT
    ).count()
    room = len(chosen) - there
    if room <= 0:
        return 0
    due = _due(chosen, plan.repeat_after_days)[:room]
    if not due:
        return 0
    # Only now: somebody may be saving or submitting one at this moment.
    annotators_hold([annotator.pk])
    due = _due([first.pk for first in due], plan.repeat_after_days)
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
        of=len(chosen),
        seed=plan.seed,
    )
    return len(due)


def _items_of_repeats(annotator: Annotator) -> set[int]:
    rows = Assignment.objects.filter(
        annotator=annotator, simplification__item__round=Item.Aside.REPEAT
    )
    return set(rows.order_by().values_list("simplification__item", flat=True))


def _due(chosen: list[int], days: int) -> list[Assignment]:
    """Of these, in their order: judged so long ago, with nothing typed since, not sent back, not
    repeated."""
    rows = Assignment.objects.filter(
        Q(draft__isnull=True) | Q(draft__saved_at__lte=F("judgment__submitted_at")),
        ~AGAIN,
        pk__in=chosen,
        standing__gt=Assignment.Standing.HIDDEN,
        judgment__submitted_at__lte=timezone.now() - timedelta(days=days),
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
    size_add(study, items=[item])
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
