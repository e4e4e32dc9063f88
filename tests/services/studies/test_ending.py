"""Studies that are archived, brought back or deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404
from django.test import TestCase

from annotation.access import annotations_of, annotator_for, studies_led, studies_listed
from annotation.corpus.glossary import Term
from annotation.errors import RuleError, StudyArchived, StudyClosed
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    Draft,
    Event,
    GenerationRun,
    Item,
    Job,
    PairsUpload,
    PrivateNote,
    SourceDocument,
    Study,
)
from annotation.selectors.studies.ending import deletions, study_contents, trail_of_deleted
from annotation.services.agreement.adjudications import Ruling, adjudicate
from annotation.services.generation.calls import generation_claim
from annotation.services.generation.runs import run_create
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.judging.drafts import assignment_open
from annotation.services.judging.own_pairs import (
    answers_read,
    note_save,
    pair_set_aside,
    pair_take_up,
)
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import annotator_add, annotator_withdraw, lead_add
from annotation.services.planning.plans import plan_set
from annotation.services.planning.repeats import repeats_offer
from annotation.services.platform.events import event_record, event_record_held
from annotation.services.studies.ending import study_archive, study_delete, study_restore
from annotation.services.studies.studies import guide_publish, study_change_state, study_update
from tests.documents import make_document
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.planning import begin, planned_study, rows, submit
from tests.services.generation.generating import order, started
from tests.services.judging.test_concurrency import at_once
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(RuleError) as refused:
        call()
    return code(refused)


def archived(study: Study) -> Study:
    return study_archive(actor=make_user(), study=study, reason="Un essai.")


class TestArchive:
    def test_it_leaves_everybody_s_list_and_comes_back_as_it_was(self):
        study, lead = planned_study(2, 2), make_user()
        lead_add(actor=None, study=study, user=lead)
        person = rows(study)[0].annotator
        assert archived(study).archived_at is not None
        assert not studies_listed(lead).exists()
        assert studies_listed(lead, archived=True).get() == study
        assert studies_led(lead).get() == study
        assert not annotations_of(person.user).exists()
        assert annotator_for(person.user, study.key) == person, "one's own stays to be read"
        back = study_restore(actor=lead, study=study)
        assert (back.archived_at, back.state) == (None, "main")
        assert studies_listed(lead).get() == study
        begin(rows(study)[0])
        verbs = list(Event.objects.filter(study=study).values_list("verb", flat=True)[:2])
        assert verbs == ["study_restored", "study_archived"]

    def test_a_second_click_changes_nothing(self):
        study = make_study()
        moment = archived(study).archived_at
        assert archived(study).archived_at == moment
        study_restore(actor=make_user(), study=study)
        study_restore(actor=make_user(), study=study)
        assert Event.objects.filter(study=study).count() == 2

    def test_a_reason_is_needed_and_nothing_may_be_at_work(self):
        study = make_study()
        person = make_user()
        assert code_of(lambda: study_archive(actor=person, study=study, reason=" ")) == "required"
        Job.objects.create(study=study, kind="reading", requested_by=person)
        assert code_of(lambda: archived(study)) == "under_way"

    def test_nor_may_calls_be_awaited_of_a_run_that_was_cancelled(self):
        run = started()
        first = order(run)
        assert generation_claim(first, "message")
        run.generations.filter(state="waiting").update(state="cancelled")
        type(run).objects.filter(pk=run.pk).update(state="cancelled")
        assert code_of(lambda: archived(run.study)) == "under_way"
        run.generations.filter(pk=first.generation).delete()
        batch = run.batches.create(state="submitted")
        assert code_of(lambda: archived(run.study)) == "under_way"
        run.batches.filter(pk=batch.pk).update(state="ended")
        assert archived(run.study).archived_at is not None

    def test_who_judged_in_it_can_still_leave(self):
        study = planned_study(1, 3)
        person = rows(study)[0].annotator
        study = archived(study)
        annotator_withdraw(actor=None, annotator=person, reason="parti")
        person.refresh_from_db()
        assert person.withdrawn_at is not None

    def test_what_ends_after_it_was_archived_is_no_error(self):
        study = archived(make_study())
        ended = ["training_failed", "training_finished", "generation_batch_ended"]
        for verb in ended:
            event_record(actor=None, study=study, verb=verb, target=study)
        trail = Event.objects.filter(study=study).order_by("pk").values_list("verb", flat=True)
        assert list(trail) == ["study_archived", *ended]

    def test_who_has_read_the_study_before_writes_no_more_than_anybody(self):
        study = planned_study(1, 2)
        row = rows(study)[0]
        submit(row)
        pair, lead = row.simplification, make_user()
        study = Study.objects.get(pk=study.pk)
        archived(study)
        assert study.archived_at is None, "as somebody else has read it"
        before = Event.objects.count()
        ruling = Ruling(outcome="divided", reasons="Deux lectures.")
        for call in (
            lambda: guide_publish(actor=lead, study=study, body_fr="Autrement."),
            lambda: adjudicate(
                actor=lead,
                study=study,
                simplification=pair,
                dimension="legal_meaning",
                ruling=ruling,
            ),
            lambda: run_create(actor=lead, study=study),
            lambda: event_record(actor=lead, study=study, verb="study_updated"),
        ):
            with pytest.raises(StudyArchived):
                call()
        assert not study.guides.filter(body_fr="Autrement.").exists()
        assert not study.generation_runs.exists()
        assert Event.objects.count() == before

    def test_nor_who_has_read_one_that_is_deleted_since(self):
        study = make_study()
        stale = Study.objects.get(pk=study.pk)
        study_delete(actor=make_user(), study=study, key=study.key)
        with pytest.raises(Http404):
            event_record(actor=None, study=stale, verb="study_updated")

    def test_annotators_cannot_go_on(self):
        study = planned_study(1, 3)
        first, second, _third = rows(study)
        archived(study)
        for call in (
            lambda: begin(first),
            lambda: submit(second),
        ):
            with pytest.raises(StudyClosed):
                call()
        assert not Draft.objects.exists()

    def test_nor_is_what_leaves_no_event_written(self):
        study = planned_study(1, 3)
        pair_set_aside(assignment=rows(study)[2])
        read = rows(study)
        archived(study)
        for call in (
            lambda: assignment_open(assignment=read[0]),
            lambda: pair_set_aside(assignment=read[1]),
            lambda: pair_take_up(assignment=read[2]),
            lambda: note_save(assignment=read[0], text="n", base_revision=0),
            lambda: answers_read(assignment=read[0]),
        ):
            with pytest.raises(StudyArchived):
                call()
        assert [assignment.opened_at for assignment in rows(study)] == [None] * 3
        assert [assignment.set_aside_at is None for assignment in rows(study)] == [
            True,
            True,
            False,
        ]
        assert not PrivateNote.objects.exists()

    def test_what_was_opened_before_is_opened_still(self):
        study = planned_study(1, 1)
        [pair] = rows(study)
        assignment_open(assignment=pair)
        archived(study)
        assignment_open(assignment=pair)
        assert pair.opened_at == rows(study)[0].opened_at

    @pytest.mark.parametrize(
        "write",
        [
            lambda study: study_update(actor=make_user(), study=study, title="Autre"),
            lambda study: study_change_state(actor=None, study=study, to="closed", reason="r"),
            lambda study: guide_publish(actor=None, study=study, body_fr="Lisez."),
            lambda study: plan_set(actor=None, study=study, per_item=1),
            lambda study: annotator_add(actor=None, study=study, user=make_user()),
            lambda study: invitation_create(
                actor=make_user(is_admin=True), study=study, email="n@example.org", role="lead"
            ),
            lambda study: run_create(actor=make_user(), study=study),
            lambda study: glossary_replace(
                actor=make_user(), study=study, terms=[Term("prime", "Un prix.")]
            ),
        ],
    )
    def test_services_refuse_and_nothing_stays(self, write):
        study = planned_study(2, 2)
        archived(study)
        study = Study.objects.get(pk=study.pk)

        def counted() -> list[Any]:
            return [
                Event.objects.count(),
                Annotator.objects.filter(withdrawn_at__isnull=True).count(),
                Assignment.objects.count(),
                GenerationRun.objects.count(),
                study.guides.count(),
                study.leads.count(),
                study.invitations.count(),
                Study.objects.values_list("title", "state").get(pk=study.pk),
            ]

        before = counted()
        with pytest.raises(StudyArchived):
            write(study)
        assert counted() == before

    def test_what_is_read_is_recorded_all_the_same(self):
        study = archived(make_study())
        assert event_record(actor=None, study=study, verb="export_requested").pk

    def test_nothing_is_given_out_by_itself(self):
        study = planned_study(2, 2, repeat_percent=50, repeat_after_days=1)
        archived(study)
        assert repeats_offer(study=study) == 0


class TestDeletion:
    def delete(self, study: Study, key: str = "") -> Any:
        return study_delete(actor=make_user(), study=study, key=key or study.key)

    def test_with_everything_that_it_holds_and_its_trail_stays(self):
        lead = make_user()
        study = planned_study(2, 3, per_item=1)
        kept = make_pair(make_study())
        lead_add(actor=None, study=study, user=lead)
        guide_publish(actor=lead, study=study, body_fr="Lisez.")
        document = make_document(study, lead)
        upload = PairsUpload.objects.create(
            study=study, name="a.csv", size=1, file=ContentFile(b"a", "a.csv")
        )
        run_create(actor=lead, study=study)
        files = [document.file.name, upload.file.name]
        assert all(default_storage.exists(name) for name in files)
        number, before = study.pk, Event.objects.filter(study=study).count()
        contents = study_contents(study)
        assert (
            contents.items,
            contents.annotators,
            contents.leads,
            contents.guides,
            contents.runs,
            contents.documents,
        ) == (*(3, 2, 1, 1, 1, 1),)
        with TestCase.captureOnCommitCallbacks(execute=True):
            assert self.delete(study) == contents
        assert not any(default_storage.exists(name) for name in files)
        assert not Study.objects.filter(pk=number).exists()
        assert Item.objects.get() == kept.item
        for model in (Annotator, Assignment, SourceDocument, GenerationRun, PairsUpload):
            assert not model.objects.exists()
        trail = trail_of_deleted(number)
        assert trail.count() == before + 1
        assert (trail[0].verb, trail[0].details["key"]) == ("study_deleted", study.key)
        assert trail[0].details["items"] == 3
        assert {event.study_id for event in trail} == {number}
        assert [deletion.study_id for deletion in deletions()] == [number]

    def test_the_key_is_typed(self):
        study = make_study()
        assert code_of(lambda: self.delete(study, "another")) == "differs"
        assert Study.objects.filter(pk=study.pk).exists()

    def test_not_once_somebody_has_judged_or_saved(self):
        for write in (begin, submit):
            study = planned_study(1, 1)
            write(rows(study)[0])
            assert not study_contents(study).deletable
            assert code_of(lambda study=study: self.delete(study)) == "judged"

    def test_not_once_it_was_frozen_or_while_a_model_is_at_work(self):
        study = make_study()
        GenerationRun.objects.create(study=study, number=1, ceiling=1, state="running")
        assert code_of(lambda: self.delete(study)) == "under_way"
        GenerationRun.objects.update(state="finished")
        DatasetSnapshot.objects.create(study=study, number=1, content_digest="c", path="p")
        assert code_of(lambda: self.delete(study)) == "frozen"

    def test_an_archived_one_too(self):
        study = archived(make_study())
        self.delete(study)
        assert not Study.objects.exists()

    def test_nothing_is_told_of_a_study_that_is_there(self):
        study = make_study()
        make_annotator(study)
        event_record(actor=None, study=study, verb="study_updated")
        assert not trail_of_deleted(study.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_save_at_the_moment_of_the_deletion():
    """It is deleted with nothing lost, or kept with what was saved."""
    for _ in range(4):
        study = planned_study(2, 2)
        late = rows(study)
        delete, *saves = at_once(
            [
                lambda study=study: study_delete(actor=None, study=study, key=study.key),
                *(lambda row=row: begin(row) for row in late),
            ]
        )
        saved = [outcome for outcome in saves if not isinstance(outcome, Exception)]
        if isinstance(delete, RuleError):
            assert saved
            assert Draft.objects.filter(assignment__annotator__study=study).count() == len(saved)
        else:
            assert not isinstance(delete, Exception)
            assert not saved
            assert not Study.objects.filter(pk=study.pk).exists()


def test_files_that_were_written_for_it_go_too(settings, django_capture_on_commit_callbacks):
    study = make_study()
    person = make_user()
    written = settings.DATA_DIR / "exports" / "gone.csv"
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text("x")
    Job.objects.create(
        study=study,
        kind="export",
        requested_by=person,
        state="done",
        result_path="exports/gone.csv",
        parameters={"layout": "long", "format": "csv"},
    )
    with django_capture_on_commit_callbacks(execute=True):
        study_delete(actor=person, study=study, key=study.key)
    assert not written.exists()


def test_a_submission_that_shares_the_study_is_refused_by_what_it_has_read():
    study = archived(make_study())
    with pytest.raises(StudyArchived):
        event_record_held(actor=make_user(), study=study, verb="judgment_submitted", target=study)
    assert not Event.objects.filter(verb="judgment_submitted").exists()
