"""Drafts and judgments through the API: the same promises as on the page."""

from __future__ import annotations

import uuid

import pytest

from annotation.models import Draft, Judgment, JudgmentRevision, Study
from tests.cast import Cast
from tests.factories import answers

PAIR = "/api/v1/my/studies/alpha/assignments/2/"
JSON = {"content_type": "application/json"}


def body(base_revision: int = 0, **changed):
    return {"answers": answers(**changed), "base_revision": base_revision}


@pytest.fixture
def client(cast: Cast, program):
    return program("annotator")


def test_the_next_pair_is_judged_until_there_is_none(client):
    seen = []
    while (answer := client.get("/api/v1/my/studies/alpha/next/")).status_code == 200:
        pair = answer.json()
        seen.append(pair["position"])
        submitted = client.put(
            f"/api/v1/my/studies/alpha/assignments/{pair['position']}/judgment/", body(), **JSON
        )
        assert submitted.json()["score"] == 9
    assert answer.status_code == 204
    assert seen == [2, 3]
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 2
    mine = client.get("/api/v1/my/studies/alpha/assignments/?state=submitted").json()["results"]
    assert [row["position"] for row in mine] == [2, 3]
    assert all(row["submitted_at"] for row in mine)


def test_a_save_that_is_sent_again_changes_nothing(client):
    for key in (str(uuid.uuid4()), "any text"):
        before = client.get(PAIR).json()["revision"]
        headers = {"idempotency-key": key}
        first = client.put(
            PAIR + "draft/", body(before, explanation=key), **JSON, headers=headers
        ).json()
        again = client.put(
            PAIR + "draft/", body(before, explanation=key), **JSON, headers=headers
        ).json()
        assert (first["replayed"], again["replayed"]) == (False, True)
        assert again["revision"] == first["revision"] == before + 1


def test_a_save_on_an_older_revision_overwrites_nothing(client):
    client.put(PAIR + "draft/", body(explanation="theirs"), **JSON)
    answer = client.put(PAIR + "draft/", body(explanation="mine"), **JSON)
    assert (answer.status_code, answer.json()["type"]) == (409, "stale")
    assert answer.json()["current"]["answers"]["explanation"] == "theirs"
    assert Draft.objects.get().answers["explanation"] == "theirs"


def test_a_refused_submission_is_kept_as_a_draft(client):
    answer = client.put(PAIR + "judgment/", body(characterization=None), **JSON)
    assert answer.status_code == 422
    assert answer.json()["revision"] == 1
    assert [problem["field"] for problem in answer.json()["problems"]] == ["characterization"]
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"simplicity": 7}, "simplicity"),
        ({"new": 1}, "new"),
        ({"errors": [{"type": ["omission"]}]}, "errors.0.type"),
        ({"errors": [{"type": {"a": 1}}]}, "errors.0.type"),
        ({"bracket": "three"}, "bracket"),
    ],
)
def test_answers_that_the_protocol_does_not_know_are_refused_by_name(client, wrong, field):
    answer = client.put(PAIR + "draft/", body(**wrong), **JSON)
    assert answer.status_code in (400, 422)
    assert [problem["field"] for problem in answer.json()["problems"]] == [field]
    assert not Draft.objects.exists()


def test_a_closed_study_takes_no_answers(client):
    Study.objects.filter(key="alpha").update(state="closed")
    answer = client.put(PAIR + "judgment/", body(), **JSON)
    assert (answer.status_code, answer.json()["type"]) == (409, "study_closed")


def test_a_body_beyond_reason_is_not_read(client):
    answer = client.put(PAIR + "draft/", body(explanation="x" * 300_000), **JSON)
    assert (answer.status_code, answer.json()["type"]) == (413, "too_large")


def test_a_corrected_judgment_leaves_its_history(client):
    client.put(PAIR + "judgment/", body(), **JSON)
    client.put(PAIR + "judgment/", body(1, characterization=9), **JSON)
    history = client.get(PAIR + "history/").json()
    assert [
        (revision["number"], revision["answers"]["characterization"]) for revision in history
    ] == [
        (2, 9),
        (1, 7),
    ]
    assert JudgmentRevision.objects.count() == 2


def test_what_an_annotator_reads_of_a_pair_is_this_and_nothing_else(client):
    assert set(client.get(PAIR).json()) == {
        "position", "number", "round", "original", "simplification", "context_before", "context_after", "facts",  # noqa: E501
        "answers", "revision", "saved_at",
        "active_seconds", "submitted_at", "has_unsent_changes", "editable",
    }  # fmt: skip
