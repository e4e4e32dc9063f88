"""Studies with plans: people, pairs, answers given quickly, days that pass."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Event,
    Judgment,
    JudgmentRevision,
    Study,
    out_of_sight,
)
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.plans import plan_set
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_study, save

WORDS = (
    "assureur",
    "franchise",
    "tribunal",
    "navire",
    "récolte",
    "médecin",
    "loyer",
    "voiture",
    "incendie",
    "prime",
)


def planned_study(people: int = 6, pairs: int = 10, *, opened: bool = True, **plan: Any) -> Study:
    """A study with its plan set, whose main round is open unless ``opened`` is false."""
    study = make_study()
    for number in range(pairs):
        word = WORDS[number % len(WORDS)]
        text = " ".join(f"{word}{place}{number}" for place in range(6))
        make_pair(study, original=f"{text}.", system="zz-one", text=f"{word} {number} simple.")
    for _ in range(people):
        make_annotator(study)
    plan_set(actor=None, study=study, **plan)
    return open_main(study) if opened else study


def open_main(study: Study) -> Study:
    return study_change_state(actor=None, study=study, to="main", reason="essai")


def annotators(study: Study) -> list[Annotator]:
    return list(study.annotators.select_related("user", "study").order_by("pk"))


def rows(study: Study, **wanted: Any) -> list[Assignment]:
    assignments = Assignment.objects.filter(annotator__study=study, **wanted).order_by(
        "annotator", "position"
    )
    return list(
        assignments.select_related("annotator__study", "annotator__user", "simplification__item")
    )


def seen(annotator: Annotator) -> list[Assignment]:
    mine = (
        Assignment.objects.filter(annotator=annotator).exclude(out_of_sight()).order_by("position")
    )
    return list(mine.select_related("annotator__study", "annotator__user", "simplification__item"))


def submit(assignment: Assignment, **answers: Any) -> Judgment:
    draft = Draft.objects.filter(assignment=assignment).first()
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(draft.revision if draft else 0, **{"errors": [], **answers}),
    )
    return Judgment.objects.get(assignment=assignment)


def begin(assignment: Assignment) -> None:
    draft_save(actor=assignment.annotator.user, assignment=assignment, save=save())


def days_pass(study: Study, days: int) -> None:
    """Everything that happened in the study happened so many days earlier."""
    ago = timedelta(days=days)
    for assignment in Assignment.objects.filter(annotator__study=study):
        assignment.opened_at = assignment.opened_at and assignment.opened_at - ago
        assignment.released_at = assignment.released_at and assignment.released_at - ago
        assignment.save(update_fields=["opened_at", "released_at"])
    for draft in Draft.objects.filter(assignment__annotator__study=study):
        Draft.objects.filter(pk=draft.pk).update(saved_at=draft.saved_at - ago)
    for revision in JudgmentRevision.objects.filter(assignment__annotator__study=study):
        JudgmentRevision.objects.filter(pk=revision.pk).update(
            submitted_at=revision.submitted_at - ago
        )
    for judgment in Judgment.objects.filter(
        assignment__annotator__study=study, submitted_at__isnull=False
    ):
        Judgment.objects.filter(pk=judgment.pk).update(
            submitted_at=(judgment.submitted_at or timezone.now()) - ago
        )
    Study.objects.filter(pk=study.pk).update(created_at=study.created_at - ago)
    Annotator.objects.filter(study=study).update(created_at=timezone.now() - 2 * ago)


def codes(error: Any) -> list[tuple[str, str]]:
    return [(problem.field, problem.code) for problem in error.value.problems]


def verbs(study: Study) -> list[str]:
    return list(Event.objects.filter(study=study).order_by("pk").values_list("verb", flat=True))
