"""Comments and doubts of submitted judgments in one list, with what leads answered and whether they
are settled.

A comment often quotes the bracket or the score, so during a blind phase its words are not handed
out, nor those of practice before its answers may be put side by side: who remarked on which pair,
and that there is a doubt, can still be seen and answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Q, QuerySet, Sum

from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Judgment,
    RemarkAnswer,
    Study,
    Tally,
    offered_with,
)
from annotation.selectors.base.remarked import KINDS, SETTLED, UNSETTLED, remarked, sides_of

STATES = ("open", "settled", "answered")
_PAIR = ("assignment__simplification__item__position", "assignment__simplification__position")
ORDERS = {
    "": ("-submitted_at", "-pk"),
    "oldest": ("submitted_at", "pk"),
    "pair": (*_PAIR, "assignment__annotator", "pk"),
    "person": ("assignment__annotator", *_PAIR, "pk"),
}


@dataclass(frozen=True)
class Remark:
    """One judgment with a comment, a doubt or both. ``comment`` is "" where there is none or it is
    hidden (``comment_hidden``); ``settled`` holds until the judgment is corrected."""

    assignment: int
    annotator: Annotator
    item_key: str
    pair: str
    round: str
    original: str
    simplification: str
    comment: str
    has_comment: bool
    comment_hidden: bool
    doubt: bool
    submitted_at: datetime | None
    settled: bool
    answers: tuple[RemarkAnswer, ...]


def remarks(
    study: Study,
    *,
    state: str = "",
    kind: str = "",
    annotator: str = "",
    search: str = "",
    order: str = "",
) -> QuerySet[Judgment]:
    """Judgments with a remark, the newest first (or in one of ``ORDERS``), by what is asked for (""
    is everything).
    ``search`` looks into item keys and, where they can be read, into comments."""
    found = (
        remarked(study)
        .select_related(
            "assignment__annotator__user",
            "assignment__simplification__item",
            "assignment__remark_settlement",
        )
        .prefetch_related("sides")
        .order_by(*ORDERS.get(order, ORDERS[""]))
    )
    if state == "open":
        found = found.filter(UNSETTLED)
    elif state == "settled":
        found = found.filter(SETTLED)
    elif state == "answered":
        found = found.filter(assignment__in=RemarkAnswer.objects.order_by().values("assignment"))
    if kind in KINDS:
        found = found.filter(Exists(sides_of(study, kind)))
    if annotator:
        found = found.filter(assignment__annotator__pseudonym=annotator)
    if search:
        wanted = Q(assignment__simplification__item__key__icontains=search)
        in_words = Exists(sides_of(study, "comment").filter(value__icontains=search)) & ~Q(
            assignment__simplification__item__round__in=hidden_rounds(study)
        )
        found = found.filter(wanted | in_words)
    return found


def as_remarks(study: Study, judgments: Iterable[Judgment]) -> list[Remark]:
    """A page of ``remarks`` with its answers; one query, and two during practice."""
    page = list(judgments)
    answers: dict[int, list[RemarkAnswer]] = defaultdict(list)
    for answer in RemarkAnswer.objects.filter(
        assignment__in=[one.assignment_id for one in page]
    ).order_by("pk"):
        answers[answer.assignment_id].append(answer)
    hidden = hidden_rounds(study)
    return [_remark(study, one, tuple(answers[one.assignment_id]), hidden) for one in page]


def hidden_rounds(study: Study) -> tuple[str, ...]:
    """The rounds of which nobody who runs the study reads a comment now."""
    hidden = [offered_with(one) for one in Item.Round.values if study.hides_answers(one)]
    return tuple(round_ for rounds in hidden for round_ in rounds)


def remark_of(study: Study, assignment: int) -> Judgment | None:
    """The judgment whose remark that is; None where there is none in this study."""
    # By the other row's own key: compared with the reference, a number beyond the column's is an
    # error and no miss.
    return remarks(study).filter(assignment__pk=assignment).first()


def open_remarks(study: Study) -> int:
    """How many are not settled, as it is kept of each person."""
    kept = Tally.objects.filter(
        annotator__study=study, annotator__kind=Annotator.Kind.PERSON
    ).aggregate(number=Sum("remarks"))
    return kept["number"] or 0


def answers_to(assignment: Assignment) -> list[RemarkAnswer]:
    """What leads wrote to this annotator about this pair, the oldest first."""
    return list(assignment.remark_answers.order_by("pk"))


def _remark(
    study: Study, judgment: Judgment, answers: tuple[RemarkAnswer, ...], hidden_in: tuple[str, ...]
) -> Remark:
    assignment = judgment.assignment
    item = assignment.simplification.item
    hidden = item.round in hidden_in
    settlement = getattr(assignment, "remark_settlement", None)
    sides = {side.field: side.value for side in judgment.sides.all()}
    comment = "\n\n".join(sides[name] for name in study.protocol.remarks if name in sides)
    return Remark(
        assignment=assignment.pk,
        annotator=assignment.annotator,
        item_key=item.key,
        pair=assignment.simplification.pair_name,
        round=item.round,
        original=item.original,
        simplification=assignment.simplification.text,
        comment="" if hidden else comment,
        has_comment=bool(comment),
        comment_hidden=hidden and bool(comment),
        doubt=any(name in sides for name in study.protocol.doubts),
        submitted_at=judgment.submitted_at,
        settled=settlement is not None and settlement.revision >= judgment.revision,
        answers=answers,
    )
