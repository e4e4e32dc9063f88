"""Whether this machine is several times as slow as two quiet cores: exits with 1 where it is.

Ten million additions take about an eighth of a second on two quiet cores. The best of
several, so that something else that runs for a moment is not taken for slowness.
"""

from __future__ import annotations

import sys
import time

SLOW = 0.25
"""Seconds; from twice as slow on, the suite's two runs might take more than an hour and a half."""
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
    is_slow = seconds > SLOW
    print(f"Ten million additions: {seconds:.2f} s{', a slow machine' if is_slow else ''}")
    return int(is_slow)


if __name__ == "__main__":
    sys.exit(main())
