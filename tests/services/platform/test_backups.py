"""Backups that are due are ordered once, by whichever sweep comes first."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import BackupRun, Event
from annotation.services.platform import backups
from annotation.services.platform.backups import (
    BACKUPS,
    backup_fail,
    backup_finish,
    backup_not_pruned,
    backups_order_due,
    backups_resend,
)
from annotation.services.platform.leases import LeaseLost

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[Any]:
    """The messages; a backup is due every day."""
    requests: list[Any] = []
    settings.BACKUP_EVERY_HOURS = 24
    monkeypatch.setattr(backups, "request_backup", requests.append)
    return requests


def ordered() -> BackupRun:
    assert backups_order_due() == 1
    return BackupRun.objects.get(state="queued")


def claimed() -> BackupRun:
    run = BACKUPS.claim(ordered().public_id)
    assert run is not None
    return run


def ago(run: BackupRun, **ago: int) -> None:
    then = timezone.now() - timedelta(**ago)
    BackupRun.objects.filter(pk=run.pk).update(created_at=then, finished_at=then)


def test_none_is_made_by_itself_unless_somebody_says_so(sent, settings):
    settings.BACKUP_EVERY_HOURS = 0
    assert backups_order_due() == 0
    assert not BackupRun.objects.exists()


def test_the_first_at_once_and_no_second_while_it_is_under_way(sent):
    run = ordered()
    assert sent == [run.public_id]
    assert backups_order_due() == 0
    ago(run, days=3)
    assert backups_order_due() == 0, "one at a time, however long it takes"
    assert BackupRun.objects.count() == 1


def test_the_database_refuses_two_at_once(sent):
    claimed()
    with pytest.raises(IntegrityError), transaction.atomic():
        BackupRun.objects.create()


def test_the_next_after_the_hours_from_the_begin_of_the_last(sent):
    run = claimed()
    backup_finish(run, "bareme-20260101T000000Z.zip")
    assert backups_order_due() == 0
    ago(run, hours=23)
    assert backups_order_due() == 0
    ago(run, hours=24)
    assert backups_order_due() == 1


def test_after_a_failure_an_hour_later(sent):
    run = claimed()
    backup_fail(run, BackupRun.Problem.DISK, "Permission denied" * 100)
    run.refresh_from_db()
    assert (run.state, run.problem, len(run.detail)) == ("failed", "disk", 500)
    assert Event.objects.get(verb="backup_failed").details == {"problem": "disk"}
    assert backups_order_due() == 0
    ago(run, hours=1)
    assert backups_order_due() == 1


def test_one_whose_message_was_lost_is_asked_for_again_and_given_up_after_two_workers(sent):
    run = ordered()
    late = {"lease_until": timezone.now() - timedelta(seconds=1)}
    BackupRun.objects.update(**late)
    assert backups_resend() == 1
    assert sent == [run.public_id] * 2
    for expected in (1, 0):
        assert BACKUPS.claim(run.public_id) is not None
        BackupRun.objects.update(**late)
        assert backups_resend() == expected
    run.refresh_from_db()
    assert (run.state, run.problem) == ("failed", "worker_lost")


def test_who_lost_the_lease_changes_nothing(sent):
    run = claimed()
    BackupRun.objects.update(attempt=2)
    with pytest.raises(LeaseLost):
        backup_finish(run, "bareme-20260101T000000Z.zip")
    backup_fail(run, BackupRun.Problem.DEFECT)
    run.refresh_from_db()
    assert (run.state, run.name, run.problem) == ("running", "", "")
    assert not Event.objects.filter(verb="backup_failed").exists()


def test_what_was_left_lying_is_noted_on_one_that_was_made(sent):
    run = claimed()
    backup_finish(run, "bareme-20260101T000000Z.zip")
    backup_not_pruned(run, "Permission denied")
    run.refresh_from_db()
    assert (run.state, run.problem, run.detail) == ("done", "not_pruned", "Permission denied")


def test_rows_are_forgotten_after_a_year(sent):
    old = claimed()
    backup_finish(old, "bareme-20250101T000000Z.zip")
    ago(old, days=401)
    backup_finish(claimed(), "bareme-20260101T000000Z.zip")
    assert not BackupRun.objects.filter(pk=old.pk).exists()


def test_of_two_sweeps_at_once_one_orders(sent, monkeypatch):
    """Both have seen that it is due before either has stored it."""
    ordered()
    monkeypatch.setattr(backups, "_is_due", lambda _now: True)
    assert backups_order_due() == 0
    assert len(sent) == 1
