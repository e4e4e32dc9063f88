"""Many pairs by the API: 202, and a worker stores what a few would have stored at once."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.models import ApiToken, Item, Job
from annotation.services.accounts.tokens import token_create
from annotation.services.intake.readings_work import reading_carry_out
from tests.factories import make_study
from tests.web.items.importing import CSV

PAIRS = [
    {"original": "Le preneur paie\nla prime « due ».", "simplification": 'Vous payez; "oui".'},
    {
        "original": "La police prend fin.",
        "simplification": "Le contrat finit.",
        "id": "fin-1",
        "source": "Contrat 2",
    },
    {"original": "= 1 + 1", "simplification": "2", "context_after": "Suite."},
]
COLUMNS = ("original", "key", "source", "context_before", "context_after", "round")


@pytest.fixture(autouse=True)
def _kept(monkeypatch):
    monkeypatch.setattr(jobs, "_send", lambda *message: None)


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 1)


@pytest.fixture
def ask(cast):
    make_study("gamma", lead=cast.lead)
    make_study("delta", lead=cast.lead)
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    client = cast.client("anonymous")
    headers = {"authorization": f"Bearer {secret}", "accept-language": "en"}

    def send(path, body=None, **more):
        given = headers | more.pop("headers", {})
        if body is None:
            return client.get(path, headers=given)
        return client.post(f"/api/v1/studies/{path}", body, headers=given, **more)

    return send


def rows(study):
    items = Item.objects.filter(study__key=study).order_by("position")
    return [
        (
            *(getattr(item, name) for name in COLUMNS),
            list(item.simplifications.values_list("text", "system")),
        )
        for item in items
    ]


def test_rows_are_stored_as_a_few_would_be(ask, monkeypatch):
    body = {"pairs": PAIRS, "round": "practice"}
    answer = ask("gamma/pairs/", body, content_type="application/json")
    assert answer.status_code == 201, answer.json()
    monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 1)
    answer = ask("delta/pairs/", body, content_type="application/json")
    assert answer.status_code == 202
    assert not rows("delta")
    reading_carry_out(Job.objects.get().public_id)
    reading = ask(answer["Location"]).json()
    assert (reading["what"], reading["state"]) == ("import", "done")
    assert reading["outcome"] == {
        "items": 3,
        "simplifications": 3,
        "skipped": 0,
        "judgments": 0,
        "judges": 0,
        "attached": 0,
        "columns_left_out": [],
        "encoding_guessed": "",
        "rows_hidden": [],
    }
    assert rows("delta") == rows("gamma")


@pytest.mark.usefixtures("many")
def test_a_refusal_names_the_row(ask):
    body = {"pairs": [PAIRS[0], {"original": " "}, PAIRS[0]]}
    answer = ask("gamma/pairs/", body, content_type="application/json")
    reading_carry_out(Job.objects.get().public_id)
    reading = ask(answer["Location"]).json()
    assert reading["state"] == "failed"
    assert [problem["row"] for problem in reading["problems"]] == [2, 2, 3]
    assert not rows("gamma")


@pytest.mark.usefixtures("many")
def test_the_same_key_asks_once(ask):
    body = {"pairs": PAIRS}
    key = {"idempotency-key": "once"}
    first, again = (
        ask("gamma/pairs/", body, content_type="application/json", headers=key) for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"]
    assert Job.objects.count() == 1


@pytest.mark.usefixtures("many")
def test_a_small_file_of_many_rows(ask):
    answer = ask("gamma/pairs/file/", {"file": SimpleUploadedFile("a.csv", CSV.encode())})
    assert answer.status_code == 202
    reading_carry_out(Job.objects.get().public_id)
    assert ask(answer["Location"]).json()["outcome"]["items"] == 2
