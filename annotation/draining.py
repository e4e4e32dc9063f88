"""Whether this server or worker is about to stop, as all its processes know it; and whether a web
server has reached its database once, without which it should be sent no requests."""

from __future__ import annotations

import mmap
import os
import signal
import threading
from types import FrameType

# A byte of memory each that processes forked later share.
_flag = mmap.mmap(-1, 1)
_reached = mmap.mmap(-1, 1)


def has_reached_database() -> bool:
    """Whether one of its processes has, since it was started: what it was given to reach it with is
    right, then."""
    return bool(_reached[0])


def database_reached() -> None:
    """Take note of it."""
    _reached[0] = 1


def has_begun() -> bool:
    """Whether requests should be sent elsewhere, and work that nobody can wait for be left to
    others."""
    return bool(_flag[0])


def begin() -> None:
    """From now on this process is about to stop, with those that were forked from it."""
    _flag[0] = 1


def drain_before_stop(seconds: int) -> None:
    """From SIGTERM on say that this server is stopping, and stop so many seconds later; a second
    SIGTERM stops at once. For the process that listens, once it has handlers of its own.

    A proxy that asks how it is then has sent its requests elsewhere. Otherwise one goes into a
    connection that is just closing, and nobody can tell whether it was answered.
    """
    before, listening = signal.getsignal(signal.SIGTERM), os.getpid()

    def drain(_number: int, _frame: FrameType | None) -> None:
        if os.getpid() != listening:
            return
        signal.signal(signal.SIGTERM, before)
        begin()
        stop = threading.Timer(seconds, os.kill, (listening, signal.SIGTERM))
        stop.daemon = True
        stop.start()

    signal.signal(signal.SIGTERM, drain)
