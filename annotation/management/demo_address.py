"""Where a demonstration is opened whose public address nobody has set."""

from __future__ import annotations

import re
from pathlib import Path

LOCK = "serve.lock"
"""In the data folder, held by whoever serves it; a demonstration writes its address into it."""
_ADDRESS = re.compile(r"http://[^\s/?#]+:[0-9]{1,5}")


def demo_address(folder: Path) -> str:
    """Where this folder's demonstration listens, or listened last: a command in another terminal
    writes links too, and is told no port."""
    try:
        said = (folder / LOCK).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        said = ""
    return said if _ADDRESS.fullmatch(said) else "http://127.0.0.1:8000"
