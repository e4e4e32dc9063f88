"""What ``celery beat`` goes by: Celery's own schedule, also where the machine's clock was ahead.

When it sent last is kept on disk. What was written down by a clock that was a year ahead would put
the next turn off by a year, and no restart would help.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from celery.beat import PersistentScheduler

_CLOCK_SET = timedelta(hours=1)
"""Between machines that share the file clocks are not that far apart; one that was set may be."""


class Beat(PersistentScheduler):  # type: ignore[misc]  # Celery has no types
    """Named by CELERY_BEAT_SCHEDULER."""

    def is_due(self, entry: Any) -> Any:
        now = entry.default_now()
        if entry.last_run_at - now > _CLOCK_SET:
            entry.last_run_at = now - entry.schedule.run_every
        return super().is_due(entry)
