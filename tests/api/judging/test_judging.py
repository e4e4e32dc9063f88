"""Drafts and judgments through the API: the same promises as on the page."""

from __future__ import annotations

import uuid

import pytest

from annotation.models import (
    Draft,
    Judgment,
    JudgmentRevision,
    RemarkAnswer,
    Simplification,
    Study,
)
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


@pytest.mark.parametrize("own", ["6f1d8f0e-6f0a-4a51-9d3c-2f6f2b1a7c11", "save-2"])
def test_the_key_of_a_peer_neither_tells_of_their_save_nor_stands_in_its_way(
    client, program, cast, own
):
    """What a text stands for can be computed from it and the peer's number."""
    peer = program("peer")
    text = f"{cast.annotator.pk}:{PAIR}draft/:{own}"
    keys = [own, str(uuid.uuid5(uuid.NAMESPACE_URL, text))]
    for revision, key in enumerate(keys):
        answer = peer.put(
            PAIR + "draft/", body(revision, comment=key), **JSON, headers={"idempotency-key": key}
        )
        assert (answer.status_code, answer.json()["replayed"]) == (200, False)
    for replayed in (False, True):
        answer = client.put(PAIR + "draft/", body(), **JSON, headers={"idempotency-key": own})
        assert (answer.status_code, answer.json()["replayed"]) == (200, replayed)


def test_a_save_on_an_older_revision_overwrites_nothing(client):
    client.put(PAIR + "draft/", body(explanation="theirs"), **JSON)
    answer = client.put(PAIR + "draft/", body(explanation="mine"), **JSON)
    assert (answer.status_code, answer.json()["type"]) == (409, "stale")
    assert answer.json()["current"]["answers"]["explanation"] == "theirs"
    assert answer.json()["current"]["saved_at"] == client.get(PAIR).json()["saved_at"]
    assert Draft.objects.get().answers["explanation"] == "theirs"


def test_a_refused_submission_is_kept_as_a_draft(client):
    answer = client.put(PAIR + "judgment/", body(characterization=None), **JSON)
    assert answer.status_code == 422
    assert answer.json()["revision"] == 1
    assert answer.json()["saved_at"] == client.get(PAIR).json()["saved_at"]
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
        "again", "remark_answers",
    }  # fmt: skip


FINDINGS = ("is_identical", "is_other_language")


def findings(client, url: str = PAIR) -> list[bool | None]:
    facts = client.get(url).json()["facts"]
    assert facts["original_length"] > 0
    return [facts[name] for name in FINDINGS]


def test_what_a_machine_finds_is_said_after_the_answer_that_it_concerns(client):
    Simplification.objects.update(is_identical=True)
    following = "/api/v1/my/studies/alpha/next/"
    assert findings(client) == findings(client, following) == [None, None]
    # Any other answer opens nothing.
    client.put(PAIR + "draft/", body(simplicity=None, bracket=None), **JSON)
    assert findings(client) == [None, None]
    client.put(PAIR + "draft/", body(1, simplicity=1), **JSON)
    assert findings(client) == [True, False]
    # Taken back, it is asked anew.
    client.put(PAIR + "draft/", body(2, simplicity=None), **JSON)
    assert findings(client) == [None, None]
    refused = client.put(PAIR + "judgment/", body(3, simplicity=1), **JSON)
    assert [problem["code"] for problem in refused.json()["problems"]] == ["contradiction"]
    confirmed = body(4, simplicity=1, simplicity_confirmed=True)
    assert client.put(PAIR + "judgment/", confirmed, **JSON).status_code == 200
    assert findings(client) == [True, False]


def test_what_a_lead_answers_and_why_a_pair_is_sent_back_is_read_with_it(client, cast, program):
    pair = client.get(PAIR).json()
    assert (pair["remark_answers"], pair["again"]) == ([], "")
    client.put(PAIR + "judgment/", body(comment="Une question."), **JSON)
    lead = program("lead")
    (remark,) = lead.get("/api/v1/studies/alpha/remarks/").json()["results"]
    answered = lead.post(
        f"/api/v1/studies/alpha/remarks/{remark['assignment']}/answers/", {"text": "Oui."}, **JSON
    )
    assert answered.status_code == 201
    assert RemarkAnswer.objects.get().read_at is None
    assert client.get(PAIR).json()["remark_answers"] == [answered.json()]
    assert RemarkAnswer.objects.get().read_at is not None
    sent_back = lead.post(
        "/api/v1/studies/alpha/rejudging/",
        {"items": [remark["item"]], "reason": "Le guide a changé."},
        **JSON,
    )
    assert sent_back.status_code == 200
    assert client.get(PAIR).json()["again"] == "Le guide a changé."
