"""Jobs traced, where a collector is configured."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from celery.signals import task_failure, task_postrun, task_prerun, worker_process_shutdown

from annotation.tracing import CARRIED, end, failed, span

# Of the jobs that run here, by number: one at a time in a process, several where it has threads.
_open: dict[str, tuple[ExitStack, Any]] = {}


def connect() -> None:
    """Have the jobs of this worker, and of the processes that it forks, traced."""
    task_prerun.connect(_begun, weak=False)
    task_failure.connect(_broken, weak=False)
    task_postrun.connect(_done, weak=False)
    worker_process_shutdown.connect(_ended, weak=False)


def _begun(task_id: str, task: Any, **_: Any) -> None:
    """Its name and how often it was tried, never what it was given."""
    stack = ExitStack()
    own = {"messaging.system": "celery", "bareme.job": task.name}
    # Where a page asked for it, it belongs to the page's trace.
    parent = getattr(task.request, CARRIED, None)
    job_span = stack.enter_context(span(task.name, "CONSUMER", own, parent=parent))
    _open[task_id] = stack, job_span


def _broken(task_id: str, exception: BaseException, **_: Any) -> None:
    if task_id in _open:
        failed(_open[task_id][1], type(exception).__name__)


def _done(task_id: str, **_: Any) -> None:
    if task_id in _open:
        _open.pop(task_id)[0].close()


def _ended(**_: Any) -> None:
    """A worker's processes end without what Python does at the end of others."""
    end()
