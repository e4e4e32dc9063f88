"""What the throttle of log-ins notes (address, network address, browser, moment) is kept for a time
and no longer."""

from __future__ import annotations

from datetime import timedelta

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.services.platform.left_bytes import log_cut


def access_records_expire() -> int:
    """Remove records older than ``ACCESS_RECORD_DAYS``; how many were removed. 0 days keeps none
    beyond a sweep."""
    _posted_forget()
    before = timezone.now() - timedelta(days=settings.ACCESS_RECORD_DAYS)
    old = [model.objects.filter(attempt_time__lt=before) for model in (AccessLog, AccessFailureLog)]
    # A lockout that still holds must outlive even the shortest time.
    counting = timezone.now() - settings.AXES_COOLOFF_TIME
    old.append(AccessAttempt.objects.filter(attempt_time__lt=min(before, counting)))
    return sum(rows.delete()[0] for rows in old)


def _posted_forget() -> None:
    """Versions before noted what was posted with a wrong password, other passwords and codes among
    it; and a restore may bring that back."""
    posted = AccessAttempt.objects.filter(Q(get_data__contains="=") | Q(post_data__contains="="))
    if posted.update(get_data="", post_data=""):
        transaction.on_commit(log_cut)
