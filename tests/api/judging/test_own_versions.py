"""What one decided against, kept and brought back; a submission taken back: as on the pages, by a
program."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import (
    Assignment,
    Draft,
    DraftVersion,
    Event,
    Judgment,
    JudgmentRevision,
    Study,
)
from annotation.services.studies.ending import study_archive
from tests.cast import Cast
from tests.factories import answers, said

PAIR = "/api/v1/my/studies/alpha/assignments/2/"
JSON = {"content_type": "application/json"}


def body(base_revision: int = 0, **changed):
    return {"answers": answers(**changed), "base_revision": base_revision}


@pytest.fixture
def client(cast: Cast, program):
    return program("annotator")


class TestVersions:
    @pytest.fixture
    def settled(self, client):
        """A conflict: «theirs» was stored, «mine» stood elsewhere; «mine» was chosen, and a copy
        was found as well."""
        client.put(PAIR + "draft/", body(explanation="theirs"), **JSON)
        aside = [
            {
                "answers": answers(explanation="copy"),
                "found": True,
                "typed_at": "2026-01-02T03:04:05Z",
            }
        ]
        answer = client.put(PAIR + "draft/", body(1, explanation="mine") | {"aside": aside}, **JSON)
        assert answer.status_code == 200, answer.content
        return client

    def test_what_a_save_decided_against_is_kept(self, settled):
        kept = settled.get(PAIR + "versions/").json()
        assert [(version["answers"]["explanation"], version["origin"]) for version in kept] == [
            ("theirs", "overwritten"),
            ("copy", "found"),
        ]
        assert kept[1]["saved_at"].startswith("2026-01-0")
        assert settled.get(PAIR + f"versions/{kept[0]['number']}/").json() == kept[0]
        assert settled.get(PAIR + "versions/99/").status_code == 404

    def test_one_is_brought_back_once(self, settled):
        number = settled.get(PAIR + "versions/").json()[0]["number"]
        path, key = PAIR + f"versions/{number}/restoration/", {"idempotency-key": "back"}
        first = settled.post(path, {}, **JSON, headers=key)
        again = settled.post(path, {}, **JSON, headers=key)
        assert (first.status_code, first.json()) == (200, again.json())
        assert again.headers["Idempotency-Replayed"] == "true"
        assert first.json()["revision"] == Draft.objects.get().revision == 3
        assert Draft.objects.get().answers["explanation"] == "theirs"
        kept = [
            version["answers"]["explanation"] for version in settled.get(PAIR + "versions/").json()
        ]
        assert "mine" in kept, "what it replaced is kept in its stead"
        assert settled.post(PAIR + "versions/99/restoration/").status_code == 404

    def test_a_former_submission_is_brought_back(self, client):
        client.put(PAIR + "judgment/", body(explanation="un"), **JSON)
        client.put(PAIR + "judgment/", body(1, explanation="deux"), **JSON)
        assert client.post(PAIR + "history/1/restoration/").json()["revision"] == 3
        assert Draft.objects.get().answers["explanation"] == "un"
        assert said(Judgment.objects.get(), "explanation") == "deux", "until it is submitted"

    def test_not_once_the_round_is_closed(self, settled):
        Study.objects.filter(key="alpha").update(state="closed")
        answer = settled.post(PAIR + "versions/1/restoration/")
        assert (answer.status_code, answer.json()["type"]) == (409, "study_closed")

    @pytest.mark.parametrize(
        "wrong", ["x", [1], [{"found": True}], [{"answers": {"new": 1}}], [{"answers": {}}] * 21]
    )
    def test_what_is_no_version_is_refused_by_name(self, client, wrong):
        answer = client.put(PAIR + "draft/", body() | {"aside": wrong}, **JSON)
        assert answer.status_code in (400, 422)
        assert answer.json()["problems"]
        assert not Draft.objects.exists()
        assert not DraftVersion.objects.exists()

    @pytest.mark.parametrize("address", ["draft/", "judgment/"])
    def test_null_is_no_version_either(self, client, address):
        answer = client.put(
            PAIR + address, body() | {"aside": [{"answers": answers()}, None]}, **JSON
        )
        assert answer.status_code in (400, 422)
        assert [problem["field"] for problem in answer.json()["problems"]] == ["aside.1"]
        assert not Draft.objects.exists()
        assert not Judgment.objects.exists()

    def test_they_are_nobody_else_s(self, settled, program):
        for role in ("peer", "lead", "admin", "other_lead"):
            other = program(role)
            seen = other.get(PAIR + "versions/")
            assert seen.status_code == 404 or seen.json() == []
            assert other.post(PAIR + "versions/1/restoration/").status_code == 404


class TestTakingBack:
    def take(self, client, number: int = 1, **headers: str):
        return client.post(PAIR + "taking-back/", {"number": number}, **JSON, headers=headers)

    def test_a_submission_is_a_draft_again(self, client):
        number = client.put(PAIR + "judgment/", body(explanation="vite"), **JSON).json()["number"]
        before = client.get("/api/v1/my/studies/alpha/").json()["done"]
        answer = self.take(client, number)
        assert (answer.status_code, answer.json()["taken_back"]) == (200, True)
        assert answer.json()["done"] == before - 1
        assert not Judgment.objects.exists()
        assert client.get(PAIR).json()["answers"]["explanation"] == "vite"
        assert client.get(PAIR + "history/").json() == []
        assert JudgmentRevision.objects.get().taken_back_at, "the record keeps it"
        assert [version["origin"] for version in client.get(PAIR + "versions/").json()] == [
            "taken_back"
        ]
        assert self.take(client, number).json()["taken_back"] is False

    def test_a_repeat_without_a_key_leaves_a_later_submission(self, client):
        made = client.put(PAIR + "judgment/", body(explanation="vite"), **JSON).json()
        named = {"number": made["number"], "submission": made["submission"]}
        assert client.post(PAIR + "taking-back/", named, **JSON).json()["taken_back"] is True
        base = client.get(PAIR).json()["revision"]
        again = client.put(PAIR + "judgment/", body(base, explanation="mieux"), **JSON).json()
        assert again["number"] == made["number"]
        assert again["submission"] != made["submission"]
        assert client.post(PAIR + "taking-back/", named, **JSON).json()["taken_back"] is False
        assert said(Judgment.objects.get(), "explanation") == "mieux"

    def test_sent_again_under_its_key_it_takes_nothing_else_back(self, client):
        client.put(PAIR + "judgment/", body(), **JSON)
        first = self.take(client, **{"idempotency-key": "k"}).json()
        client.put(PAIR + "judgment/", body(1, explanation="mieux"), **JSON)
        again = self.take(client, **{"idempotency-key": "k"})
        assert (again.json(), again.headers["Idempotency-Replayed"]) == (first, "true")
        assert said(Judgment.objects.get(), "explanation") == "mieux"
        assert Event.objects.filter(verb="judgment_taken_back").count() == 1

    def test_refusals_say_why(self, client):
        client.put(PAIR + "judgment/", body(), **JSON)
        client.put(PAIR + "judgment/", body(1, explanation="corrigé"), **JSON)
        JudgmentRevision.objects.filter(number=2).update(
            submitted_at=timezone.now() - timedelta(minutes=11)
        )
        for number, code in ((1, "newer"), (2, "too_late")):
            answer = self.take(client, number)
            assert (answer.status_code, answer.json()["problems"][0]["code"]) == (422, code)
        assert self.take(client, 0).status_code == 400
        unknown = self.take(client, 42)
        assert (unknown.status_code, unknown.json()["problems"][0]["code"]) == (422, "unknown")
        Study.objects.filter(key="alpha").update(state="closed")
        assert (self.take(client, 2).status_code, self.take(client, 2).json()["type"]) == (
            409,
            "study_closed",
        )


def test_nothing_is_kept_or_noted_in_an_archived_study(cast: Cast, client):
    client.put(PAIR + "later/")
    study_archive(actor=cast.lead, study=cast.alpha, reason="Un essai.")
    for call in (client.put, client.delete):
        refused = call(PAIR + "later/")
        assert refused.status_code == 409
        assert refused.json()["type"].endswith("study_archived")
    assert client.get(PAIR).status_code == 200, "read it is"
    pair = Assignment.objects.get(annotator__user=cast.annotator, position=2)
    assert (pair.set_aside_at is None, pair.opened_at) == (False, None)


def test_pairs_kept_for_later_are_listed(client):
    assert client.put(PAIR + "later/").status_code == 200
    listed = client.get("/api/v1/my/studies/alpha/assignments/?state=aside").json()["results"]
    assert [(pair["position"], bool(pair["set_aside_at"])) for pair in listed] == [(2, True)]
    taken_up = client.delete(PAIR + "later/")
    assert (taken_up.status_code, set(taken_up.json())) == (200, {"next_position"}), (
        "as docs/openapi.yaml has it"
    )
    assert client.get("/api/v1/my/studies/alpha/assignments/?state=aside").json()["results"] == []
