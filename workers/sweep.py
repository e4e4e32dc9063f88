"""The periodic look at what was left lying: messages that were lost, workers that died, files past
their time."""

from __future__ import annotations

import logging

from celery import shared_task

from annotation.services.generation.sending import generations_resend
from annotation.services.intake.readings import readings_expire, readings_resend
from annotation.services.intake.uploads import uploads_expire
from annotation.services.judging.draft_versions import draft_versions_expire
from annotation.services.judging.drafts import receipts_expire
from annotation.services.planning.absences import absences_sweep
from annotation.services.planning.repeats import repeats_sweep
from annotation.services.platform.access_records import access_records_expire
from annotation.services.platform.idempotency import idempotency_expire
from annotation.services.publishing.exports import exports_expire, exports_resend
from annotation.services.publishing.publications import publications_resend
from annotation.services.scoring.jobs import scoring_files_expire, scorings_resend
from annotation.services.scoring.schedule import training_schedule_run
from annotation.services.scoring.training import trainings_expire, trainings_resend
from annotation.services.watching.reminders import reminders_send_due
from workers.generation.batches import batches_look

log = logging.getLogger(__name__)


@shared_task(name="workers.sweep.sweep")
def sweep() -> None:
    """Run every 30 seconds by the worker's own clock (see CELERY_BEAT_SCHEDULE)."""
    sent, removed = exports_resend() + generations_resend(), exports_expire()
    sent += trainings_resend() + scorings_resend() + publications_resend() + readings_resend()
    removed += trainings_expire() + readings_expire() + uploads_expire() + scoring_files_expire()
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
