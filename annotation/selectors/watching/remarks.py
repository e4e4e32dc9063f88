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
    ListedRemark,
    RemarkAnswer,
    Study,
    Tally,
    offered_with,
)
from annotation.selectors.base.remarked import remarked, sides_of

_STATES = {"open": Q(is_open=True), "settled": Q(is_open=False), "answered": Q(is_answered=True)}
_OF_KIND = {"comment": Q(has_comment=True), "doubt": Q(has_doubt=True)}
STATES = tuple(_STATES)
_SIMPLIFICATION = "judgment__assignment__simplification"
_PAIR = (f"{_SIMPLIFICATION}__item__position", f"{_SIMPLIFICATION}__position")
ORDERS = {
    "": ("-submitted_at", "-judgment"),
    "oldest": ("submitted_at", "judgment"),
    "pair": (*_PAIR, "annotator", "judgment"),
    "person": ("annotator", *_PAIR, "judgment"),
}
# How many are read at once where the whole list is asked for.
_AT_ONCE = 500


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
    language: str
    """Of the simplification, as detected; "" where it is not known."""
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
) -> QuerySet[ListedRemark]:
    """What was remarked, the newest first (or in one of ``ORDERS``), by what is asked for ("" is
    everything). ``search`` looks into item keys and, where they can be read, into comments.

    A page by time reads no more rows because there are more; ``search`` and the other orders read
    all remarks, and no judgment without one.
    """
    listed = ListedRemark.objects.filter(study=study).order_by(*ORDERS.get(order, ORDERS[""]))
    listed = listed.filter(_STATES.get(state, Q()), _OF_KIND.get(kind, Q()))
    if annotator:
        # Its key first: an index holds one person's.
        person = Annotator.objects.filter(study=study, pseudonym=annotator).first()
        listed = listed.filter(annotator=person) if person else listed.none()
    if search:
        wanted = Q(**{f"{_SIMPLIFICATION}__item__key__icontains": search})
        in_words = Exists(sides_of(study, "comment").filter(value__icontains=search)) & ~Q(
            **{f"{_SIMPLIFICATION}__item__round__in": hidden_rounds(study)}
        )
        listed = listed.filter(wanted | in_words)
    return listed


def remarks_number(study: Study, **wanted: str) -> int | None:
    """How many ``remarks`` gives, where it is kept; None where nobody knows."""
    conditions = {name for name, value in wanted.items() if value and name != "order"}
    return open_remarks(study) if conditions == {"state"} and wanted["state"] == "open" else None


def as_remarks(study: Study, listed: Iterable[ListedRemark]) -> list[Remark]:
    """A page of ``remarks`` with what was said and answered; four queries."""
    hidden = hidden_rounds(study)
    page: list[Remark] = []
    every = list(listed)
    for start in range(0, len(every), _AT_ONCE):
        part = every[start : start + _AT_ONCE]
        judgments = _judgments().in_bulk([remark.pk for remark in part])
        answers: dict[int, list[RemarkAnswer]] = defaultdict(list)
        for answer in RemarkAnswer.objects.filter(
            assignment__in=[judgment.assignment_id for judgment in judgments.values()]
        ).order_by("pk"):
            answers[answer.assignment_id].append(answer)
        # One that went a moment ago is left out.
        there = (judgments[remark.pk] for remark in part if remark.pk in judgments)
        page += [
            _remark(study, judgment, tuple(answers[judgment.assignment_id]), hidden)
            for judgment in there
        ]
    return page


def _judgments() -> QuerySet[Judgment]:
    return Judgment.objects.select_related(
        "assignment__annotator__user",
        "assignment__simplification__item",
        "assignment__remark_settlement",
    ).prefetch_related("sides")


def hidden_rounds(study: Study) -> tuple[str, ...]:
    """The rounds of which nobody who runs the study reads a comment now."""
    hidden = [offered_with(round_) for round_ in Item.Round.values if study.hides_answers(round_)]
    return tuple(round_ for rounds in hidden for round_ in rounds)


def remark_of(study: Study, assignment: int) -> Judgment | None:
    """The judgment whose remark that is; None where there is none in this study."""
    # By the other row's own key: compared with the reference, a number beyond the column's is an
    # error and no miss.
    return (
        remarked(study)
        .filter(assignment__pk=assignment)
        .select_related("assignment__annotator", "assignment__simplification__item")
        .first()
    )


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
        language=assignment.simplification.language,
        comment="" if hidden else comment,
        has_comment=bool(comment),
        comment_hidden=hidden and bool(comment),
        doubt=any(name in sides for name in study.protocol.doubts),
        submitted_at=judgment.submitted_at,
        settled=settlement is not None and settlement.revision >= judgment.revision,
        answers=answers,
    )
