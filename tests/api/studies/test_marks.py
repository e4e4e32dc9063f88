"""Agreement on marks by the API: the package's figures, groups, what cannot be asked."""

from __future__ import annotations

import shutil

import pytest
from django.conf import settings

from annotation.agreement.marks.figure import Drawn
from annotation.models import Job, Judgment, Study
from annotation.protocols.registry import protocol
from annotation.selectors.agreement import marks_kept
from annotation.selectors.agreement.marked import MarksRequest, marks_figures
from annotation.selectors.agreement.marks_kept import marks_state
from annotation.services.agreement.marks import marks_compute
from api.agreement.views import marks
from tests.api.conftest import bearer
from tests.factories import make_study, make_user
from tests.protocols.judged import judged

pytestmark = pytest.mark.django_db
MERGED = (("deletions", ("delprop", "delmod", "delcst", "deloth")), ("word", ("synonym", "pron")))


@pytest.fixture
def marked():
    return judged(protocol("assetann", "1"))


def asked(marked, query: str = "", status: int = 200, draws: int = 100):
    response = bearer(marked.lead).get(
        f"/api/v1/studies/{marked.study.key}/agreement/marks/?draws={draws}{query}"
    )
    assert response.status_code == status, response.content
    return response.json()


def test_the_figures_of_the_package(marked):
    figures = asked(marked, "&merge=deletions&groups=word%3Dsynonym,pron&seed=7")
    wanted = marks_figures(marked.study, MarksRequest("edits", groups=MERGED, drawn=Drawn(100, 7)))
    assert figures["report"] == wanted.report.as_dict()
    assert (figures["field"], figures["round"], figures["again"]) == ("edits", "main", [])
    practice = asked(marked, "&round=practice")["report"]
    assert practice["shared_pairs"] == 1


def test_drawn_as_the_page_draws_it_is_computed_once(marked, monkeypatch):
    first = asked(marked, "&seed=42", draws=1000)
    monkeypatch.setattr(marks_kept, "marks_figures", None)
    assert asked(marked, "&seed=42", draws=1000) == first
    assert marks_state(marked.study, MarksRequest("edits")).is_current, "the page has it too"


@pytest.fixture
def large(marked, monkeypatch):
    """More than a request compares; a worker's messages."""
    messages = []
    monkeypatch.setattr(marks, "AT_ONCE", 0)
    monkeypatch.setattr("annotation.jobs._send", lambda *message: messages.append(message))
    return messages


ADDRESS = "/api/v1/studies/{}/agreement/marks/?draws=100&seed=7"


def test_of_many_judgments_a_worker_computes_it(
    marked, large, monkeypatch, django_capture_on_commit_callbacks
):
    lead, address = bearer(marked.lead), ADDRESS.format(marked.study.key)
    with django_capture_on_commit_callbacks(execute=True):
        later = lead.get(address)
    assert (later.status_code, later["Location"], later["Retry-After"]) == (202, address, "5")
    assert later.json() | {"id": ""} == {
        "location": address,
        "id": "",
        "state": "queued",
        "done": 0,
        "total": 0,
    }
    with monkeypatch.context() as once:
        once.setattr(marks, "marks_request", None)
        assert lead.get(address).json() == later.json(), "asked for once, and only looked at"
    assert len(large) == 1
    assert marks_compute(Job.objects.get().public_id)
    figures = lead.get(address)
    assert figures.status_code == 200
    wanted = marks_figures(marked.study, MarksRequest("edits", drawn=Drawn(100, 7)))
    assert figures.json()["report"] == wanted.report.as_dict()
    assert figures.json()["is_current"]


@pytest.mark.parametrize("round_", ["main", "practice", "all"])
def test_of_any_round_that_many_have_judged(marked, large, round_):
    address = ADDRESS.format(marked.study.key) + f"&round={round_}"
    assert bearer(marked.lead).get(address).status_code == 202


def test_whoever_looks_takes_on_what_somebody_asked_for_who_has_left(marked, large):
    other = make_user("other-lead")
    marked.study.leads.create(user=other)
    address = ADDRESS.format(marked.study.key)
    assert bearer(other).get(address).status_code == 202
    marked.study.leads.filter(user=other).delete()
    assert bearer(marked.lead).get(address).status_code == 202
    assert Job.objects.get().requested_by == marked.lead


def test_what_was_answered_since_is_told_and_computed_when_it_is_asked_for(marked, large):
    lead, address = bearer(marked.lead), ADDRESS.format(marked.study.key)
    assert lead.get(address).status_code == 202
    assert marks_compute(Job.objects.get().public_id)
    before = lead.get(address).json()
    first = Judgment.objects.filter(assignment__simplification=marked.pair).order_by("pk")[0]
    Judgment.objects.filter(pk=first.pk).update(surplus=True)
    now = lead.get(address)
    assert (now.status_code, now.json()) == (200, before | {"is_current": False})
    again = lead.post(address)
    assert (again.status_code, again.json()["state"]) == (202, "queued")
    assert marks_compute(Job.objects.get(state="queued").public_id)
    assert lead.get(address).json()["is_current"]


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("asker_left", "does not lead this study any more"),
        ("worker_lost", "died three times"),
        ("defect", "An error of ours"),
    ],
)
def test_what_was_not_computed_says_why_until_it_is_asked_for_again(marked, large, problem, words):
    lead, address = bearer(marked.lead), ADDRESS.format(marked.study.key)
    assert lead.get(address).status_code == 202
    Job.objects.update(state="failed", problem=problem)
    refusal = lead.get(address, headers={"accept-language": "en"})
    assert refusal.status_code == 422
    (entry,) = refusal.json()["problems"]
    assert (entry["code"], words in entry["message"]) == ("not_computed", True)
    assert "POST here asks for it again" in entry["message"]
    assert lead.post(address).status_code == 202
    assert lead.get(address).status_code == 202


def test_what_a_worker_kept_elsewhere_is_computed_here(marked, large):
    lead, address = bearer(marked.lead), ADDRESS.format(marked.study.key)
    assert lead.get(address).status_code == 202
    assert marks_compute(Job.objects.get().public_id)
    shutil.rmtree(settings.DATA_DIR / "cache" / "agreement")
    assert lead.get(address).json()["is_current"]


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("&field=comment", "field", "Questions that mark: edits."),
        ("&merge=words", "merge", "“words” is none of: insertions, deletions"),
        ("&without=x", "without", "“x” is none of: inprop"),
        ("&groups=word%3Dx", "groups", "“x” is no operation"),
        ("&groups=a%3Dpron;b%3Dpron", "groups", "“pron” stands in two groups"),
        ("&groups=deletions%3Dpron&merge=deletions", "groups", "“deletions” stands in two"),
    ],
)
def test_what_cannot_be_asked(marked, query, field, words):
    refusal = str(asked(marked, query, 400))
    assert words in refusal
    assert field in refusal


def test_not_where_nothing_is_marked_nor_while_answers_are_hidden(marked):
    make_study("slides", lead=marked.lead, protocol_key="direct_assessment", state="closed")
    lead = bearer(marked.lead)
    assert lead.get("/api/v1/studies/slides/agreement/marks/").status_code == 404
    Study.objects.filter(pk=marked.study.pk).update(state="main", is_blind=True)
    asked(marked, status=403)
