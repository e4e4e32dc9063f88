"""No text of a study may reach a log, whatever the library that raises quotes."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from django.conf import settings

from annotation.config.logs import JsonLines, TextLines, WithoutQuotes, WithoutSecretPaths

TEXT = "L’assureur couvre les dommages"


def record(**extra: object) -> logging.LogRecord:
    try:
        raise ValueError(f"Failing row contains ({TEXT})")
    except ValueError:
        log_record = logging.getLogger("annotation").makeRecord(
            "annotation",
            logging.ERROR,
            __file__,
            1,
            "stored %s",
            ("7",),
            sys.exc_info(),
            extra=extra,
        )
    return log_record


@pytest.mark.parametrize("formatter", [JsonLines(), TextLines()])
def test_what_an_exception_quotes_stays_out(formatter: logging.Formatter) -> None:
    line = formatter.format(record(study=3, request="a request", seconds=0.5))
    assert TEXT not in line
    for part in ("stored 7", "ValueError", "test_logs.py", "seconds"):
        assert part in line
    assert "a request" not in line


def test_a_line_for_a_collector_is_json() -> None:
    line = json.loads(JsonLines().format(record(study=3, note="x" * 500)))
    assert (line["level"], line["logger"], line["message"], line["study"]) == (
        "ERROR",
        "annotation",
        "stored 7",
        3,
    )
    assert len(line["note"]) == 100


def test_a_failed_job_names_itself_and_quotes_nothing() -> None:
    context = {
        "name": "workers.tasks.export",
        "id": "a1",
        "exc": TEXT,
        "traceback": TEXT,
        "args": TEXT,
    }
    failed = logging.LogRecord(
        "celery.app.trace", logging.ERROR, "", 1, "Task %(name)s[%(id)s]: %(exc)s", (context,), None
    )
    failed.data = context
    assert WithoutQuotes().filter(failed)
    for formatter in (JsonLines(), TextLines()):
        line = formatter.format(failed)
        assert "Task workers.tasks.export[a1]: (left out)" in line
        assert TEXT not in line


@pytest.mark.parametrize("path", ["/account/invitation/{}/", "/account/password/reset/{}/set/"])
def test_a_link_s_secret_is_in_no_line(path: str) -> None:
    secret = "UFEGlEbs0zl3nx3J5lieFx95C_2ZBVbjFJ4lKCUKMGY"
    refused = logging.LogRecord(
        "django.request", 30, "", 1, "%s: %s", ("Not Found", path.format(secret)), None
    )
    assert WithoutSecretPaths().filter(refused)
    assert secret not in JsonLines().format(refused)
    assert refused.getMessage().startswith("Not Found: /account/")


def test_every_handler_leaves_out_quotes_and_secrets(settings) -> None:
    for handler in settings.LOGGING["handlers"].values():
        assert {"quotes", "secret_paths"} <= set(handler["filters"])


def test_the_web_server_s_own_lines_are_as_all_others() -> None:
    from annotation.config import gunicorn

    config = gunicorn.logconfig_dict
    assert config["loggers"]["gunicorn.error"]["handlers"] == ["console"]
    assert config["handlers"]["console"]["formatter"] == settings.LOG_FORMAT


@pytest.mark.django_db
def test_each_answer_of_a_view_leaves_a_line_without_its_address(client, settings, caplog) -> None:
    settings.ACCESS_LOG = True
    with caplog.at_level(logging.INFO, "annotation.access"):
        answer = client.get("/account/invitation/abc-secret/")
    [line] = [
        json.loads(JsonLines().format(log_record))
        for log_record in caplog.records
        if log_record.name == "annotation.access"
    ]
    assert (line["method"], line["view"], line["status"]) == (
        "GET",
        "invitation_accept",
        answer.status_code,
    )
    assert line["milliseconds"] >= 0
    assert "abc-secret" not in json.dumps(line)
    settings.ACCESS_LOG = False
    caplog.clear()
    client.get("/livez")
    assert not caplog.records
