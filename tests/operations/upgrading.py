"""Run by ``test_upgrade`` as a program of the former version: fills its tables as they were then.

    python -m tests.operations.upgrading MIGRATION

Models are those of the named migration, not today's; nothing of today's code writes.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

import django

PAIRS = 7
ANSWERS = {
    "simplicity": 2,
    "simplicity_confirmed": False,
    "characterization": 5,
    "explanation": "",
    "bracket": 3,
    "errors": [
        {
            "type": "omission",
            "note": "",
            "original_start": None,
            "original_end": None,
            "simplification_start": None,
            "simplification_end": None,
        }
    ],
    "crossing_answer": "",
    "moved_from": None,
    "comment": "Le délai ?",
    "doubt": True,
}
JUDGED = 4


def fill(apps: Any) -> None:
    """A study whose main round is under way: two annotators, some pairs judged, one begun, one kept
    for later."""
    from django.utils import timezone

    def model(name: str) -> Any:
        return apps.get_model("annotation", name)

    now = timezone.now()
    lead, first, second = (
        model("User").objects.create(email=f"{name}@former.example", name=name, password="!")
        for name in ("lead", "first", "second")
    )
    study = model("Study").objects.create(key="former", title="Former", state="main")
    model("Lead").objects.create(study=study, user=lead)
    pairs = []
    for number in range(1, PAIRS + 1):
        item = model("Item").objects.create(
            study=study,
            key=f"i{number}",
            position=number,
            original=f"L'assuré paie {number} $.",
            round="practice" if number == 1 else "main",
        )
        pairs.append(model("Simplification").objects.create(item=item, text=f"Payez {number} $."))
    for order, user in enumerate((first, second)):
        annotator = model("Annotator").objects.create(
            study=study, user=user, pseudonym=f"A{order + 1}"
        )
        own = [
            model("Assignment").objects.create(
                annotator=annotator, simplification=pair, position=position
            )
            for position, pair in enumerate(pairs[::-1] if order else pairs, 1)
        ]
        judged = [
            assignment for assignment in own if assignment.simplification.item.round == "main"
        ][:JUDGED]
        for number, assignment in enumerate(judged):
            judge(model, assignment, now - timedelta(days=number))
        waiting = [assignment for assignment in own if assignment not in judged]
        model("Draft").objects.create(assignment=waiting[0], answers={"simplicity": 2}, revision=3)
        model("Assignment").objects.filter(pk=waiting[1].pk).update(set_aside_at=now)


def judge(model: Any, assignment: Any, when: Any) -> None:
    """A sealed judgment as that version stored it: class 5, accurate, one error."""
    judgment = model("Judgment").objects.create(
        assignment=assignment, started_at=when, comment="Le délai ?", doubt=True
    )
    stated = {"judgment": judgment, "derivation": "stated"}
    model("Rating").objects.create(dimension="simplicity", value=2, **stated)
    model("Rating").objects.create(dimension="characterization", value=5, **stated)
    model("Rating").objects.create(
        judgment=judgment,
        dimension="legal_meaning",
        value=9,
        derivation="derived",
        bracket=3,
        deductions=1,
        crossing_policy="ask",
    )
    model("ErrorDeduction").objects.create(judgment=judgment, ordinal=1, type="omission")
    model("JudgmentRevision").objects.create(
        assignment=assignment, number=1, answers=ANSWERS, submitted_at=when
    )
    judgment.submitted_at = when
    judgment.save()


def main(migration: str) -> None:
    django.setup()
    from django.db import connection, transaction
    from django.db.migrations.loader import MigrationLoader

    apps = MigrationLoader(connection).project_state(("annotation", migration)).apps
    with transaction.atomic():
        fill(apps)


if __name__ == "__main__":
    main(sys.argv[1])
