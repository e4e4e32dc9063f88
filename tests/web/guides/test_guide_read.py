"""The guide read before one judges, again after an amendment, and what an amendment sends back."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import (
    Assignment,
    DatasetSnapshot,
    Draft,
    GuideAcknowledgement,
    Judgment,
    RejudgeRequest,
    Study,
    Tally,
    User,
)
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.judging.judgments import judgment_submit
from annotation.services.studies.studies import guide_publish
from annotation.web.platform.text_changes import text_changes
from tests.factories import answers, make_assignment, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    assignment = make_assignment()
    guide_publish(
        actor=None, study=assignment.annotator.study, body_fr="Lisez **bien**.", body_en="Read."
    )
    return assignment


@pytest.fixture
def student(assignment) -> Client:
    client = Client()
    client.force_login(assignment.annotator.user)
    return client


def url(assignment: Assignment, path: str = "1/") -> str:
    return f"/annotate/{assignment.annotator.study.key}/{path}"


class TestReading:
    def test_a_pair_waits_until_the_guide_was_read(self, student, assignment):
        answer = student.get(url(assignment))
        assert answer.status_code == 302
        page = student.get(answer["Location"])
        assert "<strong>bien</strong>" in page.content.decode()
        answer = student.post(page.request["PATH_INFO"] + "?position=1", {"number": "1"})
        assert answer["Location"] == url(assignment)
        assert student.get(url(assignment)).status_code == 200
        assert GuideAcknowledgement.objects.count() == 1
        assert 'name="number"' not in student.get(url(assignment, "guide/read/")).content.decode()

    def test_another_version_than_the_one_shown_is_refused(self, student, assignment):
        for number in ("2", "x", ""):
            assert (
                student.post(url(assignment, "guide/read/"), {"number": number}).status_code == 422
            )

    def test_confirmed_from_the_menu_one_goes_where_one_left_off(self, student, assignment):
        answer = student.post(url(assignment, "guide/read/"), {"number": "1"})
        assert answer["Location"] == url(assignment, "")

    def test_an_amendment_shows_what_changed(self, student, assignment):
        guide_acknowledge(annotator=assignment.annotator, number=1)
        guide_publish(
            actor=None,
            study=assignment.annotator.study,
            body_fr="Lisez **mieux**.",
            body_en="Read on.",
        )
        assert student.get(url(assignment)).status_code == 302
        page = " ".join(student.get(url(assignment, "guide/read/")).content.decode().split())
        assert (
            '<del class="diff diff--removed">bien</del><ins class="diff diff--added">mieux</ins>'
            in page
        )
        type(assignment.annotator.user).objects.update(language="en")
        assert " on</ins>" in student.get(url(assignment, "guide/read/")).content.decode()

    def test_a_submission_under_way_keeps_its_draft(self, student, assignment):
        payload = {"key": str(uuid.uuid4()), "base_revision": 0, "answers": answers()}
        answer = student.post(
            url(assignment, "1/submit/"), payload, content_type="application/json"
        )
        assert answer.status_code == 422
        problem = json.loads(answer.content)["problems"][0]
        assert problem["code"] == "unacknowledged"
        # The way to it, and back to this very pair.
        assert problem["url"] == url(assignment, "guide/read/?position=1")
        read = student.post(problem["url"], {"number": "1"})
        assert read["Location"] == url(assignment)
        assert Draft.objects.get().answers["bracket"] == 3
        assert not Judgment.objects.exists()

    def test_the_plain_form_leads_to_it_as_well(self, student, assignment):
        form = {"simplicity": "1", "action": "submit", "base_revision": "0"}
        answer = student.post(url(assignment), form)
        assert answer.status_code == 422
        assert f'href="{url(assignment, "guide/read/?position=1")}"' in answer.content.decode()

    def test_what_takes_no_answers_can_be_read_without(self, student, assignment):
        Study.objects.update(state="closed")
        assert student.get(url(assignment)).status_code == 200

    def test_a_lead_sees_who_has_not_confirmed(self, assignment, cast):
        study = assignment.annotator.study
        study.leads.create(user=cast.lead)
        page = f"/studies/{study.key}/guide/"
        assert cast.client("lead").get(page).context["awaited"] == [assignment.annotator]
        guide_acknowledge(annotator=assignment.annotator, number=1)
        assert cast.client("lead").get(page).context["awaited"] == []


class TestAgain:
    @pytest.fixture
    def lead(self, assignment, cast) -> Client:
        guide_acknowledge(annotator=assignment.annotator, number=1)
        judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save())
        guide_publish(actor=None, study=assignment.annotator.study, body_fr="Lisez **mieux**.")
        guide_acknowledge(annotator=assignment.annotator, number=2)
        assignment.annotator.study.leads.create(user=cast.lead)
        return cast.client("lead")

    def test_from_the_amendment_to_the_new_judgment(self, lead, student, assignment):
        page = f"/studies/{assignment.annotator.study.key}/guide/rejudge/"
        shown = lead.get(page)
        assert "mieux" in shown.content.decode()
        assert [item.key for item, _classes in shown.context["rows"]] == ["item-0001"]
        for query, expected in (
            ({"class": "7"}, 1),
            ({"class": "3"}, 0),
            ({"doubt": "1"}, 0),
            ({"class": "x"}, 1),
        ):
            assert len(lead.get(page, query).context["page"]) == expected
        assert lead.post(page, {"item": ["item-0001"], "reason": ""}).status_code == 422
        assert (
            lead.post(page, {"item": ["item-0001"], "reason": "Les frais ont changé"}).status_code
            == 302
        )
        assert lead.get(page).context["waiting"] == 1
        judging = student.get(url(assignment)).content.decode()
        assert "Les frais ont changé" in judging
        assert len(student.get(url(assignment, "mine/"), {"state": "again"}).context["rows"]) == 1
        assert student.get(url(assignment, "")).headers["location"] == url(assignment)
        payload = {
            "key": str(uuid.uuid4()),
            "base_revision": 1,
            "answers": answers(characterization=5),
        }
        student.post(url(assignment, "1/submit/"), payload, content_type="application/json")
        assert RejudgeRequest.objects.get().resolved_at
        assert "Les frais ont changé" not in student.get(url(assignment)).content.decode()
        assert assignment.revisions.count() == 2

    def test_an_item_that_is_gone_costs_nothing_that_was_chosen(self, lead, assignment):
        page = f"/studies/{assignment.annotator.study.key}/guide/rejudge/"
        form = {"item": ["item-0001", "item-9999"], "reason": "amendé"}
        answer = lead.post(page, form)
        assert answer.status_code == 422
        assert not RejudgeRequest.objects.exists()
        shown = answer.content.decode()
        assert "item-9999" in shown
        assert 'value="amendé"' in shown
        assert re.search(r'value="item-0001"\s+checked', shown)

    def test_it_is_taken_back(self, lead, assignment):
        page = f"/studies/{assignment.annotator.study.key}/guide/rejudge/"
        lead.post(page, {"item": ["item-0001"], "reason": "amendé"})
        assert lead.post(page, {"action": "cancel"}).status_code == 302
        assert not RejudgeRequest.objects.exists()


class TestFreezing:
    def test_a_closed_study_is_led_to_its_freezing(self, cast):
        Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
        steps = cast.client("lead").get("/studies/alpha/").context["steps"]
        assert [step["to"] for step in steps] == ["main", "frozen"]

    def test_once_frozen_every_page_says_so(self, cast):
        Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
        facts = {"protocol_key": "k", "protocol_version": "1", "content_digest": "d", "path": "p"}
        DatasetSnapshot.objects.create(study=cast.alpha, number=1, **facts)
        User.objects.filter(pk=cast.lead.pk).update(language="en")
        lead = cast.client("lead")
        badge = re.compile(r'<span\s+class="badge ">([^<]+)</span>')
        overview = lead.get("/studies/alpha/")
        head = overview.content.decode().partition('aria-label="Stages of the study"')[0]
        assert badge.findall(head) == ["frozen"]
        assert [s["label"] for s in overview.context["stages"] if s["current"]] == ["frozen"]
        (row,) = [r for r in lead.get("/").context["leading"] if r["key"] == "alpha"]
        assert (row["state"], row["state_label"]) == ("closed", "frozen")
        Study.objects.filter(pk=cast.alpha.pk).update(archived_at=timezone.now())
        assert badge.findall(lead.get("/archive/").content.decode()) == ["frozen"]


class TestSentBack:
    def test_the_list_says_what_the_counts_leave_out(self, cast):
        study = cast.alpha
        person = study.annotators.filter(kind="person").first()
        study.annotators.exclude(pk=person.pk).delete()
        User.objects.filter(pk=cast.lead.pk).update(language="en")
        lines = []
        for again in (0, 1, 2):
            Tally.objects.filter(annotator=person).update(awaited=0, beside=0)
            Tally.objects.filter(annotator=person, in_practice=False).update(again=again)
            (step, *_back) = cast.client("lead").get("/studies/alpha/").context["steps"]
            lines.append(str(step["checks"][0]["label"]))
        assert lines == [
            "Everybody has submitted the main round",
            "Everybody has submitted the main round, but for 1 judgment that was sent back",
            "Everybody has submitted the main round, but for 2 judgments that were sent back",
        ]


class TestDeviations:
    def test_they_are_listed_and_explained(self, cast):
        client, page = cast.client("lead"), "/studies/alpha/deviations/"
        client.post("/studies/alpha/state/", {"to": "closed", "reason": "fin de session"})
        shown = client.get(page)
        assert "fin de session" in shown.content.decode()
        (deviation,) = shown.context["deviations"]
        assert client.post(page, {"event": deviation.event.pk, "reason": ""}).status_code == 422
        assert (
            client.post(page, {"event": deviation.event.pk, "reason": "budget épuisé"}).status_code
            == 302
        )
        assert "budget épuisé" in client.get(page).content.decode()
        User.objects.filter(pk=cast.lead.pk).update(language="en")
        page = client.get(page).content.decode()
        assert "<strong>Reason</strong>: budget épuisé" in page, "no space of French in English"


class TestChanges:
    def test_words_that_went_and_came(self):
        (line,) = text_changes("Un.\nDeux mots.\nTrois.", "Un.\nDeux grands mots.\nTrois.")
        assert [(part.kind, part.text) for part in line] == [
            ("kept", "Deux"),
            ("added", " grands"),
            ("kept", " mots."),
        ]

    def test_whole_lines_and_blank_ones(self):
        assert text_changes("a", "a") == []
        assert [[part.kind for part in line] for line in text_changes("a\nb", "a\nc\n\nd")] == [
            ["removed", "added"],
            ["added"],
        ]
        assert [line[0].kind for line in text_changes("a\nb\nc", "a")] == ["removed", "removed"]
        assert [line[0].kind for line in text_changes("a", "a\nb\n\n")] == ["added"]
