"""What was computed of a study's agreement is kept in the data folder until something changes that
it depends on: all server processes share it, and a closed study is computed once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.core.cache.backends.filebased import FileBasedCache

from annotation.models import Study
from annotation.selectors.agreement.facts import study_digest

Kept = TypeVar("Kept")
KEPT_SECONDS = 30 * 24 * 3600
MOST = 500
"""Files: one is about 20 kB, as they are compressed."""
_SOURCES = (
    "annotation/accents.py",
    "annotation/agreement/**/*.py",
    "annotation/protocols/**/*.py",
    "annotation/scoring/splits.py",
    "annotation/scoring/strata.py",
    "annotation/selectors/**/*.py",
    "annotation/web/**/*.py",
    "api/agreement/**/*.py",
    "templates/agreement/**/*.html",
    "templates/charts/*",
    "templates/components/*",
    "locale/**/*.mo",
)


def figures_key(study: Study, *wanted: object) -> str:
    """Names what was asked of these judgments, computed by this code: their filters, or more."""
    return hashlib.sha256(repr((code_digest(), study_digest(study), *wanted)).encode()).hexdigest()


def is_stored(key: str) -> bool:
    """Whether these figures were computed before."""
    return key in _cache()


def kept(key: str, kind: type[Kept], compute: Callable[[], Kept]) -> Kept:
    """What was computed under that key before, or is now."""
    figures = _cache().get(key)
    if not isinstance(figures, kind):
        figures = compute()
        _cache().set(key, figures)
    return figures


def _cache() -> FileBasedCache:
    folder = Path(settings.DATA_DIR) / "cache" / "agreement"
    return FileBasedCache(str(folder), {"TIMEOUT": KEPT_SECONDS, "OPTIONS": {"MAX_ENTRIES": MOST}})


@lru_cache(maxsize=1)
def code_digest() -> str:
    """A digest of what computes, words and draws: after an update nothing old is read."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(Path(settings.BASE_DIR).glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()
