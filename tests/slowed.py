"""A slow machine: `python -m tests.slowed -- pytest …` runs a command on one core beside others
that want all of it.

Tests must pass on a slow machine and on a quick one. What waits for a time instead of for what it
means shows here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def slowed(rivals: int) -> Iterator[None]:
    """This process, and what it starts, get one core and share it with so many that never rest, all
    at the lowest priority: others on the machine notice little."""
    os.nice(19)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(rivals)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rivals", type=int, default=4, help="that share the core (default: %(default)s)"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    with slowed(options.rivals):
        return subprocess.run(
            options.command[options.command[:1] == ["--"] :], check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
