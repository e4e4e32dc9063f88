"""What those see who keep Barème running: readiness, metrics, the system page, reference
numbers."""

from __future__ import annotations

import html
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone

from annotation.config.logs import JsonLines, WithReference
from annotation.errors import request_reference
from annotation.models import Event, GenerationRun, Job
from annotation.selectors.platform import broker, parts, system
from annotation.services.platform.events import event_record
from annotation.web.platform.metrics import (
    MetricsMiddleware,
    metrics_clean,
    metrics_end,
    metrics_folder,
)
from annotation.web.platform.request_id import RequestIdMiddleware
from tests import servers
from tests.cast import SYSTEM, Cast
from tests.processes import PATIENCE, free_port, until
from workers import signs

TOKEN = "a-token-of-the-metrics-0123456789-abcdef"


@pytest.fixture
def with_redis(
    tmp_path_factory: pytest.TempPathFactory, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """One of its own: in the one that tests share, workers that they kill leave messages behind,
    and those of tests beside this one give signs."""
    # A machine on which everything is tried at once may keep even Redis waiting.
    monkeypatch.setattr(broker, "_PATIENCE_SECONDS", PATIENCE)
    with servers.redis(tmp_path_factory.mktemp("watched")) as url:
        settings.CELERY_BROKER_URL = url.replace("unix://", "redis+socket://", 1)
        yield


@pytest.fixture
def without_redis(settings: Any, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path / 'nobody.sock'}"


@pytest.fixture(params=["full", "replica"])
def refusing_redis(
    request: pytest.FixtureRequest, settings: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """One of its own that answers what it is asked and takes nothing."""
    with servers.redis(tmp_path_factory.mktemp("refusing")) as url:
        settings.CELERY_BROKER_URL = url.replace("unix://", "redis+socket://", 1)
        with broker.broker_client() as client:
            if request.param == "full":
                client.config_set("maxmemory", 1)
            else:
                client.execute_command("REPLICAOF", "127.0.0.1", "1")
            assert client.ping()
            with pytest.raises(redis.ResponseError, match=r"maxmemory|read only"):
                client.lpush("default", "message")
        yield


@pytest.fixture
def consumer() -> SimpleNamespace:
    """As much of a Celery worker as gives signs."""
    repeated: list[tuple[float, Any, Any]] = []
    timer = SimpleNamespace(
        call_repeatedly=lambda seconds, call, args: repeated.append((seconds, call, args))
    )
    app = SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from={"llm": 1})))
    return SimpleNamespace(
        app=app, timer=timer, pool=SimpleNamespace(num_processes=3), repeated=repeated
    )


class TestReadiness:
    def test_liveness_asks_neither_the_database_nor_redis(self, client, without_redis):
        """A test without a database refuses every query."""
        assert client.get("/livez").content == b"ok\n"

    @pytest.mark.redis
    @pytest.mark.django_db
    def test_everything_is_there(self, client, with_redis):
        answer = client.get("/readyz")
        assert (answer.status_code, answer.content) == (200, b"ok\n")

    @pytest.mark.django_db
    def test_redis_away_is_told_here_and_not_by_healthz(self, client, without_redis):
        answer = client.get("/readyz")
        assert (answer.status_code, answer.content) == (503, b"not ready: broker\n")
        assert client.get("/healthz").status_code == 200

    @pytest.mark.redis
    @pytest.mark.django_db
    def test_a_redis_that_answers_and_takes_nothing(self, client, refusing_redis):
        answer = client.get("/readyz")
        assert (answer.status_code, answer.content) == (503, b"not ready: broker\n")
        assert client.get("/healthz").status_code == 200

    @pytest.mark.redis
    def test_what_is_written_to_see_whether_it_can_be_goes_by_itself(self, with_redis):
        assert broker.broker_answers()
        with broker.broker_client() as client:
            assert 0 < client.ttl(broker.WRITTEN_KEY) <= 60

    @pytest.mark.django_db
    def test_a_data_folder_that_is_gone(self, client, monkeypatch, settings, tmp_path):
        monkeypatch.setattr(parts, "broker_answers", lambda: True)
        settings.DATA_DIR = tmp_path / "none"
        assert client.get("/readyz").content == b"not ready: storage\n"

    @pytest.mark.django_db
    def test_migrations_that_are_missing(self, client, monkeypatch):
        monkeypatch.setattr(parts, "broker_answers", lambda: True)
        monkeypatch.setattr(
            parts, "migrations_known", lambda: ("annotation.0001_initial", "annotation.9999_new")
        )
        assert client.get("/readyz").content == b"not ready: migrations\n"

    @pytest.mark.django_db
    def test_a_database_that_is_ahead_is_in_order(self, monkeypatch):
        """The old version keeps running while a new one takes its place."""
        monkeypatch.setattr(parts, "migrations_known", lambda: ("annotation.0001_initial",))
        assert parts.migrations_pending() == []

    def test_a_database_that_is_away_and_nothing_more_is_said(self, client, monkeypatch):
        def away() -> list[str]:
            raise DatabaseError("password authentication failed for user secret")

        monkeypatch.setattr(parts, "broker_answers", lambda: False)
        monkeypatch.setattr(parts, "migrations_pending", away)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.content) == (503, b"not ready: database, broker\n")

    @pytest.mark.django_db
    def test_it_asks_the_database_once(self, client, monkeypatch, django_assert_max_num_queries):
        monkeypatch.setattr(parts, "broker_answers", lambda: True)
        # The tables and their migrations; a server, whether it takes writes.
        with django_assert_max_num_queries(2 + (connection.vendor == "postgresql")):
            client.get("/readyz")


class TestSignsOfLife:
    pytestmark = pytest.mark.redis

    def test_a_worker_is_seen_with_its_queues(self, with_redis, consumer):
        signs.give_signs(consumer)
        state = broker.broker_read()
        assert state
        (worker,) = state.workers
        assert (worker.host, worker.pid) == (socket.gethostname(), os.getpid())
        assert (worker.queues, worker.processes, worker.is_alive) == (("llm",), 3, True)
        ((seconds, call, args),) = consumer.repeated
        assert seconds < broker.SILENT_SECONDS
        call(*args)
        assert len(broker.broker_read().workers) == 1

    def test_one_that_ends_in_order_is_not_missed(self, with_redis, consumer):
        signs.give_signs(consumer)
        signs.leave()
        assert broker.broker_read().workers == ()

    def test_one_that_was_killed_is_silent_and_forgotten_after_a_day(self, with_redis, consumer):
        now = time.time()
        with broker.broker_client() as client:
            for name, ago in (("a", 90), ("b", broker.FORGOTTEN_SECONDS + 60)):
                sign = {
                    "host": name,
                    "pid": 1,
                    "queues": ["default"],
                    "processes": 1,
                    "at": now - ago,
                }
                client.hset(broker.SIGNS_KEY, name, json.dumps(sign))
        (silent,) = broker.broker_read().workers
        assert (silent.host, silent.is_alive) == ("a", False)
        signs.give_signs(consumer)
        with broker.broker_client() as client:
            assert client.hlen(broker.SIGNS_KEY) == 2, "the forgotten one was removed"

    def test_redis_away_stops_no_worker(self, without_redis, consumer, caplog):
        signs.give_signs(consumer)
        signs.leave()
        assert [record.message for record in caplog.records] == [
            "no sign of life given",
            "no leave taken",
        ]
        assert broker.broker_read() is None
        assert not broker.broker_answers()

    @pytest.mark.slow
    @pytest.mark.django_db(transaction=True)
    def test_a_real_worker_gives_them_and_takes_leave(self, live_worker):
        as_deployed = {"OPENAI_API_KEY": "sk-none", "CELERY_SKIP_CHECKS": ""}
        process = live_worker(environment=as_deployed)

        def signs_of_it() -> list[broker.WorkerSeen]:
            return [worker for worker in broker.broker_read().workers if worker.pid == process.pid]

        assert until(lambda: bool(signs_of_it()))
        [worker] = signs_of_it()
        assert len(worker.queues) == 2
        process.terminate()
        assert until(lambda: not signs_of_it())


@pytest.mark.django_db
class TestMetrics:
    def test_nothing_is_there_without_a_token(self, client):
        assert client.get("/metrics").status_code == 404
        assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404

    def test_nothing_is_counted_without_a_token(self):
        from django.core.exceptions import MiddlewareNotUsed

        with pytest.raises(MiddlewareNotUsed):
            MetricsMiddleware(lambda request: HttpResponse())

    @pytest.mark.parametrize(
        "given", ["", "Bearer", "Bearer x", TOKEN, f"bearer {TOKEN}é", f"Token {TOKEN}"]
    )
    def test_another_token_finds_nothing(self, client, settings, given):
        settings.METRICS_TOKEN = TOKEN
        assert client.get("/metrics", headers={"authorization": given}).status_code == 404

    @pytest.mark.redis
    def test_requests_queues_work_judgments_and_the_backup(
        self, cast: Cast, settings, with_redis, consumer
    ):
        settings.METRICS_TOKEN = TOKEN
        settings.METRICS_DIR = django_settings.DATA_DIR / "metrics"
        Job.objects.create(study=cast.alpha, kind=Job.Kind.EXPORT, requested_by=cast.lead)
        event_record(actor=None, verb="backup_made", kind="sqlite", files=3, bytes=4)
        signs.give_signs(consumer)
        # A client of its own: the middleware is made anew for these settings.
        annotator = cast.client("annotator")
        annotator.get("/annotate/alpha/1/")
        annotator.get("/nothing/here/")
        Client().generic("BREW", "/healthz")
        text = (
            Client().get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).content.decode()
        )
        assert 'bareme_requests_total{method="GET",status="404",view="none"}' in text
        assert 'bareme_requests_total{method="other",status="405",view="healthz"}' in text
        assert 'bareme_request_seconds_bucket{le="0.35",method="GET",view="annotate"}' in text
        assert 'bareme_queue_messages{queue="llm"}' in text
        assert 'bareme_workers{queue="llm"} 1.0' in text
        assert 'bareme_workers{queue="default"} 0.0' in text
        assert 'bareme_work{kind="export",state="queued"} 1.0' in text
        assert "bareme_judgments_submitted 0.0" in text
        shown = {
            name: float(value) for name, value in re.findall(r"(?m)^(bareme_\S+) (\S+)$", text)
        }
        assert shown['bareme_work_oldest_seconds{kind="export"}'] < 60
        assert 0 < shown["bareme_disk_free_bytes"] <= shown["bareme_disk_size_bytes"]
        assert float(re.search(r"(?m)^bareme_backup_age_seconds (\S+)", text)[1]) < 60  # type: ignore[index]
        for secret in (SYSTEM, "alpha", cast.annotator.email, "@"):
            assert secret not in text

    def test_what_is_away_is_down_and_not_zero(self, client, settings, without_redis, monkeypatch):
        from annotation.web.platform import metrics_state

        def away() -> int:
            raise DatabaseError("no connection")

        settings.METRICS_TOKEN = TOKEN
        monkeypatch.setattr(metrics_state, "judgments_submitted", away)
        text = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).content.decode()
        assert "bareme_broker_up 0.0" in text
        assert "bareme_database_up 0.0" in text
        assert "bareme_queue_messages" not in text
        assert "bareme_judgments_submitted" not in text

    @pytest.mark.redis
    def test_a_redis_that_takes_nothing_is_down_and_its_queues_are_known(
        self, client, settings, refusing_redis
    ):
        settings.METRICS_TOKEN = TOKEN
        text = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).content.decode()
        assert "bareme_broker_up 0.0" in text
        assert 'bareme_queue_messages{queue="default"} 0.0' in text

    def test_a_start_forgets_what_was_counted_before_and_nothing_else(self, settings, tmp_path):
        settings.METRICS_DIR = tmp_path / "here"
        metrics_clean()
        assert not settings.METRICS_DIR.exists(), "no token, no metrics"
        settings.METRICS_TOKEN = TOKEN
        metrics_clean()
        (settings.METRICS_DIR / "counter_1.db").touch()
        (settings.METRICS_DIR / "thesis.txt").touch()
        metrics_clean()
        assert [path.name for path in settings.METRICS_DIR.iterdir()] == ["thesis.txt"]
        metrics_end()
        assert settings.METRICS_DIR.exists()
        (settings.METRICS_DIR / "thesis.txt").unlink()
        metrics_end()
        assert not settings.METRICS_DIR.exists()
        metrics_end()

    def test_a_folder_of_somebody_else_s_is_refused(self, settings, tmp_path):
        (tmp_path / "theirs").mkdir()
        settings.METRICS_DIR = tmp_path / "link"
        settings.METRICS_DIR.symlink_to(tmp_path / "theirs")
        with pytest.raises(ImproperlyConfigured, match="is not this user's own"):
            metrics_folder()

    def test_what_cannot_be_counted_is_answered_all_the_same(
        self, client, settings, tmp_path, monkeypatch, caplog
    ):
        settings.METRICS_TOKEN = TOKEN
        settings.METRICS_DIR = tmp_path / "counts"
        middleware = MetricsMiddleware(lambda request: HttpResponse("stored"))

        def gone(**_: str) -> Any:
            raise FileNotFoundError

        monkeypatch.setattr(middleware, "requests", SimpleNamespace(labels=gone))
        request = RequestFactory().get("/livez")
        request.resolver_match = None
        assert middleware(request).content == b"stored"
        assert "was not counted" in caplog.text


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_several_web_processes_count_together(child_environment: dict[str, str]) -> None:
    port = free_port()
    own = {
        "BAREME_METRICS_TOKEN": TOKEN,
        "BAREME_METRICS_DIR": f"{child_environment['BAREME_DATA_DIR']}/counts",
        "BAREME_WEB_PROCESSES": "2",
        "BAREME_WEB_BIND": f"127.0.0.1:{port}",
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "python:annotation.config.gunicorn"]
    server = subprocess.Popen(
        [*command, "annotation.config.wsgi:application"], env=child_environment | own
    )

    def ask(path: str) -> str:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Bearer {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(answer.read().decode())

    def answers() -> bool:
        try:
            return ask("/healthz") == "ok\n"
        except OSError:
            return False

    try:
        assert until(answers)
        for _ in range(39):
            ask("/healthz")
        line = r'bareme_requests_total\{method="GET",status="200",view="healthz"\} (\d+)'
        counts = {int(re.search(line, ask("/metrics"))[1]) for _ in range(5)}  # type: ignore[index]
        assert counts == {40}, "whichever process is asked"
        assert list(Path(own["BAREME_METRICS_DIR"]).glob("counter_*.db"))
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0


@pytest.mark.django_db
class TestSystemPage:
    def test_redis_away_and_nothing_done_yet(self, cast: Cast, without_redis):
        page = cast.client("admin").get("/system/")
        assert page.status_code == 200
        assert (page.context["broker"], page.context["backup"], page.context["work"]) == (
            None,
            None,
            [],
        )
        assert page.content.decode().count("empty__title") == 2, (
            "said in words, for Redis and for the backup"
        )

    @pytest.mark.redis
    def test_a_redis_that_takes_nothing(self, cast: Cast, refusing_redis):
        page = cast.client("admin").get("/system/")
        assert "Redis ne prend aucun message" in page.content.decode()
        assert [row["name"] for row in page.context["queues"]] == ["default", "llm", "training"]

    @pytest.mark.redis
    def test_what_a_killed_worker_held_is_in_nobody_s_hands(self, cast: Cast, with_redis):
        """Redis keeps it as given until the visibility timeout, when nobody works on it."""
        with broker.broker_client() as client:
            for number in range(4):
                client.hset("unacked", f"killed-{number}", "[]")
        page = cast.client("admin").get("/system/")
        text = " ".join(page.content.decode().split())
        assert "4 messages ont été remis à des processus de travail et ne sont pas encore" in text
        assert "un processus tué comptent encore jusqu'à deux heures" in html.unescape(text)
        hours = django_settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] / 3600
        assert hours == 2, "the page says so"

    @pytest.mark.redis
    def test_queues_workers_work_backup_and_disk(self, cast: Cast, with_redis, consumer):
        signs.give_signs(consumer)
        Job.objects.create(
            study=cast.alpha, kind=Job.Kind.EXPORT, requested_by=cast.lead, state="failed"
        )
        GenerationRun.objects.create(study=cast.alpha, number=1, state="running", ceiling=1)
        event_record(actor=None, verb="backup_made", kind="sqlite", files=3, bytes=4096)
        for name in ("files/a", "exports/b"):
            path = django_settings.DATA_DIR / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(bytes(2048))
        page = cast.client("admin").get("/system/", headers={"accept-language": "en"})
        context = page.context
        assert [(row["name"], row["workers"]) for row in context["queues"]] == [
            ("default", 0),
            ("llm", 1),
            ("training", 0),
        ]
        assert context["workers"][0]["is_alive"]
        assert "Redis ne prend aucun message" not in page.content.decode()
        assert {(row["number"], row["failed"]) for row in context["work"]} == {
            (1, True),
            (1, False),
        }
        assert (context["backup"]["hours"], context["backup"]["is_old"]) == (0, False)
        folders = {folder["name"]: folder["bytes"] for folder in context["disk"]["folders"]}
        assert (folders["files"], folders["exports"]) == (2048, 2048)
        assert context["database"].pending == ()

    def test_an_old_backup_a_full_disk_and_a_missing_migration(
        self, cast: Cast, without_redis, monkeypatch
    ):
        event_record(actor=None, verb="backup_made", kind="sqlite", files=1, bytes=1)
        then = timezone.now() - timedelta(days=3)
        monkeypatch.setattr(system, "last_backup", lambda: system.Backup(then, "sqlite", 1, 1))
        from annotation.web.platform.views import system as view

        monkeypatch.setattr(view, "last_backup", lambda: system.Backup(then, "sqlite", 1, 1))
        monkeypatch.setattr(view, "disk_use", lambda: system.DiskUse(5, 100, ()))
        monkeypatch.setattr(parts, "migrations_known", lambda: ("annotation.9999_new",))
        context = cast.client("admin").get("/system/").context
        assert (context["backup"]["is_old"], context["backup"]["hours"]) == (True, 72)
        assert context["disk"]["is_low"]
        assert context["database"].pending == ("annotation.9999_new",)

    def test_a_folder_of_very_many_files_is_not_counted_to_its_end(
        self, monkeypatch, tmp_path, settings
    ):
        settings.DATA_DIR = tmp_path / "data"
        (settings.DATA_DIR / "files" / "deep").mkdir(parents=True)
        for number in range(5):
            (settings.DATA_DIR / "files" / "deep" / str(number)).write_bytes(b"x")
        monkeypatch.setattr(system, "_MOST_FILES", 3)
        (files, loose) = system.disk_use().folders
        assert (files.files, files.is_more, loose.files) == (3, True, 0)


class TestReference:
    def test_every_answer_has_one_of_its_own(self, client, db):
        references = {
            client.get("/healthz", headers={"x-request-id": "mine"})["X-Request-ID"]
            for _ in range(20)
        }
        assert len(references) == 20
        assert all(
            re.fullmatch(r"[2-9A-Z]{4}(-[2-9A-Z]{4}){2}", reference) for reference in references
        )
        assert request_reference.get() == ""

    def test_a_file_that_is_kept_for_good_has_none(self, rf):
        kept = HttpResponse(headers={"Cache-Control": "max-age=315360000, public, immutable"})
        asked_again = HttpResponse(headers={"Cache-Control": "no-cache"})
        have_references = [
            "X-Request-ID"
            in RequestIdMiddleware(lambda _request, response=response: response)(rf.get("/"))
            for response in (kept, asked_again)
        ]
        assert have_references == [False, True]

    @pytest.fixture
    def broken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from django.db.backends.utils import CursorWrapper

        def fail(self: Any, *_: Any) -> None:
            raise RuntimeError("Un texte d’une étude")

        monkeypatch.setattr(CursorWrapper, "execute", fail)

    def test_the_page_the_header_and_the_log_line_show_the_same(self, broken, caplog):
        handler = logging.getLogger().handlers
        assert handler
        caplog.handler.addFilter(WithReference())
        caplog.handler.setFormatter(JsonLines())
        answer = Client(raise_request_exception=False).get(
            "/healthz", headers={"accept-language": "fr"}
        )
        assert answer.status_code == 500
        reference = answer["X-Request-ID"]
        text = answer.content.decode()
        assert f"<code>{reference}</code>" in text
        assert '<html lang="fr"' in text
        (line,) = [
            json.loads(line) for line in caplog.text.splitlines() if "Internal Server Error" in line
        ]
        assert line["reference"] == reference
        assert "Un texte" not in json.dumps(line)
        assert "Un texte" not in text

    def test_a_program_gets_problem_details(self, cast: Cast, monkeypatch):
        from api.studies import views as studies

        def fail(*_: Any, **__: Any) -> None:
            raise RuntimeError("Un texte d’une étude")

        client = Client(raise_request_exception=False)
        client.force_login(cast.lead)
        monkeypatch.setattr(studies, "studies_listed", fail)
        answer = client.get("/api/v1/studies/")
        assert answer.status_code == 500
        assert answer["Content-Type"] == "application/problem+json"
        body = answer.json()
        assert (body["type"], body["status"], body["reference"]) == (
            "defect",
            500,
            answer["X-Request-ID"],
        )
        assert "Un texte" not in answer.content.decode()
        assert Event.objects.count() == Event.objects.exclude(verb="").count()


@override_settings(DEMO=False)
def test_a_line_outside_a_request_has_no_reference() -> None:
    record = logging.getLogger("annotation").makeRecord(
        "annotation", logging.INFO, "", 1, "swept", (), None
    )
    assert WithReference().filter(record)
    assert "reference" not in json.loads(JsonLines().format(record))
