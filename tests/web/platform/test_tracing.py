"""Requests and their statements as a collector sees them: names, numbers and no values."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from opentelemetry.trace import StatusCode

from annotation import tracing
from annotation.tracing import Traces, collector, without_values
from tests.cast import Cast
from tests.factories import make_assignment
from tests.sinks import Sink, attributes, sink
from tests.web.judging.test_judging import body, post, url

pytestmark = pytest.mark.django_db
KINDS = {"SERVER": 2, "CLIENT": 3}
PLANTED = "planted-words-of-a-judgment"


@pytest.fixture
def traced(settings) -> Iterator[Sink]:
    """A collector, and a database connection whose statements are traced."""
    with sink() as kept:
        settings.TRACES = Traces(f"{kept.url}/v1/traces", (("X-Key", "of-the-collector"),))
        tracing.watch_statements(connection)
        tracing.watch_statements(connection)
        try:
            yield kept
        finally:
            connection.execute_wrappers.remove(tracing._statement)
            collector.end()
            collector.provider.cache_clear()


def sent(kept: Sink) -> list:
    """All spans, once they have been sent."""
    from django.conf import settings

    collector.provider(os.getpid(), settings.TRACES).force_flush()
    return kept.spans()


def test_a_request_is_told_by_its_view_and_number(traced: Sink, cast: Cast) -> None:
    answer = cast.client("lead").get(f"/studies/{cast.alpha.key}/?q={PLANTED}")
    spans = sent(traced)
    (request,) = [span for span in spans if span.kind == KINDS["SERVER"]]
    recorded = attributes(request)
    assert request.name == f"GET {recorded['bareme.view']}"
    assert recorded == {
        "http.request.method": "GET",
        "http.response.status_code": answer.status_code,
        "bareme.view": recorded["bareme.view"],
        "bareme.reference": answer["X-Request-ID"],
    }
    statements = [span for span in spans if span.kind == KINDS["CLIENT"]]
    assert statements
    assert {span.parent_span_id for span in statements} == {request.span_id}
    assert all(attributes(span)["db.system.name"] == connection.vendor for span in statements)
    assert (PLANTED in traced.everything, cast.alpha.key in traced.everything) == (False, False)
    assert {path for path, _, _ in traced.came} == {"/v1/traces"}
    assert all(headers["x-key"] == "of-the-collector" for _, headers, _ in traced.came)


def test_a_judgment_leaves_nothing_of_itself(traced: Sink) -> None:
    """Nor who gave it, in which session, of which study."""
    assignment = make_assignment()
    person, client = assignment.annotator.user, Client()
    client.force_login(person)
    session = client.cookies["bareme_session"].value
    answer = post(client, url(assignment, "draft/"), body(comment=PLANTED))
    assert answer.status_code == 200
    spans = sent(traced)
    assert any(attributes(span).get("db.operation.name") == "INSERT" for span in spans)
    everything = traced.everything
    hidden = (PLANTED, person.email, person.name, session, assignment.annotator.study.key)
    assert [secret for secret in hidden if secret in everything] == []


def test_an_error_is_told_by_its_kind(traced: Sink, cast: Cast, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError(PLANTED)

    monkeypatch.setattr("annotation.web.platform.middleware.PreferencesMiddleware.__call__", broken)
    assert Client(raise_request_exception=False).get("/").status_code == 500
    (request,) = [span for span in sent(traced) if span.kind == KINDS["SERVER"]]
    assert request.status.code == StatusCode.ERROR.value
    assert attributes(request)["error.type"] == "500"
    with pytest.raises(Exception, match="no_such"), tracing.span("job", "CONSUMER", {}):
        connection.cursor().execute("SELECT 'planted-words-of-a-judgment' FROM no_such")
    failed = [span for span in sent(traced) if span.name in ("SELECT", "job")][-2:]
    assert {attributes(span)["error.type"] for span in failed} == {"OperationalError"} or (
        connection.vendor == "postgresql"
    )
    assert PLANTED not in traced.everything
    assert "no_such" in traced.everything, "the statement itself"


def test_probes_and_what_nobody_asked_for_are_not_traced(traced: Sink, client: Client) -> None:
    client.get("/livez")
    client.get("/healthz")
    connection.cursor().execute("SELECT 1")
    assert sent(traced) == []


def test_a_client_decides_nothing(traced: Sink, client: Client) -> None:
    """Neither the number of the trace nor the word that stands for the method."""
    number = "0af7651916cd43dd8448eb211c80319c"
    client.generic("PLANTED", "/", headers={"traceparent": f"00-{number}-b7ad6b7169203331-01"})
    (request,) = [span for span in sent(traced) if span.kind == KINDS["SERVER"]]
    assert request.trace_id.hex() != number
    assert attributes(request)["http.request.method"] == "other"
    assert "PLANTED" not in traced.everything


def test_of_none_in_a_hundred_nothing_is_sent(traced: Sink, settings, client: Client) -> None:
    settings.TRACES = Traces(settings.TRACES.endpoint, (), 0)
    client.get("/")
    assert sent(traced) == []


def test_without_a_collector_nothing_is_there(client: Client, settings) -> None:
    assert settings.TRACES is None
    assert client.get("/").status_code in (200, 302)
    assert tracing._statement not in connection.execute_wrappers
    assert tracing.carried() == {}


def test_a_collector_that_takes_nothing_is_told_of_once(
    traced: Sink, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """And once that it takes traces again; its address, which may hold a key, is in no line."""
    traced.status = 400
    for _ in range(2):
        assert client.get("/").status_code in (200, 302)
        sent(traced)
    traced.status = 200
    client.get("/")
    sent(traced)
    assert caplog.messages == [
        "the collector takes no traces: they are dropped until it does",
        "the collector takes traces again",
    ]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t WHERE b = %s", "SELECT a FROM t WHERE b = %s"),
        ("SELECT a FROM t WHERE b IN (%s, %s, %s)", "SELECT a FROM t WHERE b IN (%s, …)"),
        ("SELECT 'it''s', 12, 1.5 LIMIT 21", "SELECT ?, ?, ? LIMIT ?"),
        ('SELECT U0."a1" AS "2" FROM "t2" U0', 'SELECT U0."a1" AS "2" FROM "t2" U0'),
        ("x" * 3000, "x" * 2000),
    ],
)
def test_a_statement_without_its_values(sql: str, expected: str) -> None:
    assert without_values(sql) == expected
