"""A full disk: said as that, to people and to programs, and nothing that only reads is refused."""

from __future__ import annotations

import errno
import sqlite3
from typing import Any

import psycopg2.errors  # type: ignore[import-untyped]
import pytest
from django.db import DatabaseError, connection
from django.test import Client

from annotation.models import Draft
from annotation.room import is_disk_full
from tests.factories import make_assignment, make_study
from tests.web.judging.test_judging import body, post

pytestmark = pytest.mark.django_db


def chained(cause: Exception) -> Exception:
    """As Django raises what a driver refused."""
    raised = DatabaseError("refused")
    raised.__cause__ = cause
    return raised


def refused_by_sqlite() -> Exception:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE held (words)")
        database.execute("PRAGMA max_page_count = 2")
        try:
            database.execute("INSERT INTO held VALUES (zeroblob(100000))")
        except sqlite3.Error as error:
            return error
    raise AssertionError("there was room")


def refused_with(code: int) -> Exception:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "is_full"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (OSError(errno.EACCES, "Permission denied"), False),
        (chained(refused_by_sqlite()), True),
        (chained(sqlite3.OperationalError("database is locked")), False),
        (chained(refused_with(sqlite3.SQLITE_IOERR_SHMSIZE)), True),
        (chained(refused_with(sqlite3.SQLITE_IOERR_READ)), False),
        (chained(psycopg2.errors.lookup("53100")("could not extend file")), False),
        (None, False),
    ],
)
def test_what_means_a_full_disk(error: Exception | None, is_full: bool) -> None:
    assert is_disk_full(error) is is_full


def test_postgresql_names_it_by_its_code() -> None:
    class Named(Exception):
        pgcode = "53100"

    assert is_disk_full(chained(Named()))


def test_a_chain_that_bites_its_own_tail_ends() -> None:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    assert not is_disk_full(first)


ONLY_READ = (
    *("/", "/annotate/essai/1/", "/annotate/essai/mine/", "/annotate/essai/guide/"),
    *("/annotate/essai/work/", "/account/preferences/", "/livez"),
    "/healthz",
)
"""What an annotator asks for of which nothing has to be stored."""


def no_room(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """A database that reads and takes nothing more."""
    if sql.lstrip().split(" ")[0] in ("INSERT", "UPDATE", "DELETE"):
        raise chained(refused_by_sqlite())
    return execute(sql, params, many, context)


@pytest.fixture
def student(client: Client) -> Client:
    client.force_login(make_assignment(study=make_study("essai", state="main")).annotator.user)
    client.raise_request_exception = False
    # What is noted at the first look at a pair stands already; a log-in is prolonged at each tenth
    # of its time.
    client.get("/annotate/essai/1/")
    session = client.session
    del session["renewed_at"]
    session.save()
    return client


def test_what_is_written_is_refused_as_that_and_nothing_is_stored(student: Client) -> None:
    with connection.execute_wrapper(no_room):
        answer = post(student, "/annotate/essai/1/draft/", body())
    assert answer.status_code == 507
    assert answer["Cache-Control"] == "no-store"
    assert answer.json()["type"] == "storage_full"
    assert answer.json()["reference"]
    assert not Draft.objects.exists()
    assert post(student, "/annotate/essai/1/draft/", body()).status_code == 200, "there is room"


def test_a_form_gets_a_page(student: Client) -> None:
    with connection.execute_wrapper(no_room):
        answer = student.post("/account/preferences/", {"language": "en", "theme": "dark"})
    assert answer.status_code == 507
    assert "plus de place" in answer.content.decode()


@pytest.mark.parametrize("address", ONLY_READ)
def test_what_only_reads_is_answered(student: Client, address: str) -> None:
    with connection.execute_wrapper(no_room):
        assert student.get(address).status_code == 200
