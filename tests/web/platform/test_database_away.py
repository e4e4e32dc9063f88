"""A database that is not reached: said as that, to people, programs and whoever asks how it is,
with one line in the log for each; and nothing else is taken for it."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.test import Client
from django.utils import translation

from annotation.config.logs import JsonLines, WithoutStacksOfNoDatabase
from annotation.selectors.platform.database_away import is_database_away


def raised(kind: type[Exception], driver: Exception) -> Exception:
    """As Django raises what a driver refused."""
    error = kind(str(driver))
    error.__cause__ = driver
    return error


class Coded(psycopg2.OperationalError):
    """As PostgreSQL answers, with its code."""

    pgcode = ""

    def __init__(self, code: str) -> None:
        super().__init__("refused")
        self.pgcode = code


def unreached() -> Exception:
    try:
        psycopg2.connect("postgres://u@127.0.0.1:1/x")
    except psycopg2.OperationalError as error:
        return raised(OperationalError, error)
    raise AssertionError("there is a server at port 1")


def unopened() -> Exception:
    try:
        sqlite3.connect("/nowhere/at/all.sqlite3")
    except sqlite3.OperationalError as error:
        return raised(OperationalError, error)
    raise AssertionError("there is a folder /nowhere/at")


def after(first: Exception) -> Exception:
    error = ValueError("while that was handled")
    error.__context__ = first
    return error


@pytest.mark.parametrize(
    ("error", "is_away"),
    [
        (unreached(), True),
        (after(unreached()), True),
        (unopened(), True),
        *((raised(OperationalError, Coded(code)), True) for code in ("57P01", "57P03", "08P01")),
        (raised(InterfaceError, psycopg2.InterfaceError("connection already closed")), True),
        (raised(InterfaceError, psycopg2.InterfaceError("cursor already closed")), False),
        # Locks, a time limit, a disk: the server has answered.
        *(
            (raised(OperationalError, Coded(code)), False)
            for code in ("55P03", "57014", "53100", "40P01")
        ),
        (raised(OperationalError, sqlite3.OperationalError("database is locked")), False),
        (raised(DatabaseError, psycopg2.DatabaseError("x")), False),
        (OperationalError("of our own"), False),
        (ConnectionRefusedError("of Redis"), False),
        (None, False),
    ],
)
def test_what_means_that_it_is_not_reached(error: Exception | None, is_away: bool) -> None:
    assert is_database_away(error) is is_away


def away(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    raise unreached()


@pytest.fixture
def asking(client: Client) -> Client:
    client.raise_request_exception = False
    return client


@pytest.mark.django_db
def test_people_programs_and_probes_get_503_and_the_log_one_line_each(
    asking: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They got "Something broke on our side", with whole stacks in the log."""
    asking.cookies["bareme_session"] = "of-somebody-0123456789"
    asking.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"
    # As a web server sets it up once more.
    log = logging.getLogger("django.request")
    monkeypatch.setattr(log, "filters", [*log.filters, WithoutStacksOfNoDatabase()])
    # Of whom this thread answered before.
    translation.activate("fr")
    with caplog.at_level(logging.WARNING), connection.execute_wrapper(away):
        page = asking.get("/account/preferences/")
        problem = asking.get("/account/preferences/", headers={"accept": "application/json"})
        health = Client().get("/healthz")
    assert page.status_code == problem.status_code == health.status_code == 503
    assert "<h1>The database is not reached</h1>" in page.content.decode()
    assert problem.json()["type"] == "database_away"
    assert page["Retry-After"] == problem["Retry-After"] == "10"
    assert problem.json()["reference"]
    assert health.content == b"the database does not answer\n"
    assert asking.get("/healthz").content == b"ok\n"
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert [line["message"] for line in lines] == [
        *["Service Unavailable: /account/preferences/ (the database is not reached)"] * 2,
        "Service Unavailable: /healthz",
    ]
    assert not any("stack" in line for line in lines)


@pytest.mark.django_db
def test_a_defect_keeps_its_stack(asking: Client, caplog: pytest.LogCaptureFixture) -> None:
    def broken(execute: Any, *_: Any) -> Any:
        raise raised(OperationalError, Coded("57014"))

    asking.cookies["bareme_session"] = "of-somebody-0123456789"
    with caplog.at_level(logging.WARNING), connection.execute_wrapper(broken):
        assert asking.get("/account/preferences/").status_code == 500
    [line] = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert "OperationalError" in line["stack"]


# Through everything that stands before a view, with a real refusal.
ASKED = """
import django
from django.conf import settings
settings.STORAGES["staticfiles"]["BACKEND"] = (
    "django.contrib.staticfiles.storage.StaticFilesStorage")
django.setup()
from django.test import Client
from django.utils import translation
asking = Client(raise_request_exception=False)
asking.cookies["bareme_session"] = "of-somebody-0123456789"
asking.defaults["SERVER_NAME"] = "localhost"
for address in ("/", "/account/login/", "/api/v1/me/"):
    print(address, asking.get(address).status_code)
asking.cookies.clear()
for address in ("/servez", "/healthz", "/livez"):
    print(address, asking.get(address).status_code)
"""


def test_a_server_that_is_away(tmp_path: Path) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
    own |= {
        "BAREME_DATA_DIR": str(tmp_path),
        "BAREME_DEMO": "1",
        "DATABASE_URL": "postgres://u:hush@127.0.0.1:1/x",  # pragma: allowlist secret
        "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
        "REDIS_URL": "",
    }
    (tmp_path / "static").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=settings.BASE_DIR,
        env=own,
        check=True,
        capture_output=True,
        text=True,
    )
    statuses = dict(line.split() for line in done.stdout.splitlines())
    assert statuses.pop("/livez") == "200"
    assert set(statuses.values()) == {"503"}, done.stderr
    assert len(done.stderr.splitlines()) == len(statuses), done.stderr
