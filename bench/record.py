"""One figure of a measurement: a line for a person, and a line of JSON in ``var/bench.jsonl``."""

from __future__ import annotations

import json
import os
import subprocess
import time
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
# Read when a bench is loaded: its temporary database sets another folder, which goes with it.
FILE = Path(os.environ.get("BAREME_DATA_DIR") or _ROOT / "var").absolute() / "bench.jsonl"


def record(
    name: str,
    value: float,
    unit: str,
    *,
    floor: float | None = None,
    database: str = "",
    note: str = "",
) -> None:
    """Print a figure and append it to :data:`FILE`.

    ``floor`` is in the same unit and from the same run; ``ratio`` is the value over it.
    ``database`` is the vendor, empty where none has a part. ``note`` is printed and not kept.
    """
    ratio = value / floor if floor else None
    against = "" if floor is None else f"   floor {_shown(floor)} {unit}"
    against += "" if ratio is None else f", ratio {_shown(ratio)}"
    where = f" ({database})" if database else ""
    print(
        f"{name + where:60} {_shown(value):>9} {unit}{against}{'   ' + note if note else ''}",
        flush=True,
    )
    line = {
        "name": name,
        "value": _rounded(value),
        "unit": unit,
        "floor": _rounded(floor),
        "ratio": _rounded(ratio),
        "database": database,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
    }
    FILE.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FILE.open("a", encoding="utf-8") as kept:
        kept.write(json.dumps(line, ensure_ascii=False) + "\n")


def machine_record() -> None:
    """How quick this machine is at this moment: what any other figure of Python's work is to be
    held against."""
    begun = time.perf_counter()
    added = 0
    for number in range(10_000_000):
        added += number
    record("ten million additions in a loop", time.perf_counter() - begun, "s wall")


def _shown(value: float) -> str:
    """Three digits that mean something."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


@lru_cache
def _commit() -> str:
    """Of this checkout, marked where it was changed since; empty where there is none (an unpacked
    release)."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        completed = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # no git here
        return ""
    return completed.stdout.strip()
