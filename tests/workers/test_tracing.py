"""Jobs as a collector sees them: their names, and the request that asked for them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest
from celery import signals
from opentelemetry.trace import StatusCode

from annotation import jobs, tracing
from annotation.tracing import Traces, collector
from tests.processes import until
from tests.sinks import Sink, attributes, sink
from workers import tracing as jobs_traced
from workers.celery import app, trace_jobs

PLANTED = "planted-argument-of-a-job"
CONSUMER = 5


@pytest.fixture
def traced(settings, monkeypatch) -> Iterator[Sink]:
    with sink() as kept:
        settings.TRACES = Traces(f"{kept.url}/v1/traces")
        monkeypatch.setitem(app.conf, "task_always_eager", True)
        trace_jobs()
        try:
            yield kept
        finally:
            signals.task_prerun.disconnect(jobs_traced._begun)
            signals.task_failure.disconnect(jobs_traced._broken)
            signals.task_postrun.disconnect(jobs_traced._done)
            signals.worker_process_shutdown.disconnect(jobs_traced._ended)
            collector.provider.cache_clear()


@pytest.fixture
def exported(monkeypatch) -> list[str]:
    """What the export's job was given, in place of writing one."""
    given: list[str] = []
    monkeypatch.setattr("workers.tasks.exports.export_write", lambda pk: given.append(str(pk)))
    return given


def sent(kept: Sink) -> list:
    """All spans, once this process has ended as a worker's do."""
    signals.worker_process_shutdown.send(sender=None)
    return kept.spans()


def test_a_job_belongs_to_whoever_asked_for_it(traced: Sink, exported: list[str]) -> None:
    number = "7b0cbb0e-36a5-4b11-9e6e-0f7f3b8f9d11"
    with tracing.span("GET exports", "SERVER", {}):
        jobs._send(jobs.EXPORT_WRITE, number)
    assert exported == [number]
    job, request = sorted(sent(traced), key=lambda span: -span.kind)
    assert (job.kind, job.name) == (CONSUMER, jobs.EXPORT_WRITE)
    assert (job.trace_id, job.parent_span_id) == (request.trace_id, request.span_id)
    assert attributes(job) == {"messaging.system": "celery", "bareme.job": jobs.EXPORT_WRITE}
    assert number not in traced.everything


@pytest.mark.redis
@pytest.mark.slow
def test_so_it_does_in_a_real_worker(live_worker, settings) -> None:
    """Through the queue, in a process that the worker forked."""
    number = str(uuid.uuid4())
    with sink() as kept:
        endpoint = f"{kept.url}/v1/traces"
        process = live_worker(environment={"BAREME_TRACES_ENDPOINT": endpoint})
        settings.TRACES = Traces(endpoint)
        try:
            with tracing.span("GET exports", "SERVER", {}) as request:
                jobs._send(jobs.EXPORT_WRITE, number)
            context = request.get_span_context()
            assert until(lambda: any(span.kind == CONSUMER for span in kept.spans()))
            process.terminate()
            process.wait()
        finally:
            collector.end()
            collector.provider.cache_clear()
        (job,) = [span for span in kept.spans() if span.name == jobs.EXPORT_WRITE]
        assert int.from_bytes(job.trace_id) == context.trace_id
        assert int.from_bytes(job.parent_span_id) == context.span_id
        assert [span for span in kept.spans() if span.parent_span_id == job.span_id], "statements"
        assert number not in kept.everything


def test_a_job_that_fails_is_told_by_its_kind(traced: Sink, monkeypatch) -> None:
    def broken(pk: object) -> None:
        raise LookupError(PLANTED)

    monkeypatch.setattr("workers.tasks.exports.export_write", broken)
    app.signature(jobs.EXPORT_WRITE, args=("7b0cbb0e-36a5-4b11-9e6e-0f7f3b8f9d11",)).apply()
    (job,) = sent(traced)
    assert job.status.code == StatusCode.ERROR.value
    assert attributes(job)["error.type"] == "LookupError"
    assert PLANTED not in traced.everything
    assert jobs_traced._open == {}


def test_what_ends_without_having_begun_is_no_matter(traced: Sink) -> None:
    jobs_traced._broken("unknown", ValueError())
    jobs_traced._done("unknown")
    assert sent(traced) == []


def test_without_a_collector_nothing_is_connected(settings) -> None:
    assert settings.TRACES is None
    before = len(signals.task_prerun.receivers)
    trace_jobs()
    assert len(signals.task_prerun.receivers) == before


def test_the_process_that_is_asked_is_this_one(traced: Sink) -> None:
    """Each process has a sender of its own: a thread does not come along when it forks."""
    first = collector.provider(os.getpid(), Traces(traced.url))
    assert collector.provider(os.getpid(), Traces(traced.url)) is first
    assert collector.provider(-1, Traces(traced.url)) is not first
