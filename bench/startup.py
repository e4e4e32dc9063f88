"""From nothing to a page: start, memory at rest, what the first page weighs, what an installation
takes on the disk.

``python -m bench.startup`` starts ``manage.py serve`` twice on a new SQLite database (its first
start prepares the database with the demonstration, the second is the cold start), reads the memory
of its processes while nobody asks for anything, and opens the judging page in Chromium where there
is one. ``--install`` makes a virtual environment from requirements.txt as well, which needs the
package index.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.first_load import first_load
from bench.record import record
from bench.stack import ROOT, answers_at

_IDLE_SECONDS = 5.0
_IMPORTS = {
    "import of settings and models": "import django; django.setup()",
    "import of the web application": "import annotation.config.wsgi; from django.urls import reverse; reverse('home')",  # noqa: E501
}


def seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def imports(environment: dict[str, str]) -> float:
    """Record what loading costs, over an empty Python; the seconds of the last."""

    def python(program: str) -> float:
        # Static files are collected at the first start; that they are not yet is no news.
        command = [sys.executable, "-W", "ignore", "-c", program]
        return min(
            seconds(lambda: subprocess.run(command, env=environment, cwd=ROOT, check=True))
            for _ in range(3)
        )

    floor = taken = python("pass")
    for name, program in _IMPORTS.items():
        taken = python(program)
        record(name, taken, "s", floor=floor, note="floor: an empty Python")
    return taken


@contextmanager
def serving(
    environment: dict[str, str], *options: str
) -> Iterator[tuple[psutil.Process, int, float]]:
    """`manage.py serve`: its first process, its port, and the seconds until the log-in page was
    answered."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "manage.py", "serve", "--port", str(port), *options]
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        while not answers_at(port, "/account/login/"):
            if process.poll() is not None or time.perf_counter() - begun > 120:
                raise RuntimeError("`manage.py serve` did not start; its own message stands above.")
            time.sleep(0.02)
        yield psutil.Process(process.pid), port, time.perf_counter() - begun
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def megabytes(processes: list[psutil.Process]) -> float:
    """Of memory, what several share divided among them; where that is not told (macOS), what each
    has to itself."""
    memories = [process.memory_full_info() for process in processes]
    return sum(getattr(used, "pss", used.uss) for used in memories) / 2**20


def settle(server: psutil.Process, port: int) -> None:
    """Until every process is there, and each web process has answered: one that waits for its work
    holds less."""
    count, still_since = 0, time.perf_counter()
    while time.perf_counter() - still_since < _IDLE_SECONDS:
        answers_at(port, "/account/login/")
        if (now := len(server.children(recursive=True))) != count:
            count, still_since = now, time.perf_counter()
        time.sleep(0.1)


def memory(server: psutil.Process, port: int) -> None:
    """Record what the parts of `manage.py serve` hold at rest."""
    settle(server, port)
    parts = {child.name(): [child, *child.children(recursive=True)] for child in server.children()}
    bare = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        time.sleep(1)
        floor = megabytes([psutil.Process(bare.pid)])
    finally:
        bare.communicate(b"\n")
    held = {name: megabytes(processes) for name, processes in parts.items()} | {
        "supervisor": megabytes([server])
    }
    for name, value in sorted(held.items()):
        note = f"{len(parts.get(name, [server]))} processes; floor: an empty Python"
        record(f"idle memory, {name}", value, "MB", floor=floor, note=note)
    pair = sum(held.get(name, 0.0) for name in ("bareme-web", "bareme-worker"))
    record(
        "idle memory, web and worker", pair, "MB", floor=2 * floor, note="floor: two empty Pythons"
    )
    record("idle memory, everything that serve starts", sum(held.values()), "MB")


def install_size() -> None:
    if sys.prefix == sys.base_prefix:
        print("install size: left out, this Python is in no virtual environment")
        return
    record(
        "install size of this environment, development included",
        disk_megabytes(Path(sys.prefix)),
        "MB",
    )


def disk_megabytes(folder: Path) -> float:
    """As ``du`` counts: blocks, and a file with several names once."""
    stats = (path.lstat() for path in folder.rglob("*"))
    return (
        sum({(stat.st_dev, stat.st_ino): stat.st_blocks * 512 for stat in stats}.values()) / 2**20
    )


def install(folder: Path) -> None:
    """A new environment with what running needs, by the Makefile's own steps."""
    venv = folder / "venv"
    python = venv / "bin" / "python"
    floor = seconds(lambda: subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True))
    installer = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "uv",
    ]
    requirements = [str(venv / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(python)]
    taken = floor + seconds(lambda: subprocess.run(installer, check=True))
    command = [*requirements, "-r", str(ROOT / "requirements.txt")]
    taken += seconds(lambda: subprocess.run(command, check=True))
    record(
        "install time of requirements.txt",
        taken,
        "s",
        floor=floor,
        note="floor: an empty environment",
    )
    record("install size of requirements.txt", disk_megabytes(venv), "MB")


def main() -> None:
    parser = argparse.ArgumentParser(description="From nothing to a page.")
    parser.add_argument(
        "--install", action="store_true", help="make an environment too (needs the package index)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bareme-") as name:
        folder = Path(name)
        (folder / "data").mkdir(mode=0o700)
        # As on a new machine: nothing of the caller's own settings.
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("BAREME_", "REDIS_", "DATABASE_"))
        }
        # As `make` starts it: what was compiled is kept, here in a place of its own.
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        kept["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        environment = kept | {"BAREME_DATA_DIR": str(folder / "data"), "BAREME_DEMO": "1"}
        environment |= {"DJANGO_SETTINGS_MODULE": "annotation.config.settings"}
        floor = imports(environment)
        with serving(environment, "--demo") as (_server, _port, taken):
            record(
                "first start, database and demonstration made",
                taken,
                "s",
                floor=floor,
                database="sqlite",
            )
        cold = []
        for _ in range(2):
            with serving(environment) as (_server, _port, taken):
                cold.append(taken)
        with serving(environment) as (server, port, taken):
            note = "median of 3; floor: the import"
            value = statistics.median([*cold, taken])
            record(
                "cold start to an answered page",
                value,
                "s",
                floor=floor,
                database="sqlite",
                note=note,
            )
            memory(server, port)
            first_load(port)
        install_size()
        if options.install:
            install(folder)


if __name__ == "__main__":
    main()
