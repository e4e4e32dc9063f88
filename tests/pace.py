"""Whether this machine is several times as slow as two quiet cores: exits with 1 where it is, and
with 2 where it is twice as slow again.

Ten million additions take about an eighth of a second on two quiet cores. The best of
several, so that something else that runs for a moment is not taken for slowness.
"""

from __future__ import annotations

import sys
import time

SLOW = 0.25
"""Seconds; from twice as slow on, the suite's two runs might take more than an hour and a half."""
VERY_SLOW = 0.5
"""From here on they might, though they share what asks for a database (tests/shares.py)."""
_NUMBER = 10_000_000
_TRIES = 5


def additions() -> float:
    """Seconds of processor time."""
    began = time.process_time()
    total = 0
    for number in range(_NUMBER):
        total += number
    return time.process_time() - began


def main() -> int:
    seconds = min(additions() for _ in range(_TRIES))
    slowness = (seconds > SLOW) + (seconds > VERY_SLOW)
    words = ("", ", a slow machine", ", a very slow machine")[slowness]
    print(f"Ten million additions: {seconds:.2f} s{words}")
    return slowness


if __name__ == "__main__":
    sys.exit(main())
