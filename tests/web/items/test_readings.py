"""Files that a worker reads, in the browser: the page of progress, and where it leads."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import jobs
from annotation.models import Item, Job, PairsUpload, SourceDocument
from annotation.services.intake.readings_work import reading_carry_out
from tests import hostile
from tests.factories import make_study
from tests.web.items.importing import CSV, page_text, post, send, shown_form

RELEASED = {
    "original": "a", "simplification": "b", "simplicity": "Plus simple", "qualification": "1", "legal_meaning": "9",  # noqa: E501
    "justifications": "",
}  # fmt: skip


@pytest.fixture
def study(cast):
    return make_study("gamma", lead=cast.lead)


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


@pytest.fixture(autouse=True)
def _long(monkeypatch):
    """Whatever is sent may take long; a worker gets to it when the test says so."""
    monkeypatch.setattr("annotation.reading._AT_ONCE", ())
    monkeypatch.setattr(jobs, "_send", lambda *message: None)


def send_document(lead, content=b"Le preneur paie la prime exigible.", name="police.txt"):
    return lead.post(
        reverse("document_upload", args=["gamma"]), {"file": SimpleUploadedFile(name, content)}
    )


def read() -> Job:
    """The worker's turn."""
    job = Job.objects.get(state="queued")
    reading_carry_out(job.public_id)
    job.refresh_from_db()
    return job


def progress(job: Job) -> str:
    return reverse("reading", args=["gamma", job.public_id])


class TestProgress:
    def test_it_is_shown_with_and_without_scripts(self, lead):
        answer = send_document(lead)
        job = Job.objects.get()
        assert answer.status_code == 302
        assert answer.url == progress(job)
        page = page_text(lead.get(answer.url))
        assert "attend son tour" in page
        assert '<noscript><meta http-equiv="refresh"' in page
        assert f'hx-get="{progress(job)}"' in page
        assert f'<a href="{progress(job)}">' in page
        Job.objects.update(state="running")
        piece = page_text(lead.get(progress(job), headers={"hx-request": "true"}))
        assert "est en train d'être lu" in piece
        assert "<html" not in piece

    def test_it_leads_to_the_document(self, lead):
        send_document(lead)
        job = read()
        document = SourceDocument.objects.get()
        there = reverse("document", args=["gamma", document.pk])
        assert lead.get(progress(job)).url == there
        assert lead.get(progress(job), headers={"hx-request": "true"})["HX-Redirect"] == there
        document.delete()
        assert lead.get(progress(job)).url == reverse("document_upload", args=["gamma"])

    def test_a_file_that_cannot_be_read_is_explained(self, lead):
        send_document(lead, b"\x89PNG")
        job = read()
        page = page_text(lead.get(progress(job)))
        assert "une image" in page
        assert "Rien n'en a été gardé" in page
        assert reverse("document_upload", args=["gamma"]) in page
        assert "http-equiv" not in page
        assert "hx-get" not in page

    def test_one_file_at_a_time_in_the_queue_as_well(self, lead):
        send_document(lead)
        for answer in (send(lead, CSV), send_document(lead, b"Autre texte.")):
            assert answer.status_code == 422
            assert "Un autre de vos fichiers" in page_text(answer)
        assert not PairsUpload.objects.exists()

    def test_another_job_is_no_reading(self, lead, study):
        job = Job.objects.create(
            study=study, kind="export", parameters={"layout": "long", "format": "csv"}
        )
        assert lead.get(progress(job)).status_code == 404
        Job.objects.update(kind="reading", parameters={"what": "document"})
        for name in ("export_status", "export_download"):
            assert lead.get(reverse(name, args=["gamma", job.public_id])).status_code == 404


class TestPairs:
    def test_from_the_file_to_the_items(self, lead):
        url = send(lead, CSV).url
        job = Job.objects.get()
        answer = lead.get(url)
        assert answer.url == progress(job)
        assert lead.get(url + "problems.csv").url == progress(job)
        assert lead.post(url, {"action": "import"}).url == progress(job)
        read()
        assert lead.get(progress(job)).url == url
        assert "L&#x27;assuré paie la prime." in page_text(lead.get(url))
        assert lead.get(url + "problems.csv").status_code == 200
        assert post(lead, url).url == reverse("study_items", args=["gamma"])
        assert Item.objects.filter(study__key="gamma").count() == 2
        assert not Job.objects.exists()

    def test_another_round_does_not_read_it_again(self, lead):
        url = send(lead, CSV).url
        read()
        assert post(lead, url, round="practice").url == reverse("study_items", args=["gamma"])
        assert Item.objects.filter(study__key="gamma", round="practice").count() == 2

    def test_read_differently(self, lead):
        url = send(lead, CSV).url
        first = read()
        assert post(lead, url, "preview", header="no").url == url
        answer = lead.get(url)
        second = Job.objects.get()
        assert second.pk != first.pk
        assert answer.url == progress(second)
        read()
        page = lead.get(url)
        assert page.context["shown"].row_count == 3

    def test_a_released_file(self, lead):
        url = send(lead, json.dumps(RELEASED), name="x.jsonl").url
        read()
        assert shown_form(lead, url)["content"] == "frjudge"
        assert lead.get(url).context["shown"].released is not None

    def test_a_file_that_cannot_be_read_is_explained_there(self, lead):
        url = send(lead, b"\x00\xff" * 50).url
        job = read()
        assert lead.get(progress(job)).url == url
        assert lead.get(url).context["shown"].fatal is not None
        assert lead.post(url, {"action": "discard"}).status_code == 302
        assert not Job.objects.exists()

    def test_what_a_worker_could_not_read_is_tried_again(self, lead, monkeypatch):
        url = send(lead, CSV).url
        with monkeypatch.context() as broken:
            broken.setattr(
                "annotation.services.intake.readings_work.pairs_file_read", lambda *_a, **_k: 1 / 0
            )
            with pytest.raises(ZeroDivisionError):
                read()
        assert "Un imprévu est survenu" in page_text(lead.get(url))
        assert lead.post(url, shown_form(lead, url) | {"action": "preview"}).status_code == 302
        assert Job.objects.get().state == "queued"

    def test_a_small_file_that_asks_for_too_much_goes_to_a_worker_too(
        self, lead, settings, monkeypatch
    ):
        from dataclasses import replace

        monkeypatch.setattr("annotation.reading._AT_ONCE", ((b"", 1_000_000),))
        settings.READING_LIMITS_AT_ONCE = replace(settings.READING_LIMITS, wall_seconds=0)
        url = send(lead, hostile.FILES["far-row.xlsx"](), name="x.xlsx").url
        assert Job.objects.get().state == "queued"
        read()
        assert lead.get(url).status_code == 200
