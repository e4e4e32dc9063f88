"""How long a call takes by the processor, for tests of how that grows with what is given to it."""

from __future__ import annotations

import time
from collections.abc import Callable


def least_seconds(call: Callable[[], object], times: int = 3) -> float:
    """The least of some times, of this thread alone: a process that holds much may stop to look
    through it for garbage."""
    seconds = []
    for _ in range(times):
        began = time.thread_time()
        call()
        seconds.append(time.thread_time() - began)
    return min(seconds)
