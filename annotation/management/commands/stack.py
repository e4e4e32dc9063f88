"""The parts that docker-compose.yml starts, natively: PostgreSQL, Redis, web processes, a worker
for each queue, beat.

`serve` is for one machine and little memory; this is the same topology as a large installation, for
tests of it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.management.embedded import PrivateRedis, RedisUnavailable
from annotation.management.private_postgresql import PrivatePostgresql
from annotation.management.starting import (
    MOST_PROCESSES,
    add_starting_arguments,
    answers,
    demonstration_opens_at,
    listens_at,
    only_one_here,
    place,
    refuse_used_port,
    whole,
)
from annotation.management.supervisor import Child, GivenUp, Supervisor

_READY_SECONDS = 120.0
# On a private machine it may well run as root; Celery's warning about that fills the screen.
_ROOT_WARNING = "ignore:You're running the worker with superuser privileges"
# First the running job may end; then its message is given back.
_WORKER_STOPS = (signal.SIGTERM, signal.SIGQUIT)


class Command(BaseCommand):
    help = "Start everything that Docker would, on this machine, until Ctrl-C."
    requires_system_checks: list[str] = []  # noqa: RUF012  (Django declares it so)

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_starting_arguments(parser)
        host, port = listens_at(settings.WEB_BIND)
        parser.set_defaults(host=host, port=port)
        parser.add_argument(
            "--web",
            type=whole(1, MOST_PROCESSES),
            default=settings.WEB_PROCESSES,
            help="web processes (default: %(default)s, of BAREME_WEB_PROCESSES)",
        )
        parser.add_argument(
            "--jobs",
            type=whole(1, MOST_PROCESSES),
            default=1,
            help="background jobs at a time (default: %(default)s)",
        )
        parser.add_argument(
            "--calls",
            type=whole(1, MOST_PROCESSES),
            default=4,
            help="calls of models at a time (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        if host is None or port is None:
            raise CommandError(
                f"BAREME_WEB_BIND is {settings.WEB_BIND!r}, and `stack` listens at one host:port. "
                "Set it to that, or give --host and --port."
            )
        # Until the supervisor takes the signals, a stop while preparing must end the servers as
        # well.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with ExitStack() as stack:
            lock = stack.enter_context(only_one_here())
            refuse_used_port(host, port)
            demonstration_opens_at(lock, host, port)
            try:
                postgresql, redis, servers = self._servers(stack)
                environment = servers | {
                    "BAREME_WEB_BIND": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
                    "BAREME_WEB_PROCESSES": str(options["web"]),
                }
                self._prepare(environment, demo=options["demo"])
                supervisor = Supervisor(_children(environment, options), say=self._warn)
                stack.callback(supervisor.stop)
                supervisor.start()
                self._announce(supervisor, host, port)
                # Those of its own are kept running, as the other parts are.
                supervisor.watch(also=lambda: self._keep(postgresql, redis))
            except (RedisUnavailable, GivenUp) as error:
                raise CommandError(str(error)) from error
            except KeyboardInterrupt:
                self._warn("Stopping …")
        self.stdout.write("Stopped.")

    def _warn(self, text: str) -> None:
        self.stderr.write(self.style.WARNING(text))

    def _keep(self, postgresql: PrivatePostgresql | None, redis: PrivateRedis | None) -> None:
        if postgresql:
            postgresql.keep(self._warn)
        if redis and not redis.running():
            redis.start()

    def _servers(
        self, stack: ExitStack
    ) -> tuple[PrivatePostgresql | None, PrivateRedis | None, dict[str, str]]:
        """PostgreSQL and Redis, unless the environment names them; the environment of everything
        else."""
        environment, postgresql, redis = dict(os.environ), None, None
        if not (os.environ.get("DATABASE_URL") or os.environ.get("DATABASE_URL_FILE")):
            postgresql = PrivatePostgresql(settings.DATA_DIR / "postgresql")
            stack.callback(postgresql.stop)
            postgresql.start()
            environment["DATABASE_URL"] = postgresql.url
        if not (os.environ.get("REDIS_URL") or os.environ.get("REDIS_URL_FILE")):
            redis = PrivateRedis(settings.DATA_DIR)
            redis.start()
            stack.callback(redis.stop)
            environment["REDIS_URL"] = redis.url
        return postgresql, redis, environment

    def _prepare(self, environment: dict[str, str], *, demo: bool) -> None:
        """In processes of their own: these settings were read before there was a database."""
        commands = [
            ["compile_translations"],
            ["migrate", "--verbosity", "0"],
            ["collectstatic", "--no-input", "--verbosity", "0"],
        ]
        for command in [*commands, *([["demo"]] if demo else [])]:
            done = subprocess.run(
                [sys.executable, "manage.py", *command], env=environment, cwd=_root(), check=False
            )
            if done.returncode:
                raise CommandError(
                    f"`manage.py {command[0]}` failed; its own message stands above."
                )

    def _announce(self, supervisor: Supervisor, host: str, port: int) -> None:
        until = time.monotonic() + _READY_SECONDS
        while not supervisor.stopping and not answers(host, port, "/readyz", 200):
            if time.monotonic() > until or not supervisor.children[0].running():
                raise GivenUp("The web server did not become ready; what it said stands above.")
            time.sleep(0.05)
        if not supervisor.stopping:
            ready = f"The stack is ready: {place(host, port)}  (Ctrl-C stops it)"
            self.stdout.write(self.style.SUCCESS(ready))
            self.stdout.flush()


def _children(environment: dict[str, str], options: dict[str, Any]) -> list[Child]:
    """The services of docker-compose.yml, by the same commands."""
    web = [
        "gunicorn",
        "--config",
        "python:annotation.config.gunicorn",
        "annotation.config.wsgi:application",
    ]
    quiet = ("--loglevel", "WARNING")

    def worker(queue: str, *own: str) -> Child:
        command = [
            "celery",
            "-A",
            "workers.celery",
            "--quiet",
            "worker",
            "--queues",
            queue,
            *own,
            *quiet,
        ]
        # Named by queue: several on one machine must not share a name.
        command += [
            "--hostname",
            f"{queue}@%h",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ]
        return Child(
            f"worker-{queue}", partial(_become, command, environment), signals=_WORKER_STOPS
        )

    schedule = settings.DATA_DIR / "celerybeat-schedule"
    beat = [
        "celery",
        "-A",
        "workers.celery",
        "--quiet",
        "beat",
        "--schedule",
        str(schedule),
        "--pidfile=",
        *quiet,
    ]
    return [
        # Longer than under `serve`: here it has loaded everything itself, and takes it down.
        Child(
            "web",
            partial(_become, web, environment),
            grace_seconds=settings.WEB_STOP_SECONDS + 3,
        ),
        worker(settings.CELERY_TASK_DEFAULT_QUEUE, "--concurrency", str(options["jobs"])),
        worker(settings.LLM_QUEUE, "--autoscale", f"{options['calls']},1"),
        worker(settings.TRAINING_QUEUE, "--concurrency", "1"),
        Child("beat", partial(_become, beat, environment)),
    ]


def _become(command: list[str], environment: dict[str, str]) -> None:
    """In the new process: start anew, so that settings are read from this environment."""
    os.chdir(_root())
    os.execve(sys.executable, [sys.executable, "-W", _ROOT_WARNING, "-m", *command], environment)  # noqa: S606  (our own)


def _root() -> Path:
    return Path(settings.BASE_DIR)
