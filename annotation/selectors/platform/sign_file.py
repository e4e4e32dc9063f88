"""Where a worker leaves its sign of life on its machine. Loads nothing: a health check reads it
every few seconds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "bareme-worker-"


def sign_file() -> Path:
    """What this worker process touches while its loop turns."""
    return Path(tempfile.gettempdir()) / f"{_PREFIX}{os.getpid()}"


def sign_files() -> Iterator[Path]:
    """Those of all workers of this machine or container, dead ones included: their time tells."""
    return Path(tempfile.gettempdir()).glob(f"{_PREFIX}*")
