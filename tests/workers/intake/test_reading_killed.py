"""A real worker, killed (-9) while it reads a file: another takes it up and brings it in once, and
whoever sent it sees what came of it."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Event, Item, Job, PairsUpload, SourceDocument
from annotation.services.intake.readings import file_path, readings_resend
from tests.factories import make_study, make_user
from tests.processes import until
from tests.web.items.importing import CSV, page_text, post, sent
from tests.workers.scoring.test_training_killed import kill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.slow]

TEXT = "Le preneur paie la prime à la date prévue.\n\nLa police prend fin.".encode()


@pytest.fixture
def client() -> Client:
    """The browser of the study's lead."""
    lead = make_user("lead")
    make_study("gamma", lead=lead)
    client = Client()
    client.force_login(lead)
    return client


def stuck(path: str) -> Path:
    """Whoever reads the stored file stands still: a pipe that nobody writes to is in its place. The
    file itself lies beside it."""
    there = Path(default_storage.path(path))
    there.rename(there.with_suffix(".kept"))
    os.mkfifo(there)
    return there


def state(job: Job) -> tuple[str, int]:
    job.refresh_from_db()
    return job.state, job.attempt


def leased_until(job: Job) -> datetime:
    job.refresh_from_db()
    assert job.lease_until is not None
    return job.lease_until


def taken_up(live_worker, job: Job, pipe: Path) -> None:
    """A worker begins, is killed in the middle; its lease lapses, the sweep asks, another begins
    and ends it."""
    worker = live_worker()
    assert until(lambda: state(job) == ("running", 1))
    beaten = job.lease_until
    assert beaten is not None
    assert until(lambda: beaten < leased_until(job)), "it lives, and says so"
    kill(worker)
    pipe.unlink()
    pipe.with_suffix(".kept").rename(pipe)
    assert state(job) == ("running", 1)
    assert readings_resend() == 0, "its lease still holds: nobody may take it away"
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert readings_resend() == 1
    assert readings_resend() == 0
    live_worker()
    assert until(lambda: state(job)[0] not in ("queued", "running")), job.problem
    assert state(job) == ("done", 2), job.problem


def test_a_document(live_worker, client, monkeypatch):
    url = reverse("document_upload", args=["gamma"])
    with monkeypatch.context() as long:
        long.setattr("annotation.reading._AT_ONCE", ())
        long.setattr("annotation.jobs._send", lambda *_message: None)
        progress = client.post(url, {"file": SimpleUploadedFile("police.txt", TEXT)})["Location"]
    job = Job.objects.get()
    pipe = stuck(file_path(job))
    _send_again(job)
    taken_up(live_worker, job, pipe)
    document = SourceDocument.objects.get()
    assert document.text == TEXT.decode()
    there = client.get(progress)["Location"]
    assert there == reverse("document", args=["gamma", document.pk])
    assert client.get(there).status_code == 200


def test_a_large_table_that_is_being_imported(live_worker, client, monkeypatch):
    with monkeypatch.context() as many:
        many.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 1)
        many.setattr("annotation.jobs._send", lambda *_message: None)
        progress = post(client, sent(client, CSV))["Location"]
    job = Job.objects.get()
    pipe = stuck(str(PairsUpload.objects.get().file.name))
    _send_again(job)
    taken_up(live_worker, job, pipe)
    assert Item.objects.count() == 2
    assert Event.objects.filter(verb="pairs_imported").count() == 1
    page = client.get(progress, follow=True)
    assert page.redirect_chain[-1][0] == reverse("study_items", args=["gamma"])
    assert "2 nouvelles clauses" in " ".join(page_text(page).split())


def _send_again(job: Job) -> None:
    """The message goes out only now that the pipe is in place."""
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert readings_resend() == 1
