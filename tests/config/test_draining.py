"""A web server that is told to stop: it says so first, and answers meanwhile."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from annotation import draining
from annotation.config import gunicorn
from annotation.management.commands import serve, stack
from annotation.management.supervisor import Child

ROOT = Path(settings.BASE_DIR)


def test_a_server_that_stops_is_no_place_to_send_requests_to(client, db, monkeypatch):
    assert client.get("/healthz").status_code == 200
    monkeypatch.setattr(draining, "_flag", b"\1")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (503, b"stopping: send requests elsewhere\n")
    assert client.get("/livez").status_code == 200, "nobody should start it anew"


def away(*_):
    raise DatabaseError


@pytest.mark.django_db
def test_a_proxy_is_sent_elsewhere_by_a_server_that_has_not_begun_or_ends(client, monkeypatch):
    """Not by a database that went away: it is away for the others too, and they were sent nothing
    while people waited for the proxy's own error."""
    monkeypatch.setattr(draining, "_reached", bytearray(1))
    with connection.execute_wrapper(away):
        answer = client.get("/servez")
        assert (answer.status_code, answer.content) == (503, b"the database does not answer\n")
    assert client.get("/servez").content == b"ok\n"
    with connection.execute_wrapper(away):
        assert client.get("/healthz").status_code == 503
        assert client.get("/servez").content == b"ok\n"
    monkeypatch.setattr(draining, "_flag", b"\1")
    answer = client.get("/servez")
    assert (answer.status_code, answer.content) == (503, b"stopping: send requests elsewhere\n")


def test_a_planned_stop_is_no_error_in_the_log(client, db, monkeypatch, caplog):
    """Each probe of each stop was an error, and went to Sentry."""
    monkeypatch.setattr(draining, "_flag", b"\1")
    assert [client.get(path).status_code for path in ("/servez", "/healthz")] == [503, 503]
    assert not caplog.records
    monkeypatch.setattr(draining, "_flag", b"\0")
    with connection.execute_wrapper(away):
        assert client.get("/healthz").status_code == 503
    assert [record.levelname for record in caplog.records] == ["ERROR"]


# What gunicorn does around it: a handler of its own, and processes that are forked afterwards.
SERVER = """
import os, signal, sys, time
from annotation import draining
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(time.monotonic()))
draining.drain_before_stop(int(sys.argv[1]))
child = os.fork()
if not child:
    while not draining.has_begun():
        time.sleep(0.01)
    os._exit(7)
print("ready", flush=True)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
begun, told = time.monotonic(), draining.has_begun()
print(status, told, ended, flush=True)
while not ended:
    time.sleep(0.01)
print(round(ended[0] - begun, 1), flush=True)
"""


@pytest.fixture
def server():
    started: list[subprocess.Popen[str]] = []

    def start(seconds: int) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", SERVER, str(seconds)],
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
        )
        assert started[0].stdout is not None
        assert started[0].stdout.readline() == "ready\n"
        return started[0]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_every_process_knows_and_the_stop_comes_afterwards(server):
    process = server(1)
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "7 True []\n"
    assert 0.5 <= float(process.stdout.readline()) <= 30


def test_a_second_signal_stops_at_once(server):
    process = server(3600)
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "7 True []\n"
    process.send_signal(signal.SIGTERM)
    assert float(process.stdout.readline()) <= 60


def test_gunicorn_is_told_only_where_it_is_asked_for(monkeypatch):
    drained: list[int] = []
    monkeypatch.setattr(gunicorn, "drain_before_stop", drained.append)
    for seconds in (0, 5):
        monkeypatch.setattr(gunicorn, "WEB_DRAIN_SECONDS", seconds)
        gunicorn.when_ready(None)
    assert drained == [5]


def test_who_starts_it_waits_for_its_end(settings, monkeypatch):
    """It was killed after five seconds, in the middle of eight."""
    assert settings.WEB_DRAIN_SECONDS + gunicorn.graceful_timeout + 1 == settings.WEB_STOP_SECONDS
    settings.WEB_STOP_SECONDS = 65
    started = stack._children({}, {"jobs": 1, "calls": 4})
    assert (started[0].name, started[0].grace_seconds >= 65) == ("web", True)

    class Seen(Exception):
        """What `serve` would keep running is known; nothing was started."""

    def looked_at(children, **_):
        raise Seen(children[0].name, children[0].grace_seconds)

    for name in ("only_one_here", "refuse_used_port", "demonstration_opens_at"):
        monkeypatch.setattr(serve, name, lambda *_: None)
    monkeypatch.setattr(serve, "Supervisor", looked_at)
    monkeypatch.setattr(serve.signal, "signal", lambda *_: None)
    with pytest.raises(Seen, match=r"'web', 65"):
        call_command("serve")


def test_systemd_waits_as_long():
    unit = (ROOT / "deploy" / "bareme.service").read_text(encoding="utf-8")
    waits = int(re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[1])  # type: ignore[index]
    drains = int(re.search(r"BAREME_WEB_DRAIN_SECONDS above (\d+)", unit)[1])  # type: ignore[index]
    more = int(re.search(r"seconds and (\d+) more", unit)[1])  # type: ignore[index]
    # The web server by itself, then workers side by side, two signals each.
    assert waits - drains == more > gunicorn.graceful_timeout + 1 + 2 * Child.grace_seconds


def test_the_proxy_finds_out_in_time_and_nothing_is_cut_off():
    """Compose's figures, the proxy's and gunicorn's."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    caddy = (ROOT / "Caddyfile").read_text(encoding="utf-8")
    asks, waits = (
        int(re.search(rf"health_{name} (\d+)s", caddy)[1])  # type: ignore[index]
        for name in ("interval", "timeout")
    )
    for name in ("web", "web-second"):
        drains = int(compose["services"][name]["environment"]["BAREME_WEB_DRAIN_SECONDS"])
        assert drains > asks + waits
        grace = int(compose["services"][name]["stop_grace_period"].removesuffix("s"))
        assert grace > drains + gunicorn.graceful_timeout
