"""Background work by name. The only module here that talks to Celery.

A message says "look at this row": the row is the truth. A message that is lost, or cannot be sent
because the broker is down, costs a delay until the sweep finds the row; it never fails the request
that stored it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import ChannelError, OperationalError

from annotation.tracing import carried

EXPORT_WRITE = "workers.tasks.export_write"
FILE_READ = "workers.tasks.file_read"
BLOCKS_FIND = "workers.tasks.blocks_find"
PUBLICATION_WRITE = "workers.tasks.publication_write"
MODELS_COMPUTE = "workers.tasks.models_compute"
MARKS_COMPUTE = "workers.tasks.marks_compute"
GENERATION_FEED = "workers.tasks.generation_feed"
GENERATION_WRITE = "workers.tasks.generation_write"
TRAINING_RUN = "workers.tasks.training_run"
PAIRS_SCORE = "workers.tasks.pairs_score"
METRICS_WRITE = "workers.tasks.metrics_write"
TABLE_MEASURE = "workers.tasks.table_measure"
BACKUP_MAKE = "workers.tasks.backup_make"

# Somebody waits for the page: one try, and no long wait for a host that does not answer. By default
# Celery tries for six seconds, whatever it is told about retries.
_AT_ONCE = {"max_retries": 0, "socket_connect_timeout": 2, "socket_timeout": 2}


def request_export(public_id: uuid.UUID) -> None:
    """Ask a worker to write this export, once the current transaction stands."""
    # A lambda, no partial: Django names the function when it logs that it failed, and a partial has
    # no name.
    transaction.on_commit(lambda: _send(EXPORT_WRITE, str(public_id)), robust=True)


def request_training(public_id: uuid.UUID) -> None:
    """Ask a worker of the training queue for this run, once the current transaction stands."""
    transaction.on_commit(
        lambda: _send(TRAINING_RUN, str(public_id), queue=settings.TRAINING_QUEUE), robust=True
    )


def request_scoring(public_id: uuid.UUID) -> None:
    """Ask a worker to score a job's pairs, once the current transaction stands."""
    transaction.on_commit(lambda: _send(PAIRS_SCORE, str(public_id)), robust=True)


def request_reading(public_id: uuid.UUID) -> None:
    """Ask a worker to read a file, once the current transaction stands."""
    transaction.on_commit(lambda: _send(FILE_READ, str(public_id)), robust=True)


def request_blocks(document: uuid.UUID, criteria: dict[str, Any], person: int) -> None:
    """Ask a worker for the blocks of a document, once the current transaction stands."""
    transaction.on_commit(lambda: _send(BLOCKS_FIND, str(document), criteria, person), robust=True)


def request_publication(public_id: uuid.UUID) -> None:
    """Ask a worker to freeze a study or to write a bundle, once the current transaction stands."""
    transaction.on_commit(lambda: _send(PUBLICATION_WRITE, str(public_id)), robust=True)


def request_models(public_id: uuid.UUID) -> None:
    """Ask a worker to model a study's annotators, once the current transaction stands."""
    transaction.on_commit(
        lambda: _send(MODELS_COMPUTE, str(public_id), queue=settings.MODELLING_QUEUE), robust=True
    )


def request_marks(public_id: uuid.UUID) -> None:
    """Ask a worker for the report on marks, once the current transaction stands."""
    transaction.on_commit(lambda: _send(MARKS_COMPUTE, str(public_id)), robust=True)


def request_table_report(public_id: uuid.UUID) -> None:
    """Ask a worker to measure a table of human scores, once the current transaction stands."""
    transaction.on_commit(lambda: _send(TABLE_MEASURE, str(public_id)), robust=True)


def request_metrics(public_id: uuid.UUID) -> None:
    """Ask a worker for a report on metrics, once the current transaction stands."""
    transaction.on_commit(lambda: _send(METRICS_WRITE, str(public_id)), robust=True)


def request_backup(public_id: uuid.UUID) -> None:
    """Ask a worker for the backup that is due, once the current transaction stands."""
    transaction.on_commit(lambda: _send(BACKUP_MAKE, str(public_id)), robust=True)


def request_generation(run: int) -> None:
    """Ask a worker to send out a run's calls, once the current transaction stands."""
    transaction.on_commit(lambda: _send(GENERATION_FEED, run), robust=True)


def send_generations(generations: Iterable[int]) -> int:
    """One message for each generation, in this order; how many were sent. For workers: it may take
    seconds.

    The messages are those of ``apply_async``, without what it does anew for each (routes, options,
    declaring the queue): ten thousand are sent in half the time.
    """
    count = 0
    with current_app.producer_or_acquire(None) as producer:
        producer.maybe_declare(current_app.amqp.queues[settings.LLM_QUEUE])
        for pk in generations:
            message = current_app.amqp.as_task_v2(
                str(uuid.uuid4()), GENERATION_WRITE, args=(pk,), kwargs={}
            )
            producer.publish(
                message.body,
                exchange="",
                routing_key=settings.LLM_QUEUE,
                headers=message.headers,
                serializer="json",
                delivery_mode=2,
                **message.properties,
            )
            count += 1
    return count


def send_generation_later(generation: int, seconds: float) -> None:
    """The same, for a call that is tried again."""
    current_app.signature(GENERATION_WRITE).apply_async(
        args=(generation,), countdown=seconds, queue=settings.LLM_QUEUE
    )


def waiting_messages(queue: str) -> int | None:
    """How many messages wait in a queue; None where the broker does not say."""
    try:
        with current_app.connection_for_read() as connection:
            return int(
                connection.default_channel.queue_declare(queue=queue, passive=True).message_count
            )
    except ChannelError:
        return 0  # nobody has used the queue yet
    except (OperationalError, OSError):
        return None


def _send(name: str, *arguments: str | int | dict[str, Any], queue: str | None = None) -> None:
    options = {**current_app.conf.broker_transport_options, **_AT_ONCE}
    with current_app.connection_for_write(transport_options=options) as connection:
        # A signature honours eager mode, unlike send_task.
        current_app.signature(name, args=arguments).apply_async(
            connection=connection, retry=False, queue=queue, headers=carried()
        )
