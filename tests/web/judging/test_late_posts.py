"""The plain form, posted after its log-in had ended, or after another one in the same browser."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from annotation.access import assignment_ref
from annotation.models import Assignment, Draft, Judgment, Study, User
from annotation.services.judging.drafts import draft_save
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_assignment, make_pair, make_user, save

pytestmark = pytest.mark.django_db

WORDS = "Deux heures de travail."
ORIGIN = {"origin": "http://testserver"}


@pytest.fixture
def assignment() -> Assignment:
    made = make_assignment()
    User.objects.update(language="en")
    return made


def url(assignment: Assignment) -> str:
    return f"/annotate/{assignment.annotator.study.key}/{assignment.position}/"


def form(named: Assignment, **changed: str) -> dict[str, str]:
    return {
        "simplicity": "1",
        "comment": WORDS,
        "base_revision": "0",
        "assignment": assignment_ref(named),
        "action": "save",
    } | changed


def log_in(client: Client, user: Any, **further: str) -> Any:
    credentials = {"username": user.email, "password": "a-long-password"}
    return client.post("/account/login/", credentials | further)


class TestAfterTheLogInEnded:
    @pytest.mark.parametrize("action", ["save", "submit"])
    def test_it_is_saved_once_its_annotator_is_back(self, client, assignment, action):
        answer = client.post(url(assignment), form(assignment, action=action))
        assert answer["location"] == f"/account/login/?next={url(assignment)}"
        page = client.get(answer["location"])
        assert page.context["messages"]
        # A wrong password costs nothing.
        assert log_in(client, make_user(), password="wrong").status_code == 200
        assert not Draft.objects.exists()
        answer = log_in(client, assignment.annotator.user, next=url(assignment))
        page = client.get(answer["location"], follow=True)
        assert (page.status_code, page.redirect_chain) == (200, [(url(assignment), 302)])
        assert Draft.objects.get().answers["comment"] == WORDS
        assert not Judgment.objects.exists()
        [message] = page.context["messages"]
        assert ("not submitted" in str(message)) == (action == "submit")
        # Once.
        Draft.objects.all().delete()
        assert client.get(url(assignment)).status_code == 200
        assert not Draft.objects.exists()
        assert WORDS not in str(dict(client.session))

    def test_several_windows_are_kept_apart(self, client, assignment):
        study, user = assignment.annotator.study, assignment.annotator.user
        make_pair(study)
        assignments_fill(actor=None, study=study)
        other = Assignment.objects.exclude(pk=assignment.pk).get()
        client.post(url(assignment), form(assignment))
        client.post(url(assignment), form(assignment, comment="la même fenêtre"))
        client.post(url(other), form(other, comment="autre"))
        client.force_login(user)
        client.get(url(other))
        client.get(url(assignment))
        drafts = dict(Draft.objects.values_list("assignment", "answers__comment"))
        assert drafts == {other.pk: "autre", assignment.pk: "la même fenêtre"}

    def test_nobody_else_is_shown_it(self, client, assignment):
        client.post(url(assignment), form(assignment))
        peer = make_annotator(assignment.annotator.study)
        assignments_fill(actor=None, study=assignment.annotator.study)
        own = peer.assignments.get()
        assert url(own) == url(assignment)
        log_in(client, peer.user)
        page = client.get(url(own))
        assert page.status_code == 200
        assert WORDS not in page.text
        assert not Draft.objects.exists()

    def test_a_newer_version_stands_beside_it(self, client, assignment):
        client.post(url(assignment), form(assignment))
        user = assignment.annotator.user
        draft_save(actor=user, assignment=assignment, save=save(comment="ailleurs"))
        client.force_login(user)
        for _again in range(2):
            page = client.get(url(assignment))
            assert page.status_code == 409
            assert {WORDS, "ailleurs"} <= set(re.findall(f"{WORDS}|ailleurs", page.text))
        assert Draft.objects.get().answers["comment"] == "ailleurs"
        client.post(url(assignment), form(assignment, base_revision="1", comment="les deux"))
        assert client.get(url(assignment)).status_code == 200
        assert Draft.objects.get().answers["comment"] == "les deux"

    @pytest.mark.parametrize("is_archived", [False, True])
    def test_a_round_that_was_closed_shows_it(self, client, assignment, is_archived):
        client.post(url(assignment), form(assignment))
        Study.objects.update(state="closed", archived_at=timezone.now() if is_archived else None)
        client.force_login(assignment.annotator.user)
        page = client.get(url(assignment))
        assert page.status_code == 409
        assert WORDS in page.text

    def test_strangers_store_nothing(self, client, assignment):
        """Nor whoever names a pair in letters that no name has."""
        for ref in ("", "0" * 20, "é"):
            client.post(url(assignment), form(assignment, assignment=ref))
        client.post("/annotate/nowhere/1/", form(assignment))
        client.post(f"/annotate/{assignment.annotator.study.key}/{2**40}/", form(assignment))
        client.post(url(assignment), form(assignment, comment="x" * 300_000))
        assert not Session.objects.exists()


class TestAfterAnotherLogIn:
    """The token of the page is worth nothing then."""

    @pytest.fixture
    def strict(self, assignment: Assignment) -> Client:
        client = Client(enforce_csrf_checks=True, headers={"accept-language": "en"})
        client.get("/account/login/")
        client.force_login(assignment.annotator.user)
        return client

    def given_back(self, page: Any) -> dict[str, str]:
        html = page.text
        [given] = re.findall(r'<form method="post" data-again.*?</form>', html, re.DOTALL)
        return dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', given))

    def test_what_was_typed_is_sent_again_by_one_button(self, strict, assignment):
        old = form(assignment, csrfmiddlewaretoken="a" * 64)
        page = strict.post(url(assignment), old, headers=ORIGIN)
        assert page.status_code == 403
        fields = self.given_back(page)
        assert fields | {"csrfmiddlewaretoken": "a" * 64} == old
        assert not Draft.objects.exists()
        assert strict.post(url(assignment), fields, headers=ORIGIN).status_code == 302
        assert Draft.objects.get().answers["comment"] == WORDS

    def test_it_finds_the_log_in_that_ended_as_well(self, strict, assignment):
        Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
        page = strict.post(url(assignment), form(assignment), headers=ORIGIN)
        strict.post(url(assignment), self.given_back(page), headers=ORIGIN)
        strict.force_login(assignment.annotator.user)
        strict.get(url(assignment))
        assert Draft.objects.get().answers["comment"] == WORDS

    @pytest.mark.parametrize("headers", [{}, {"origin": "https://elsewhere.example"}])
    def test_a_page_of_another_site_is_given_no_button(self, strict, assignment, headers):
        page = strict.post(url(assignment), form(assignment), headers=headers)
        assert page.status_code == 403
        assert "data-again" not in page.text
        # To be copied, by whoever did type it.
        assert WORDS in page.text

    def test_no_password_is_given_back(self, strict):
        secret = {"username": "a@example.org", "password": "one two three", "code": "1 2"}
        page = strict.post("/account/login/", secret, headers=ORIGIN)
        assert page.status_code == 403
        assert "data-again" not in page.text
        assert "one two three" not in page.text

    def test_a_browser_without_cookies_is_given_the_words(self, strict, assignment):
        strict.cookies.clear()
        page = strict.post(url(assignment), form(assignment), headers=ORIGIN)
        assert "Allow cookies" in page.text
        assert WORDS in page.text
        assert "data-again" not in page.text
