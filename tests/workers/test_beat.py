"""The clock of larger installations goes on after the machine's was set."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.beat import Scheduler
from django.conf import settings
from kombu.utils import symbol_by_name

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("ahead", "is_due"),
    [
        pytest.param(timedelta(days=365), True, id="a clock that was ahead"),
        pytest.param(timedelta(minutes=1), False, id="another machine's"),
        pytest.param(timedelta(seconds=-31), True, id="its time"),
        pytest.param(timedelta(seconds=-1), False, id="not yet"),
    ],
)
def test_what_is_due(tmp_path: Path, ahead: timedelta, is_due: bool) -> None:
    kind = symbol_by_name(settings.CELERY_BEAT_SCHEDULER)
    beat: Any = kind(current_app, schedule_filename=str(tmp_path / "schedule"))
    try:
        assert isinstance(beat, Scheduler)
        entry = beat.schedule["sweep"]
        entry.last_run_at = entry.default_now() + ahead
        assert beat.is_due(entry).is_due is is_due
        assert entry.last_run_at <= entry.default_now() + timedelta(minutes=1)
    finally:
        beat.close()
