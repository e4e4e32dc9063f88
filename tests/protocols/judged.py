"""A study of any protocol that three people have judged, answering every question."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.test import Client

from annotation.models import Assignment, Simplification, Study, User
from annotation.protocols.base import Answers
from annotation.protocols.protocol import Protocol
from annotation.services.judging.drafts import Save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import study_change_state, study_create
from tests.factories import make_annotator, make_pair, make_user
from tests.protocols.answered import JUDGES, RULED, answered

KEY = "walked"


@dataclass(frozen=True)
class Judged:
    """The study, its people, and its first pair of the main round."""

    study: Study
    lead: User
    judges: tuple[User, ...]
    pair: Simplification
    practice: Simplification

    def client(self, user: User) -> Client:
        client = Client(raise_request_exception=True)
        client.force_login(user)
        return client


def judged(
    protocol: Protocol, *, closed: bool = True, language: str = "fr", **texts: str
) -> Judged:
    """Two main pairs and one of practice, answered by everybody; ``closed``: and the study
    closed. ``language``: of the study; ``texts``: ``original`` and ``text`` of each pair."""
    lead = make_user("walker")
    study = study_create(
        actor=lead,
        key=KEY,
        title="Une étude",
        language=language,
        protocol_key=protocol.key,
        protocol_version=protocol.version,
        rulings=RULED.get(protocol.name),
    )
    practice = make_pair(study, round="practice", system="s-one", **texts)
    pairs = [make_pair(study, system=f"s-{name}", **texts) for name in ("one", "two")]
    judges = tuple(make_user(f"judge{name}") for name in JUDGES)
    for name, user in zip(JUDGES, judges, strict=True):
        make_annotator(study, user, pseudonym=name)
    for state in ("practice", "main"):
        study = study_change_state(actor=lead, study=study, to=state, reason="essai")
        assignments_fill(actor=None, study=study)
        _answer(study, "practice" if state == "practice" else "main")
    if closed:
        study = study_change_state(actor=lead, study=study, to="closed", reason="essai")
    return Judged(study, lead, judges, pairs[0], practice)


def _answer(study: Study, round_: str) -> None:
    rows = Assignment.objects.filter(
        annotator__study=study, simplification__item__round=round_
    ).select_related("annotator__study", "annotator__user", "simplification__item")
    for row in rows.order_by("pk"):
        answer(row, answered(study.protocol, row.annotator.pseudonym))


def answer(row: Assignment, answers: Answers, *, revision: int = 0) -> None:
    """Submit these answers to a pair, through the service that pages and programs use; over a draft
    of that ``revision``."""
    judgment_submit(
        actor=row.annotator.user,
        assignment=row,
        save=Save(answers=answers, base_revision=revision, key=uuid.uuid4(), active_seconds=30),
    )
