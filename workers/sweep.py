"""The periodic look, which is the schedule of everything that nobody asks for: what was left lying
(messages that were lost, workers that died, files past their time), and what has come due
(reminders and digests, backups, trainings, silent repeats, absences, models' batches)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from celery import shared_task
from django.core.cache import cache

from annotation.selectors.documents.blocks import blocks_expire
from annotation.selectors.platform.database_away import database_state_of
from annotation.services.accounts.new_address import address_changes_expire
from annotation.services.accounts.open_sessions import sessions_expire
from annotation.services.agreement.marks import marks_resend
from annotation.services.agreement.modelling import models_resend
from annotation.services.generation.sending import generations_resend
from annotation.services.intake.readings import readings_expire, readings_resend
from annotation.services.intake.uploads import uploads_expire
from annotation.services.judging.draft_versions import draft_versions_expire
from annotation.services.judging.drafts import receipts_expire
from annotation.services.metrics.reports import reports_resend
from annotation.services.metrics.table_reports import table_files_expire, table_reports_resend
from annotation.services.people.invitations import invitations_expire
from annotation.services.planning.absences import absences_sweep
from annotation.services.planning.repeats import repeats_sweep
from annotation.services.platform.access_records import access_records_expire
from annotation.services.platform.backups import backups_order_due, backups_resend
from annotation.services.platform.idempotency import idempotency_expire
from annotation.services.publishing.export_files import exports_expire
from annotation.services.publishing.exports import exports_resend
from annotation.services.publishing.publications import publications_resend
from annotation.services.publishing.unfinished import unfinished_expire
from annotation.services.scoring.jobs import scoring_files_expire, scorings_resend
from annotation.services.scoring.schedule import training_schedule_run
from annotation.services.scoring.training import trainings_expire, trainings_resend
from annotation.services.studies.digests import digests_send_due
from annotation.services.watching.reminders import reminders_send_due
from workers.generation.batches import batches_look

log = logging.getLogger(__name__)


_TURN_SECONDS = 20
"""Shorter than the clock's 30 seconds, so that each of its turns finds the one before over; long
enough that another clock's turn between two of them does not count."""


_AFTER_DAYS_SECONDS = 600
"""What is due after so many days is looked for every ten minutes: of ten thousand pairs and 25
people it takes seconds."""


_CLOCK_SET_SECONDS = 3600.0
"""Clocks of machines are not that far apart; one that was set may be."""


@shared_task(name="workers.sweep.turn")
def turn() -> bool:
    """A clock has struck (see CELERY_BEAT_SCHEDULE). Any number of them may go, on as many
    machines: of those that strike together one counts, and when a machine dies another's does.

    False where it was not its turn.
    """
    is_mine = _turn_taken("sweep-turn", _TURN_SECONDS)
    if is_mine:
        sweep()
    return is_mine


def _turn_taken(name: str, seconds: int) -> bool:
    """Take this turn; whether nobody had, within so many seconds."""
    now = time.time()
    try:
        if cache.add(name, now, seconds):
            return True
        taken_at = cache.get(name)
        if not isinstance(taken_at, float) or abs(now - taken_at) < _CLOCK_SET_SECONDS:
            return False
        # Redis keeps the moment at which it ends: where its clock was ahead, that may be a year.
        cache.set(name, now, seconds)
        return True
    except Exception:
        # Better twice than never: what a sweep does is decided row by row.
        log.warning("no turn could be taken", exc_info=True)
        return True


@shared_task(name="workers.sweep.sweep")
def sweep() -> None:
    """Look at all that may have been left lying.

    One step that fails keeps no other from its turn: what one study trips over would stop all of
    them, every time.
    """
    number_sent = _done(
        exports_resend,
        generations_resend,
        trainings_resend,
        scorings_resend,
        publications_resend,
        readings_resend,
        models_resend,
        reports_resend,
        table_reports_resend,
        marks_resend,
    )
    removed = _done(
        exports_expire,
        trainings_expire,
        readings_expire,
        uploads_expire,
        scoring_files_expire,
        table_files_expire,
        unfinished_expire,
    )
    _done(blocks_expire)
    _done(receipts_expire, draft_versions_expire, access_records_expire, idempotency_expire)
    _done(batches_look)
    if _turn_taken("sweep-days", _AFTER_DAYS_SECONDS):
        _done(absences_sweep, repeats_sweep)
        _done(invitations_expire, sessions_expire, address_changes_expire)
    number_sent += _done(reminders_send_due, digests_send_due, backups_resend, backups_order_due)
    _done(_training)
    if number_sent or removed:
        log.info("swept", extra={"sent": number_sent, "removed": removed})


def _done(*steps: Callable[[], int | None]) -> int:
    """Take each step; what they came to together. Raises the error of a database that is away or
    takes nothing, by which no other step would fare better."""
    number = 0
    for step in steps:
        try:
            number += step() or 0
        except Exception as error:
            if database_state_of(error):
                raise
            log.exception("a step of the sweep failed", extra={"step": step.__name__})
    return number


def _training() -> None:
    if run := training_schedule_run():
        log.info("training due", extra={"run": run.pk})
