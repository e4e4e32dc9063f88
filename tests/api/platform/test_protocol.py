"""What holds for every operation: problem details, entity tags, idempotency keys, throttles,
pages."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.models import Annotator, Event, IdempotencyRecord, Invitation, Lead, Study, User
from annotation.services.platform.idempotency import idempotency_expire
from annotation.services.studies.studies import guide_publish
from tests.cast import Cast
from tests.factories import make_study

STUDIES, ALPHA = "/api/v1/studies/", "/api/v1/studies/alpha/"
JSON = {"content_type": "application/json"}


def test_a_refusal_is_problem_details_with_each_field(cast: Cast, program):
    answer = program("lead").post(STUDIES, {"key": "a b", "hours_budget": "many"}, **JSON)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert (body["type"], body["status"]) == ("malformed", 400)
    assert {(problem["field"], problem["code"]) for problem in body["problems"]} == {
        ("title", "required"),
        ("key", "invalid"),
        ("hours_budget", "invalid"),
    }


def test_a_broken_rule_says_what_the_page_says(cast: Cast, program):
    answer = program("lead").post(STUDIES, {"key": "beta", "title": "Again"}, **JSON)
    assert answer.json() == {
        "type": "refused",
        "title": "Something has to be mended.",
        "status": 422,
        "problems": [
            {"field": "key", "code": "taken", "message": "This key is taken: choose another."}
        ],
    }
    french = program("lead").post(
        STUDIES, {"key": "beta", "title": "Again"}, **JSON, headers={"accept-language": "fr"}
    )
    assert "Cette clé est déjà prise" in french.json()["problems"][0]["message"]


def test_rows_that_cannot_go_in_are_each_named(cast: Cast, program):
    pairs = [
        {"original": "Une clause.", "simplification": "a"},
        {"original": "x", "simplification": " "},
        {"original": ""},
    ]
    answer = program("lead").post(ALPHA + "pairs/", {"pairs": pairs}, **JSON)
    assert answer.status_code == 422
    named = [
        (problem["row"], problem["field"], problem["code"]) for problem in answer.json()["problems"]
    ]
    assert named == [
        (2, "simplification", "empty"),
        (3, "original", "empty"),
        (3, "simplification", "empty"),
    ]
    assert all(problem["remedy"] for problem in answer.json()["problems"])
    nested = program("lead").post(
        ALPHA + "pairs/", {"pairs": [{"original": "a"}, {"original": ["b"]}]}, **JSON
    )
    assert _row_named(nested) == (2, "original", "invalid")


def _row_named(answer) -> tuple[int, str, str]:
    (problem,) = answer.json()["problems"]
    assert answer.status_code == 400
    assert problem["remedy"]
    assert problem["message"]
    return problem["row"], problem["field"], problem["code"]


def test_the_form_of_one_row_among_ten_thousand_is_named_as_its_words_are(cast: Cast, program):
    rows: list[Any] = [{"original": f"Clause {n}.", "simplification": "a"} for n in range(10_000)]
    rows[7317] = {"original": None, "simplification": "a"}
    answer = program("lead").post(ALPHA + "pairs/", {"pairs": rows}, **JSON)
    assert _row_named(answer) == (7318, "original", "null")
    rows[7317] = "Clause."
    answer = program("lead").post(ALPHA + "pairs/", {"pairs": rows}, **JSON)
    assert _row_named(answer) == (7318, "", "invalid")


def test_the_form_of_a_score_is_named_by_its_row(cast: Cast, program):
    Study.objects.filter(key="alpha").update(state="closed")
    rows = [
        {"pair": "item-0002/0", "metric": "lens", "score": 1},
        {"pair": "item-0002/1", "metric": "lens", "score": "high"},
    ]
    answer = program("lead").post(ALPHA + "metrics/scores/", {"scores": rows}, **JSON)
    assert _row_named(answer) == (2, "score", "invalid")
    rows[1] = {"pair": "item-0002/1", "score": 1}
    answer = program("lead").post(ALPHA + "metrics/scores/", {"scores": rows}, **JSON)
    assert _row_named(answer) == (2, "metric", "required")


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"data": "{", "content_type": "application/json"}, 400, "malformed"),
        ({"data": "a=b", "content_type": "text/plain"}, 415, "unsupported"),
        ({"data": "[]", "content_type": "application/json"}, 400, "malformed"),
    ],
)
def test_a_body_that_is_none_is_refused_in_the_same_form(cast: Cast, program, body, status, kind):
    answer = program("lead").post(STUDIES, **body)
    assert (answer.status_code, answer.json()["type"]) == (status, kind)


def test_what_one_has_already_is_not_sent_again(cast: Cast, program):
    client = program("lead")
    first = client.get(ALPHA)
    assert "private" in first["Cache-Control"]
    again = client.get(ALPHA, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Study.objects.filter(key="alpha").update(title="New")
    assert client.get(ALPHA, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_a_browser_keeps_nothing_of_what_it_reads(cast: Cast, program):
    """Names and addresses stayed on the disk of a computer that others use too."""
    people = f"{ALPHA}annotators/"
    assert program("lead").get(people)["Cache-Control"] == "private, no-cache"
    browser = cast.client("lead")
    first = browser.get(people)
    assert first["Cache-Control"] == "private, no-store"
    again = browser.get(people, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again["Cache-Control"]) == (304, "private, no-store")


@pytest.mark.parametrize(
    "headers",
    [
        {"if-match": "W/{tag}"},
        {"if-match": '"another"'},
        {"if-unmodified-since": "Tue, 01 Dec 2020 00:00:00 GMT"},
    ],
)
def test_a_read_looks_at_no_condition_of_writes(cast: Cast, program, headers):
    """Compression marks tags as weak: sent back with the next read, they were refused without a
    word."""
    client = program("lead")
    first = client.get(ALPHA)
    sent = {name: value.format(tag=first["ETag"]) for name, value in headers.items()}
    again = client.get(ALPHA, headers=sent)
    assert (again.status_code, again.json()) == (200, first.json())
    assert client.get(ALPHA, headers=sent | {"if-none-match": first["ETag"]}).status_code == 304


def test_a_condition_that_names_no_version_is_not_met(cast: Cast, program):
    client = program("lead")
    answer = client.patch(ALPHA, {"title": "Blind"}, **JSON, headers={"if-match": ""})
    assert (answer.status_code, answer.json()["type"]) == (412, "changed")
    assert client.get(ALPHA).json()["title"] != "Blind"


def test_a_change_builds_on_what_was_seen(cast: Cast, program):
    client = program("lead")
    seen = client.get(ALPHA)["ETag"]
    mine = client.patch(ALPHA, {"title": "Mine"}, **JSON, headers={"if-match": f"W/{seen}"})
    assert mine.status_code == 200
    theirs = client.patch(ALPHA, {"title": "Theirs"}, **JSON, headers={"if-match": seen})
    assert (theirs.status_code, theirs.json()["type"]) == (412, "changed")
    assert Study.objects.get(key="alpha").title == "Mine"
    retried = client.patch(
        ALPHA, {"title": "Theirs"}, **JSON, headers={"if-match": theirs.json()["etag"]}
    )
    assert retried.status_code == 200


@pytest.mark.parametrize(
    ("address", "body", "headers"),
    [
        (ALPHA, {"title": "Mine"}, {"idempotency-key": "one"}),
        (f"{ALPHA}plan/", {"per_item": 2}, {}),
    ],
)
def test_a_change_is_answered_with_the_tag_of_what_stands(
    cast: Cast, program, address, body, headers
):
    client = program("lead")
    changed = client.patch(address, body, **JSON, headers=headers)
    assert changed["ETag"] == client.get(address)["ETag"]
    again = client.patch(address, body, **JSON, headers={"if-match": changed["ETag"]})
    assert again.status_code == 200
    if headers:
        assert "ETag" not in client.patch(address, body, **JSON, headers=headers)


def test_a_write_that_is_sent_again_is_done_once(cast: Cast, program):
    client, new = program("lead"), {"key": "gamma", "title": "Gamma"}
    first = client.post(STUDIES, new, **JSON, headers={"idempotency-key": "one"})
    again = client.post(STUDIES, new, **JSON, headers={"idempotency-key": "one"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert Event.objects.filter(verb="study_created").count() == 1
    other = client.post(
        STUDIES, new | {"title": "Other"}, **JSON, headers={"idempotency-key": "one"}
    )
    assert (other.status_code, other.json()["problems"][0]["code"]) == (422, "reused")
    elsewhere = client.post(
        ALPHA + "pairs/", {"pairs": [{"original": "a"}]}, **JSON, headers={"idempotency-key": "one"}
    )
    assert elsewhere.status_code == 422


def test_an_answer_is_given_again_only_to_who_may_still_have_it(cast: Cast, program):
    client, change = program("lead"), {"title": "Mine"}
    assert (
        client.patch(ALPHA, change, **JSON, headers={"idempotency-key": "one"}).status_code == 200
    )
    made = client.post(
        STUDIES, {"key": "gamma", "title": "G"}, **JSON, headers={"idempotency-key": "two"}
    )
    assert made.status_code == 201
    Lead.objects.filter(user=cast.lead).delete()
    again = client.patch(ALPHA, change, **JSON, headers={"idempotency-key": "one"})
    assert (again.status_code, again.json()["type"]) == (404, "not_found")
    again = client.post(
        STUDIES, {"key": "gamma", "title": "G"}, **JSON, headers={"idempotency-key": "two"}
    )
    assert again.status_code == 404


def test_the_deletion_of_a_study_is_answered_again(cast: Cast, program):
    client, address = program("lead"), f"{STUDIES}seule/"
    make_study("seule", lead=cast.lead)
    sent = {**JSON, "headers": {"idempotency-key": "one"}}
    first, again = (client.delete(address, {"key": "seule"}, **sent) for _ in "ab")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    # Neither to somebody else, nor as a sign of which studies there are.
    assert program("other_lead").delete(address, {"key": "seule"}, **sent).status_code == 404
    for key in ("beta", "nothing"):
        body = {"key": key}
        assert client.delete(f"{STUDIES}{key}/", body, **sent).status_code == 422
    # Another of that key is somebody else's.
    make_study("seule", lead=cast.other_lead)
    assert client.delete(address, {"key": "seule"}, **sent).status_code == 404


def test_an_admin_s_answers_end_with_their_part(cast: Cast, program):
    client, address = program("admin"), f"/api/v1/people/{cast.annotator.pk}/"
    change = {"is_active": False, "reason": "départ"}
    assert (
        client.patch(address, change, **JSON, headers={"idempotency-key": "one"}).status_code == 200
    )
    assert (
        client.patch(address, change, **JSON, headers={"idempotency-key": "one"})[
            "Idempotency-Replayed"
        ]
        == "true"
    )
    User.objects.filter(pk=cast.admin.pk).update(is_admin=False)
    assert (
        client.patch(address, change, **JSON, headers={"idempotency-key": "one"}).status_code == 404
    )


def test_an_annotator_s_answers_end_with_their_part(cast: Cast, program):
    client, address = program("annotator"), "/api/v1/my/studies/alpha/guide/acknowledgement/"
    guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.", body_en="Read.")
    first = client.put(address, {"number": 1}, **JSON, headers={"idempotency-key": "one"})
    assert first.status_code in (200, 201, 204), first.json()
    Annotator.objects.filter(user=cast.annotator).update(withdrawn_at=timezone.now())
    assert (
        client.put(address, {"number": 1}, **JSON, headers={"idempotency-key": "one"}).status_code
        == 404
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"[" * 100_000, "nested"),
        (b"[" * 60 + b"]" * 60, "nested"),
        (b'{"title": ' + b"9" * 5000 + b"}", "number"),
        (b'{"title": 1e999}', "number"),
        (b'{"title": NaN}', "number"),
        (b'{"title": "\\ud800"}', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
        (b"\xff", "UTF-8"),
        (b"{", "UTF-8"),
    ],
)
def test_a_body_that_could_not_be_stored_is_refused_at_the_door(cast: Cast, program, body, said):
    answer = program("lead").patch(ALPHA, body, **JSON)
    assert (answer.status_code, answer.json()["type"]) == (400, "malformed")
    assert said in answer.json()["title"]


@pytest.mark.parametrize(
    ("address", "body", "place"),
    [
        (ALPHA, {"title": "a\x00b"}, {"field": "title"}),
        (ALPHA, {"\udfff": 1}, {"field": ""}),
        (
            ALPHA + "pairs/",
            {"pairs": [{"original": "Clause."}, {"original": "a\ud800"}]},
            {"field": "original", "row": 2},
        ),
        (ALPHA + "pairs/", {"pairs": [{"or\x00": "Clause."}]}, {"field": "", "row": 1}),
        (
            ALPHA + "metrics/scores/",
            {"scores": [{"pair": "\x00", "metric": "m", "score": 1}]},
            {"field": "pair", "row": 1},
        ),
        (ALPHA + "reminders/", {"annotators": ["A", "\x00"]}, {"field": "annotators.1"}),
    ],
)
def test_what_could_not_be_stored_is_named(cast: Cast, program, address, body, place):
    method = "patch" if address == ALPHA else "post"
    answer = getattr(program("lead"), method)(address, json.dumps(body), **JSON)
    (problem,) = answer.json()["problems"]
    assert (answer.status_code, problem.pop("code")) == (400, "character")
    assert "surrogate" in problem.pop("message")
    assert bool(problem.pop("remedy", "")) == ("row" in place)
    assert problem == place


def test_a_key_is_its_owner_s_and_never_stored_as_it_is(cast: Cast, program):
    for role, key in (("lead", "gamma"), ("other_lead", "delta")):
        new = {"key": key, "title": key}
        assert (
            program(role)
            .post(STUDIES, new, **JSON, headers={"idempotency-key": "the-key"})
            .status_code
            == 201
        )
    assert IdempotencyRecord.objects.count() == 2
    assert not IdempotencyRecord.objects.filter(key_digest__contains="the-key").exists()


def test_a_refused_write_may_be_mended_under_its_key(cast: Cast, program):
    client = program("lead")
    assert (
        client.post(
            STUDIES, {"key": "beta", "title": "B"}, **JSON, headers={"idempotency-key": "k"}
        ).status_code
        == 422
    )
    assert not IdempotencyRecord.objects.exists()
    assert (
        client.post(
            STUDIES, {"key": "fine", "title": "B"}, **JSON, headers={"idempotency-key": "k"}
        ).status_code
        == 201
    )


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_a_key_has_a_length(cast: Cast, program, key):
    answer = program("lead").post(ALPHA + "assignments/", **JSON, headers={"idempotency-key": key})
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (422, "Idempotency-Key")


def test_a_link_that_is_shown_once_is_stored_nowhere(cast: Cast, program):
    client, who = program("lead"), {"email": "new@example.org", "role": "annotator"}
    first = client.post(
        ALPHA + "invitations/", who, **JSON, headers={"idempotency-key": "k"}
    ).json()
    again = client.post(
        ALPHA + "invitations/", who, **JSON, headers={"idempotency-key": "k"}
    ).json()
    assert "/account/invitation/" in first["link"]
    assert again == first | {"link": ""}
    assert Invitation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, {"idempotency-key": "k"}])
def test_no_transaction_waits_for_the_mail_server(
    cast: Cast, program, settings, monkeypatch, headers
):
    """On SQLite one that does stops everybody's answers; and a letter must not leave before its
    link is stored."""
    settings.EMAIL_HOST = "mail.example"
    seen = []

    def send(letter) -> bool:
        seen.append((transaction.get_connection().in_atomic_block, Invitation.objects.count()))
        return True

    monkeypatch.setattr("api.people.views.letter_send", send)
    client, who = program("lead"), {"email": "new@example.org", "role": "annotator"}
    made = client.post(ALPHA + "invitations/", who, **JSON, headers=headers)
    assert (made.status_code, made.json()["mailed"], seen) == (201, True, [(False, 1)])
    if headers:
        again = client.post(ALPHA + "invitations/", who, **JSON, headers=headers)
        assert again.json() == made.json() | {"link": ""}
        assert len(seen) == 1


@pytest.mark.django_db(transaction=True)
def test_a_letter_that_never_left_is_not_said_to_have(cast: Cast, program, settings, monkeypatch):
    """The server is killed while the mail server is asked: the invitation stands, its repetition
    says what is known."""
    settings.EMAIL_HOST = "mail.example"

    def die(letter) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("api.people.views.letter_send", die)
    client, who = program("lead"), {"email": "new@example.org", "role": "annotator"}
    with pytest.raises(KeyboardInterrupt):
        client.post(ALPHA + "invitations/", who, **JSON, headers={"idempotency-key": "k"})
    again = client.post(ALPHA + "invitations/", who, **JSON, headers={"idempotency-key": "k"})
    assert (again.status_code, again.json()["mailed"], again.json()["link"]) == (201, False, "")
    assert Invitation.objects.count() == 1


def test_a_file_is_told_from_another_by_its_content(cast: Cast, program, tmp_path):
    client = program("lead")

    def sent(content: str, key: str = "k"):
        file = tmp_path / "pairs.csv"
        file.write_text(content)
        with file.open("rb") as opened:
            return client.post(
                ALPHA + "pairs/file/", {"file": opened}, headers={"idempotency-key": key}
            )

    first = sent("original,simplification\nUne clause.,Une phrase.\n")
    assert (first.status_code, first.json()) == (
        201,
        {
            "items": 1,
            "simplifications": 1,
            "skipped": 0,
            "judgments": 0,
            "judges": 0,
            "attached": 0,
            "columns_left_out": [],
            "encoding_guessed": "",
            "rows_hidden": [],
        },
    )
    assert sent("original,simplification\nUne clause.,Une phrase.\n").json() == first.json()
    assert sent("original,simplification\nAutre.,Autre phrase.\n").status_code == 422
    again = sent("original,simplification\nUne clause.,Une phrase.\n", "other")
    assert again.json()["problems"][0]["code"] == "duplicate_in_study"


def test_records_go_after_a_week(cast: Cast, program):
    program("lead").post(ALPHA + "assignments/", **JSON, headers={"idempotency-key": "k"})
    assert idempotency_expire() == 0
    record = IdempotencyRecord.objects.get()
    IdempotencyRecord.objects.update(created_at=record.created_at.replace(year=2020))
    assert idempotency_expire() == 1


def test_one_person_is_throttled_whatever_the_number_of_their_tokens(cast: Cast, program, settings):
    settings.API_REQUESTS_PER_MINUTE = 2
    assert [program("lead").get("/api/v1/me/").status_code for _ in range(3)] == [200, 200, 429]
    answer = program("lead").get("/api/v1/me/")
    assert answer.json()["type"] == "throttled"
    assert 0 < int(answer["Retry-After"]) <= 60
    assert program("other_lead").get("/api/v1/me/").status_code == 200


def test_a_long_list_comes_in_pages(cast: Cast, program):
    client, url, keys = program("lead"), ALPHA + "items/?page_size=2", []
    while url:
        page = client.get(url).json()
        keys += [item["key"] for item in page["results"]]
        url = page["next"]
    assert keys == ["item-0001", "item-0002", "item-0003"]
    assert client.get(ALPHA + f"items/?cursor={uuid.uuid4()}").status_code in (200, 400)
    assert [
        item["key"] for item in client.get(ALPHA + "items/?round=practice").json()["results"]
    ] == ["item-0001"]


def test_a_program_is_told_when_a_question_is_asked(cast: Cast, program):
    described = program("lead").get("/api/v1/protocols/legal_meaning/1/").json()
    fields = {field["name"]: field for step in described["steps"] for field in step["fields"]}
    assert fields["characterization"]["required"]
    conditions = {
        name: (field["shown_when"], field["required_when"])
        for name, field in fields.items()
        if field["shown_when"] or field["required_when"]
    }
    others = {"field": "characterization", "values": [18]}
    assert list(conditions.values()) == [(others, others)]


@pytest.mark.parametrize("size", ["abc", "0", "-5", "1.5", ""])
def test_a_size_of_a_page_that_is_none_is_refused(cast: Cast, program, size):
    answer = program("lead").get(f"{ALPHA}items/?page_size={size}")
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == "page_size"


def test_more_than_the_most_of_a_page_is_the_most(cast: Cast, program):
    assert program("lead").get(f"{ALPHA}items/?page_size=501").status_code == 200


@pytest.mark.parametrize(
    "body", ['{"title": "A", "title": "B"}', '{"rulings": {"a": [{"b": 1, "b": 1}]}}']
)
def test_neither_of_two_members_of_one_name_is_taken(cast: Cast, program, body):
    answer = program("lead").patch(ALPHA, body, **JSON)
    assert (answer.status_code, answer.json()["type"]) == (400, "malformed")
    assert "two members of one name" in answer.json()["title"]
    assert Study.objects.get(key="alpha").title not in ("A", "B")
