"""Figures, and the pages made of them, are kept in the data folder until something changes that
they depend on: all server processes share them, and a closed study is computed once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.core.cache.backends.filebased import FileBasedCache
from django.utils.safestring import SafeString

from annotation.models import Study
from annotation.selectors.agreement.facts import study_digest
from annotation.selectors.agreement.figures import Figures, study_figures
from annotation.selectors.agreement.filters import Filters

Kept = TypeVar("Kept")
KEPT_SECONDS = 30 * 24 * 3600
MOST = 500
"""Files: one is about 20 kB, as they are compressed."""
_SOURCES = (
    "annotation/agreement/**/*.py",
    "annotation/protocols/**/*.py",
    "annotation/scoring/strata.py",
    "annotation/selectors/**/*.py",
    "annotation/web/**/*.py",
    "templates/agreement/**/*.html",
    "templates/charts/*",
    "templates/components/*",
    "locale/**/*.mo",
)


def figures_key(study: Study, filters: Filters) -> str:
    """Names the figures of these judgments under these filters, computed by this code."""
    return hashlib.sha256(repr((_code(), study_digest(study), filters)).encode()).hexdigest()


def is_stored(key: str) -> bool:
    """Whether these figures were computed before."""
    return key in _cache()


def figures(study: Study, filters: Filters, key: str) -> Figures:
    """The figures, from the folder or computed now."""
    return kept(key, Figures, lambda: study_figures(study, filters))


def kept(key: str, kind: type[Kept], compute: Callable[[], Kept]) -> Kept:
    """What was computed under that key before, or is now."""
    found = _cache().get(key)
    if not isinstance(found, kind):
        found = compute()
        _cache().set(key, found)
    return found


def drawn(key: str, variant: str, draw: Callable[[], SafeString]) -> SafeString:
    """A part of the page made of the figures of that key; ``variant`` tells its language and
    dimension."""
    return kept(f"{key}|{variant}", SafeString, draw)


def _cache() -> FileBasedCache:
    folder = Path(settings.DATA_DIR) / "cache" / "agreement"
    return FileBasedCache(str(folder), {"TIMEOUT": KEPT_SECONDS, "OPTIONS": {"MAX_ENTRIES": MOST}})


@lru_cache(maxsize=1)
def _code() -> str:
    """A digest of what computes, words and draws: after an update nothing old is read."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(Path(settings.BASE_DIR).glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()
