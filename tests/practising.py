"""A study in its practice round: two people, two practice pairs, one main pair."""

from __future__ import annotations

from typing import Any

from annotation.models import Annotator, Assignment, PracticeNote, Simplification, Study, User
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study, make_user, save


def practice_study(lead: User | None = None, **fields: Any) -> Study:
    study = make_study("pratique", lead=lead, state="practice", **fields)
    for number in (1, 2):
        make_pair(
            study,
            round="practice",
            system="sys-x",
            original=f"Clause de pratique {number}.",
            text="Plus simple.",
        )
    make_pair(study)
    for name in ("Anne Gagnon", "Brice Tremblay"):
        make_annotator(study, make_user(name, email=f"{name.split()[0].lower()}@uni.example"))
    assignments_fill(actor=None, study=study)
    return study


def people(study: Study) -> list[Annotator]:
    return list(study.annotators.select_related("user", "study"))


def pairs(study: Study) -> list[Simplification]:
    return list(
        Simplification.objects.filter(item__study=study, item__round="practice").order_by(
            "item__position"
        )
    )


def submit(annotator: Annotator, pair: Simplification, **answers: Any) -> None:
    assignment = Assignment.objects.select_related(
        "simplification__item", "annotator__study", "annotator__user"
    ).get(annotator=annotator, simplification=pair)
    draft = getattr(assignment, "draft", None)
    errors = answers.pop(
        "errors", [{"type": "omission", "note": "", "original_start": 0, "original_end": 6}]
    )
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(draft.revision if draft else 0, errors=errors, **answers),
    )


def reference_of(pair: Simplification) -> dict[str, Any]:
    """The stored reference, which there is."""
    stored = PracticeNote.objects.get(simplification=pair).reference
    assert isinstance(stored, dict)
    return stored


def everybody_submits(study: Study) -> None:
    for annotator in people(study):
        for pair in pairs(study):
            submit(annotator, pair, comment=f"par {annotator.pseudonym}")
