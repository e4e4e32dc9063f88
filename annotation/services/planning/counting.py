"""Which submitted answers count where a plan asks for so many per pair: the first ones, by their
first submission, of annotators who have not withdrawn.

What comes later is kept whole and marked as surplus: correcting an answer changes neither its place
in that order nor its mark. A withdrawal makes room, and the earliest surplus answers are counted
in; whoever comes back finds what has been counted in the meantime, and their own answer is surplus
where it would be one too many. A database trigger refuses one counted answer too many, whoever
writes the answer.
"""

from __future__ import annotations

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
from annotation.prepared import Prepared
from annotation.selectors.base.rounds import COUNTED

# Django's ORM knows the exclusive locks only. Settings and states change under FOR UPDATE, which
# waits for this one.
_SHARE = f"SELECT id FROM {Study._meta.db_table} WHERE id = %s FOR KEY SHARE"  # noqa: S608  (our own table)

_PER_ITEM = Prepared(
    lambda study: (
        StudyPlan.objects.filter(study=study).order_by().values_list("per_item", flat=True)
    ),
    study=2_000_000_001,
)

_FIRST = Min("assignment__revisions__submitted_at", filter=standing("assignment__revisions__"))


def study_share(assignment: Assignment) -> None:
    """Let nobody close the study or change its rules until this transaction ends; other submissions
    go on. Before anything else is locked: who closes a study holds it first."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(_SHARE, [assignment.annotator.study_id])


def pair_hold(assignment: Assignment) -> None:
    """Make other submissions of the same main pair wait until this transaction ends: of two people
    who submit the last answer at the same moment one finds the other's. Before anything else is
    locked, as ``pairs_hold`` is. SQLite has one writer at a time, from the begin of its
    transaction."""
    if (
        assignment.simplification.item.round == Item.Round.MAIN
        and connection.features.has_select_for_update
    ):
        Simplification.objects.select_for_update(no_key=True).only("pk").get(
            pk=assignment.simplification_id
        )


def is_surplus(assignment: Assignment) -> bool:
    """Whether the answer that is being submitted for the first time comes too late to count. The
    pair is held."""
    item = assignment.simplification.item
    if item.round != Item.Round.MAIN:
        return False
    per_item = _PER_ITEM.first(study=item.study_id)
    if per_item is None:
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
    waiting = (
        Judgment.objects.filter(
            surplus=True,
            submitted_at__isnull=False,
            assignment__annotator__study=study,
            assignment__annotator__withdrawn_at__isnull=True,
        )
        .annotate(first=_FIRST)
        .order_by("first", "pk")
        .values_list("pk", "assignment__simplification_id")
    )
    return sum(_count_in(pk, pair, per_item) for pk, pair in list(waiting))


def withdrawal_recount(study: Study) -> int:
    """After somebody has withdrawn: count surplus answers of others in their stead; how many."""
    return surplus_recount(study, plan_of(study).per_item)


def pair_recount(assignment: Assignment) -> int:
    """After an answer was taken back: count the earliest surplus one of its pair in its stead; how
    many. The pair is held."""
    waiting = (
        Judgment.objects.filter(
            surplus=True,
            submitted_at__isnull=False,
            assignment__simplification=assignment.simplification_id,
            assignment__annotator__withdrawn_at__isnull=True,
        )
        .annotate(first=_FIRST)
        .order_by("first", "pk")
        .values_list("pk", flat=True)
    )
    per_item = plan_of(assignment.annotator.study).per_item
    return sum(_count_in(pk, assignment.simplification_id, per_item) for pk in list(waiting))


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
    return Judgment.objects.filter(pk__in=full).update(surplus=True)


def _counted(pair: int) -> QuerySet[Judgment]:
    return Judgment.objects.filter(COUNTED, assignment__simplification=pair)


def _count_in(judgment: int, pair: int, per_item: int | None) -> int:
    if per_item is not None and _counted(pair).count() >= per_item:
        return 0
    return Judgment.objects.filter(pk=judgment).update(surplus=False)
