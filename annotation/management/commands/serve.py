"""Everything on one machine: a private Redis, the database, the web server and the worker, until
Ctrl-C."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

from celery import current_app
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import get_internal_wsgi_application
from django.db import connections, transaction
from django.urls import reverse

from annotation import bundles
from annotation.caches import caches_at
from annotation.checks import refuse_insecure_start, rules_are_made, start_warnings
from annotation.garbage import garbage_settle
from annotation.management.database_refusals import is_behind
from annotation.management.embedded import PrivateRedis, RedisUnavailable
from annotation.management.standby import Standby
from annotation.management.starting import (
    MOST_PROCESSES,
    add_starting_arguments,
    answers,
    demonstration_opens_at,
    only_one_here,
    place,
    refuse_used_port,
    whole,
)
from annotation.management.supervisor import Child, GivenUp, Supervisor
from annotation.management.translations import compile_translations
from annotation.models import triggers
from annotation.models.composed import composed_hold
from annotation.models.descriptions import descriptions_keep

_READY_SECONDS = 60.0
_MODELLING_QUEUE = "modelling"
# Which gunicorn and Celery load only when they start.
_PARTS_OF_WEB = ("gunicorn.app.wsgiapp", "annotation.config.web_worker")
_PARTS_OF_WORKERS = (
    "celery.apps.worker",
    "celery.concurrency.prefork",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.strategy",
    "kombu.transport.redis",
)


class Command(BaseCommand):
    help = (
        "Start Barème on this machine: web server, worker and, unless REDIS_URL is set, a "
        "private Redis."
    )
    # The servers' own checks run below; the general ones would double the time to the first page.
    requires_system_checks: list[str] = []  # noqa: RUF012  (Django declares it so)

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_starting_arguments(parser)
        parser.add_argument(
            "--workers",
            type=whole(1, MOST_PROCESSES),
            default=2,
            help="web processes (default: %(default)s)",
        )
        parser.add_argument(
            "--jobs",
            type=whole(1, MOST_PROCESSES),
            default=2,
            help="background jobs at a time, each in a process that starts when there is work for "
            "it (default: %(default)s)",
        )
        parser.add_argument(
            "--calls",
            type=whole(0, MOST_PROCESSES),
            default=12,
            help="calls of language models at a time, 0: none (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        if settings.MODELLING_QUEUE == settings.CELERY_TASK_DEFAULT_QUEUE:
            # Here what is forked from this process sends there, and takes from there.
            settings.MODELLING_QUEUE = _MODELLING_QUEUE
        # Until the supervisor takes the signals, a stop while preparing must end Redis as well.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        lock = only_one_here()
        refuse_used_port(host, port)
        demonstration_opens_at(lock, host, port)
        is_named = os.environ.get("REDIS_URL") or os.environ.get("REDIS_URL_FILE")
        redis = None if is_named else PrivateRedis(settings.DATA_DIR)
        web = Child(
            "web",
            partial(_web, host, port, options["workers"]),
            grace_seconds=settings.WEB_STOP_SECONDS,
        )
        # First the running job may end; then its message is given back; one that was cut short is
        # swept up later.
        worker = Child(
            "worker", partial(_worker, options["jobs"]), signals=(signal.SIGTERM, signal.SIGQUIT)
        )
        calls = Child(
            "llm", partial(_llm_worker, options["calls"]), signals=(signal.SIGTERM, signal.SIGQUIT)
        )
        training = Child("training", _training_worker, signals=(signal.SIGTERM, signal.SIGQUIT))
        # The system cuts what processes are called after 15 letters.
        modelling = Child("models", _modelling_worker, signals=(signal.SIGTERM, signal.SIGQUIT))
        standby = Standby()
        standby.start_with(settings.TRAINING_QUEUE, training)
        standby.start_with(settings.MODELLING_QUEUE, modelling)
        children = [web, worker, training, modelling]
        if options["calls"]:
            standby.start_with(settings.LLM_QUEUE, calls)
            children.append(calls)
        supervisor = Supervisor(
            children, say=lambda text: self.stderr.write(self.style.WARNING(text))
        )
        try:
            if redis:
                redis.start()
                _count_in(redis)
            self._prepare(demo=options["demo"])
            _load()
            supervisor.start()
            self._announce(supervisor, host, port)
            # The page need not wait for these.
            _share(_PARTS_OF_WORKERS)
            supervisor.watch(also=lambda: _keep(redis))
        except (RedisUnavailable, GivenUp, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            pass
        finally:
            supervisor.stop()
            if redis:
                redis.stop()
            lock.close()
        self.stdout.write("Stopped.")

    def _prepare(self, *, demo: bool) -> None:
        compile_translations(settings.LOCALE_PATHS[0])
        if is_behind():
            # What is wrong with the settings is said before anybody waits for the database.
            with rules_are_made():
                refuse_insecure_start()
            self.stdout.write("Preparing the database …")
            self.stdout.flush()
            _migrate()
        else:
            _renew_rules()
        refuse_insecure_start()
        for warning in start_warnings():
            self.stderr.write(self.style.WARNING(f"{warning.msg} {warning.hint}"))
        # Before the application is loaded, which looks once for what there is to hand out.
        _collect_static()
        if demo:
            _fill_with_demonstration()

    def _announce(self, supervisor: Supervisor, host: str, port: int) -> None:
        until = time.monotonic() + _READY_SECONDS
        while not supervisor.stopping and not answers(host, port):
            if time.monotonic() > until or not supervisor.children[0].running():
                raise GivenUp("The web server did not start; its own message stands above.")
            time.sleep(0.02)
        if not supervisor.stopping:
            ready = f"Barème is ready: {place(host, port)}  (Ctrl-C stops it)"
            self.stdout.write(self.style.SUCCESS(ready))
            self.stdout.flush()


def _count_in(redis: PrivateRedis) -> None:
    """Let what this process starts count requests in the private Redis, all together: the settings
    were read before it listened, and know of none."""
    settings.CACHES = caches_at(redis.url)


def _load() -> None:
    """What web server and workers need, before they are forked: loaded once instead of four times,
    into memory that they share. One that died and is started again is there at once."""
    # Celery asks Django's general checks when it loads its tasks, and does nothing with the answer.
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    _answer_once(get_internal_wsgi_application())
    current_app.loader.import_default_modules()
    # Nothing but modules was loaded by now, and static files gathered: a hundred objects.
    _share(_PARTS_OF_WEB, is_anew=True)
    # The children are forks and must open their own.
    connections.close_all()


def _answer_once(application: Any) -> int:
    """Answer the log-in page to nobody: what a first page loads and fills is shared then, too.
    Gives the status."""

    def begin(*_: object) -> None:
        pass

    host = urlsplit(settings.PUBLIC_URL).netloc or "127.0.0.1"
    environ: dict[str, Any] = {"HTTP_HOST": host, "PATH_INFO": reverse("login")}
    environ["wsgi.url_scheme"] = "https" if settings.TLS else "http"
    setup_testing_defaults(environ)
    answer = application(environ, begin)
    b"".join(answer)
    answer.close()
    status: int = answer.status_code
    return status


def _share(modules: Iterable[str], *, is_anew: bool = False) -> None:
    for module in modules:
        import_module(module)
    garbage_settle(is_anew=is_anew)


def _web(host: str, port: int, workers: int) -> None:
    """In the web process."""
    from gunicorn.app.wsgiapp import WSGIApplication

    options = {
        "--bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        "--workers": str(workers),
        "--config": "python:annotation.config.gunicorn",
    }
    arguments = [part for pair in options.items() for part in pair]
    # Gunicorn reads its options from the command line, and from nothing else that could be passed
    # to it.
    sys.argv = ["gunicorn", *arguments, "annotation.config.wsgi:application"]
    WSGIApplication("%(prog)s [OPTIONS] [APP_MODULE]", prog="gunicorn").run()


def _worker(jobs: int) -> None:
    """In the worker process, which also keeps the clock of the sweep. One process at rest; another
    when something waits, so that no export waits for the modelling of an hour."""
    _work(settings.CELERY_TASK_DEFAULT_QUEUE, autoscale=[jobs, 1], clock=True)


def _llm_worker(calls: int) -> None:
    """In the process that asks language models. It waits far more than it works: a process for each
    call at a time, as many as there is work for."""
    _work(settings.LLM_QUEUE, autoscale=[calls, 1])


def _training_worker() -> None:
    """In the process that trains scorers, one at a time: a training may take hours, and everything
    else goes on."""
    _work(settings.TRAINING_QUEUE, concurrency=1)


def _modelling_worker() -> None:
    """In the process that models annotators, one study at a time: exports do not wait for it."""
    _work(settings.MODELLING_QUEUE, concurrency=1)


def _work(queue: str, **options: Any) -> None:
    """What `celery worker` does, without its command line: that would be 8 MB more in each
    process."""
    # On a private machine it may well run as root; Celery's warning about that fills the screen.
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    alone = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
    worker = current_app.Worker(queues=[queue], loglevel="WARNING", quiet=True, **alone, **options)
    worker.start()
    sys.exit(worker.exitcode)


def _renew_rules() -> None:
    """What `migrate` would do besides migrations, in a fraction of its time: a new version may
    bring new triggers, and new protocols to be described."""
    with transaction.atomic():
        composed_hold()
        triggers.drop()
        triggers.create()
        descriptions_keep()


def _migrate() -> None:
    """In a process of its own: what migrations leave in memory, 60 MB, is not for the servers to
    carry. It says itself what is wrong."""
    connections.close_all()
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "migrate"]
    if subprocess.run([*command, "--no-input", "--verbosity", "0"], check=False).returncode:
        raise CommandError("The database could not be prepared; the reason stands above.")


def _fill_with_demonstration() -> None:
    """In a process of its own: what filling loads into memory is not for the servers to carry."""
    connections.close_all()
    filling = multiprocessing.get_context("fork").Process(target=call_command, args=("demo",))
    filling.start()
    filling.join()
    if filling.exitcode:
        raise CommandError("The demonstration could not be made; the reason stands above.")


def _keep(redis: PrivateRedis | None) -> None:
    if redis and not redis.running():
        redis.start()


def _collect_static() -> None:
    """Gather static files, unless none changed since the last time: hashing and compressing them
    takes seconds."""
    digest = hashlib.sha256(Path(bundles.__file__).read_bytes())
    for finder in get_finders():
        for name, storage in finder.list([]):
            file_stat = Path(storage.path(name)).stat()
            digest.update(f"{name}:{file_stat.st_size}:{file_stat.st_mtime_ns}\n".encode())
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest.hexdigest():
        return
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(digest.hexdigest(), encoding="ascii")
