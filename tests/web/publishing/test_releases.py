"""Freezing and publishing in the browser."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from django.urls import reverse

from annotation.models import Adjudication, DatasetSnapshot, Job, Simplification, Study
from annotation.services.publishing.publications import publication_write
from annotation.services.studies.studies import guide_publish
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    monkeypatch.setattr("annotation.jobs._send", lambda *message: None)


@pytest.fixture
def lead():
    return make_user("lead")


@pytest.fixture
def study(lead):
    study = make_study("etude", lead=lead, state="main")
    fill_study(study, pairs=3, annotators=2)
    return study


@pytest.fixture
def browser(client, lead):
    client.force_login(lead)
    return client


def work() -> None:
    for job in Job.objects.filter(state="queued"):
        publication_write(job.public_id)


def test_from_the_page_to_the_zip(browser, study):
    url = reverse("study_releases", args=["etude"])
    assert browser.post(url, {"action": "freeze", "systems": "on"}).status_code == 422, (
        "open: a reason is needed"
    )
    assert (
        browser.post(url, {"action": "freeze", "systems": "on", "reason": "Essai"}).status_code
        == 302
    )
    waiting = browser.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "hx-get" in waiting
    work()
    page = browser.get(url).content.decode()
    assert "etude-1" in page
    assert DatasetSnapshot.objects.get().content_digest in page
    download = reverse("release_download", args=["etude", 1])
    assert browser.get(download).status_code == 302, "not written yet"
    browser.post(url, {"action": "release", "snapshot": "1"})
    work()
    answer = browser.get(download)
    content = b"".join(answer.streaming_content)
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert {
        "etude-1/README.md",
        "etude-1/croissant.json",
        "etude-1/heds.json",
        "etude-1/SHA256SUMS",
    } <= set(names)
    assert study.leads.get().user.email.encode() not in content


@pytest.mark.parametrize("where", ["study_releases", "study_exports"])
def test_beside_the_option_stands_what_the_order_of_outputs_may_tell(browser, study, where):
    content = browser.get(reverse(where, args=["etude"])).content.decode()
    help_ = content.split('id="id_systems_helptext">')[1].split("</")[0]
    assert "qui peut dire lesquelles sont" in " ".join(help_.split())


def test_what_was_replaced_is_shown_by_where_it_stands(browser, study, lead):
    url = reverse("study_releases", args=["etude"])
    Adjudication.objects.create(
        study=study,
        simplification=Simplification.objects.filter(item__study=study).first(),
        dimension="simplicity",
        outcome="divided",
        reasons="Selon Me Lavoie (jean.lavoie@cabinet.example), deux lectures.",
        judgments_digest="d",
    )
    guide_publish(actor=lead, study=study, body_fr="Questions : lea@cabinet.example.")
    browser.post(url, {"action": "freeze", "systems": "on", "reason": "Essai"})
    work()
    page = " ".join(browser.get(url).content.decode().split())
    assert "2 textes où figure […]" in page
    assert re.search(r"<h4>Dans les raisons des décisions</h4> <ul><li [^>]*>Selon Me", page)
    assert "([…]), deux lectures." in page
    assert re.search(r"<h4>Dans les guides</h4> <ul><li [^>]*>Questions : \[…\]", page)
    Study.objects.update(is_blind=True)
    assert "deux lectures" not in browser.get(url).content.decode(), "they tell of answers"


def test_a_failure_is_told_in_words(browser, study, lead):
    Job.objects.create(
        study=study, kind="freeze", state="failed", problem="disk_full", requested_by=lead
    )
    assert "disque" in browser.get(reverse("study_releases", args=["etude"])).content.decode()
    Job.objects.create(
        study=study,
        kind="release",
        state="failed",
        problem="refused",
        requested_by=lead,
        result={"refused": [["Un retrait.", "A withdrawal."]]},
    )
    assert "Un retrait." in browser.get(reverse("study_releases", args=["etude"])).content.decode()


def test_a_snapshot_of_another_study_is_not_there(browser, study):
    url = reverse("study_releases", args=["etude"])
    assert browser.post(url, {"action": "release", "snapshot": "9"}).status_code == 404
    assert browser.post(url, {"action": "release", "snapshot": "x"}).status_code == 404
