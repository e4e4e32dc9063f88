"""The periodic look at what was left lying: messages that were lost, workers that died, files past their time."""

from __future__ import annotations

import logging

from celery import shared_task

from annotation.services.absences import absences_sweep
from annotation.services.access_records import access_records_expire
from annotation.services.draft_versions import draft_versions_expire
from annotation.services.exports import exports_expire, exports_resend
from annotation.services.generation_work import generations_resend
from annotation.services.idempotency import idempotency_expire
from annotation.services.judgments import receipts_expire
from annotation.services.publications import publications_resend
from annotation.services.reminders import reminders_send_due
from annotation.services.repeats import repeats_sweep
from annotation.services.scoring_jobs import scorings_resend
from annotation.services.training import trainings_expire, trainings_resend
from annotation.services.training_schedule import training_schedule_run
from workers.batches import batches_look

log = logging.getLogger(__name__)


@shared_task(name="workers.sweep.sweep")
def sweep() -> None:
    """Run every 30 seconds by the worker's own clock (see CELERY_BEAT_SCHEDULE)."""
    sent, removed = exports_resend() + generations_resend(), exports_expire()
    sent += trainings_resend() + scorings_resend() + publications_resend()
    removed += trainings_expire()
    receipts_expire()
    draft_versions_expire()
    access_records_expire()
    idempotency_expire()
    batches_look()
    absences_sweep()
    repeats_sweep()
    sent += reminders_send_due()
    if run := training_schedule_run():
        log.info("training due", extra={"run": run.pk})
    if sent or removed:
        log.info("swept", extra={"sent": sent, "removed": removed})
