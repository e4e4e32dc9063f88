"""The key of a demonstration: made once, kept in the data folder, readable by its owner only."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def demo_secret_key(folder: Path) -> str:
    """The key of this folder's demonstration. Two processes that start at once end with the same
    key."""
    path = folder / "demo-secret-key"
    if not path.exists():
        draft = folder / f"demo-secret-key.{os.getpid()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            # A link appears whole or not at all, and never replaces the key of whoever was faster.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii")
