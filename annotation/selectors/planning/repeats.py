"""Which of their pairs people are to judge twice."""

from __future__ import annotations

from math import ceil

from django.db.models import Count

from annotation.allocation import annotator_seed, seeded_order
from annotation.models import Annotator, Assignment, Item, Study, StudyPlan, plan_of
from annotation.selectors.planning.absence import judging


def repeats_drawn(study: Study, plan: StudyPlan, annotator: Annotator) -> list[int]:
    """Ids of the assignments that this person is to judge twice, as the plan's seed draws them
    among all theirs."""
    rows = Assignment.objects.filter(
        annotator=annotator, simplification__item__round=Item.Round.MAIN, released_at__isnull=True
    ).exclude(judgment__surplus=True)
    keys = {
        f"{key}/{place}": pk
        for pk, key, place in rows.values_list(
            "pk", "simplification__item__key", "simplification__position"
        )
    }
    wanted = repeats_expected(plan, len(keys))
    seed = f"{plan.seed}:repeats:{annotator_seed(study.seed, annotator.pseudonym)}"
    return [keys[key] for key in seeded_order(keys, seed)[:wanted]]


def repeats_expected(plan: StudyPlan, pairs: int) -> int:
    """How many of so many pairs somebody judges twice; a share is rounded up."""
    return ceil((plan.repeat_percent or 0) * pairs / 100)


def repeats_left(study: Study) -> int:
    """Repeats that are drawn and were not offered yet, because their day has not come or the pair
    was not judged."""
    plan = plan_of(study)
    if plan.repeat_percent is None:
        return 0
    people = judging(study)
    rows = Assignment.objects.filter(
        annotator__in=people,
        simplification__item__study=study,
        simplification__item__round=Item.Aside.REPEAT,
    )
    there = dict(rows.order_by().values_list("annotator").annotate(Count("pk")))
    # Person by person: who has more than a lowered share asks for has none to spare for others.
    return sum(
        max(0, len(repeats_drawn(study, plan, person)) - there.get(person.pk, 0))
        for person in people
    )
