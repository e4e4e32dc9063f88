"""Which submitted answers count where a plan asks for so many per pair: the first ones, by their
first submission, of annotators who have not withdrawn.

What comes later is kept whole and marked as surplus: correcting an answer changes neither its place
in that order nor its mark. A withdrawal makes room, and the earliest surplus answers are counted
in; whoever comes back finds what has been counted in the meantime, and their own answer is surplus
where it would be one too many. A database trigger refuses one counted answer too many, whoever
writes the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from django.db import connection
from django.db.models import Count, Min, QuerySet

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Judgment,
    Simplification,
    Study,
    StudyPlan,
    plan_of,
    standing,
)
from annotation.prepared import STAND_IN, Prepared
from annotation.selectors.base.rounds import COUNTED
from annotation.services.base.answered import items_recount
from annotation.services.base.standings import Changes, annotators_hold, tallies_add
from annotation.services.platform.study_rows import study_row_share

_PAIR = Prepared(
    lambda pair: (
        Simplification.objects.select_for_update(no_key=True)
        .filter(pk=pair)
        .order_by()
        .values_list("pk")
    ),
    pair=STAND_IN,
)

_FIRST = Min("assignment__revisions__submitted_at", filter=standing("assignment__revisions__"))


def study_share(assignment: Assignment) -> None:
    """Let nobody close or archive the study or change its rules until this transaction ends; other
    saves and submissions go on. Before anything else is locked: who closes a study holds it first.
    """
    if connection.features.has_select_for_update:
        study_row_share(assignment.annotator.study_id)


def pair_hold(assignment: Assignment) -> None:
    """Make other submissions of the same main pair wait until this transaction ends: of two people
    who submit the last answer at the same moment one finds the other's. Before anything else is
    locked, as ``pairs_hold`` is. SQLite has one writer at a time, from the begin of its
    transaction."""
    if (
        assignment.simplification.item.round == Item.Round.MAIN
        and connection.features.has_select_for_update
    ):
        _PAIR.first(pair=assignment.simplification_id)


def is_surplus(assignment: Assignment, study: Study) -> bool:
    """Whether the answer that is being submitted for the first time comes too late to count. The
    pair is held, and the study read with its plan since."""
    plan: StudyPlan | None = getattr(study, "plan", None)
    per_item = plan.per_item if plan else None
    if per_item is None or assignment.simplification.item.round != Item.Round.MAIN:
        return False
    return _counted(assignment.simplification_id).exclude(assignment=assignment).count() >= per_item


def pairs_hold(study: Study) -> None:
    """Make every submission in the main round wait until this transaction ends. The study's own row
    is held already, without its key: a submission that holds its pair writes an event."""
    pairs = Simplification.objects.select_for_update(no_key=True).filter(
        item__study=study, item__round="main"
    )
    list(pairs.order_by("pk").values_list("pk", flat=True))


def per_item_check(study: Study, per_item: int | None) -> None:
    """Raise ``RuleError`` where a pair has more counted answers than ``per_item`` would allow."""
    if per_item is None:
        return
    counted = (
        Judgment.objects.filter(
            COUNTED,
            assignment__simplification__item__study=study,
            assignment__simplification__item__round="main",
        )
        .order_by()
        .values("assignment__simplification")
        .annotate(number=Count("pk"))
    )
    most = max((row["number"] for row in counted), default=0)
    if most > per_item:
        raise RuleError.single(
            "per_item",
            "counted",
            f"Une paire a déjà {most} réponses qui comptent, et aucune n'est retirée : "
            f"demandez-en au moins {most} "
            "par paire, ou laissez tout le monde tout juger.",
            f"A pair has {most} counted answers already, and none is taken away: ask for at "
            f"least {most} per pair, or "
            "let everybody judge everything.",
        )


def surplus_recount(study: Study, per_item: int | None) -> int:
    """Where more answers are asked for, or somebody has withdrawn: count surplus ones as far as
    there is room, the earliest first; how many. What made the room is stored already, and the pairs
    are held."""
    surplus = _surplus(assignment__annotator__study=study)
    waiting = list(surplus.values_list("pk", "assignment__simplification_id"))
    counted = [pk for pk, pair in waiting if _count_in(pk, pair, per_item)]
    _keep(counted, 1)
    return len(counted)


def withdrawal_recount(study: Study) -> int:
    """After somebody has withdrawn: count surplus answers of others in their stead; how many."""
    return surplus_recount(study, plan_of(study).per_item)


def pair_recount(assignment: Assignment) -> Changes:
    """After an answer was taken back: count the earliest surplus one of its pair in its stead; what
    that adds to whose numbers. The pair is held."""
    pair = assignment.simplification_id
    waiting = list(_surplus(assignment__simplification=pair).values_list("pk", flat=True))
    per_item = plan_of(assignment.annotator.study).per_item
    return _judged([pk for pk in waiting if _count_in(pk, pair, per_item)], 1)


def _surplus(**where: Any) -> QuerySet[Judgment]:
    """Surplus answers of those who are still there, in the order in which they may count."""
    submitted = Judgment.objects.filter(surplus=True, submitted_at__isnull=False, **where)
    still_there = submitted.filter(assignment__annotator__withdrawn_at__isnull=True)
    return still_there.annotate(first=_FIRST).order_by("first", "pk")


def return_recount(annotator: Annotator) -> int:
    """Before somebody who had withdrawn comes back: mark as surplus those of their answers that
    would be one too many; how many. The pairs are held. What they themselves had too much may count
    now, once they are back."""
    per_item = plan_of(annotator.study).per_item
    if per_item is None:
        return 0
    mine = Judgment.objects.filter(
        submitted_at__isnull=False,
        surplus=False,
        assignment__annotator=annotator,
        assignment__simplification__item__round=Item.Round.MAIN,
    ).values_list("pk", "assignment__simplification_id")
    full = [pk for pk, pair in list(mine) if _counted(pair).count() >= per_item]
    Judgment.objects.filter(pk__in=full).update(surplus=True)
    _keep(full, -1)
    return len(full)


def _keep(judgments: Collection[int], by: int) -> None:
    """Keep that so many more of these judgments count, or fewer. The pairs are held; whose they
    are, may be at another pair of theirs."""
    changed = _judged(judgments, by)
    annotators_hold({annotator for annotator, _ in changed})
    tallies_add(changed)
    rows = Judgment.objects.filter(pk__in=judgments).order_by()
    items_recount(set(rows.values_list("assignment__simplification__item", flat=True)))


def _judged(judgments: Collection[int], by: int) -> Changes:
    whose = Judgment.objects.filter(pk__in=judgments).order_by()
    changed: Changes = {}
    for annotator in whose.values_list("assignment__annotator", flat=True):
        changed.setdefault((annotator, False), Counter())["judged"] += by
    return changed


def _counted(pair: int) -> QuerySet[Judgment]:
    return Judgment.objects.filter(COUNTED, assignment__simplification=pair)


def _count_in(judgment: int, pair: int, per_item: int | None) -> bool:
    if per_item is not None and _counted(pair).count() >= per_item:
        return False
    return Judgment.objects.filter(pk=judgment).update(surplus=False) > 0
