"""``python -m tests.fuzz TARGET SECONDS [SEED]``: bytes that a reader cannot take, looked for by
coverage (atheris).

Begins with what is kept in ``tests/fuzz/corpus``; what reaches new code goes to ``var/fuzz``. Ends
with an error, and the bytes in a file, at the first that breaks a promise, takes longer than ten
seconds or more than a gigabyte.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["annotation.corpus"]):
    from tests.fuzz.targets import KEPT, TARGETS

FOUND = Path("var") / "fuzz"


def main(name: str, seconds: str, seed: str = "1") -> None:
    folder = FOUND / name
    folder.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-seed={seed}", f"-artifact_prefix={folder}/broken-"]
    options += [
        "-timeout=10",
        "-rss_limit_mb=1024",
        "-max_len=4096",
        "-verbosity=0",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder), str(KEPT / name)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
