"""Reports on tables of human scores that leads bring in without a study: ordered in the browser or
by the API, carried out by a worker, kept for whoever ordered them.

A table is read when it comes, so that what is wrong with it is said at once; where that may take
long, the worker that measures reads it. It lies in the storage until then, and goes with the end of
the work, however it ends.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from annotation.access import brings_tables_still
from annotation.corpus.human_scores import ScoreColumns
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError
from annotation.jobs import request_table_report
from annotation.leasing import Outcome
from annotation.metrics.report.estimate import SEED, Drawn
from annotation.models import TableReport, User, WorkState
from annotation.protocols.base import Problem
from annotation.reading import Pace, ReadingBusy, ReadLater
from annotation.services.metrics.machines import Tools
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import encoders_check
from annotation.services.metrics.tables import TableRequest, table_read, table_report
from annotation.services.platform.events import event_record
from annotation.services.platform.leases import AskerLeft, Heartbeat, Queue, carried_out
from annotation.services.platform.left_files import left_files_remove

TABLES = Queue(rows=lambda: TableReport.objects.select_related("requested_by"))
KEPT_TABLES = 20
"""Reports of one person; the oldest goes for a new one."""
_FOLDER = "score-tables"
_AGAIN_AFTER = timedelta(seconds=5)
_WORKER_LOST = {
    "fr": "Le processus qui mesurait a été arrêté plusieurs fois.",
    "en": "The worker that measured was stopped again and again.",
}
_FILE_LOST = {
    "fr": "Le fichier n'est plus là : envoyez-le de nouveau.",
    "en": "The file is no longer there: send it again.",
}
_ASKER_LEFT = {
    "fr": "La personne qui l'a demandé n'a plus le droit de faire mesurer des tableaux.",
    "en": "Whoever asked for it may not have tables measured any more.",
}
_DEFECT = {
    "fr": "Le rapport a échoué pour une raison qu'il nous revient de corriger.",
    "en": "The report failed for a reason that is ours to mend.",
}


@dataclass(frozen=True)
class TableOrder:
    """What is said of a table, and what its report is to hold: with TER (``slow``), with
    ``encoders``."""

    table_request: TableRequest
    slow: bool = False
    encoders: tuple[str, ...] = ()
    seed: int = SEED
    draws: int = Drawn().draws

    def stored(self) -> dict[str, Any]:
        """As it stands in a row."""
        columns = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self.table_request.columns).items()
            if name != "lower"  # it stands beside
        }
        return {
            "columns": columns,
            "lower": sorted(self.table_request.lower),
            "language": self.table_request.language,
            "slow": self.slow,
            "encoders": list(self.encoders),
            "seed": self.seed,
            "draws": self.draws,
        }

    @classmethod
    def of(cls, stored: dict[str, Any]) -> TableOrder:
        """What a row says."""
        columns: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in stored["columns"].items()
        }
        request = TableRequest(
            ScoreColumns(**columns), frozenset(stored["lower"]), str(stored["language"])
        )
        return cls(
            request, stored["slow"], tuple(stored["encoders"]), stored["seed"], stored["draws"]
        )

    @property
    def report_request(self) -> ReportRequest:
        """What a report needs to be told."""
        return ReportRequest(
            "", slow=self.slow, encoders=self.encoders, seed=self.seed, draws=self.draws
        )


def table_report_request(
    *, actor: User, name: str, content: bytes, order: TableOrder
) -> TableReport:
    """A new report on this table. ``name`` is the file's.

    Raises ``RuleError`` that names each row, its column and the remedy, and ``ReadingBusy``;
    nothing is kept then.
    """
    encoders_check(order.encoders)
    # Where it may take long, the worker reads it and says what is wrong.
    with suppress(ReadLater):
        table_read(content, order.table_request, person=actor.pk, pace=Pace.AT_ONCE)
    return _stored(actor, name, content, order)


@transaction.atomic
def _stored(actor: User, name: str, content: bytes, order: TableOrder) -> TableReport:
    report = TableReport(
        name=name[-200:],
        asked=order.stored(),
        requested_by=actor,
        lease_until=TABLES.ordered_until(),
    )
    report.input_path = default_storage.save(f"{_FOLDER}/{report.public_id}", ContentFile(content))
    report.save(force_insert=True)
    event_record(actor=actor, verb="table_report_requested", target=report)
    request_table_report(report.public_id)
    return report


@transaction.atomic
def table_report_forget(*, actor: User, report: TableReport) -> None:
    """Take it out, with its table; a worker that is at it stops."""
    event_record(actor=actor, verb="table_report_forgotten", target=report)
    _file_delete(report.input_path)
    TableReport.objects.filter(pk=report.pk).delete()


class _Heartbeat(Heartbeat[TableReport]):
    """Tells how many steps of how many are done."""

    _steps = (0, 0)

    def __enter__(self) -> _Heartbeat:
        super().__enter__()
        return self

    def columns(self) -> dict[str, Any]:
        return dict(zip(("done", "total"), self._steps, strict=True))

    def progress(self, rows: int, total: int) -> None:
        """Take note. Raises ``LeaseLost`` where the row is no longer this worker's."""
        self._steps = (rows, total)
        self.check()


def table_report_write(public_id: uuid.UUID, tools: Tools | None = None) -> bool:
    """Carry out such an order with what this process can load. False where there was nothing to do,
    or it cannot be done and the row says why."""
    row = TABLES.claim(public_id, done=0, total=0)
    if row is None:
        return False
    return carried_out(
        lambda: _write(row, tools),
        {
            AskerLeft: lambda _: _fail(row, [_ASKER_LEFT]),
            FileNotFoundError: lambda _: _fail(row, [_FILE_LOST]),
            ReadingBusy: lambda _: TABLES.put_off(row, _AGAIN_AFTER),
            RuleError: lambda error: _fail(row, [_words(problem) for problem in error.problems]),
        },
        defect=lambda: _fail(row, [_DEFECT]),
    )


def _write(row: TableReport, tools: Tools | None) -> None:
    if not brings_tables_still(row.requested_by):
        raise AskerLeft
    order = TableOrder.of(row.asked)
    with default_storage.open(row.input_path) as stored:
        content = bytes(stored.read())
    with _Heartbeat(TABLES, row) as heartbeat:
        report = table_report(
            content,
            order.table_request,
            order.report_request,
            heartbeat,
            tools,
            person=row.requested_by_id,
            pace=Pace.PATIENT,
        )
    _finish(row, report, heartbeat)


def _words(problem: Problem) -> dict[str, Any]:
    said: dict[str, Any] = {"fr": problem.message.fr, "en": problem.message.en}
    if isinstance(problem, RowProblem):
        said = {
            "fr": f"{problem.message.fr} {problem.remedy.fr}".strip(),
            "en": f"{problem.message.en} {problem.remedy.en}".strip(),
        }
        if problem.row:
            said |= {"row": problem.row, "field": problem.field}
    return said


@transaction.atomic
def _finish(row: TableReport, report: dict[str, Any], heartbeat: _Heartbeat) -> None:
    TABLES.finish(row, result=report, input_path="", **heartbeat.columns())
    _file_delete(row.input_path)
    own = TableReport.objects.filter(requested_by=row.requested_by_id)
    ended = own.filter(state__in=(WorkState.DONE, WorkState.FAILED))
    old = list(ended.values_list("pk", flat=True)[KEPT_TABLES:])
    TableReport.objects.filter(pk__in=old).delete()


@transaction.atomic
def _fail(row: TableReport, problems: list[dict[str, Any]]) -> None:
    if TABLES.end(row, Outcome.FAILED, problems=problems, input_path=""):
        _file_delete(row.input_path)
        event_record(actor=None, verb="table_report_failed", target=row)


def _file_delete(path: str) -> None:
    """Once the transaction stands. A file that stays behind is litter, no reason to fail."""
    if path:
        transaction.on_commit(lambda: default_storage.delete(path), robust=True)


def table_reports_resend() -> int:
    """Ask again for those whose message or worker was lost; returns how many."""
    return TABLES.resend(request_table_report, lambda row: _fail(row, [_WORKER_LOST]))


def table_files_expire() -> int:
    """Remove tables that no row names any more; returns how many."""
    return left_files_remove(
        _FOLDER, lambda: set(TableReport.objects.values_list("input_path", flat=True))
    )
