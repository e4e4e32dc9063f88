"""The demonstration study in the database: made once through the services, removed as a whole."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from annotation.corpus.pairs import PairRow, Pairs
from annotation.demo import Record, glossary, guide, records
from annotation.demo.practice import practice_meeting
from annotation.demo.seed import active_seconds, variation
from annotation.demo.small_studies import small_studies_seed
from annotation.models import Annotator, Assignment, Item, Study, User
from annotation.services.accounts.open_sessions import ways_in_end
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.items.items import pairs_import
from annotation.services.judging.drafts import Save, draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.people.people import annotator_add
from annotation.services.platform.events import event_record
from annotation.services.studies.studies import guide_publish, study_change_state, study_create

KEY = "demo"
TITLE = "Démonstration\u00a0: clauses d'assurance fictives"
PASSWORD = "bareme-demo"  # noqa: S105 - printed for everybody; outside demo mode no server starts with it
SEED = 2024
SYSTEM = "modele-fictif"
COLUMNS = ("key", "source", "context_before", "original", "context_after", "simplification")
DOMAIN = "demo.bareme.example"
JUDGED_IN_MAIN = (32, 18, 0, 25, 10)
"""Pairs of the main round that each annotator has judged: one nearly done, one who has not
begun."""
BEGUN = (0, 1, 3)
"""Annotators who left a pair half answered."""
_KEYS = uuid.UUID("6f2f4c1e-52a5-4f0e-9d7b-0d1f3a6c9b42")


@dataclass(frozen=True)
class Login:
    """Somebody whom the demonstration lets in."""

    email: str
    name: str
    role: str


ADMIN = Login(f"admin@{DOMAIN}", "Administration (démo)", "admin")
LEAD = Login(f"responsable@{DOMAIN}", "Responsable (démo)", "lead")
ANNOTATORS = tuple(
    Login(f"etudiant{number}@{DOMAIN}", f"Étudiant·e {number} (démo)", "annotator")
    for number in range(1, 6)
)
EVALUATORS = tuple(
    Login(f"evaluateur{number}@{DOMAIN}", f"Évaluateur·rice {number} (démo)", "annotator")
    for number in range(1, 4)
)
"""Who judges in the small studies."""
LOGINS = (ADMIN, LEAD, *ANNOTATORS, *EVALUATORS)


class KeyTakenError(Exception):
    """A study that is no demonstration stands under the demonstration's key."""


@transaction.atomic
def demo_seed() -> bool:
    """Make the demonstration unless it is there; all of it or nothing. Returns whether it was made.

    What people did to it since then stays: to start afresh, remove it first.
    """
    existing = Study.objects.filter(key=KEY).first()
    if existing is not None:
        if not existing.is_demo:
            raise KeyTakenError(KEY)
        return False
    users = _users()
    lead = users[LEAD.email]
    study = study_create(
        actor=users[ADMIN.email],
        key=KEY,
        title=TITLE,
        lead=lead,
        seed=SEED,
        is_demo=True,
        aid_renderings=True,
    )
    version = guide_publish(actor=lead, study=study, body_fr=guide("fr"), body_en=guide("en"))
    glossary_replace(actor=lead, study=study, terms=glossary())
    _import_pairs(lead, study)
    annotators = [
        annotator_add(actor=lead, study=study, user=users[login.email]) for login in ANNOTATORS
    ]
    study = study_change_state(actor=lead, study=study, to=Study.State.PRACTICE)
    for index, annotator in enumerate(annotators):
        guide_acknowledge(annotator=annotator, number=version.number)
        _judge(index, annotator, "practice", None)
    practice_meeting(lead, study)
    study_change_state(actor=lead, study=study, to=Study.State.MAIN)
    for index, annotator in enumerate(annotators):
        _judge(index, annotator, "main", JUDGED_IN_MAIN[index])
    small_studies_seed(
        admin=users[ADMIN.email],
        lead=lead,
        people=[users[login.email] for login in EVALUATORS],
        seed=SEED,
    )
    return True


@transaction.atomic
def demo_remove() -> tuple[int, int]:
    """Remove demonstration studies with all their judgments, and the demo logins.

    A login that also judged in a study that stays is closed instead: its judgments belong to that
    study. Returns the numbers of studies removed and of logins removed or closed.
    """
    studies = list(Study.objects.filter(is_demo=True))
    for study in studies:
        event_record(actor=None, verb="demo_removed", target=study, key=study.key)
        # First what refers to the guide: a judgment protects the version that it was made under.
        Assignment.objects.filter(annotator__study=study).delete()
        study.delete()
    users = list(User.objects.filter(is_demo=True))
    for user in users:
        if user.annotates.exists():
            user.is_active, user.is_demo = False, False
            user.set_unusable_password()
            user.save()
            ways_in_end(actor=None, user=user)
        else:
            user.delete()
    return len(studies), len(users)


def _users() -> dict[str, User]:
    """The demo logins by address; those that are there already are left as they are."""
    # One slow hash for all: the password is no secret, and seven hashes would take most of the
    # time.
    password = make_password(PASSWORD)
    users = {}
    for login in LOGINS:
        user, _created = User.objects.get_or_create(
            email=login.email,
            defaults={
                "name": login.name,
                "is_admin": login is ADMIN,
                "is_demo": True,
                "password": password,
            },
        )
        users[login.email] = user
    return users


def _import_pairs(lead: User, study: Study) -> None:
    for round_ in Item.Round.values:
        rows = [
            _row(place, record)
            for place, record in enumerate(records(), start=1)
            if record["round"] == round_
        ]
        pairs_import(actor=lead, study=study, pairs=Pairs(rows=rows), round=round_)


def _row(place: int, record: Record) -> PairRow:
    texts = {name: record[name] for name in COLUMNS}
    return PairRow(row=place, system=SYSTEM, **texts)


def _judge(index: int, annotator: Annotator, round_: str, limit: int | None) -> None:
    """Let one annotator answer the first pairs of their own order, and perhaps begin the next
    one."""
    by_key = {record["key"]: record for record in records()}
    assignments = list(
        Assignment.objects.filter(annotator=annotator, simplification__item__round=round_)
        .select_related("annotator__user", "simplification__item")
        .order_by("position")
    )
    judged = assignments[:limit]
    begun = assignments[len(judged) :][:1] if index in BEGUN else []
    _open(index, [*judged, *begun], by_key)
    for ordinal, assignment in enumerate(judged):
        record = by_key[assignment.simplification.item.key]
        answers = variation(record, index, KEY)
        _submit(assignment, _save(assignment, answers, active_seconds(record, index, KEY)))
        if ordinal == 1 and index == 0 and round_ == "main":
            _correct(assignment, answers, active_seconds(record, index, KEY) + 40)
    for assignment in begun:
        record = by_key[assignment.simplification.item.key]
        save = _save(assignment, _half(variation(record, index, KEY)), 35)
        draft_save(actor=_user(assignment), assignment=assignment, save=save)


def _open(index: int, assignments: list[Assignment], by_key: dict[str, Record]) -> None:
    """Note that each pair was opened as long ago as its annotator took over it."""
    now = timezone.now()
    for assignment in assignments:
        seconds = active_seconds(by_key[assignment.simplification.item.key], index, KEY)
        assignment.opened_at = now - timedelta(seconds=seconds)
    Assignment.objects.bulk_update(assignments, ["opened_at"])


def _submit(assignment: Assignment, save: Save) -> None:
    judgment_submit(actor=_user(assignment), assignment=assignment, save=save)


def _correct(assignment: Assignment, answers: dict[str, Any], seconds: int) -> None:
    """Submit a second time, so that one judgment has a history."""
    corrected = {
        **answers,
        "doubt": True,
        "comment": "Relu : je garde la fourchette, mais j'en discuterais.",
    }
    _submit(assignment, _save(assignment, corrected, seconds, base_revision=1))


def _half(answers: dict[str, Any]) -> dict[str, Any]:
    """The first two steps only."""
    return {
        name: answers[name]
        for name in ("simplicity", "simplicity_confirmed", "characterization", "explanation")
    }


def _save(
    assignment: Assignment, answers: dict[str, Any], seconds: int, *, base_revision: int = 0
) -> Save:
    key = uuid.uuid5(_KEYS, f"{assignment.pk}:{base_revision}")
    return Save(answers=answers, base_revision=base_revision, key=key, active_seconds=seconds)


def _user(assignment: Assignment) -> User:
    user = assignment.annotator.user
    if user is None:
        raise TypeError("a demo annotator is a person")
    return user
