"""What a lead decides, by program: the same services as the pages, the same refusals, scopes, tags
and keys."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import (
    Adjudication,
    Annotator,
    Assignment,
    Event,
    Item,
    PracticeNote,
    RejudgeRequest,
    Study,
    User,
)
from annotation.models.document import SourceDocument
from annotation.services.judging.judgments import judgment_submit
from annotation.services.people.invitations import invitation_accept, invitation_create
from annotation.services.scoring.scorers import scorer_in_service
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.documents import CONTRACT, HARD
from tests.factories import answers, make_annotator, make_study, make_user, save
from tests.practising import pairs, people, practice_study, submit
from tests.scorers.rows import make_scorer

pytestmark = pytest.mark.django_db


def send(
    client: Client, method: str, url: str, body: Any = None, status: int = 200, **headers: str
) -> Any:
    """The decoded answer, which must have this status."""
    # No body at all where there is none: of None the test client makes the text «None».
    options = {} if body is None else {"data": body, "content_type": "application/json"}
    response = getattr(client, method)(f"/api/v1/{url}", **options, headers=headers)
    assert response.status_code == status, response.content
    return response.json() if response.content else None


@pytest.fixture
def lead(cast: Cast) -> Client:
    return bearer(cast.lead)


class TestDocuments:
    @pytest.fixture
    def draft(self, cast: Cast) -> Study:
        return make_study("draft", lead=cast.lead)

    def upload(self, client: Client, **headers: str) -> Any:
        file = SimpleUploadedFile("contrat.txt", CONTRACT.encode())
        response = client.post("/api/v1/studies/draft/documents/", {"file": file}, headers=headers)
        assert response.status_code == 201, response.content
        return response.json()

    def test_from_the_file_to_items_and_back(self, lead, draft):
        document = self.upload(lead)
        base = f"studies/draft/documents/{document['id']}/"
        assert (document["kept"], document["criteria"]["most_sentences"]) == (5, 5)
        assert [row["id"] for row in send(lead, "get", "studies/draft/documents/")["results"]] == [
            document["id"]
        ]
        first = send(lead, "get", f"{base}blocks/?limit=2")
        rest = send(lead, "get", f"{base}blocks/?after={first['after']}")
        assert [block["text"] for block in first["results"] + rest["results"]] == list(HARD)
        assert rest["after"] is None
        preview = send(lead, "get", f"{base}draw/?practice=1&main=2&seed=3")
        drawn = send(lead, "post", f"{base}draw/", {"practice": 1, "main": 2, "seed": 3}, 201)
        assert len(drawn["items"]) == 3
        texts = {block["text"] for part in preview.values() for block in part}
        assert texts == set(Item.objects.filter(study=draft).values_list("original", flat=True))
        assert send(lead, "delete", f"{base}", status=422)["problems"]
        assert send(lead, "delete", f"{base}draw/") == {"changed": 3}
        send(lead, "delete", base, status=204)
        assert not SourceDocument.objects.exists()

    def test_a_block_is_rescued_and_left_again(self, lead, draft):
        document = self.upload(lead)
        base = f"studies/draft/documents/{document['id']}/blocks/"
        dropped = send(lead, "get", f"{base}?show=dropped")["results"][0]
        assert dropped["reasons"]
        assert (
            send(lead, "put", f"{base}{dropped['key']}/", {"keep": True, "reason": "fits"})[
                "rescued"
            ]
            == 1
        )
        assert send(lead, "get", f"{base}?show=manual")["results"][0]["kept"]
        assert send(lead, "delete", f"{base}{dropped['key']}/")["rescued"] == 0

    def test_criteria_are_not_overwritten_unseen(self, lead, draft):
        url = f"studies/draft/documents/{self.upload(lead)['id']}/criteria/"
        seen = lead.get(f"/api/v1/{url}")
        wanted = seen.json() | {"hardest_only": None}
        tag = {"if-match": seen["ETag"]}
        assert send(lead, "put", url, wanted, **tag)["criteria"]["hardest_only"] is None
        assert send(lead, "put", url, wanted, 412, **tag)["type"] == "changed"
        assert "most_sentences" in str(
            send(lead, "put", url, wanted | {"fewest_sentences": 9}, 400)["problems"]
        )

    def test_an_upload_sent_twice_is_stored_once(self, lead, draft):
        ids = {self.upload(lead, **{"idempotency-key": "one"})["id"] for _ in range(2)}
        assert len(ids) == SourceDocument.objects.count() == 1


class TestPractice:
    @pytest.fixture
    def study(self, cast: Cast) -> Study:
        return practice_study(cast.lead)

    def test_the_meeting(self, lead, study):
        base = "studies/pratique/practice/"
        assert send(lead, "post", f"{base}meeting/", {}, 422)["problems"][0]["field"] == "reason"
        made = send(lead, "post", f"{base}meeting/", {"reason": "time is short"}, 201)
        assert (made["shows_names"], made["closed_at"]) == (False, None)
        assert send(lead, "patch", f"{base}meeting/", {"shows_names": True})["shows_names"]
        assert send(lead, "delete", f"{base}meeting/")["closed_at"]
        assert send(lead, "get", base)["meeting"]["reason"] == "time is short"

    def test_notes_references_and_feedback(self, lead, study):
        first, second = pairs(study)
        for annotator in people(study):
            for pair in (first, second):
                submit(annotator, pair)
        practice = send(lead, "get", "studies/pratique/practice/")
        assert [(pair["pair"], pair["judged"]) for pair in practice["pairs"]] == [
            (first.pk, 2),
            (second.pk, 2),
        ]
        base = f"studies/pratique/practice/pairs/{first.pk}/"
        shown = send(lead, "get", base)
        assert [voice["name"] for voice in shown["voices"]] == ["A", "B"]
        adopted = send(
            lead, "put", f"{base}reference/", {"judgment": shown["voices"][0]["judgment"]}
        )
        assert (
            adopted["reference"]["characterization"]
            == shown["voices"][0]["answers"]["characterization"]
        )
        seen = lead.get(f"/api/v1/{base}note/")
        wanted = {"note": "Voyez l'exception.", "reference": answers(comment="")}
        assert (
            send(lead, "put", f"{base}note/", wanted, **{"if-match": seen["ETag"]})["note"]
            == wanted["note"]
        )
        assert (
            send(lead, "put", f"{base}note/", wanted, 412, **{"if-match": seen["ETag"]})["type"]
            == "changed"
        )
        assert send(lead, "post", "studies/pratique/practice/feedback/") == {"changed": 1}
        assert PracticeNote.objects.get().published_at

    def test_a_main_pair_is_no_practice_pair(self, lead, study):
        main = Item.objects.get(study=study, round="main").simplifications.get()
        refusal = send(lead, "get", f"studies/pratique/practice/pairs/{main.pk}/", status=404)
        assert refusal["type"] == "not_found"


def judged(cast: Cast, *values: Any) -> int:
    """One main pair, judged by the annotator and the peer; its id."""
    pair = Item.objects.filter(study=cast.alpha, round="main")[0].simplifications.get()
    for user, changed in zip((cast.annotator, cast.peer), values, strict=True):
        assignment = Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        ).get(annotator=Annotator.objects.get(study=cast.alpha, user=user), simplification=pair)
        judgment_submit(actor=user, assignment=assignment, save=save(**changed))
    return pair.pk


class TestAdjudication:
    def test_a_case_is_settled_and_taken_back(self, cast: Cast, lead):
        pair = judged(cast, {"characterization": 7}, {"characterization": 9})
        queue = send(lead, "get", "studies/alpha/adjudication/?dimension=characterization")
        assert [(case["simplification"], case["state"]) for case in queue["cases"]] == [
            (pair, "open")
        ]
        url = f"studies/alpha/adjudication/{pair}/characterization/"
        case = send(lead, "get", url)
        assert {voice["name"] for voice in case["voices"]} == {"1", "2"}
        assert {voice["name"] for voice in send(lead, "get", f"{url}?names=1")["voices"]} == {
            "A",
            "B",
        }
        ruling = {"outcome": "settled", "value": 7, "reasons": "Art. 2", "digest": case["digest"]}
        assert send(lead, "put", url, ruling | {"digest": "old"}, 422)["problems"]
        settled = send(lead, "put", url, ruling)
        assert settled["ruling"]["value"] == 7
        divided = {"outcome": "divided", "reasons": "Art. 3"}
        unseen = send(lead, "put", url, divided | {"digest": case["digest"]}, 422)
        assert [problem["code"] for problem in unseen["problems"]] == ["ruled"]
        for name, value in (("value", 3), ("marks", [])):
            (problem,) = send(lead, "put", url, divided | {name: value}, 400)["problems"]
            assert (problem["field"], problem["code"]) == (name, "not_taken")
        seen = divided | {"value": None, "digest": settled["digest"]}
        assert send(lead, "put", url, seen)["ruling"]["outcome"] == "divided"
        assert send(lead, "get", "studies/alpha/adjudication/?state=ruled")["cases"]
        send(lead, "delete", url, status=204)
        send(lead, "delete", url, status=404)
        assert not Adjudication.objects.filter(superseded_at=None)

    def test_thresholds_are_not_overwritten_unseen(self, lead, cast: Cast):
        url = "studies/alpha/adjudication/rules/"
        seen = lead.get(f"/api/v1/{url}")
        wanted = seen.json() | {"score_range": 1.0}
        assert send(lead, "put", url, wanted, **{"if-match": seen["ETag"]})["score_range"] == 1.0
        send(lead, "put", url, wanted, 412, **{"if-match": seen["ETag"]})

    def test_each_scale_has_its_threshold(self, lead, cast: Cast):
        make_study("jades", lead=cast.lead, protocol_key="jades")
        url = "studies/jades/adjudication/rules/"
        seen = send(lead, "get", url)
        assert (seen["score_range"], seen["score_ranges"]) == (1.0, {})
        own = {"score_ranges": {"fluency": 2.0}}
        assert send(lead, "put", url, seen | own) == seen | own
        refused = send(lead, "put", url, seen | {"score_ranges": {"fluency": 4}}, 422)
        assert refused["problems"][0]["field"] == "score_ranges.fluency"
        plain = {"majority_share": 0.6, "score_range": 2.0, "fewest_ratings": 2}
        # A program that does not know of single scales leaves them as they are.
        assert send(lead, "put", url, plain) == plain | own
        assert send(lead, "put", url, plain | {"score_ranges": {}})["score_ranges"] == {}

    @pytest.mark.parametrize(
        "url", ["adjudication/{}/nothing/", "adjudication/999999/legal_meaning/"]
    )
    def test_what_is_no_case(self, cast: Cast, lead, url):
        refusal = send(lead, "get", f"studies/alpha/{url.format(judged(cast, {}, {}))}", status=404)
        assert refusal["type"] == "not_found"


class TestRejudging:
    def test_sent_back_and_taken_back(self, cast: Cast, lead):
        judged(cast, {}, {"doubt": True})
        [row] = send(lead, "get", "studies/alpha/rejudging/")
        assert (row["judgments"], row["doubts"], row["classes"]) == (2, 1, [7])
        wanted = {"items": [row["item"]], "reason": "The guide changed"}
        for _ in range(2):
            assert send(
                lead, "post", "studies/alpha/rejudging/", wanted, **{"idempotency-key": "k"}
            ) == {"changed": 2}
        assert send(lead, "delete", "studies/alpha/rejudging/") == {"changed": 2}
        assert not RejudgeRequest.objects.exists()

    def test_a_key_of_no_item_sends_nothing_back(self, cast: Cast, lead):
        """Whoever misspelt it would believe it sent back."""
        judged(cast, {}, {"doubt": True})
        [row] = send(lead, "get", "studies/alpha/rejudging/")
        for items, code in (([row["item"], "nope", "no\tpe"], "missing"), ([], "nothing")):
            wanted = {"items": items, "reason": "The guide changed"}
            [problem] = send(lead, "post", "studies/alpha/rejudging/", wanted, 422)["problems"]
            assert (problem["field"], problem["code"]) == ("items", code)
            assert ("nope, no\ufffdpe." in problem["message"]) == (code == "missing")
        assert not RejudgeRequest.objects.exists()

    def test_a_blind_phase_tells_no_class(self, cast: Cast, lead):
        judged(cast, {}, {"doubt": True})
        Study.objects.filter(pk=cast.alpha.pk).update(is_blind=True)
        [row] = send(lead, "get", "studies/alpha/rejudging/")
        assert (row["judgments"], row["doubts"], row["classes"]) == (2, 0, [])
        assert (
            send(lead, "get", "studies/alpha/adjudication/", status=403)["type"] == "answers_hidden"
        )


class TestScorers:
    def test_back_to_none_with_a_reason(self, cast: Cast):
        admin, scorer = bearer(cast.admin), make_scorer()
        type(scorer).objects.filter(pk=scorer.pk).update(
            promoted_at="2026-01-01T00:00Z", promoted_reason="first"
        )
        wanted = {"target": scorer.target, "reason": "It errs"}
        assert send(admin, "post", "scorers/reversions/", wanted)["version"] is None
        assert scorer_in_service(scorer.target) is None
        assert Event.objects.get(verb="scorer_reverted").actor == cast.admin


@pytest.mark.parametrize("url", ["practice/meeting/", "adjudication/rules/", "rejudging/"])
def test_a_key_that_may_only_read_changes_nothing(cast: Cast, url):
    for method in ("post", "put", "patch", "delete"):
        refusal = send(bearer(cast.lead, "read"), method, f"studies/alpha/{url}", {}, status=403)
        assert refusal["type"] == "missing_scope"


def test_somebody_else_s_rows_are_not_there(cast: Cast):
    make_annotator(cast.beta, make_user())
    pair = judged(cast, {}, {})
    other = bearer(cast.other_lead)
    for study in ("beta", "alpha"):
        url = f"studies/{study}/adjudication/{pair}/legal_meaning/"
        assert send(other, "get", url, status=404)["type"] == "not_found"


class TestGoingBack:
    def test_what_it_takes_is_told_first_then_it_is_done(self, lead, cast):
        state = send(lead, "get", "studies/alpha/state/")
        assert (state["next"], state["taken"]["begun"]) == (["closed", "draft"], False)
        assert state["taken"]["pairs"] > 0
        study = send(lead, "post", "studies/alpha/state/", {"to": "draft", "reason": "Too early."})
        assert study["state"] == "draft"
        state = send(lead, "get", "studies/alpha/state/")
        assert (state["next"], state["taken"]) == (["practice", "main"], None)
        judge = bearer(cast.annotator)
        assert send(judge, "get", "my/studies/")["results"] == []


def test_a_guide_made_from_another_version_than_the_one_in_force_is_refused(lead, cast):
    url = "studies/alpha/guides/"
    first = send(lead, "post", url, {"body_fr": "un", "builds_on": 0}, 201)
    assert "builds_on" not in first
    refused = send(lead, "post", url, {"body_fr": "deux", "builds_on": 0}, 422)
    assert [problem["field"] for problem in refused["problems"]] == ["builds_on"]
    assert send(lead, "post", url, {"body_fr": "deux", "builds_on": 1}, 201)["number"] == 2


class TestUnprovenAccounts:
    """Whoever made the link may have opened it themselves."""

    @pytest.fixture
    def planted(self, cast: Cast) -> str:
        email = "directrice@univ.example"
        _invitation, token = invitation_create(
            actor=cast.other_lead, study=cast.beta, email=email, role="lead"
        )
        invitation_accept(token=token, name="Directrice", password="un-bon-mot-de-passe")
        return email

    @pytest.mark.parametrize("part", ["leads", "annotators"])
    def test_added_once_vouched_for(self, lead, planted, part):
        url = f"studies/alpha/{part}/"
        (problem,) = send(lead, "post", url, {"email": planted}, 422)["problems"]
        assert (problem["field"], problem["code"]) == ("vouched", "unproven")
        assert send(lead, "post", url, {"email": planted, "vouched": True}, 201)["email"] == planted

    def test_made_an_admin_once_vouched_for(self, cast, planted):
        admin = bearer(cast.admin)
        url = f"people/{User.objects.get(email=planted).pk}/"
        body = {"is_admin": True, "reason": "relève"}
        (problem,) = send(admin, "patch", url, body, 422)["problems"]
        assert (problem["field"], problem["code"]) == ("vouched", "unproven")
        assert send(admin, "patch", url, body | {"vouched": True})["is_admin"]
        assert Event.objects.get(verb="address_vouched").actor == cast.admin


class TestEnding:
    def test_put_away_and_brought_back(self, lead, cast):
        url = "studies/alpha/archive/"
        assert send(lead, "put", url, {"reason": "An essay."})["archived_at"]
        assert send(lead, "get", "studies/")["results"] == []
        kept = send(lead, "get", "studies/?archived=true")["results"]
        assert [study["key"] for study in kept] == ["alpha"]
        refused = send(lead, "post", "studies/alpha/guides/", {"body_fr": "Lisez."}, 409)
        assert refused["type"].endswith("study_archived")
        judge = bearer(cast.annotator)
        body = {"answers": answers(), "base_revision": 0, "key": str(uuid.uuid4())}
        url_ = "my/studies/alpha/assignments/2/draft/"
        assert send(judge, "put", url_, body, 409)["type"].endswith("study_closed")
        assert send(lead, "delete", url)["archived_at"] is None

    @pytest.mark.parametrize(
        ("method", "to", "body"),
        [
            ("patch", "plan/", {}),
            ("patch", "plan/", {"per_item": 99}),
            ("put", "glossary/", {"terms": []}),
            ("put", "plan/part/", {"passages": 2, "seed": 1}),
            ("delete", "plan/part/", None),
            ("post", "state/", {"to": "main"}),
        ],
    )
    def test_archived_is_said_before_what_else_is_wrong(self, lead, method, to, body):
        send(lead, "put", "studies/alpha/archive/", {"reason": "An essay."})
        refused = send(lead, method, f"studies/alpha/{to}", body, 409)
        assert refused["type"].endswith("study_archived")

    def test_deleted_with_what_it_holds(self, lead, cast):
        study = make_study("gamma", lead=cast.lead)
        contents = send(lead, "get", "studies/gamma/contents/")
        assert (contents["deletable"], contents["leads"]) == (True, 1)
        send(lead, "delete", "studies/gamma/", {"key": "beta"}, 422)
        assert send(lead, "delete", "studies/gamma/", {"key": "gamma"}) == contents
        send(lead, "get", "studies/gamma/", status=404)
        admin = bearer(cast.admin)
        (gone,) = send(admin, "get", "deleted-studies/")["results"]
        assert (gone["key"], gone["number"]) == ("gamma", study.pk)
        trail = send(admin, "get", f"deleted-studies/{study.pk}/events/")["results"]
        assert [event["verb"] for event in trail] == ["study_deleted"]
        for number in (cast.alpha.pk, 999999):
            answer = send(admin, "get", f"deleted-studies/{number}/events/", status=404)
            assert answer["type"] == "not_found"


def test_what_was_done_in_no_study(lead, cast):
    before = Event.objects.create(actor=cast.admin, verb="scorer_promoted", details={"version": 3})
    assert Event.objects.filter(study=cast.alpha).exists()
    events = {event["id"]: event for event in send(bearer(cast.admin), "get", "events/")["results"]}
    assert events[before.pk]["actor"] == cast.admin.email
    assert events[before.pk]["details"] == {"version": 3}
    assert {*events} == {*Event.objects.filter(study=None).values_list("pk", flat=True)}


def test_a_copy(lead, cast):
    body = {"key": "alpha-2", "title": "Again", "people": True, "items": True}
    made = send(lead, "post", "studies/alpha/copies/", body, 201)
    assert (made["key"], made["state"]) == ("alpha-2", "draft")
    copy = Study.objects.get(key="alpha-2")
    assert copy.items.count() == cast.alpha.items.count()
    assert copy.annotators.count() == 2, "who has withdrawn does not come along"
    assert send(lead, "get", "studies/alpha-2/state/")["next"] == ["practice", "main"]


def test_a_setting_that_stays_is_not_refused_for_a_bound_that_came_later(cast):
    Study.objects.filter(pk=cast.alpha.pk).update(hours_budget=200_000)
    lead = bearer(cast.lead)
    sent = {"hours_budget": 200_000, "title": "Autre titre"}
    facts = send(lead, "patch", "studies/alpha/", sent)
    assert (facts["hours_budget"], facts["title"]) == (200_000, "Autre titre")
    refused = send(lead, "patch", "studies/alpha/", sent | {"hours_budget": 200_001}, status=422)
    assert [problem["field"] for problem in refused["problems"]] == ["hours_budget"]
