"""Files that a worker reads: asked for once per person, read once, brought in whole or not at all,
cleared away."""

from __future__ import annotations

import errno
import fcntl
import os
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, transaction
from django.utils import timezone

from annotation import jobs
from annotation.errors import RuleError
from annotation.models import Event, Item, Job, Lead, PairsUpload, SourceDocument
from annotation.reading import ReadingBusy
from annotation.services.intake import readings_work
from annotation.services.intake.pairs import pairs_bring
from annotation.services.intake.readings import (
    FOLDER,
    KEPT,
    READINGS,
    document_bring,
    file_path,
    parameters_kept,
    reading_answer,
    reading_fail,
    reading_problems,
    readings_expire,
    readings_resend,
    upload_import_later,
    upload_read_again,
    upload_read_later,
)
from annotation.services.intake.readings_work import reading_carry_out
from annotation.services.intake.uploads import upload_discard, upload_store
from annotation.services.platform import left_files
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db
CSV = b"original;simplification\nLe preneur paie la prime.;Vous payez.\n"
TEXT = "Le preneur paie la prime à la date prévue.".encode()
ASKED: dict[str, object] = {"layout": {}, "mapping": None, "take_released": True}
CHOICES = {"round": "main", "skip_duplicates": False}


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """What would have been sent to workers. What waits for the end of a transaction happens at
    once."""
    messages: list[tuple[str, ...]] = []
    monkeypatch.setattr(jobs, "_send", lambda *message: messages.append(message))
    monkeypatch.setattr(transaction, "on_commit", lambda call, robust: call())
    return messages


@pytest.fixture(autouse=True)
def _long(monkeypatch):
    """Whatever is sent may take long."""
    monkeypatch.setattr("annotation.reading._AT_ONCE", ())


@pytest.fixture
def lead(db):
    return make_user("lead")


@pytest.fixture
def study(lead):
    return make_study("gamma", lead=lead)


def document(study, lead, content=TEXT, name="police.txt") -> Job:
    job = document_bring(actor=lead, study=study, name=name, content=content)
    assert isinstance(job, Job)
    return job


def upload_of(study, lead, **more) -> PairsUpload:
    return upload_store(
        actor=lead, study=study, name="a.csv", content=SimpleUploadedFile("x", CSV), **more
    )


def ended(job: Job) -> Job:
    job.refresh_from_db()
    assert not default_storage.exists(file_path(job))
    return job


def files() -> list[str]:
    return default_storage.listdir(FOLDER)[1] if default_storage.exists(FOLDER) else []


class TestAsking:
    def test_small_files_are_read_at_once(self, study, lead, monkeypatch):
        monkeypatch.setattr("annotation.reading._AT_ONCE", ((b"", 1000),))
        assert isinstance(
            document_bring(actor=lead, study=study, name="a.txt", content=TEXT), SourceDocument
        )
        assert (
            pairs_bring(actor=lead, study=study, content=CSV, names=None, choices=CHOICES).items
            == 1
        )
        assert not Job.objects.exists()

    def test_so_is_a_refusal(self, study, lead, monkeypatch):
        monkeypatch.setattr("annotation.reading._AT_ONCE", ((b"", 1000),))
        from annotation.corpus.problems import TableError

        with pytest.raises(TableError):
            pairs_bring(
                actor=lead, study=study, content=CSV, names={"original": "?"}, choices=CHOICES
            )

    def test_others_wait_for_a_worker(self, study, lead):
        job = document(study, lead)
        assert (job.kind, job.state, job.requested_by) == ("reading", "queued", lead)
        with default_storage.open(file_path(job)) as stored:
            assert stored.read() == TEXT
        assert Event.objects.filter(verb="reading_requested", target_id=job.pk).count() == 1

    def test_a_name_is_made_fit_to_be_kept(self, study, lead):
        assert document(study, lead, name="a\x00\ud800.txt").parameters["name"] == "a.txt"

    def test_one_file_of_a_person_at_a_time(self, study, lead):
        job = document(study, lead)
        with pytest.raises(ReadingBusy) as caught:
            pairs_bring(actor=lead, study=study, content=CSV, names=None, choices=CHOICES)
        assert caught.value.problems[0].code == "one_at_a_time"
        with pytest.raises(ReadingBusy):
            upload_of(study, lead, read_later=ASKED)
        assert files() == [str(job.public_id)]
        other = make_user()
        Lead.objects.create(study=study, user=other)
        document(study, other)
        assert reading_carry_out(job.public_id)
        document(study, lead, b"Autre texte du contrat.")

    def test_a_closed_study_takes_none(self, lead):
        with pytest.raises(RuleError):
            document(make_study(lead=lead, state="closed"), lead)
        assert files() == []


class TestReading:
    def test_a_document(self, study, lead):
        job = document(study, lead)
        assert reading_carry_out(job.public_id)
        stored = SourceDocument.objects.get()
        assert (stored.name, stored.uploaded_by, stored.text) == ("police.txt", lead, TEXT.decode())
        job = ended(job)
        assert (job.state, job.result) == ("done", {"document": str(stored.pk)})
        assert "name" not in job.parameters
        assert not reading_carry_out(job.public_id), "a message may come twice"

    @pytest.mark.parametrize("within", [(), ("asked",)])
    def test_no_files_name_is_kept_with_how_it_was_read(self, within):
        parameters: dict[str, Any] = {
            "judging": {"name": "marie.csv", "values": {"name": {"1": "2"}}, "take": True}
        }
        for member in within:
            parameters = {member: parameters}
        kept = parameters_kept(Job(parameters={"name": "marie.csv", **parameters}))
        for member in within:
            kept = kept[member]
        assert kept == {"judging": {"values": {"name": {"1": "2"}}, "take": True}}

    def test_a_file_of_pairs(self, study, lead):
        job = pairs_bring(
            actor=lead, study=study, content=CSV, names={"original": "original"}, choices=CHOICES
        )
        assert reading_carry_out(job.public_id)
        assert Item.objects.get().original == "Le preneur paie la prime."
        assert ended(job).result["items"] == 1

    def test_an_upload_for_its_page(self, study, lead):
        upload = upload_of(study, lead, read_later=ASKED)
        job = upload.reading
        assert reading_carry_out(job.public_id)
        job = ended(job)
        assert reading_answer(job).row_count == 1
        assert default_storage.exists(str(upload.file.name)), "it may be read differently"
        upload.refresh_from_db()
        again = upload_read_later(
            actor=lead, upload=upload, options=ASKED | {"take_released": False}
        )
        assert not Job.objects.filter(pk=job.pk).exists()
        assert files() == []
        assert reading_carry_out(again.public_id)
        upload.refresh_from_db()
        upload_discard(actor=lead, upload=upload)
        assert not Job.objects.exists()
        assert files() == []

    def test_an_upload_that_is_gone(self, study, lead):
        job = upload_of(study, lead, read_later=ASKED).reading
        PairsUpload.objects.all().update(reading=None)
        assert not reading_carry_out(job.public_id)

    def test_an_import_is_asked_for_once(self, study, lead):
        upload = upload_of(study, lead)
        first = upload_import_later(actor=lead, upload=upload, options=ASKED, choices=CHOICES)
        again = upload_import_later(actor=lead, upload=upload, options=ASKED, choices=CHOICES)
        assert again == first
        assert Job.objects.count() == 1

    def test_an_import_of_what_cannot_be_read_says_why(self, study, lead):
        upload = upload_store(
            actor=lead, study=study, name="a.csv", content=SimpleUploadedFile("x", b"%PDF-1.7")
        )
        job = upload_import_later(actor=lead, upload=upload, options=ASKED, choices=CHOICES)
        assert not reading_carry_out(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "refused")
        assert not Item.objects.exists()
        upload.refresh_from_db()
        assert upload.consumed_at is None, "it may be read differently"

    def test_an_answer_that_is_gone_is_read_again(self, study, lead):
        job = upload_of(study, lead, read_later=ASKED).reading
        reading_carry_out(job.public_id)
        job.refresh_from_db()
        default_storage.delete(job.result["path"])
        assert reading_answer(job) is None


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "code"), [(b"\x89PNG", "wrong_type"), (b"%PDF-1.7", "broken"), (b" ", "empty")]
    )
    def test_a_document_that_cannot_be_read(self, study, lead, content, code):
        job = document(study, lead, content)
        assert not reading_carry_out(job.public_id)
        job = ended(job)
        (problem,) = reading_problems(job)
        assert (job.state, job.problem, problem.field, problem.code) == (
            "failed",
            "refused",
            "file",
            code,
        )
        assert problem.message.fr
        assert Event.objects.filter(verb="reading_failed").count() == 1

    def test_rows_that_cannot_go_in(self, study, lead):
        content = CSV + CSV.splitlines()[1]
        job = pairs_bring(actor=lead, study=study, content=content, names=None, choices=CHOICES)
        assert not reading_carry_out(job.public_id)
        (problem,) = reading_problems(ended(job))
        assert (problem.row, job.result["problem_count"]) == (3, 1)
        assert problem.remedy.fr
        assert not Item.objects.exists()

    def test_a_column_that_there_is_not(self, study, lead):
        job = pairs_bring(
            actor=lead, study=study, content=CSV, names={"original": "?"}, choices=CHOICES
        )
        assert not reading_carry_out(job.public_id)
        assert reading_problems(ended(job))[0].code == "no_such_column"

    def test_what_asks_for_too_much(self, study, lead, settings):
        from dataclasses import replace

        job = document(study, lead)
        settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
        settings.READING_WAIT_SECONDS = 0
        assert not reading_carry_out(job.public_id)
        assert reading_problems(ended(job))[0].code == "asks_for_too_much"

    @pytest.mark.parametrize("lost", ["part", "account", "person"])
    def test_who_lost_the_study_brings_in_nothing(self, study, lead, lost):
        job = document(study, lead)
        if lost == "part":
            Lead.objects.all().delete()
        elif lost == "account":
            type(lead).objects.filter(pk=lead.pk).update(is_active=False)
        else:
            Job.objects.update(requested_by=None)
        assert not reading_carry_out(job.public_id)
        assert reading_problems(ended(job))[0].code == "not_yours"
        assert not SourceDocument.objects.exists()

    @pytest.mark.parametrize(
        ("number", "code"), [(errno.ENOSPC, "disk_full"), (errno.ENOENT, "file_gone")]
    )
    def test_a_disk_that_fails(self, study, lead, monkeypatch, number, code):
        job = document(study, lead)

        def fail(_path):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(readings_work, "_content", fail)
        assert not reading_carry_out(job.public_id)
        assert reading_problems(ended(job))[0].code == code

    def test_a_defect_is_recorded_and_raised(self, study, lead, monkeypatch):
        job = document(study, lead)
        monkeypatch.setattr(readings_work, "document_read", lambda *_a, **_k: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            reading_carry_out(job.public_id)
        assert reading_problems(ended(job))[0].code == "defect"

    def test_an_upload_is_tried_again(self, study, lead, monkeypatch):
        upload = upload_of(study, lead, read_later=ASKED)
        upload_read_again(upload=upload)
        assert upload.reading.state == "queued"
        with monkeypatch.context() as broken:
            broken.setattr(readings_work, "pairs_file_read", lambda *_a, **_k: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                reading_carry_out(upload.reading.public_id)
        upload.refresh_from_db()
        assert reading_answer(upload.reading).fatal.code == "defect"
        upload_read_again(upload=upload)
        assert upload.reading is None
        upload_read_again(upload=upload)
        assert not Job.objects.exists()


class TestWhatIsLost:
    def test_a_database_that_is_away_leaves_it_to_the_sweep(self, study, lead, monkeypatch):
        job = document(study, lead)

        def away(**_):
            raise OperationalError

        monkeypatch.setattr(readings_work, "document_store", away)
        with pytest.raises(OperationalError):
            reading_carry_out(job.public_id)
        job.refresh_from_db()
        assert job.state == "running"
        assert default_storage.exists(file_path(job))

    def test_a_turn_that_does_not_come(self, study, lead, settings):
        from dataclasses import replace

        job = document(study, lead)
        settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
        folder = settings.DATA_DIR / "reading"
        folder.mkdir()
        with (folder / f"person-{lead.pk}").open("a+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            assert not reading_carry_out(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.attempt) == ("queued", 0)
        assert job.lease_until is not None

    def test_a_message_or_a_worker_that_is_lost(self, study, lead, sent):
        job = document(study, lead)
        assert readings_resend() == 0
        for state in ("queued", "running"):
            Job.objects.update(state=state, lease_until=timezone.now() - timedelta(seconds=1))
            assert readings_resend() == 1
            assert readings_resend() == 0
        job.refresh_from_db()
        assert job.state == "queued"

    def test_of_two_sweeps_one_asks(self, study, lead, monkeypatch):
        document(study, lead)
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        monkeypatch.setattr(type(Job.objects.all()), "update", lambda *_a, **_k: 0)
        assert readings_resend() == 0

    def test_after_three_workers_it_is_given_up(self, study, lead):
        job = document(study, lead)
        past = timezone.now() - timedelta(seconds=1)
        Job.objects.update(state="running", attempt=READINGS.most_attempts, lease_until=past)
        assert readings_resend() == 0
        job = ended(job)
        assert (job.state, reading_problems(job)[0].code) == ("failed", "worker_lost")
        assert not reading_fail(job=job, problem="defect", details={})

    @pytest.mark.parametrize("what", ["document", "upload"])
    def test_who_lost_the_job_brings_in_nothing(self, study, lead, monkeypatch, what):
        job = (
            document(study, lead)
            if what == "document"
            else upload_of(study, lead, read_later=ASKED).reading
        )
        real = readings_work._content

        def taken(path):
            Job.objects.filter(pk=job.pk).update(attempt=2)
            return real(path)

        monkeypatch.setattr(readings_work, "_content", taken)
        assert not reading_carry_out(job.public_id)
        assert not SourceDocument.objects.exists()
        assert all("-1" not in name[36:] for name in files())


class TestClearing:
    def test_what_has_had_its_time(self, study, lead):
        job = upload_of(study, lead, read_later=ASKED).reading
        reading_carry_out(job.public_id)
        assert readings_expire() == 0
        assert len(files()) == 1
        Job.objects.update(finished_at=timezone.now() - KEPT - timedelta(hours=1))
        assert readings_expire() == 1
        assert files() == []
        assert PairsUpload.objects.get().reading is None

    def test_nothing_was_ever_left(self):
        assert readings_expire() == 0

    def test_files_that_no_job_knows(self, study, lead, monkeypatch):
        waiting = document(study, lead)
        default_storage.save(f"{FOLDER}/stray", ContentFile(b"x"))
        assert readings_expire() == 0
        monkeypatch.setattr(left_files, "_AFTER", -timedelta(days=1))
        assert readings_expire() == 1
        assert files() == [str(waiting.public_id)]
