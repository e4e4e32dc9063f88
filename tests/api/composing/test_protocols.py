"""A protocol of one's own by program: installed, read by everybody, taken as a file, removed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotation.models import Event, PublishedProtocol, Study
from annotation.protocols.files import protocol_read, protocol_text
from annotation.protocols.registry import PROTOCOLS
from tests.api.conftest import Program
from tests.cast import Cast
from tests.composing import composed

pytestmark = pytest.mark.django_db
URL = "/api/v1/protocols/"
MINE = f"{URL}clarity/1/"
JADES = PROTOCOLS["jades", "1"]


@pytest.fixture
def lead(cast: Cast, program: Program) -> Client:
    return program("lead")


def install(client: Client, file: str | None = None, **headers: str) -> Any:
    body = file if file is not None else composed()
    return client.post(URL, body, content_type="application/json", headers=headers)


def test_from_a_file_to_a_study(lead: Client, program: Program) -> None:
    answer = install(lead)
    assert answer.status_code == 201
    assert answer.json()["answers_schema"]["properties"]["clarity"]["enum"] == [1, 2, 3, None]
    assert answer.json() == program("annotator").get(MINE).json()
    assert MINE.split("/")[-3] in {each["key"] for each in program("annotator").get(URL).json()}
    study = {"key": "clear", "title": "Clear", "protocol_key": "clarity"}
    made = lead.post("/api/v1/studies/", json.dumps(study), content_type="application/json")
    assert (made.status_code, made.json()["protocol_version"]) == (201, "1")
    refused = lead.delete(MINE)
    assert refused.status_code == 422
    assert "A study follows “clarity 1”" in refused.json()["problems"][0]["message"]
    Study.objects.filter(key="clear").delete()
    assert lead.delete(MINE).status_code == 204
    assert (lead.get(MINE).status_code, lead.delete(MINE).status_code) == (404, 404)


def test_sent_again_it_is_installed_once(lead: Client) -> None:
    first, again = (install(lead, idempotency_key="one") for _time in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert Event.objects.filter(verb="protocol_installed").count() == 1
    assert install(lead).status_code == 422


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("[]", "object"),
        ("null", "object"),
        ("{}", "is missing"),
        (composed(key="jades", version="2"), "of whoever runs it"),
        (composed(fields=[{"kind": "slide"}]), "steps[reading].fields[2].kind"),
    ],
    ids=["list", "null", "empty", "taken", "unknown"],
)
def test_each_fault_is_named(lead: Client, file: str, words: str) -> None:
    answer = install(lead, file)
    assert answer.status_code == 422
    assert any(words in problem["message"] for problem in answer.json()["problems"])
    assert not PublishedProtocol.objects.exclude(installed_at=None).exists()


@pytest.mark.parametrize(
    ("file", "fields"),
    [
        ("{}", {"key", "version", "title", "steps"}),
        (composed(fields=[{"kind": "slide"}]), {"steps[reading].fields[2].kind"}),
        (composed(fields=[{"kind": "note", "name": "why"}]), {"steps[reading].fields[why].kind"}),
        (composed(title={"fr": "Clarté", "en": 3}), {"title.en"}),
        (composed(titel={}), {""}),
        ("[]", {""}),
        (composed(key="jades", version="2"), {""}),
    ],
    ids=["lacking", "by number", "by name", "kind", "unknown", "whole", "taken"],
)
def test_each_fault_is_at_its_place(lead: Client, file: str, fields: set[str]) -> None:
    problems = install(lead, file).json()["problems"]
    assert {problem["field"] for problem in problems} == fields


def test_another_lead_removes_nothing_and_an_admin_does(lead: Client, program: Program) -> None:
    install(lead)
    for role in ("other_lead", "annotator", "outsider"):
        assert program(role).delete(MINE).status_code == 404
    assert program("lead", "read").delete(MINE).status_code == 403
    assert program("admin").delete(MINE).status_code == 204


def test_a_file_begins_another(lead: Client, program: Program) -> None:
    file = lead.get(f"{URL}jades/1/file/")
    assert protocol_read(protocol_text(JADES)) == protocol_read(file.content.decode())
    refused = lead.get(f"{URL}legal_meaning/1/file/")
    assert (refused.status_code, lead.get(f"{URL}none/1/file/").status_code) == (422, 404)
    assert "its rules are code" in refused.json()["problems"][0]["message"]
    assert program("annotator").get(f"{URL}jades/1/file/").status_code == 404
    install(lead)
    assert lead.get(f"{MINE}file/").json() == json.loads(composed())
