"""What `manage.py serve` and `manage.py stack` have in common: where they listen, one at a time, a
free port, an answer."""

from __future__ import annotations

import fcntl
import http.client
import os
import socket
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from typing import TextIO
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError

from annotation.management.demo_address import LOCK

MOST_PROCESSES = 512
"""Of one kind on a machine, as ``BAREME_WEB_PROCESSES`` has it."""
_PORT = 8000


def add_starting_arguments(parser: ArgumentParser) -> None:
    """Whether with a demonstration, and where to listen."""
    parser.add_argument(
        "--demo", action="store_true", help="fill the database with a demonstration"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    parser.add_argument(
        "--port", type=_port, default=_PORT, help="port to listen on (default: %(default)s)"
    )


def listens_at(bind: str) -> tuple[str | None, int | None]:
    """Host and port of ``BAREME_WEB_BIND``; none for a socket, or for several addresses."""
    if "," in bind or bind.startswith(("unix:", "fd:")):
        return None, None
    bound = urlsplit(f"//{bind}")
    # As the web server reads it: everywhere without a host, its usual port without one.
    return bound.hostname or "0.0.0.0", bound.port or _PORT  # noqa: S104


def _port(given: str) -> int:
    """For argparse. Raises ``ArgumentTypeError``."""
    if not given.isdecimal() or not 0 < int(given) < 65536:
        raise ArgumentTypeError(f"{given!r} is no port: a number from 1 to 65535, such as 8000")
    return int(given)


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    """For argparse: a whole number from ``lowest`` to ``highest``."""

    def read(given: str) -> int:
        if not given.isdecimal() or not lowest <= int(given) <= highest:
            raise ArgumentTypeError(f"{given!r} is no number from {lowest} to {highest}")
        return int(given)

    return read


def only_one_here() -> TextIO:
    """A lock that goes with this process, however it ends."""
    lock = (settings.DATA_DIR / LOCK).open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise CommandError(
            f"Barème is running on {settings.DATA_DIR} already. Stop it there, or set "
            "BAREME_DATA_DIR elsewhere."
        ) from error
    return lock


def demonstration_opens_at(lock: TextIO, host: str, port: int) -> None:
    """Let links in letters lead to where a demonstration listens, unless somebody has set its
    address: in what this process starts, and in commands beside it, which read it in the lock."""
    if not settings.DEMO or any(
        os.environ.get(name, "").strip() for name in ("BAREME_PUBLIC_URL", "BAREME_PUBLIC_URL_FILE")
    ):
        return
    here = f"http://{shown(host)}:{port}"
    lock.truncate(0)
    lock.write(here)
    lock.flush()
    os.environ["BAREME_PUBLIC_URL"] = settings.PUBLIC_URL = here
    settings.CSRF_TRUSTED_ORIGINS = [here]


def refuse_used_port(host: str, port: int) -> None:
    """Raise ``CommandError`` now rather than let the web server fail again and again."""
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            # As the web server does: a port whose last connections are still closing is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(
            f"Cannot listen on {host}:{port} ({reason}). Choose another with --port or --host."
        ) from error


def shown(host: str) -> str:
    """The host as a person opens it in a browser on this machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104


def place(host: str, port: int) -> str:
    """The address that people open and, where that is another one, what is listened on."""
    here = f"http://{shown(host)}:{port}"
    if settings.DEMO or here == settings.PUBLIC_URL:
        return here
    bound = f"[{host}]" if ":" in host else host
    return f"{settings.PUBLIC_URL}, listening on {bound}:{port}"


def answers(host: str, port: int, path: str = "/healthz", status: int = 0) -> bool:
    """Whether the web server answers: with this status, or (0) anything at all."""
    request = http.client.HTTPConnection(shown(host).strip("[]"), port, timeout=5)
    try:
        request.request("GET", path, headers={"Host": settings.ALLOWED_HOSTS[0].lstrip(".")})
        answer = request.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        request.close()
    return status in (0, answer.status)
