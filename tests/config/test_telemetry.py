"""Where errors and traces go is a setting, and without it nothing is there that could send."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotation.config.telemetry import env_reports, env_traces
from annotation.tracing import Traces

DSN = "https://0123456789abcdef@sentry.example.org/42"
NAMES = (
    "BAREME_SENTRY_DSN",
    "BAREME_TRACES_ENDPOINT",
    "BAREME_TRACES_HEADERS",
    "BAREME_TRACES_PERCENT",
)
# Loads what a web process and a worker load. The exporter is what sends: redis looks for parts of
# OpenTelemetry by itself, for counts that nobody turns on.
STARTED = """
import django, sys
django.setup()
import annotation.config.urls, workers.celery, workers.tasks, workers.sweep
from django.core.handlers.wsgi import WSGIHandler
WSGIHandler()
senders = ("sentry_sdk", "opentelemetry.exporter", "annotation.tracing.collector")
print([name for name, one in sys.modules.items() if one and name.startswith(senders)])
"""
ABSENT = """
import sys
for name in ("sentry_sdk", "opentelemetry"):
    sys.modules[name] = None
"""


@pytest.fixture
def environment(monkeypatch):
    """Sets exactly these."""

    def put(**names: str) -> None:
        for name in NAMES:
            for variable in (name, f"{name}_FILE"):
                monkeypatch.delenv(variable, raising=False)
        for name, value in names.items():
            monkeypatch.setenv(name, value)

    return put


def start(tmp_path: Path, *arguments: str, **names: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
    own |= {"BAREME_DATA_DIR": str(tmp_path), "BAREME_DEMO": "1", "DATABASE_URL": ""}
    own |= {"DJANGO_SETTINGS_MODULE": "annotation.config.settings", **names}
    return subprocess.run(
        [sys.executable, *arguments],
        env=own,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_sent_where_nothing_is_set(environment):
    environment(BAREME_TRACES_HEADERS="a=b", BAREME_TRACES_PERCENT="5")
    assert env_reports() == ""
    assert env_traces() is None


@pytest.mark.parametrize("first", ["", ABSENT], ids=["installed", "not installed"])
def test_nor_is_anything_imported_that_could_send(tmp_path, first):
    """Neither by us nor by a library that finds it installed, whatever others call settings."""
    others = {"SENTRY_DSN": DSN, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    done = start(tmp_path, "-c", first + STARTED, **others)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_sentry(environment, tmp_path):
    environment(BAREME_SENTRY_DSN=DSN)
    assert env_reports() == DSN
    (tmp_path / "dsn").write_text(f"{DSN}\n")
    environment(BAREME_SENTRY_DSN_FILE=str(tmp_path / "dsn"))
    assert env_reports() == DSN


def test_a_collector(environment):
    environment(BAREME_TRACES_ENDPOINT="http://collector:4318/v1/traces")
    assert env_traces() == Traces("http://collector:4318/v1/traces", (), 100)
    environment(
        BAREME_TRACES_ENDPOINT="https://collector.example.org/v1/traces",
        BAREME_TRACES_HEADERS="Authorization=Bearer a=b, X-Scope=one",
        BAREME_TRACES_PERCENT="5",
    )
    traces = env_traces()
    assert traces is not None
    assert (dict(traces.headers), traces.percent) == (
        {"Authorization": "Bearer a=b", "X-Scope": "one"},
        5,
    )


@pytest.mark.parametrize(
    "dsn",
    [
        "sentry.example.org",
        "https://sentry.example.org/42",
        "https://s3cret@host/",
        "ftp://s3cret@host/1",
        "https://s3cret@host:99999/1",
    ],
)
def test_what_is_no_dsn_stops_the_start_and_is_not_shown(environment, dsn):
    environment(BAREME_SENTRY_DSN=dsn)
    with pytest.raises(ImproperlyConfigured, match="BAREME_SENTRY_DSN") as refused:
        env_reports()
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"BAREME_TRACES_ENDPOINT": "collector:4318"}, "BAREME_TRACES_ENDPOINT has the scheme"),
        ({"BAREME_TRACES_ENDPOINT": "http://:4318/v1"}, "BAREME_TRACES_ENDPOINT names no host"),
        ({"BAREME_TRACES_HEADERS": "Bearer s3cret"}, "BAREME_TRACES_HEADERS holds what is no"),
        ({"BAREME_TRACES_PERCENT": "101"}, "BAREME_TRACES_PERCENT is 101. Set it to 0 to 100"),
    ],
)
def test_what_cannot_work_stops_the_start(environment, changed, said):
    environment(**({"BAREME_TRACES_ENDPOINT": "http://collector:4318/v1/traces"} | changed))
    with pytest.raises(ImproperlyConfigured, match=said) as refused:
        env_traces()
    assert "s3cret" not in str(refused.value)


def test_without_their_libraries_the_start_says_what_to_install(environment, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    environment(BAREME_SENTRY_DSN=DSN, BAREME_TRACES_ENDPOINT="http://collector:4318/v1/traces")
    for read in (env_reports, env_traces):
        with pytest.raises(ImproperlyConfigured, match=r"Install requirements-telemetry\.txt"):
            read()


def test_it_is_told_in_one_sentence(tmp_path):
    """As every setting that cannot work is."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\nreal = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name == 'sentry_sdk' else real(name, *a)\n"
    )
    done = start(tmp_path, "manage.py", "check", BAREME_SENTRY_DSN=DSN, PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "BAREME_SENTRY_DSN is set, but sentry-sdk is not installed. Install "
        "requirements-telemetry.txt, or unset it."
    ]
