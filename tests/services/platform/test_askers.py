"""What waits for a worker ends with its asker's right to run the study; who asks for the same
afterwards is given it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from annotation.agreement.modelled import crowd
from annotation.models import Event, Job, Lead, Study, User
from annotation.selectors.publishing.exports import export_spec
from annotation.services.agreement import modelling
from annotation.services.agreement.modelling import models_compute, models_request
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_request, report_write
from annotation.services.people.people import admin_set, lead_remove, user_set_active
from annotation.services.publishing.exports import export_request as _export
from annotation.services.publishing.exports import export_write
from annotation.services.publishing.publications import freeze_request, publication_write
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db


def export_request(*, actor: User, study: Study) -> Job:
    return _export(actor=actor, study=study, spec=export_spec("long", "csv"))


def metrics_request(*, actor: User, study: Study) -> Job:
    return report_request(
        actor=actor, study=study, request=ReportRequest("legal_meaning", draws=100)
    )


@dataclass(frozen=True)
class Kind:
    """How such a job is asked for and carried out, and what its row says of an asker who left."""

    request: Callable[..., Job]
    write: Callable[..., bool]
    problem: str = "asker_left"


KINDS = {
    "export": Kind(export_request, export_write),
    "metrics": Kind(metrics_request, report_write),
    "models": Kind(models_request, models_compute),
    "freeze": Kind(freeze_request, publication_write, "refused"),
}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    monkeypatch.setattr(modelling, "package_version", lambda: "1.4.2")
    monkeypatch.setattr(crowd, "MACE_ITERATIONS", 2)
    monkeypatch.setattr(crowd, "ITERATIONS", 3)
    monkeypatch.setattr(modelling, "models_found", lambda *_, **__: {"runs": 1})


@pytest.fixture
def other() -> User:
    return make_user("other")


@pytest.fixture
def study(other) -> Study:
    study = make_study("etude", lead=other, state="closed")
    fill_study(study, pairs=4, annotators=2)
    return study


def _part(study: Study, lost: str, other: User) -> tuple[User, Callable[[], object]]:
    """Somebody who may run the study, and how they lose it."""
    person = make_user("asker", is_admin=lost == "demoted")
    if lost == "demoted":
        return person, lambda: admin_set(actor=None, user=person, is_admin=False, reason="fini")
    lead = Lead.objects.create(study=study, user=person)
    if lost == "closed":
        return person, lambda: user_set_active(
            actor=None, user=person, is_active=False, reason="parti"
        )
    return person, lambda: lead_remove(actor=other, lead=lead, reason="parti")


@pytest.mark.parametrize("lost", ["removed", "demoted", "closed"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_made_for_whom_the_study_was_taken_from(kind, lost, study, other):
    how = KINDS[kind]
    asker, lose = _part(study, lost, other)
    job = how.request(actor=asker, study=study)
    lose()
    assert not how.write(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem, job.result_path) == ("failed", how.problem, "")
    failed = Event.objects.filter(study=study, verb__endswith="_failed").get()
    assert failed.details["problem"] == how.problem


@pytest.mark.parametrize("kind", KINDS)
def test_who_asks_for_the_same_is_not_refused_for_another_s_sake(kind, study, other):
    how = KINDS[kind]
    asker, lose = _part(study, "removed", other)
    job = how.request(actor=asker, study=study)
    lose()
    assert how.request(actor=other, study=study) == job
    assert how.write(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.requested_by) == ("done", other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_stays_whose_it_is_while_they_lead(kind, study, other):
    asker, _ = _part(study, "removed", other)
    job = KINDS[kind].request(actor=asker, study=study)
    assert KINDS[kind].request(actor=other, study=study) == job
    job.refresh_from_db()
    assert job.requested_by == asker


def test_whose_account_is_gone_asks_for_nothing(study, other):
    job = export_request(actor=other, study=study)
    Job.objects.update(requested_by=None)
    assert not export_write(job.public_id)
    assert export_request(actor=other, study=study) != job, "it has ended"
