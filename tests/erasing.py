"""Two studies with something typed in every free column, and what an erasure changed in which
column of which row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.utils import timezone

from annotation.generation.presets import PAPER
from annotation.generation.prices import Price
from annotation.models import (
    Assignment,
    BroughtMetric,
    DatasetSnapshot,
    DraftVersion,
    ErasureRequest,
    Generation,
    GuideVersion,
    IdempotencyRecord,
    Job,
    PracticeMeeting,
    PracticeNote,
    PrivateNote,
    Question,
    RejudgeRequest,
    RemarkAnswer,
    ScorerPromotion,
    Simplification,
    SourceDocument,
    Study,
    User,
)
from annotation.services.accounts.tokens import token_create
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_add
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.events import event_record
from tests.factories import answers, make_annotator, make_pair, make_study, make_user, save
from tests.planted import of
from tests.scorers.rows import make_scorer

Tables = dict[str, dict[Any, dict[str, Any]]]


class Stage:
    """Study «alpha», in which the person annotates, and «beta», with which they have nothing to
    do."""

    def __init__(self, said: str) -> None:
        self.said = said
        self.admin = make_user("admin", is_admin=True)
        self.person = make_user("person-to-erase")
        self.alpha, self.beta = (
            make_study(key, lead=make_user(), state="main") for key in ("alpha", "beta")
        )
        self.part = make_annotator(self.alpha, self.person)
        for study in (self.alpha, self.beta):
            self._fill(study)

    def called(self, name: str) -> None:
        User.objects.filter(pk=self.person.pk).update(name=name)
        self.person.refresh_from_db()

    def asked(self) -> ErasureRequest:
        return ErasureRequest.objects.create(user=self.person, wish="keep")

    def _fill(self, study: Study) -> None:
        lead = study.leads.get().user
        pairs = [make_pair(study, system="openai") for _ in range(3)]
        practice = make_pair(study, round="practice", system="openai")
        peer = make_annotator(study)
        assignments_fill(actor=None, study=study)
        said = {"comment": self.said, "explanation": self.said, "characterization": 18}
        errors = [{"type": "omission", "note": self.said, "original_start": 0, "original_end": 4}]
        for pair in pairs[:2]:
            judgment_submit(
                actor=peer.user, assignment=of(peer, pair), save=save(**said, errors=errors)
            )
        draft_save(
            actor=peer.user,
            assignment=of(peer, pairs[2]),
            save=save(comment=self.said, errors=errors),
        )
        if study == self.alpha:
            mine = of(self.part, pairs[0])
            judgment_submit(actor=self.person, assignment=mine, save=save(**said, errors=errors))
        GuideVersion.objects.create(
            study=study, number=1, body_fr=f"Lisez les deux textes. {self.said}", body_en="Read."
        )
        self._by_leads(study, lead, practice, of(peer, pairs[0]))

    def _by_leads(
        self, study: Study, lead: User, practice: Simplification, judged: Assignment
    ) -> None:
        PracticeNote.objects.create(
            simplification=practice,
            note=self.said,
            reference=study.protocol.clean(answers(comment=self.said)),
        )
        PracticeMeeting.objects.create(study=study, reason=self.said, closed_at=timezone.now())
        DraftVersion.objects.create(
            assignment=judged,
            number=1,
            answers=answers(comment=self.said),
            origin="refused",
            saved_at=timezone.now(),
        )
        PrivateNote.objects.create(assignment=judged, text=self.said)
        RejudgeRequest.objects.create(assignment=judged, reason=self.said, requested_by=lead)
        RemarkAnswer.objects.create(assignment=judged, text=self.said, answered_by=lead)
        study.adjudications.create(
            simplification=judged.simplification, dimension="legal_meaning", outcome="settled", value=4,  # noqa: E501
            reasons=self.said, judgments_digest="d", decided_by=lead,
            marks=[{"type": "delmod", "original": [[0, 3]], "note": self.said}],
        )  # fmt: skip
        SourceDocument.objects.create(
            study=study, name="main.pdf", kind="pdf", sha256="0" * 64, size=1, text="Les deux parties.",  # noqa: E501
            overrides={"main": {"keep": True, "reason": self.said}}, draw={"seed": "csv"},
        )  # fmt: skip
        event_record(
            actor=lead,
            study=study,
            verb="study_state_changed",
            target=study,
            before="practice",
            after="main",
        )
        event_record(
            actor=lead, study=study, verb="study_updated", reason=self.said,
            before={"title": self.said, "state": "main"}, after={"title": "Les baux", "state": "closed"},  # noqa: E501
        )  # fmt: skip
        event_record(
            actor=lead, study=study, verb="study_updated",
            before={"contact": self.said, "licence": self.said}, after={"contact": "", "licence": self.said},  # noqa: E501
        )  # fmt: skip
        self._of_models(study, lead, practice)
        snapshot = DatasetSnapshot.objects.create(
            study=study,
            number=1,
            reason="omission",
            content_digest="c",
            path="p",
            manifest={"files": {}},
        )
        scorer = make_scorer(promoted_reason=self.said, target=f"main/{study.key}")
        type(scorer.training_run).objects.filter(pk=scorer.training_run_id).update(
            snapshot=snapshot
        )
        ScorerPromotion.objects.create(
            scorer=scorer, target="main", kind="promote", reason=self.said, actor=lead
        )
        Job.objects.create(
            study=study,
            kind="release",
            state="done",
            parameters={"format": "csv"},
            requested_by=lead,
        )
        Job.objects.create(
            study=study, kind="freeze", requested_by=lead, lease_until=timezone.now(),
            parameters={"reason": self.said, "recipe": {"labels": {"ties": "lot"}}},
        )  # fmt: skip
        BroughtMetric.objects.create(
            study=study, name="main", note=self.said, sha256="0" * 64, number=0, brought_by=lead
        )
        ErasureRequest.objects.create(user=lead, wish="keep", state="cancelled", reason=self.said)
        token_create(actor=lead, name=self.said[:100], scopes=["read"], days=3)
        IdempotencyRecord.objects.create(
            user=lead,
            key_digest="k",
            request_digest="r",
            status=200,
            answer={"state": "main", "note": self.said},
        )

    def _of_models(self, study: Study, lead: User, pair: Simplification) -> None:
        """A report of metrics that repeats the note on brought scores, and a question that a lead
        has edited beside one that nobody has."""
        signature = f"main|brought|sha256:openai|note:{self.said}"
        lines = [
            {"name": "main", "signature": signature, "is_brought": True},
            # A person may be called like a part of it, which settings are found by.
            {"name": "Zeltane", "signature": f"Zeltane|note:{self.said}", "is_brought": False},
        ]
        Job.objects.create(
            study=study, kind="metrics", state="done", requested_by=lead, result={"lines": lines}
        )
        run = run_create(actor=lead, study=study)
        price = Price(Decimal(1), Decimal(1))
        system = system_add(actor=lead, run=run, spec=replace(PAPER, name="main"), price=price)
        generation = Generation.objects.create(run=run, system=system, item=pair.item, state="done")
        for number, edited in enumerate((timezone.now(), None), start=1):
            Question.objects.create(
                generation=generation, number=number, type="deadline", text=self.said,
                expected=self.said, quotation="Les deux parties", edited_at=edited,
            )  # fmt: skip
        event_record(
            actor=lead, study=study, verb="question_edited", number=1,
            before={"question": self.said, "expected_answer": self.said}, after={"question": "main"},  # noqa: E501
        )  # fmt: skip
        event_record(actor=lead, study=study, verb="question_dropped", question=self.said)
        event_record(actor=lead, study=study, verb="metric_forgotten", number=0, metric=self.said)
        event_record(actor=lead, study=study, verb="metrics_requested", reference_system=self.said)


def tables() -> Tables:
    """Every column of every row of every table."""
    return {
        model._meta.label_lower: {
            row[model._meta.pk.attname]: row
            for row in model._base_manager.order_by("pk").values(
                *(f.attname for f in model._meta.concrete_fields)
            )
        }
        for model in apps.get_models()
    }


def changed(before: Tables, after: Tables) -> Iterator[tuple[str, Any, str, Any, Any]]:
    """(table, row, column, what stood there, what does now); column "" for a row that came (None
    before) or went."""
    for table, rows in before.items():
        now = after[table]
        for pk in rows.keys() | now.keys():
            old, new = rows.get(pk), now.get(pk)
            if old is None or new is None:
                yield table, pk, "", old, new
                continue
            yield from (
                (table, pk, name, old[name], new[name]) for name in old if old[name] != new[name]
            )


def words_stored(by_table: Tables) -> list[str]:
    """Every word and every short value that stands anywhere, names of tables, columns and JSON
    members included."""
    texts: set[str] = set()
    for table, rows in by_table.items():
        texts.add(table)
        for row in rows.values():
            for name, value in row.items():
                texts.add(name)
                texts.update(_texts(value))
    whole = {text for text in texts if 0 < len(text) <= 40}
    return sorted({word for text in texts for word in re.findall(r"[^\W\d_]{2,}", text)} | whole)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
