"""Backups that are due: ordered by the sweep, so that whichever clock goes, there is one of each.

What a backup is, and how it is made, is in ``annotation.backup``; here are the rows that say that
one is due, under way, made, or why not.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.jobs import request_backup
from annotation.leasing import Outcome
from annotation.models import BackupRun
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import Queue

BACKUPS: Queue[BackupRun] = Queue(rows=BackupRun.objects.all, most_attempts=2)
AFTER_FAILURE = timedelta(hours=1)
"""How long a failed one waits for the next, where backups are that far apart."""
REMEMBERED = timedelta(days=400)
_LONGEST_DETAIL = 500


def backups_order_due() -> int:
    """Order the backup that is due, if one is; how many were ordered. None while another waits or
    is under way."""
    if not settings.BACKUP_EVERY_HOURS or not _is_due(timezone.now()):
        return 0
    try:
        with transaction.atomic():
            run = BackupRun.objects.create(lease_until=BACKUPS.ordered_until())
            request_backup(run.public_id)
    except IntegrityError:
        return 0  # another sweep was first
    return 1


def backups_resend() -> int:
    """Ask again for one whose message or worker was lost; returns how many."""
    return BACKUPS.resend(
        request_backup, lambda run: backup_fail(run, BackupRun.Problem.WORKER_LOST)
    )


@transaction.atomic
def backup_finish(run: BackupRun, name: str) -> None:
    """Record that it lies there under this name. Raises ``LeaseLost``."""
    BACKUPS.finish(run, name=name, problem="", detail="")
    BackupRun.objects.filter(created_at__lt=timezone.now() - REMEMBERED).delete()


@transaction.atomic
def backup_fail(run: BackupRun, problem: str, detail: str = "") -> None:
    """Record why there is none; the next one is due as ``AFTER_FAILURE`` says."""
    if BACKUPS.end(run, Outcome.FAILED, problem=problem, detail=detail[:_LONGEST_DETAIL]):
        event_record(actor=None, verb="backup_failed", target=run, problem=problem)


def backup_not_pruned(run: BackupRun, detail: str) -> None:
    """Record that it was made, and that older ones could not be removed."""
    BackupRun.objects.filter(pk=run.pk).update(
        problem=BackupRun.Problem.NOT_PRUNED, detail=detail[:_LONGEST_DETAIL]
    )


def _is_due(now: datetime) -> bool:
    """So long after the last one; or before it, where a clock was ahead when that was written down:
    there would be none until that moment comes."""
    every = timedelta(hours=settings.BACKUP_EVERY_HOURS)
    last = BackupRun.objects.first()
    if last is not None and last.state == BackupRun.State.FAILED:
        ended = last.finished_at or last.created_at
        return abs(now - ended) >= min(AFTER_FAILURE, every)
    return last is None or abs(now - last.created_at) >= every
