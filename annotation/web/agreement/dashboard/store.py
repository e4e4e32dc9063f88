"""Figures, and the parts of pages made of them, as ``selectors/agreement/kept.py`` keeps them."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.safestring import SafeString

from annotation.models import Study
from annotation.selectors.agreement.figures import Figures, study_figures
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.kept import kept


def figures(study: Study, filters: Filters, key: str) -> Figures:
    """The figures, from the folder or computed now."""
    return kept(key, Figures, lambda: study_figures(study, filters))


def drawn(key: str, variant: str, draw: Callable[[], SafeString]) -> SafeString:
    """A part of the page made of the figures of that key; ``variant`` tells its language and
    dimension."""
    return kept(f"{key}|{variant}", SafeString, draw)
