"""What leaves for Sentry: where something broke, and nothing of whom or over what."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client

from annotation.config.error_reports import Reports, scrubbed
from annotation.config.logs import WithReference
from tests.cast import Cast
from tests.sinks import Sink, sink

SECRETS = {
    "judgment": "planted-judgment-of-the-passage",
    "name": "planted-name-of-somebody",
    "token": "planted-token-0123456789abcdef",
    "cookie": "planted-cookie-of-the-session",
    "address": "planted.address@example.org",
}


@pytest.fixture
def sentry() -> Iterator[Sink]:
    """In its place, a server of this machine; errors of all logs go there."""
    with sink() as kept:
        handler = Reports(kept.dsn, "tests")
        handler.addFilter(WithReference())
        logging.getLogger().addHandler(handler)
        try:
            yield kept
        finally:
            logging.getLogger().removeHandler(handler)


def sent(kept: Sink) -> str:
    """All that came, once everything has been sent."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, Reports):
            handler._client.flush(timeout=30)
    return kept.everything


def break_with(judgment: str) -> None:
    held = {"judgment": judgment, **SECRETS}
    try:
        raise KeyError(f"row of {SECRETS['name']}: {judgment}")
    except KeyError as error:
        raise ValueError(f"{SECRETS['token']} {held}") from error


@pytest.mark.django_db
def test_a_page_that_breaks_is_reported_by_its_place_alone(
    sentry: Sink, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With everything around it that a request has: who asks, by which cookie, with which body."""
    monkeypatch.setattr(
        "annotation.web.platform.middleware.PreferencesMiddleware.__call__",
        lambda self, request: break_with(request.POST["answer"]),
    )
    cast.lead.name, cast.lead.email = SECRETS["name"], SECRETS["address"]
    cast.lead.save()
    client = Client(raise_request_exception=False)
    client.force_login(cast.lead)
    client.cookies["other"] = SECRETS["cookie"]
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    answer = client.post(
        f"/account/invitation/{SECRETS['token']}/?who={SECRETS['name']}",
        {"answer": SECRETS["judgment"]},
        headers={"authorization": f"Bearer {SECRETS['token']}", "user-agent": SECRETS["name"]},
    )
    assert answer.status_code == 500
    everything = sent(sentry)
    assert [name for name, value in SECRETS.items() if value in everything] == []
    assert "planted" not in everything
    assert session not in everything
    assert str(settings.BASE_DIR) not in everything, "whose folder it is"
    (event,) = sentry.events()
    assert event["tags"] == {"reference": answer["X-Request-ID"]}
    assert event["logger"] == "django.request"
    assert [exception["type"] for exception in event["exception"]["values"]] == [
        "KeyError",
        "ValueError",
    ]
    last = event["exception"]["values"][-1]["stacktrace"]["frames"][-1]
    assert last["function"] == "break_with"
    assert last["lineno"] > 1
    assert set(last) <= {"filename", "module", "function", "lineno", "in_app"}
    assert "user" not in event
    assert "request" not in event
    assert "server_name" not in event


def test_a_job_that_fails_names_no_argument(sentry: Sink) -> None:
    """Celery puts the arguments, and what the exception says, into its line."""
    said = {
        "name": "workers.tasks.export_write",
        "args": [SECRETS["token"]],
        "exc": SECRETS["name"],
    }
    try:
        break_with(SECRETS["judgment"])
    except ValueError:
        logging.getLogger("celery.app.trace").exception("Task %(name)s: %(exc)s %(args)s", said)
    assert "planted" not in sent(sentry)
    (event,) = sentry.events()
    assert "logentry" not in event


def test_a_line_without_an_exception(sentry: Sink) -> None:
    """Our own lines are constants; what other libraries put into theirs nobody knows."""
    logging.getLogger("annotation.services").error("not written: %s", SECRETS["judgment"])
    logging.getLogger("gunicorn.error").critical(f"{SECRETS['address']} timed out")  # noqa: G004
    assert "planted" not in sent(sentry)
    own, other = sentry.events()
    assert own["logentry"] == {"message": "not written: %s"}
    assert (own["level"], other["level"]) == ("error", "fatal")
    assert other["logger"] == "gunicorn.error"


def test_what_is_no_error_is_not_sent(sentry: Sink) -> None:
    logging.getLogger("annotation").warning("a warning")
    sent(sentry)
    assert sentry.came == []


def test_what_somebody_adds_to_an_event_stays(sentry: Sink) -> None:
    planted = SECRETS["judgment"]
    event = {
        "logger": "django.request",
        "level": "error",
        "user": {"email": planted},
        "request": {"data": planted, "cookies": planted, "headers": {"a": planted}},
        "extra": {"a": planted},
        "contexts": {"a": {"b": planted}},
        "breadcrumbs": {"values": [{"message": planted}]},
        "tags": {"who": planted, "reference": "K3QA-2222-3333"},
        "server_name": planted,
        "modules": {"a": planted},
        "logentry": {"message": planted, "params": [planted]},
        "transaction": planted,
        "sdk": {"name": "sentry.python", "version": "2", "integrations": [planted]},
        "threads": {"values": [{"stacktrace": {"frames": [{"vars": {"a": planted}}]}}]},
        "exception": {
            "values": [
                {"type": "E", "value": planted, "mechanism": {"data": planted}},
                {
                    "type": "F",
                    "stacktrace": {
                        "frames": [
                            {
                                "filename": f"/home/{planted}/own.py",
                                "abs_path": planted,
                                "vars": {"a": planted},
                                "context_line": planted,
                                "pre_context": [planted],
                                "function": "f",
                            }
                        ]
                    },
                },
            ]
        },
    }
    kept = scrubbed(event, {})
    assert planted not in str(kept)
    assert kept["tags"] == {"reference": "K3QA-2222-3333"}
    assert kept["exception"]["values"][1]["stacktrace"]["frames"] == [
        {"filename": "own.py", "function": "f"}
    ]


def test_nothing_else_is_ever_sent(sentry: Sink) -> None:
    """No session, no trace, no count: one envelope for each error, of one event."""
    logging.getLogger("annotation").error("one")
    sent(sentry)
    ((path, _, body),) = sentry.came
    assert path.startswith("/api/7/envelope")
    assert len(body.splitlines()) == 3


@pytest.mark.parametrize("status", [503, None], ids=["refuses", "is not there"])
def test_a_sentry_that_takes_nothing_keeps_nobody(
    status: int | None, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set by the environment alone, in a process of its own."""
    with sink() as kept:
        kept.status = status or 200
        dsn = kept.dsn if status else "http://key@127.0.0.1:9/7"
        own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
        own |= {"BAREME_DATA_DIR": str(tmp_path), "BAREME_DEMO": "1", "DATABASE_URL": ""}
        own |= {"BAREME_SENTRY_DSN": dsn}
        own |= {"DJANGO_SETTINGS_MODULE": "annotation.config.settings"}
        said = "import django, logging; django.setup(); logging.getLogger('annotation').error('x')"
        command = [sys.executable, "-c", said]
        done = subprocess.run(
            command, env=own, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
        assert kept.came == []
