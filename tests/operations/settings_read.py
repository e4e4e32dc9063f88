"""The names that the settings read from the environment, found in their source."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.conf import settings


@cache
def _source() -> str:
    folder = Path(settings.BASE_DIR) / "annotation" / "config"
    return "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("*.py"))
        if path.name != "env.py"
    )


@cache
def names_read() -> frozenset[str]:
    """Every name that a reader of ``annotation.config.env`` is called with, without those of one
    service of models."""
    return frozenset(re.findall(r'\b(?:env_\w+|limit)\(\s*"([A-Z][A-Z0-9_]+)"', _source()))


@cache
def secrets_read() -> frozenset[str]:
    """Those that may come from a file: NAME_FILE."""
    readers = "env_secrets?|env_url|env_origin|env_broker|env_database(?:_direct)?"
    return frozenset(re.findall(rf'\b(?:{readers})\(\s*"([A-Z][A-Z0-9_]+)"', _source()))
