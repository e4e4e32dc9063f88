"""The main round opened too early: where it goes back to, and what that takes along."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.models import Annotator, Assignment, Event, Item, Study
from annotation.selectors.base.saved import rounds_begun


@dataclass(frozen=True)
class RoundTaken:
    """What going back from the main round takes along; ``opened``: pairs that somebody has looked
    at."""

    pairs: int
    people: int
    opened: int
    controls: int


def came_from(study: Study) -> str:
    """The state from which the main round was opened; of one that was closed in between, the
    first time."""
    opened = Event.objects.filter(
        study=study, verb="study_state_changed", details__after=Study.State.MAIN
    ).exclude(details__before=Study.State.CLOSED)
    last = opened.order_by("-pk").first()
    before = last.details.get("before") if last is not None else None
    return before if before == Study.State.PRACTICE else Study.State.DRAFT.value


def given_in_main(study: Study) -> QuerySet[Assignment]:
    """What people have of the main round, silent repeats and control pairs among it."""
    return _given(study, [False])


def practice_brought(study: Study) -> QuerySet[Assignment]:
    """Practice pairs that came with the main round and go back with it: it was opened straight from
    preparation, no practice round ever was, and nobody has saved anything of one."""
    opened = Event.objects.filter(
        study=study, verb="study_state_changed", details__after=Study.State.PRACTICE
    )
    if (
        came_from(study) == Study.State.PRACTICE
        or opened.exists()
        or rounds_begun(_people(study), (True,))
    ):
        return Assignment.objects.none()
    return _given(study, [True])


def _given(study: Study, rounds: list[bool]) -> QuerySet[Assignment]:
    # By their ids, and in a list, as the index has it: PostgreSQL takes people of a small study to
    # have as much as anybody else.
    people = list(_people(study).values_list("pk", flat=True))
    return Assignment.objects.filter(annotator__in=people, in_practice__in=rounds)


def main_begun(study: Study) -> bool:
    """Whether somebody has saved something of the main round, which keeps it from going back."""
    return rounds_begun(_people(study), (False,))


def _people(study: Study) -> QuerySet[Annotator]:
    return study.annotators.filter(kind=Annotator.Kind.PERSON)


def controls_unjudged(study: Study) -> QuerySet[Item]:
    """The control pairs that nobody and no model has, as soon as nobody has the main round."""
    others = Assignment.objects.exclude(annotator__kind=Annotator.Kind.PERSON)
    judged = others.filter(simplification__item__study=study).values("simplification__item")
    return study.items.filter(round=Item.Aside.CONTROL).exclude(pk__in=judged)


def round_taken(study: Study) -> RoundTaken:
    """What going back would take along now."""
    given = given_in_main(study)
    counted = given.aggregate(
        pairs=Count("pk"),
        people=Count("annotator", distinct=True),
        opened=Count("pk", filter=Q(opened_at__isnull=False)),
    )
    return RoundTaken(**counted, controls=controls_unjudged(study).count())
