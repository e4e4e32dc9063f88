"""The report on marks as it is kept: under which key, whether there is one, and who computes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from annotation.models import Job, Study
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import code_digest, figures_key, is_stored, kept
from annotation.selectors.agreement.marked import MarksFigures, MarksRequest, marks_figures
from annotation.selectors.base.one_moment import one_moment

UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


@dataclass(frozen=True)
class MarksState:
    """Of what was asked: ``key`` names the report on the answers as they are, ``shown`` the one
    that is there (of earlier answers where they differ; "" for none). ``job``: the newest that
    computed it, or is to."""

    key: str
    shown: str
    job: Job | None

    @property
    def running(self) -> Job | None:
        """The job that is waited for."""
        return self.job if self.job is not None and self.job.state in UNFINISHED else None

    @property
    def failed(self) -> Job | None:
        """The newest one where it did not end well."""
        return self.job if self.job is not None and self.job.state == Job.State.FAILED else None

    @property
    def is_current(self) -> bool:
        return self.shown == self.key


def request_digest(marks_request: MarksRequest) -> str:
    """By which a job knows what it is of."""
    return hashlib.sha256(repr(marks_request).encode()).hexdigest()


def marks_key(study: Study, marks_request: MarksRequest) -> str:
    """Names the report on the answers as they are now, computed by this code."""
    named = f"{figures_key(study, Filters())}|{marks_request!r}"
    return f"{hashlib.sha256(named.encode()).hexdigest()}|marks"


def marks_state(study: Study, marks_request: MarksRequest) -> MarksState:
    """What there is of it; a handful of queries."""
    key = marks_key(study, marks_request)
    jobs = Job.objects.filter(
        study=study, kind=Job.Kind.MARKS, parameters__digest=request_digest(marks_request)
    )
    if is_stored(key):
        return MarksState(key, key, jobs.first())
    last = jobs.filter(state=Job.State.DONE).first()
    former = last.result["key"] if last and last.result["code"] == code_digest() else ""
    return MarksState(key, former if former and is_stored(former) else "", jobs.first())


def marks_kept(
    study: Study,
    marks_request: MarksRequest,
    key: str = "",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> tuple[str, MarksFigures]:
    """The report, kept under ``key`` or under what names the answers as they are, and that name:
    from the folder, or computed now. ``progress`` is told how many parts are done, of how many."""

    def compute() -> MarksFigures:
        return marks_figures(study, marks_request, progress)

    if key:
        return key, kept(key, MarksFigures, compute)
    with one_moment():
        key = marks_key(study, marks_request)
        return key, kept(key, MarksFigures, compute)
