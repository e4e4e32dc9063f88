"""What workers do when a message comes. Each task fetches nothing by itself: the service claims its
row, and a message that comes twice, or late, finds nothing left to do."""

from __future__ import annotations

import uuid
from typing import Any

from celery import shared_task

from annotation import jobs
from annotation.backup.scheduled import backup_carry_out
from annotation.services.agreement.marks import marks_compute as compute_marks
from annotation.services.agreement.modelling import models_compute as compute_models
from annotation.services.documents.blocks import blocks_carry_out
from annotation.services.generation.sending import generations_feed
from annotation.services.intake import readings_work
from annotation.services.publishing import exports, publications
from workers.generation.batches import batches_look
from workers.generation.calls import generation_write as write_generation

_TRAINING_SECONDS = 30 * 24 * 3600
_BACKUP_SECONDS = 24 * 3600


@shared_task(name=jobs.EXPORT_WRITE)
def export_write(public_id: str) -> None:
    """Write an export's file. Never retried here: what may pass is left to the sweep, what will not
    is recorded."""
    exports.export_write(uuid.UUID(public_id))


@shared_task(name=jobs.FILE_READ)
def file_read(public_id: str) -> None:
    """Read a file that somebody sent, and bring in what it holds."""
    readings_work.reading_carry_out(uuid.UUID(public_id))


@shared_task(name=jobs.BLOCKS_FIND)
def blocks_find(document: str, criteria: dict[str, Any], person: int) -> None:
    """Find the blocks of a long source document for whoever waits for its page."""
    blocks_carry_out(uuid.UUID(document), criteria, person)


@shared_task(name=jobs.PUBLICATION_WRITE)
def publication_write(public_id: str) -> None:
    """Freeze a study, or write the bundle of a snapshot."""
    publications.publication_write(uuid.UUID(public_id))


@shared_task(name=jobs.MODELS_COMPUTE)
def models_compute(public_id: str) -> None:
    """Model a study's annotators."""
    compute_models(uuid.UUID(public_id))


@shared_task(name=jobs.MARKS_COMPUTE)
def marks_compute(public_id: str) -> None:
    """Compute the report on what people marked in a study."""
    compute_marks(uuid.UUID(public_id))


@shared_task(name=jobs.GENERATION_FEED)
def generation_feed(run: int) -> None:
    """Send out a run's calls, or hand over its batch."""
    generations_feed(run)
    batches_look(run)


@shared_task(name=jobs.GENERATION_WRITE, bind=True)
def generation_write(self: Any, generation: int) -> None:
    """One call of a model. Tried again by a message of its own, at its own time; see
    ``workers.generation.calls``."""
    request = self.request
    redelivered = bool((request.delivery_info or {}).get("redelivered"))
    write_generation(generation, str(request.id), redelivered=redelivered)


# Acknowledged when it begins: a training may take longer than any message is waited for. A run
# whose worker died is found by the sweep and goes on from its last epoch.
@shared_task(
    name=jobs.TRAINING_RUN,
    acks_late=False,
    soft_time_limit=_TRAINING_SECONDS,
    time_limit=_TRAINING_SECONDS,
)
def training_run(public_id: str) -> None:
    """Train a scorer."""
    # The scorers' libraries are for the workers that train or score.
    from workers.scoring.training import training_run as carry_out

    carry_out(uuid.UUID(public_id))


@shared_task(name=jobs.PAIRS_SCORE)
def pairs_score(public_id: str) -> None:
    """Score pairs with a stored scorer."""
    from workers.scoring.scores import pairs_score as carry_out

    carry_out(uuid.UUID(public_id))


@shared_task(name=jobs.METRICS_WRITE)
def metrics_write(public_id: str) -> None:
    """Measure a study's simplifications, and report how metrics agree with its people."""
    # Its libraries are for the workers that measure.
    from annotation.services.metrics.reports import report_write
    from workers.metrics.tools import TOOLS

    report_write(uuid.UUID(public_id), TOOLS)


@shared_task(name=jobs.TABLE_MEASURE)
def table_measure(public_id: str) -> None:
    """Measure a table's simplifications, and report how metrics agree with its human scores."""
    from annotation.services.metrics.table_reports import table_report_write
    from workers.metrics.tools import TOOLS

    table_report_write(uuid.UUID(public_id), TOOLS)


# Acknowledged when it begins, as a training is; one whose worker died is found by the sweep.
@shared_task(
    name=jobs.BACKUP_MAKE,
    acks_late=False,
    soft_time_limit=_BACKUP_SECONDS,
    time_limit=_BACKUP_SECONDS,
)
def backup_make(public_id: str) -> None:
    """Make the backup that is due, and remove older ones."""
    backup_carry_out(uuid.UUID(public_id))
