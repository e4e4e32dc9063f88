"""Files that a worker reads, by the API: 202 with a place to look at."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.models import ApiToken, Item, Job, SourceDocument, Study
from annotation.services.accounts.tokens import token_create
from annotation.services.intake.readings_work import reading_carry_out
from tests.factories import make_study
from tests.web.items.importing import CSV


@pytest.fixture(autouse=True)
def _long(monkeypatch):
    monkeypatch.setattr("annotation.reading._AT_ONCE", ())
    monkeypatch.setattr(jobs, "_send", lambda *message: None)


@pytest.fixture
def ask(cast):
    make_study("gamma", lead=cast.lead)
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    client, headers = (
        cast.client("anonymous"),
        {"authorization": f"Bearer {secret}", "accept-language": "en"},
    )

    def send(path, content=None, key="", **more):
        given = headers | ({"idempotency-key": key} if key else {})
        if content is None:
            return client.get(path, headers=given)
        file = SimpleUploadedFile("police.txt", content)
        return client.post(f"/api/v1/studies/gamma/{path}", {"file": file, **more}, headers=given)

    return send


def carried_out() -> None:
    reading_carry_out(Job.objects.get(state="queued").public_id)


@pytest.mark.parametrize("key", ["", "once"])
def test_a_document(ask, key):
    answer = ask("documents/", b"Le preneur paie la prime exigible.", key)
    assert answer.status_code == 202
    place = answer["Location"]
    assert answer.json()["location"] == place
    assert answer["Retry-After"] == "2"
    assert ask(place).json()["state"] == "queued"
    again = ask("documents/", b"Le preneur paie la prime exigible.", key)
    assert again.status_code == (202 if key else 429)
    assert int(again["Retry-After"]) > 0
    carried_out()
    reading = ask(place).json()
    assert (reading["state"], reading["document"]) == ("done", str(SourceDocument.objects.get().pk))
    assert (reading["what"], reading["outcome"], reading["problems"]) == ("document", None, [])


def test_a_file_of_pairs(ask):
    answer = ask("pairs/file/", CSV.encode(), round="practice")
    assert answer.status_code == 202
    assert int(answer["Retry-After"]) > 0
    carried_out()
    reading = ask(answer["Location"]).json()
    assert reading["outcome"] == {
        "items": 2,
        "simplifications": 2,
        "skipped": 0,
        "judgments": 0,
        "judges": 0,
        "attached": 0,
        "columns_left_out": [],
        "encoding_guessed": "",
        "rows_hidden": [],
    }
    assert Item.objects.filter(study__key="gamma", round="practice").count() == 2


def test_a_refusal_names_rows(ask):
    answer = ask("pairs/file/", b"original;simplification\na b;c d\na b;c d\n")
    carried_out()
    reading = ask(answer["Location"]).json()
    assert (reading["state"], reading["problem_count"], reading["document"]) == ("failed", 1, None)
    (problem,) = reading["problems"]
    assert problem["row"] == 3
    assert problem["message"]
    assert problem["remedy"]


@pytest.mark.parametrize("name", ["a\\u0000", "\\ud800"])
def test_a_column_s_name_that_no_database_keeps(ask, name):
    answer = ask("pairs/file/", CSV.encode(), columns=f'{{"original": "{name}"}}')
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == "columns"
    assert not Job.objects.exists()


def test_another_job_is_no_reading(ask):
    job = Job.objects.create(study=Study.objects.get(key="gamma"), kind="export")
    assert ask(f"/api/v1/studies/gamma/readings/{job.public_id}/").status_code == 404
