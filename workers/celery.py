"""The Celery application. A worker refuses an insecure start, as the web server does."""

from __future__ import annotations

import os
import time
from typing import Any

from celery import Celery
from celery.signals import (
    celeryd_init,
    task_failure,
    worker_before_create_process,
    worker_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from annotation import draining
from annotation.garbage import garbage_settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.config.settings")

app = Celery("bareme")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["workers"], related_name="tasks")
app.autodiscover_tasks(["workers"], related_name="sweep")
app.steps["worker"].add("workers.clock:Clock")

_AWAY_SECONDS = 5.0
"""A worker without a pause takes a hundred messages a second while the database is away, or takes
nothing: each fails with a line in the log, and the whole queue is lost until the sweep sends it
again."""


@celeryd_init.connect
def refuse_insecure_start(**_: Any) -> None:
    """Stop before the first task. SystemExit, because Celery logs any other exception of a receiver
    and goes on."""
    import django

    django.setup()
    from annotation import checks

    if checks.was_let_start():
        return
    try:
        checks.refuse_insecure_start()
    except Exception as error:
        raise SystemExit(str(error)) from error


@worker_init.connect
def trace_jobs(**_: Any) -> None:
    """Where a collector is configured; before processes are forked."""
    from django.conf import settings

    if settings.TRACES is not None:
        from workers.tracing import connect

        connect()


@worker_ready.connect
def give_signs_of_life(sender: Any = None, **_: Any) -> None:
    """So that the admins' page knows who works on which queue."""
    from workers.signs import give_signs

    give_signs(sender)


@worker_shutting_down.connect
def say_that_it_ends(**_: Any) -> None:
    """To its processes. Whoever ends it waits half a minute or so; a training, which takes longer,
    is left to whoever comes next."""
    draining.begin()


@worker_shutdown.connect
def take_leave(**_: Any) -> None:
    """One that ended in order is not missed."""
    from workers.signs import leave

    leave()


@worker_init.connect
def load_client_once(**_: Any) -> None:
    """In the parent of a worker that asks models: its processes are forks, and loading takes 1.5 s
    of CPU in each; what tells languages takes temporary space besides, which is memory."""
    from django.conf import settings

    if settings.LLM_QUEUE not in app.amqp.queues.consume_from:
        return
    import openai

    from annotation.corpus.language import detector_load

    detector_load()
    # Touched, because the client loads its parts when they are first used.
    openai.OpenAI(api_key="loading", base_url="http://127.0.0.1").chat.completions.create.__doc__  # noqa: B018


@worker_before_create_process.connect
def leave_what_is_loaded_alone(**_: Any) -> None:
    """Before each process that is forked."""
    garbage_settle()


@task_failure.connect
def wait_for_the_database(sender: Any = None, exception: Any = None, **_: Any) -> None:
    """Before this process takes its next job."""
    from annotation.selectors.platform.database_away import database_state_of

    if database_state_of(exception) and not sender.request.is_eager:
        time.sleep(_AWAY_SECONDS)
