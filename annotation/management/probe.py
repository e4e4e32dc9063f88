"""Health checks of a container: ``python -m annotation.management.probe web`` (or ``worker``). Ends
with 0 or 1.

Run every few seconds, so it loads neither Django nor the settings.
"""

from __future__ import annotations

import http.client
import os
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from annotation.selectors.platform.sign_file import sign_files

# A worker writes every 15 seconds.
_SILENT_SECONDS = 90.0
_WAIT_SECONDS = 4
# gunicorn's own, where an address names none.
_PORT = 8000


def web_answers() -> bool:
    """Whether the web server here answers ``/livez`` with 200."""
    bind = os.environ.get("BAREME_WEB_BIND") or "127.0.0.1:8000"
    return any(_answers(address.strip()) for address in bind.split(","))


def _answers(address: str) -> bool:
    """Whether one answers at one of the addresses that it is bound to."""
    host = urlsplit(_public_url()).hostname or "127.0.0.1"
    request = _connection(address)
    if request is None:
        return False
    try:
        request.request("GET", "/livez", headers={"Host": host})
        return request.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        request.close()


def _connection(address: str) -> http.client.HTTPConnection | None:
    """A way to an address as gunicorn reads it; None to an inherited socket, which has no name."""
    if address.startswith("unix:"):
        return _Socket(address.removeprefix("unix:").removeprefix("//"))
    if address.startswith("fd://"):
        return None
    bound = urlsplit(f"//{address}")
    host = bound.hostname or ""
    # What listens everywhere listens here.
    here = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host  # noqa: S104
    return http.client.HTTPConnection(here, bound.port or _PORT, timeout=_WAIT_SECONDS)


class _Socket(http.client.HTTPConnection):
    """A connection through a socket in the file system."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_WAIT_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_WAIT_SECONDS)
        self.sock.connect(self._path)


def _public_url() -> str:
    """As the settings read it: it may come from a file."""
    if name := os.environ.get("BAREME_PUBLIC_URL_FILE"):
        return Path(name).read_text(encoding="utf-8").strip()
    return os.environ.get("BAREME_PUBLIC_URL", "")


def worker_turns() -> bool:
    """Whether a worker here gave a sign lately. Redis being away is no reason to restart it: it
    goes on trying."""
    return any(time.time() - path.stat().st_mtime < _SILENT_SECONDS for path in sign_files())


def main(arguments: list[str]) -> int:
    checks = {"web": web_answers, "worker": worker_turns}
    if len(arguments) != 1 or arguments[0] not in checks:
        sys.stderr.write("Say what to check: web or worker.\n")
        return 2
    return 0 if checks[arguments[0]]() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
