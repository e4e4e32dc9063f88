"""Readers of files, each in a process of its own under its own limits as in use; but forked off one
that has imported what they need, once for all the tests of a process.

A reader's start is most of what reading a small file costs. ``started_anew`` gives a test the real
start back: ``tests/test_reading.py`` tries each reader by it.

    python -m tests.readers ASKER SOCKET

is the process that they are forked off. A request is one message with four files: the reader's
three, and a socket for its number and, when it has ended, its status.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import IO, Any, Self

from django.conf import settings

from annotation.corpus import reader

# What readers import of ours when they are asked; what is heavy of others' they still import
# themselves, within their limits.
_NEEDED = ("judging", "pairs_file", "document_files", "funnel", "segmentation", "wire")
_NUMBER_BYTES = 8


class Forked:
    """A reader in the place of ``subprocess.Popen``: as much of it as ``annotation.reading``
    asks."""

    def __init__(self, server: socket.socket, files: tuple[IO[bytes], IO[bytes]]) -> None:
        self.returncode: int | None = None
        read_end, tells = os.pipe()
        self._ends, theirs = socket.socketpair()
        with theirs:
            numbers = [*(file.fileno() for file in files), tells, theirs.fileno()]
            socket.send_fds(server, [b"r"], numbers)
        os.close(tells)
        self.stderr = os.fdopen(read_end, "rb", buffering=0)
        self._number = self._received()

    def _received(self) -> int:
        return int.from_bytes(self._ends.recv(_NUMBER_BYTES), signed=True)

    def wait(self) -> int:
        if self.returncode is None:
            self.returncode = self._received()
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self._number, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stderr.close()
        self.wait()
        self._ends.close()


@contextmanager
def forked() -> Iterator[None]:
    """Have readers forked. Elsewhere than on Linux they start as ever."""
    if sys.platform != "linux":
        yield
        return
    from annotation import reading

    server: list[tuple[socket.socket, subprocess.Popen[bytes]]] = []

    def start(command: list[str], *, stdin: IO[bytes], stdout: IO[bytes], **options: Any) -> Any:
        assert command[1:] == ["-m", reader.__name__]
        limits = (settings.READING_LIMITS, settings.READING_LIMITS_AT_ONCE)
        if not all(limit.wall_seconds for limit in limits):
            # A fork may be done before anybody looks whether its time, none, is over.
            return subprocess.Popen(command, stdin=stdin, stdout=stdout, **options)
        if not server:
            server.append(_served(options["cwd"], options["env"]))
        return Forked(server[0][0], (stdin, stdout))

    real = reading.subprocess
    reading.subprocess = SimpleNamespace(Popen=start, PIPE=subprocess.PIPE)  # type: ignore[assignment]
    try:
        yield
    finally:
        reading.subprocess = real
        for ours, process in server:
            ours.close()
            process.wait()


def _served(folder: object, surroundings: dict[str, str]) -> Any:
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.readers", str(os.getpid()), str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            cwd=str(folder),
            env=surroundings,
            start_new_session=True,
        )
    return ours, process


def main() -> None:
    asker, requests = int(sys.argv[1]), socket.socket(fileno=int(sys.argv[2]))
    for name in _NEEDED:
        importlib.import_module(f"annotation.corpus.{name}")
    # ``confine`` asks whether whoever asked still is the parent.
    os.getppid = lambda: asker
    signal.signal(signal.SIGCHLD, _buried)
    while True:
        message, files, _flags, _address = socket.recv_fds(requests, 1, 4)
        if not message:
            return
        if os.fork() == 0:
            requests.close()
            _keep(files)
        for file in files:
            os.close(file)


def _buried(*_signal: object) -> None:
    """Whoever kept a reader has told how it ended; waited for, their time counts as the tests'."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _keep(files: list[int]) -> None:
    """Have one reader work, and tell how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    tells = socket.socket(fileno=files.pop())
    number = os.fork()
    if number == 0:
        tells.close()
        _read(files)
    for file in files:
        os.close(file)
    tells.send(number.to_bytes(_NUMBER_BYTES, signed=True))
    status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    try:
        tells.send(status.to_bytes(_NUMBER_BYTES, signed=True))
    finally:
        os._exit(0)


def _read(files: list[int]) -> None:
    """As ``python -m annotation.corpus.reader`` with these files."""
    os.setsid()
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    try:
        reader.main()
    finally:
        # It ends by itself where nothing is wrong.
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
