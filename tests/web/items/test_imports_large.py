"""Files of many rows: a worker stores them, the page tells how far it is. Nothing twice, nothing in
part."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import jobs
from annotation.errors import RuleError
from annotation.models import Event, Item, Job, PairsUpload
from annotation.services.intake.readings import readings_resend
from annotation.services.intake.readings_work import reading_carry_out
from annotation.services.intake.uploads import upload_discard
from annotation.services.items.items import pairs_import
from tests.factories import make_study
from tests.web.items.importing import CSV, page_text, post, send, sent, shown_form

ONE_MORE = CSV + "La police prend fin.;Le contrat finit.;s1\n"


@pytest.fixture
def study(cast):
    return make_study("gamma", lead=cast.lead)


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


@pytest.fixture(autouse=True)
def _many(monkeypatch):
    """More than one row is many; a worker gets to it when the test says so."""
    monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 1)
    monkeypatch.setattr(jobs, "_send", lambda *message: None)


def stored() -> int:
    return Item.objects.filter(study__key="gamma").count()


def progress(job: Job) -> str:
    return reverse("reading", args=["gamma", job.public_id])


def carried_out(job: Job) -> Job:
    reading_carry_out(job.public_id)
    job.refresh_from_db()
    return job


def test_a_worker_stores_it(lead, django_capture_on_commit_callbacks):
    url = sent(lead, CSV)
    answer = post(lead, url)
    job = Job.objects.get()
    assert answer.url == progress(job)
    assert not stored()
    page = page_text(lead.get(answer.url))
    assert "Il attend son tour pour être importé" in " ".join(page.split())
    assert lead.get(url).url == progress(job)
    assert post_again(lead, url).url == progress(job), "the second of two clicks"
    with django_capture_on_commit_callbacks(execute=True):
        assert carried_out(job).state == "done"
    assert stored() == 2
    answer = lead.get(progress(job), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("study_items", args=["gamma"])
    assert "2 nouvelles clauses" in page_text(answer)
    # So with scripts, which are told where to go.
    answer = lead.get(progress(job), headers={"hx-request": "true"})
    assert "2 nouvelles clauses" in page_text(lead.get(answer["HX-Redirect"]))
    upload = PairsUpload.objects.get()
    assert upload.consumed_at
    assert not upload.file.storage.exists(str(upload.file.name))
    assert not reading_carry_out(job.public_id), "a message may come twice"
    assert stored() == 2


def post_again(lead, url):
    return lead.post(url, {"action": "import"})


def test_few_rows_are_stored_at_once(lead):
    url = sent(lead, CSV.splitlines()[0] + "\n" + CSV.splitlines()[1] + "\n")
    assert post(lead, url).url == reverse("study_items", args=["gamma"])
    assert stored() == 1
    assert not Job.objects.exists()


def test_a_released_file_with_its_judgments(lead):
    row = {"simplification": "b", "simplicity": "Plus simple à lire", "qualification": "1"}
    row |= {"legal_meaning": "9", "justifications": ""}
    lines = [json.dumps({"original": text} | row) for text in ("a", "c")]
    url = sent(lead, "\n".join(lines), name="x.jsonl")
    post(lead, url)
    job = carried_out(Job.objects.get())
    assert (job.state, job.result["judgments"], job.result["judges"]) == ("done", 2, 1)
    assert "2 paires avec 2 jugements" in page_text(lead.get(progress(job), follow=True))


def test_what_is_refused_now_is_said_at_once(lead):
    url = sent(lead, CSV + CSV.splitlines()[1] + "\n")
    assert post(lead, url).status_code == 422
    assert not Job.objects.exists()


def test_duplicates_that_are_left_out(lead):
    url = sent(lead, CSV + CSV.splitlines()[1] + "\n")
    post(lead, url, skip_duplicates="on")
    assert carried_out(Job.objects.get()).result["skipped"] == 1


def test_what_came_in_between_is_explained(lead, cast, study):
    """The study changed after the preview: nothing is stored, and the file can be looked at."""
    url = sent(lead, CSV)
    post(lead, url)
    job = Job.objects.get()
    other = sent_by_a_program(cast.lead, study)
    assert other.items == 2
    assert carried_out(job).state == "failed"
    page = page_text(lead.get(progress(job)))
    assert page.count("déjà dans l&#x27;étude") == 2
    assert url in page
    page = page_text(lead.get(url))
    assert "déjà dans l&#x27;étude" in page
    post(lead, url, skip_duplicates="on")
    assert carried_out(Job.objects.latest("pk")).result["skipped"] == 2
    assert stored() == 2


def sent_by_a_program(actor, study):
    from annotation.corpus.pairs_file import read_pairs_file

    return pairs_import(actor=actor, study=study, pairs=read_pairs_file(CSV.encode()).pairs)


def test_a_worker_that_died_is_followed_by_another(lead):
    """Its lease lapses, the sweep asks again, and what it did not finish is done once."""
    post(lead, sent(lead, ONE_MORE))
    job = Job.objects.get()
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.update(state="running", attempt=1, lease_until=long_ago)
    assert readings_resend() == 1
    assert carried_out(job).state == "done"
    assert stored() == 3


def test_a_worker_that_lost_its_claim_takes_back_what_it_stored(lead, monkeypatch):
    post(lead, sent(lead, CSV))
    job = Job.objects.get()
    from annotation.services.intake import readings_work

    real = readings_work.upload_import

    def slow(**given):
        outcome = real(**given)
        Job.objects.update(attempt=2)
        return outcome

    monkeypatch.setattr(readings_work, "upload_import", slow)
    assert not reading_carry_out(job.public_id)
    assert not stored()
    assert PairsUpload.objects.get().consumed_at is None


def test_three_lost_workers_are_enough(lead):
    url = sent(lead, CSV)
    post(lead, url)
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.update(state="running", attempt=3, lease_until=long_ago)
    assert readings_resend() == 0
    job = Job.objects.get()
    assert job.state == "failed"
    assert "arrêté plusieurs fois" in page_text(lead.get(progress(job)))
    assert lead.get(url).context["shown"].row_count == 2, "the file is still there"


def test_thrown_away_while_it_waits(lead):
    url = sent(lead, CSV)
    post(lead, url)
    job = Job.objects.get()
    assert lead.post(url, {"action": "discard"}).url == reverse("pairs_upload", args=["gamma"])
    assert not reading_carry_out(job.public_id)
    assert not stored()


def test_what_was_imported_in_the_meantime_is_not_thrown_away(lead, cast):
    """The page was fetched before a worker was through."""
    url = sent(lead, CSV)
    upload = PairsUpload.objects.get()
    post(lead, url)
    carried_out(Job.objects.get())
    with pytest.raises(RuleError) as caught:
        upload_discard(actor=cast.lead, upload=upload)
    assert caught.value.problems[0].code == "consumed"
    assert not Event.objects.filter(verb="upload_discarded").exists()


def test_one_file_of_theirs_at_a_time(lead):
    url = sent(lead, CSV)
    post(lead, url)
    second = send(lead, ONE_MORE).url
    answer = lead.post(second, shown_form(lead, second) | {"action": "import"}, follow=True)
    assert "Un autre de vos fichiers" in page_text(answer)
    assert Job.objects.count() == 1


def test_a_study_that_was_closed_takes_none(lead, study):
    url = sent(lead, CSV)
    post(lead, url)
    type(study).objects.filter(pk=study.pk).update(state="closed")
    job = carried_out(Job.objects.get())
    assert job.state == "failed"
    assert "fermée" in page_text(lead.get(progress(job)))
    assert not stored()
