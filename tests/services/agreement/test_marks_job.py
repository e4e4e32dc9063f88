"""The report on marks as a job: asked for once, kept where the page looks, refused in words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotation.models import Assignment, Event, Job, Study
from annotation.selectors.agreement import marks_kept as selected
from annotation.selectors.agreement.kept import is_stored
from annotation.selectors.agreement.marked import MarksRequest
from annotation.selectors.agreement.marks_kept import marks_state
from annotation.services.agreement import marks as service
from annotation.services.agreement.marks import marks_compute, marks_request, marks_resend
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.leases import JobHeartbeat, LeaseLost
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.protocols.judged import answer

pytestmark = pytest.mark.django_db(transaction=True)

ORIGINAL, SIMPLE = "Le bail prend fin si le preneur meurt.", "Le bail finit si le locataire meurt."
ASKED = MarksRequest("edits", groups=(("words", ("synonym", "hyperonym")),), without=("err",))


@pytest.fixture
def lead():
    return make_user("lead")


@pytest.fixture
def study(lead) -> Study:
    study = make_study(
        "marks", lead=lead, protocol_key="assetann", protocol_version="1", state="main"
    )
    only = make_pair(study, original=ORIGINAL, text=SIMPLE)
    for name in "AB":
        make_annotator(study, pseudonym=name)
    assignments_fill(actor=None, study=study)
    for name, kind in (("A", "synonym"), ("B", "hyperonym")):
        row = Assignment.objects.get(annotator__pseudonym=name, simplification=only)
        mark = {"type": kind, "original": [[24, 31]], "simplification": [[20, 29]]}
        answer(row, {"edits": [mark]})
    return study


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """Messages go nowhere."""
    messages = []
    monkeypatch.setattr("annotation.jobs._send", lambda *message: messages.append(message))
    return messages


def test_from_asking_to_the_kept_report(study, lead, sent, monkeypatch):
    steps = []
    monkeypatch.setattr(
        JobHeartbeat, "progress", lambda _self, done, total: steps.append((done, total))
    )
    assert marks_state(study, ASKED).job is None
    job = marks_request(actor=lead, study=study, request=ASKED)
    assert marks_state(study, ASKED).running == job
    assert marks_compute(job.public_id)
    assert not marks_compute(job.public_id), "a message that comes twice does nothing"
    state = marks_state(study, ASKED)
    assert state.is_current
    assert is_stored(state.key)
    assert state.running is state.failed is None
    # As marked: the sets of each side, two operations on each, the two people; and once more
    # with both operations as one.
    assert steps == [(done, 12) for done in range(13)]
    assert [message[0] for message in sent] == ["workers.tasks.marks_compute"]
    # Nothing of the study changed: no event, and an archived one can be read so as well.
    assert not Event.objects.filter(verb__startswith="marks").exists()
    # Of other marks there is nothing.
    assert marks_state(study, MarksRequest("edits")).job is None


def test_a_double_click_is_one_job(study, lead, sent):
    first = marks_request(actor=lead, study=study, request=ASKED)
    assert marks_request(actor=lead, study=study, request=ASKED) == first
    other = marks_request(actor=lead, study=study, request=MarksRequest("edits"))
    assert other != first
    assert len(sent) == 2


def test_so_many_are_kept(study, lead, monkeypatch):
    monkeypatch.setattr(service, "MOST", 1)
    for request in (ASKED, MarksRequest("edits")):
        assert marks_compute(marks_request(actor=lead, study=study, request=request).public_id)
    assert Job.objects.get().parameters["asked"]["groups"] == []


def test_what_another_version_found_is_not_shown(study, lead):
    job = marks_request(actor=lead, study=study, request=ASKED)
    assert marks_compute(job.public_id)
    Study.objects.filter(pk=study.pk).update(seed=study.seed + 1)
    study.refresh_from_db()
    state = marks_state(study, ASKED)
    assert state.shown
    assert not state.is_current
    result = Job.objects.get().result
    Job.objects.update(result=result | {"code": "another"})
    assert marks_state(study, ASKED).shown == ""
    Job.objects.update(result=result | {"key": "gone|marks"})
    assert marks_state(study, ASKED).shown == ""


def failing(error):
    def fail(*_args, **_named):
        raise error

    return fail


def test_who_may_not_run_the_study_any_more_gets_nothing(study, lead):
    job = marks_request(actor=lead, study=study, request=ASKED)
    study.leads.all().delete()
    assert not marks_compute(job.public_id)
    state = marks_state(study, ASKED)
    assert (state.failed, state.shown) == (job, "")
    assert state.job.problem == "asker_left"


def test_a_defect_is_told_and_not_hidden(study, lead, monkeypatch):
    job = marks_request(actor=lead, study=study, request=ASKED)
    monkeypatch.setattr(selected, "marks_figures", failing(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        marks_compute(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "defect")


def test_a_database_that_is_away_leaves_the_job_to_the_sweep(study, lead, monkeypatch):
    job = marks_request(actor=lead, study=study, request=ASKED)
    monkeypatch.setattr(selected, "marks_figures", failing(OperationalError()))
    with pytest.raises(OperationalError):
        marks_compute(job.public_id)
    job.refresh_from_db()
    assert job.state == "running"


def test_a_worker_that_counted_as_dead_changes_nothing(study, lead, monkeypatch):
    job = marks_request(actor=lead, study=study, request=ASKED)
    monkeypatch.setattr(selected, "marks_figures", failing(LeaseLost()))
    assert not marks_compute(job.public_id)
    job.refresh_from_db()
    assert job.result == {}


def test_what_was_lost_is_asked_for_again_and_at_last_given_up(study, lead, sent):
    job = marks_request(actor=lead, study=study, request=ASKED)
    assert marks_resend() == 0
    past = timezone.now() - timedelta(seconds=1)
    Job.objects.update(lease_until=past)
    assert marks_resend() == 1
    assert len(sent) == 2
    Job.objects.update(state="running", attempt=3, lease_until=past)
    assert marks_resend() == 0
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "worker_lost")
