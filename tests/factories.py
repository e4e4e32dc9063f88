"""Small builders of rows. Each makes one thing, right by default; what a test is about it passes
itself."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Judgment,
    Lead,
    Simplification,
    Study,
    User,
)
from annotation.services.base.sizes import new_pairs, size_add
from annotation.services.base.standings import positions_check
from annotation.services.judging.drafts import Save
from annotation.services.planning.assignments import assignments_fill

_numbers = itertools.count(1)

ORIGINAL = "L'assureur rembourse les frais engagés, sauf si l'assuré a omis d'aviser sans délai."
SIMPLIFIED = "L'assureur paie les frais. L'assuré doit aviser."


def make_user(name: str = "", **fields: Any) -> User:
    number = next(_numbers)
    name = name or f"person{number}"
    email = fields.pop("email", f"{name}@example.org")
    return User.objects.create_user(email, "a-long-password", name=name.title(), **fields)


def make_study(key: str = "", *, lead: User | None = None, **fields: Any) -> Study:
    number = next(_numbers)
    study = Study.objects.create(
        key=key or f"study-{number}", title=f"Study {number}", seed=7, **fields
    )
    if lead is not None:
        Lead.objects.create(study=study, user=lead)
    return study


def said(judgment: Judgment, field: str) -> str:
    """What a judgment holds beside its ratings, as text; "" for nothing."""
    return judgment.sides.filter(field=field).values_list("value", flat=True).first() or ""


def make_pair(
    study: Study, *, round: str = "main", system: str = "", **fields: Any
) -> Simplification:
    number = study.items.count() + 1
    item = Item.objects.create(
        study=study,
        key=fields.pop("key", f"item-{number:04}"),
        position=number,
        round=round,
        original=fields.pop("original", f"{ORIGINAL} ({number})"),
    )
    pair = Simplification.objects.create(
        item=item, text=fields.pop("text", SIMPLIFIED), system=system, **fields
    )
    size_add(study, rounds=[round], pairs=new_pairs([pair] if round in Item.Round.values else []))
    return pair


def kept_anew() -> None:
    """Keep what follows from rows that a test has written or changed past every service."""
    list(positions_check(rebuild=True))


def make_annotator(study: Study, user: User | None = None, **fields: Any) -> Annotator:
    pseudonym = fields.pop("pseudonym", chr(ord("A") + study.annotators.count()))
    return Annotator.objects.create(
        study=study, user=user or make_user(), pseudonym=pseudonym, **fields
    )


def make_assignment(study: Study | None = None, **pair: Any) -> Assignment:
    """One pair for one new annotator in an open main round."""
    study = study or make_study(state="main")
    simplification = make_pair(study, **pair)
    annotator = make_annotator(study)
    assignments_fill(actor=None, study=study)
    return Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).get(annotator=annotator, simplification=simplification)


def withdraw(study: Study, pseudonym: str) -> None:
    study.annotators.filter(pseudonym=pseudonym).update(withdrawn_at=timezone.now())


def answers(**changed: Any) -> dict[str, Any]:
    """Complete answers: easier to read, class 7, accurate with one omission, so a score of 9."""
    return {
        "simplicity": 1,
        "characterization": 7,
        "bracket": 3,
        "errors": [
            {"type": "omission", "note": "sans délai", "original_start": 0, "original_end": 10}
        ],
    } | changed


def save(
    base_revision: int = 0, key: uuid.UUID | None = None, active_seconds: int = 0, **changed: Any
) -> Save:
    return Save(
        answers=answers(**changed),
        base_revision=base_revision,
        key=key or uuid.uuid4(),
        active_seconds=active_seconds,
    )
