"""Rows that somebody else holds for long: a web process waits for them a few seconds, says so as
that with one line in the log, and the same submission counts once afterwards."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.db import DatabaseError, OperationalError, connection
from django.db.backends.signals import connection_created
from django.template import loader
from django.test import Client
from django.utils import translation

from annotation.config import gunicorn
from annotation.config.logs import JsonLines, WithoutStacksOfNoDatabase
from annotation.models import ApiToken, Assignment, Draft, JudgmentRevision, Study
from annotation.selectors.platform.database_away import is_database_away
from annotation.services.accounts.tokens import token_create
from annotation.web.platform import lock_waits
from annotation.web.platform.lock_waits import is_database_busy
from tests.factories import make_assignment, make_study, make_user
from tests.web.judging.test_judging import body, post
from tests.web.platform.test_database_away import Coded, after, raised


@pytest.mark.parametrize(
    ("error", "is_busy"),
    [
        (raised(OperationalError, Coded("55P03")), True),
        (after(raised(OperationalError, Coded("55P03"))), True),
        # A deadlock, a time limit, a disk.
        *((raised(OperationalError, Coded(code)), False) for code in ("40P01", "57014", "53100")),
        (raised(DatabaseError, psycopg2.DatabaseError("x")), False),
        (OperationalError("of our own"), False),
        (None, False),
    ],
)
def test_what_means_that_it_waited_in_vain(error: Exception | None, is_busy: bool) -> None:
    assert is_database_busy(error) is is_busy
    assert not (is_busy and is_database_away(error))


def test_what_sqlite_says_of_another_writer(tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "x")) as first,
        closing(sqlite3.connect(tmp_path / "x", timeout=0)) as second,
    ):
        first.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError) as refused:
            second.execute("BEGIN IMMEDIATE")
    assert is_database_busy(raised(OperationalError, refused.value))
    assert not is_database_away(raised(OperationalError, refused.value))


@pytest.fixture
def waiting_little(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a web process, only shorter."""
    monkeypatch.setattr(lock_waits, "LONGEST_SECONDS", 1)
    gunicorn.post_fork(None, None)
    connection.close()
    yield
    connection_created.disconnect(dispatch_uid=lock_waits.__name__)
    connection.close()


@contextmanager
def holding(study: Study) -> Iterator[None]:
    """Somebody else closes it, or changes its rules, and takes their time."""
    other = connection.copy()
    other.ensure_connection()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT 1 FROM annotation_study WHERE id = %s FOR UPDATE", [study.pk])
        yield
    finally:
        other.close()


def longest_wait() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


def program(assignment: Assignment) -> Client:
    scopes = list(ApiToken.Scope.values)
    _, secret = token_create(actor=assignment.annotator.user, name="t", scopes=scopes, days=1)
    client = Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)
    # What it asks for and notes once is done.
    assert client.get("/api/v1/my/studies/essai/next/").status_code == 200
    return client


def person(assignment: Assignment) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(assignment.annotator.user)
    assert client.get("/annotate/essai/1/").status_code == 200
    return client


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment(study=make_study("essai", state="main"))


on_postgresql = pytest.mark.postgres
with_other_connections = pytest.mark.django_db(transaction=True)


@on_postgresql
@with_other_connections
@pytest.mark.parametrize("way", ["page", "api"])
def test_a_submission_waits_a_moment_and_counts_once_when_it_is_sent_again(
    assignment: Assignment,
    waiting_little: None,
    way: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All threads of the site waited as long as the study was held, and nobody was answered."""
    log = logging.getLogger("django.request")
    monkeypatch.setattr(log, "filters", [*log.filters, WithoutStacksOfNoDatabase()])
    payload = body()
    client = person(assignment) if way == "page" else program(assignment)

    def submit() -> Any:
        if way == "page":
            return post(client, "/annotate/essai/1/submit/", payload)
        place = "/api/v1/my/studies/essai/assignments/1/judgment/"
        return client.put(place, payload, content_type="application/json")

    with caplog.at_level(logging.WARNING), holding(assignment.annotator.study):
        began = time.monotonic()
        refused = submit()
        waited = time.monotonic() - began
        assert Client().get("/healthz").content == b"ok\n"
    assert 1 <= waited < 5
    assert (refused.status_code, refused["Retry-After"]) == (503, "10")
    assert refused.json()["type"] == "database_busy"
    assert refused.json()["reference"]
    assert refused["Cache-Control"] == "no-store"
    [line] = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert line["message"].endswith("(somebody else held the rows for too long)")
    assert "stack" not in line
    assert not JudgmentRevision.objects.exists()
    assert not Draft.objects.exists()
    accepted, again = submit(), submit()
    assert (accepted.status_code, again.status_code) == (200, 200)
    assert (accepted.json()["replayed"], again.json()["replayed"]) == (False, True)
    assert JudgmentRevision.objects.count() == 1


@on_postgresql
@with_other_connections
def test_a_form_gets_a_page_and_other_studies_are_answered(
    waiting_little: None,
) -> None:
    leads = make_user("leads")
    study = make_study("essai", lead=leads, state="main")
    lead = Client(raise_request_exception=False)
    lead.force_login(leads)
    there = make_assignment(study=make_study("autre", state="main"))
    elsewhere = Client()
    elsewhere.force_login(there.annotator.user)
    with holding(study):
        page = lead.post("/studies/essai/state/", {"to": "closed", "reason": "x"})
        assert elsewhere.get("/annotate/autre/1/").status_code == 200
        assert post(elsewhere, "/annotate/autre/1/submit/", body()).status_code == 200
    assert page.status_code == 503
    assert page["Retry-After"] == "10"
    study.refresh_from_db()
    assert study.state == "main"


@on_postgresql
@with_other_connections
def test_every_connection_of_a_web_process_is_bounded_but_one_that_a_pooler_lends(
    waiting_little: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert longest_wait() == "1s"
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    # What is set there stays with the server's connection, which may be a worker's next.
    assert longest_wait() == "0"


@on_postgresql
@with_other_connections
def test_workers_and_commands_wait_as_long_as_it_takes() -> None:
    assert longest_wait() == "0"


def test_the_page_says_what_to_do() -> None:
    with translation.override("en"):
        words = loader.get_template("503_database_busy.html").render({"reference": "ABCD"})
    assert "<h1>The database is busy</h1>" in words
    assert "Nothing of this request was stored." in words
