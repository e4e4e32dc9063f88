"""An export from request to file, with a real worker on a real Redis."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Event, Job
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.publishing.export_files import export_folder
from annotation.services.publishing.exports import export_request
from tests.bulk import fill_study
from tests.exported import export_file
from tests.factories import make_study, make_user
from tests.processes import kill
from tests.processes import until as it_comes
from workers.sweep import sweep

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.slow]

LONG = export_spec("long", "csv")


@pytest.fixture
def study():
    study = make_study("etude", lead=make_user("lead"), state="main")
    fill_study(study, pairs=4, annotators=2)
    return study


def ask(study, spec=LONG) -> Job:
    return export_request(actor=study.leads.get().user, study=study, spec=spec)


def until(job: Job, condition) -> Job:
    def holds() -> bool:
        job.refresh_from_db()
        return condition(job)

    assert it_comes(holds), (job.state, job.attempt, job.problem)
    return job


def is_done(job: Job) -> bool:
    return job.state == "done"


def test_a_request_becomes_a_file(study, live_worker):
    live_worker()
    job = until(ask(study), is_done)
    assert export_file(job).read_bytes().decode() == "".join(
        chunk.text for chunk in export_chunks(study, LONG)
    )
    assert (job.attempt, job.result["rows"]) == (1, 8)


def test_a_worker_that_is_killed_in_the_middle_costs_a_delay(study, live_worker):
    """The second worker finishes the job, once; what the first left behind is gone."""
    job = ask(study)
    # The first attempt's file is a pipe that nobody reads, so its worker stands still while it
    # opens it.
    folder = export_folder(job.public_id)
    folder.mkdir(parents=True)
    os.mkfifo(folder / "1.part")
    worker = live_worker()
    until(job, lambda job: job.state == "running")
    lease = job.lease_until
    until(job, lambda job: job.lease_until > lease)  # stuck, but alive: nobody may take it away
    kill(worker)
    sweep()
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("running", 1), "its lease still holds"

    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    sweep()
    sweep()
    live_worker()
    job = until(job, is_done)
    finished = job.finished_at
    assert (job.attempt, job.result["rows"]) == (2, 8)
    sweep()
    until(
        ask(study, export_spec("long", "tsv")), is_done
    )  # and whatever was sent before it is done
    job.refresh_from_db()
    assert job.finished_at == finished
    assert Event.objects.filter(verb="export_written").count() == 2
    assert [path.name for path in folder.iterdir()] == [f"2-{job.result_name}"]


def test_a_message_that_never_arrived_is_made_up_for(study, live_worker, monkeypatch):
    with monkeypatch.context() as silenced:
        silenced.setattr("annotation.jobs._send", lambda *message: None)
        job = ask(study)
    live_worker()
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    sweep()
    assert until(job, is_done).attempt == 1
