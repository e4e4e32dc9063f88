"""What tests that start processes, or wait for what others do, need of the machine."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

# How long a test waits for what must happen. No figure of the program: only the moment at which the
# test gives up, on a machine however slow. What happens sooner is waited for no longer.
PATIENCE = 120.0


def free_port() -> int:
    """A port on this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(holds: Callable[[], bool], seconds: float = PATIENCE, *, every: float = 0.05) -> bool:
    """Whether something came to hold. Only for what must; what must not is waited for by what comes
    after it."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if holds():
            return True
        time.sleep(every)
    return False


def kill(*processes: subprocess.Popen[bytes]) -> None:
    """As the power or the kernel would: these and all that they have started at once, without a
    word. One that has ended is left alone."""
    for process in processes:
        if process.poll() is not None:
            continue
        whole = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
        for member in whole:
            with suppress(psutil.NoSuchProcess):
                member.kill()
        process.wait()
        psutil.wait_procs(whole, timeout=PATIENCE)
