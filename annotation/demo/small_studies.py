"""The demonstration's small studies in the database: three people, eight pairs, most of them
judged."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from annotation.corpus.pairs import PairRow, Pairs
from annotation.demo.others import STUDIES, SmallStudy, variation
from annotation.models import Annotator, Assignment, Item, Study, User
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.items.items import pairs_import
from annotation.services.judging.drafts import Save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.people.people import annotator_add
from annotation.services.studies.studies import guide_publish, study_change_state, study_create

JUDGED = (8, 6, 3)
"""Pairs that each annotator has judged: one is done."""
SECONDS = 40
_KEYS = uuid.UUID("0d0f4c5a-8c53-4b2c-8e0e-52f0c8a4c7e1")


def small_studies_seed(*, admin: User, lead: User, people: Sequence[User], seed: int) -> None:
    """Make those that are not there; nothing of one whose key somebody else took."""
    for small_study in STUDIES:
        if not Study.objects.filter(key=small_study.key).exists():
            _seed(small_study, admin, lead, people, seed)


def _seed(
    small_study: SmallStudy, admin: User, lead: User, people: Sequence[User], seed: int
) -> None:
    study = study_create(
        actor=admin,
        key=small_study.key,
        title=small_study.title,
        protocol_key=small_study.protocol,
        lead=lead,
        seed=seed,
        is_demo=True,
    )
    version = guide_publish(
        actor=lead, study=study, body_fr=small_study.guide_fr, body_en=small_study.guide_en
    )
    pairs_import(
        actor=lead, study=study, pairs=Pairs(rows=_rows(small_study)), round=Item.Round.MAIN
    )
    annotators = [(user, annotator_add(actor=lead, study=study, user=user)) for user in people]
    study_change_state(actor=lead, study=study, to=Study.State.MAIN, reason="Démonstration")
    for index, (user, annotator) in enumerate(annotators):
        guide_acknowledge(annotator=annotator, number=version.number)
        _judge(small_study, index, user, annotator)


def _rows(small_study: SmallStudy) -> list[PairRow]:
    return [
        PairRow(
            row=place,
            key=pair.key,
            original=pair.original,
            simplification=pair.simplification,
            system=pair.system,
            source=pair.source,
        )
        for place, pair in enumerate(small_study.pairs, start=1)
    ]


def _judge(small_study: SmallStudy, index: int, user: User, annotator: Annotator) -> None:
    """Let one annotator answer the first pairs of their own order."""
    assignments = (
        Assignment.objects.filter(annotator=annotator)
        .select_related("annotator__user", "annotator__study", "simplification__item")
        .order_by("position")
    )
    for assignment in assignments[: JUDGED[index]]:
        pair = assignment.simplification
        judgment_submit(
            actor=user,
            assignment=assignment,
            save=Save(
                answers=variation(small_study, pair.item.key, pair.system, index),
                base_revision=0,
                key=uuid.uuid5(_KEYS, str(assignment.pk)),
                active_seconds=SECONDS + 7 * index,
            ),
        )
