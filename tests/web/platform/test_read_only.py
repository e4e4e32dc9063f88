"""A database that only lets itself be read (a replica in its server's place): said as that, to
people and to programs, and whoever reads goes on reading."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import InternalError, connection, transaction
from django.test import Client

from annotation.models import Draft
from annotation.room import is_disk_full, is_read_only
from annotation.selectors.platform import parts
from tests.factories import make_assignment, make_study, make_user
from tests.web.judging.test_judging import body, post
from tests.web.platform.test_full_disk import ONLY_READ, chained, refused_with

pytestmark = pytest.mark.django_db


class ReadOnlySqlTransaction(Exception):
    """As the driver names it."""

    pgcode = "25006"


@pytest.mark.parametrize(
    ("error", "is_it"),
    [
        (chained(ReadOnlySqlTransaction()), True),
        (chained(refused_with(sqlite3.SQLITE_READONLY)), True),
        (chained(refused_with(sqlite3.SQLITE_READONLY | 1 << 8)), True),
        (chained(refused_with(sqlite3.SQLITE_FULL)), False),
        (chained(sqlite3.OperationalError("database is locked")), False),
        (OSError(30, "Read-only file system"), False),
        (None, False),
    ],
)
def test_what_means_that_it_is_only_read(error: Exception | None, is_it: bool) -> None:
    assert is_read_only(error) is is_it
    assert not (is_it and is_disk_full(error))


def refused(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """Where the tests' own database has no such state."""
    if sql.lstrip().split(" ")[0] in ("INSERT", "UPDATE", "DELETE") or "FOR UPDATE" in sql:
        error = InternalError("cannot execute UPDATE in a read-only transaction")
        error.__cause__ = ReadOnlySqlTransaction()
        raise error
    return execute(sql, params, many, context)


@contextmanager
def read_only() -> Iterator[None]:
    if connection.vendor != "postgresql":
        with connection.execute_wrapper(refused):
            yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL transaction_read_only = on")
        yield
        transaction.set_rollback(True)


@pytest.fixture
def student(client: Client) -> Client:
    """Who has opened the first pair, and whose log-in is due to be prolonged."""
    client.force_login(make_assignment(study=make_study("essai", state="main")).annotator.user)
    client.raise_request_exception = False
    client.get("/annotate/essai/1/")
    session = client.session
    del session["renewed_at"]
    session.save()
    return client


def test_what_is_written_is_refused_as_that_and_sent_again(student: Client) -> None:
    with read_only():
        answer = post(student, "/annotate/essai/1/draft/", body())
    assert answer.status_code == 503
    assert answer["Cache-Control"] == "no-store"
    assert answer["Retry-After"] == "10"
    assert answer.json()["type"] == "database_read_only"
    assert answer.json()["reference"]
    assert not Draft.objects.exists()
    assert post(student, "/annotate/essai/1/draft/", body()).status_code == 200


def test_a_form_gets_a_page(student: Client) -> None:
    with read_only():
        answer = student.post("/account/preferences/", {"language": "en", "theme": "dark"})
    assert answer.status_code == 503
    assert "n'accepte rien" in answer.content.decode()


@pytest.mark.parametrize("address", ONLY_READ)
def test_what_only_reads_is_answered(student: Client, address: str) -> None:
    with read_only():
        assert student.get(address).status_code == 200


def test_a_pair_that_was_not_opened_yet_is_said_to_wait(client: Client) -> None:
    """That it was opened, and when, has to be noted."""
    client.force_login(make_assignment(study=make_study("essai", state="main")).annotator.user)
    client.raise_request_exception = False
    with read_only():
        answer = client.get("/annotate/essai/1/")
    assert answer.status_code == 503
    assert "n'accepte rien" in answer.content.decode()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="of SQLite the data folder tells")
def test_whoever_operates_is_told(client: Client, settings: Any, monkeypatch: Any) -> None:
    settings.METRICS_TOKEN = "a-token-of-the-metrics-0123456789-abcdef"
    monkeypatch.setattr(parts, "broker_answers", lambda: True)
    client.force_login(make_user(is_admin=True))
    headers = {"authorization": f"Bearer {settings.METRICS_TOKEN}"}

    def told() -> tuple[bytes, bool, bool]:
        metrics = client.get("/metrics", headers=headers).content.decode()
        page = client.get("/system/").content.decode()
        ready = client.get("/readyz").content
        return ready, "bareme_database_up 1.0" in metrics, "ne se laisse que lire" in page

    client.get("/system/")
    assert told() == (b"ok\n", True, False)
    with read_only():
        assert told() == (b"not ready: database\n", False, True)
