"""Freezing and releasing as jobs."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import OperationalError
from django.utils import timezone

from annotation.errors import RuleError, StudyArchived
from annotation.models import DatasetSnapshot, Event, Job, Lead, Study, User
from annotation.services.people.people import lead_remove
from annotation.services.platform.leases import LeaseLost
from annotation.services.publishing import publications, releases, unfinished
from annotation.services.publishing.publications import (
    freeze_request,
    publication_write,
    publications_resend,
    release_request,
)
from annotation.services.publishing.releases import (
    release_name,
    release_size,
    release_zip,
    releases_folder,
)
from annotation.services.publishing.snapshots import (
    snapshot_damage,
    snapshot_folder,
    snapshots_folder,
    study_freeze,
)
from annotation.services.publishing.unfinished import unfinished_expire
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lead():
    return make_user("lead")


@pytest.fixture
def study(lead):
    study = make_study("etude", lead=lead, state="closed")
    fill_study(study, pairs=3, annotators=2)
    return study


@pytest.fixture
def sent(monkeypatch):
    messages = []
    monkeypatch.setattr("annotation.jobs._send", lambda *message: messages.append(message))
    return messages


def test_from_freezing_to_the_bundle(study, lead, sent):
    job = freeze_request(actor=lead, study=study)
    assert publication_write(job.public_id)
    assert not publication_write(job.public_id), "a message that comes twice does nothing"
    snapshot = DatasetSnapshot.objects.get()
    assert release_size(snapshot) is None
    job = release_request(actor=lead, snapshot=snapshot)
    assert publication_write(job.public_id)
    job.refresh_from_db()
    assert job.state == "done"
    assert release_name(snapshot) == job.result_name
    assert release_size(snapshot) == job.result["size"]
    assert [message[0] for message in sent] == ["workers.tasks.publication_write"] * 2


def test_a_double_click_is_one_job(study, lead, sent):
    assert freeze_request(actor=lead, study=study) == freeze_request(actor=lead, study=study)
    assert freeze_request(actor=lead, study=study, coarse_times=True).pk != Job.objects.last().pk


def test_what_cannot_be_frozen_is_refused_at_once(lead, sent):
    study = make_study("ouverte", lead=lead, state="main")
    with pytest.raises(RuleError) as refused:
        freeze_request(actor=lead, study=study)
    assert refused.value.problems[0].field == "reason"
    assert not Job.objects.exists()


def test_what_a_worker_finds_wrong_is_on_the_job(study, lead, sent):
    job = freeze_request(actor=lead, study=study)
    type(study).objects.update(state="main")  # reopened in the meantime
    assert not publication_write(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "refused")
    assert "fermée" in job.result["refused"][0][0]


def test_nothing_of_an_archived_study_is_published(study, lead, sent):
    snapshot = study_freeze(actor=lead, study=study)
    waiting = [freeze_request(actor=lead, study=study)]
    waiting.append(release_request(actor=lead, snapshot=snapshot))
    Study.objects.update(archived_at=timezone.now())
    with pytest.raises(StudyArchived):
        freeze_request(actor=lead, study=study)
    with pytest.raises(StudyArchived):
        release_request(actor=lead, snapshot=snapshot)
    for job in waiting:
        assert not publication_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "refused")
        assert "bring it back" in job.result["refused"][0][1]
    assert DatasetSnapshot.objects.count() == 1


@pytest.mark.parametrize(
    ("error", "problem"),
    [(OSError(errno.ENOSPC, "full"), "disk_full"), (OSError(errno.EIO, "broken"), "disk")],
)
def test_a_disk_that_fails_is_told(study, lead, sent, monkeypatch, error, problem):
    job = freeze_request(actor=lead, study=study)
    monkeypatch.setattr(publications, "_carry_out", raising(error))
    assert not publication_write(job.public_id)
    job.refresh_from_db()
    assert job.problem == problem
    assert Event.objects.filter(verb="publication_failed").count() == 1


def test_a_defect_is_recorded_and_raised(study, lead, sent, monkeypatch):
    job = freeze_request(actor=lead, study=study)
    monkeypatch.setattr(publications, "_carry_out", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        publication_write(job.public_id)
    job.refresh_from_db()
    assert job.problem == "defect"


def test_a_database_that_is_away_leaves_the_job_to_the_sweep(study, lead, sent, monkeypatch):
    job = freeze_request(actor=lead, study=study)
    monkeypatch.setattr(publications, "_carry_out", raising(OperationalError("away")))
    with pytest.raises(OperationalError):
        publication_write(job.public_id)
    job.refresh_from_db()
    assert job.state == "running"


def test_a_worker_that_lost_its_job_writes_nothing_more(study, lead, sent, monkeypatch):
    job = freeze_request(actor=lead, study=study)

    def overtaken(_job):
        Job.objects.update(attempt=2)
        return {}

    monkeypatch.setattr(publications, "_carry_out", overtaken)
    assert not publication_write(job.public_id)
    job.refresh_from_db()
    assert job.state == "running"
    assert issubclass(LeaseLost, Exception)


def test_a_snapshot_whose_worker_died_is_found_and_not_made_twice(study, lead, sent):
    job = freeze_request(actor=lead, study=study)
    made = study_freeze(actor=lead, study=study)  # what the worker did before it died
    Job.objects.update(
        attempt=1, state="running", lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert publications_resend() == 1
    assert publications_resend() == 0
    assert publication_write(job.public_id)
    job.refresh_from_db()
    assert job.result["snapshot"] == made.pk
    assert DatasetSnapshot.objects.count() == 1


def test_after_three_workers_it_is_given_up(study, lead, sent):
    job = freeze_request(actor=lead, study=study)
    Job.objects.update(
        attempt=3, state="running", lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert publications_resend() == 0
    job.refresh_from_db()
    assert job.problem == "worker_lost"
    publications._fail(job, "again")
    job.refresh_from_db()
    assert job.problem == "worker_lost", "an end is final"


def raising(error):
    def fail(*_arguments):
        raise error

    return fail


def test_what_a_killed_worker_left_half_written_goes_after_a_day(study, lead, sent):
    snapshot = study_freeze(actor=lead, study=study)
    released = release_zip(actor=lead, snapshot=snapshot).path
    bundles = releases_folder()
    left = [snapshots_folder() / ".0a.part", bundles / ".a.zip.0a.part"]
    left += [bundles / ".a.zip.0b.zip.part", bundles / ".b.zip.0a.zip"]
    left += [snapshot_folder(snapshot) / ".items.jsonl.0a.part"]
    for path in left[:2]:
        path.mkdir()
        (path / "judgments.jsonl").touch()
    for path in left[2:]:
        path.touch()
    before = (timezone.now() - timedelta(days=2)).timestamp()
    for folder in (snapshots_folder(), bundles):
        for path in (folder, *folder.rglob("*")):
            os.utime(path, (before, before))
    # Of this one, which was begun long ago, something was written just now.
    (left[0] / "judgments.jsonl").write_text("{}")
    os.utime(left[0], (before, before))
    assert unfinished_expire() == 4
    assert [path for path in left if path.exists()] == left[:1]
    assert snapshot_damage(snapshot) == []
    assert released.exists()
    assert unfinished_expire() == 0


def test_a_zip_that_is_being_written_is_called_unfinished(study, lead, sent, monkeypatch):
    names, real = [], releases.write_zip

    def write(folder, archive, *rest):
        names.append(archive.name)
        real(folder, archive, *rest)

    monkeypatch.setattr(releases, "write_zip", write)
    release_zip(actor=lead, snapshot=study_freeze(actor=lead, study=study))
    assert [name.startswith(".") and name.endswith(".zip.part") for name in names] == [True]


def test_what_goes_while_it_is_looked_at_was_given_its_name(study, lead, sent, monkeypatch):
    gone = snapshots_folder() / ".0a.part"
    monkeypatch.setattr(unfinished, "_unfinished", lambda: iter([gone]))
    assert unfinished_expire() == 0


def test_of_two_sweeps_one_asks(study, lead, sent, monkeypatch):
    freeze_request(actor=lead, study=study)
    freeze_request(actor=lead, study=study, coarse_times=True)
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    requests = []

    def other_sweep(public_id) -> None:
        requests.append(public_id)
        Job.objects.update(lease_until=timezone.now() + timedelta(minutes=1))

    monkeypatch.setattr(publications, "request_publication", other_sweep)
    assert publications_resend() == 1
    assert len(requests) == 1


@pytest.mark.parametrize("lost", ["part", "account", "person"])
def test_nobody_freezes_or_releases_what_they_lost_while_it_waited(study, lead, sent, lost):
    other = make_user("other")
    Lead.objects.create(study=study, user=other)
    snapshot = study_freeze(actor=other, study=study)
    jobs = [
        freeze_request(actor=lead, study=study, reason="mine"),
        release_request(actor=lead, snapshot=snapshot),
    ]
    if lost == "part":
        lead_remove(actor=other, lead=Lead.objects.get(study=study, user=lead))
    elif lost == "account":
        User.objects.filter(pk=lead.pk).update(is_active=False)
    else:
        Job.objects.update(requested_by=None)
    for job in jobs:
        assert not publication_write(job.public_id)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("failed", "refused")
        assert "does not lead this study" in job.result["refused"][0][1]
    assert list(DatasetSnapshot.objects.all()) == [snapshot]
    assert release_size(snapshot) is None


@pytest.mark.parametrize("is_made", [True, False])
def test_a_reason_leaves_its_job_with_the_job(study, lead, sent, is_made):
    """It stands with the snapshot, where names left it; in the job nobody would take them out."""
    Study.objects.filter(pk=study.pk).update(state="main")
    job = freeze_request(actor=lead, study=study, reason="demandé par Yvan Boisclair")
    assert Job.objects.get().parameters["reason"] == "demandé par Yvan Boisclair"
    if not is_made:
        Lead.objects.all().delete()
    assert publication_write(job.public_id) is is_made
    job.refresh_from_db()
    assert job.state == ("done" if is_made else "failed")
    assert list(job.parameters) == ["recipe"]


def test_reasons_of_jobs_that_ended_before_leave_them(study, lead):
    """Erasures of before did not look there, and of whom they were nobody knows any more."""
    asked = {"reason": "demandé par Yvan Boisclair", "recipe": {"labels": {"ties": "lot"}}}
    for kind, state in (("freeze", "done"), ("freeze", "queued"), ("export", "done")):
        Job.objects.create(
            study=study, kind=kind, state=state, parameters=asked, lease_until=timezone.now()
        )
    import_module("annotation.migrations.0042_reasons_leave_jobs").reasons_leave(apps, None)
    held = {(job.kind, job.state): "reason" in job.parameters for job in Job.objects.all()}
    assert held == {("freeze", "done"): False, ("freeze", "queued"): True, ("export", "done"): True}
