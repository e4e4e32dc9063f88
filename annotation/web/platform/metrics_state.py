"""What is read when metrics are asked for: queues, work, judgments, the last backup. Numbers
only."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from annotation.selectors.platform.broker import BrokerState, broker_read
from annotation.selectors.platform.parts import bucket_answers, database_writable
from annotation.selectors.platform.system import (
    WORK_KINDS,
    judgments_submitted,
    last_backup,
    last_backup_run,
    work_counts,
    work_waiting_since,
)


class StateCollector(Collector):
    """One look at the database and one at Redis. Either may be away: then ``bareme_…_up`` is 0 and
    the rest of it is missing, which an alert can tell from zero. Of one that is there and takes
    nothing the rest is known."""

    def collect(self) -> Iterator[Metric]:
        broker = broker_read()
        is_up = broker is not None and broker.is_writable
        yield _gauge("bareme_broker_up", "Whether Redis answers and takes messages.", float(is_up))
        if broker is not None:
            yield from _of_broker(broker)
        try:
            metrics = list(_of_database())
            is_up = database_writable()
        except (DatabaseError, InterfaceError):
            metrics, is_up = [], False
        yield _gauge(
            "bareme_database_up", "Whether the database answers and takes writes.", float(is_up)
        )
        yield from metrics
        yield from _of_disk()
        yield _gauge(
            "bareme_bucket_up",
            "Whether the bucket of files answers; 1 where there is none.",
            float(bucket_answers()),
        )


def _of_broker(broker: BrokerState) -> Iterator[Metric]:
    waiting = GaugeMetricFamily(
        "bareme_queue_messages", "Messages that wait, by queue.", labels=["queue"]
    )
    for queue, count in broker.waiting.items():
        waiting.add_metric([queue], count)
    yield waiting
    yield _gauge(
        "bareme_queue_unacknowledged",
        "Messages given to workers and not yet confirmed; those of a killed worker for two hours.",
        broker.in_hand,
    )
    alive = GaugeMetricFamily(
        "bareme_workers",
        "Workers that gave a sign of life within a minute, or that start with the first message.",
        labels=["queue"],
    )
    for queue in broker.waiting:
        alive.add_metric([queue], max(broker.serving(queue), queue in broker.standby))
    yield alive


def _of_database() -> Iterator[Metric]:
    yield _gauge(
        "bareme_judgments_submitted", "Judgments that stand submitted.", judgments_submitted()
    )
    work = GaugeMetricFamily(
        "bareme_work", "Background work, by kind and state.", labels=["kind", "state"]
    )
    # A failure is seen as a change: there is a zero before the first.
    numbers = dict.fromkeys(((kind, "failed") for kind in WORK_KINDS), 0)
    numbers |= {(count.kind, count.state): count.number for count in work_counts()}
    for labels, number in sorted(numbers.items()):
        work.add_metric(labels, number)
    yield work
    oldest = GaugeMetricFamily(
        "bareme_work_oldest_seconds",
        "How long the oldest work that waits has waited, by kind.",
        labels=["kind"],
    )
    for kind, since in sorted(work_waiting_since().items()):
        oldest.add_metric([kind], (timezone.now() - since).total_seconds())
    yield oldest
    if backup := last_backup():
        age = (timezone.now() - backup.at).total_seconds()
        yield _gauge("bareme_backup_age_seconds", "Time since the last backup was made.", age)
    run = last_backup_run() if settings.BACKUP_EVERY_HOURS else None
    yield _gauge(
        "bareme_backup_failed",
        "Whether the last backup that was due by itself failed, or older ones stayed.",
        float(run is not None and bool(run.problem)),
    )


def _of_disk() -> Iterator[Metric]:
    """Nothing where the folder cannot be asked."""
    with suppress(OSError):
        disk = shutil.disk_usage(settings.DATA_DIR)
        yield _gauge("bareme_disk_free_bytes", "Free on the disk of the data folder.", disk.free)
        yield _gauge("bareme_disk_size_bytes", "Size of that disk.", disk.total)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)
