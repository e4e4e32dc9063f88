"""No child outlives the process that keeps it, even when that one is killed and cannot end its
children itself."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15
# Loaded beforehand: between fork and exec, the less happens the better.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent() -> None:
    """In a new child: ask Linux for a SIGTERM when the parent ends. Elsewhere nothing happens."""
    if _LIBC:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def show_as(name: str) -> None:
    """In a new child: the name under which `ps` and `top` show it, cut to 15 letters."""
    if _LIBC:
        _LIBC.prctl(_PR_SET_NAME, name.encode())
