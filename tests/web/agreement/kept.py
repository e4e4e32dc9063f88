"""Figures that a world keeps, as a first visit to a page leaves them."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings


def forget_figures() -> None:
    """As if nobody had looked at any yet. Texts, accounts and kinds of annotators that a test
    changes past every service renew nothing that is kept."""
    shutil.rmtree(Path(settings.DATA_DIR) / "cache" / "agreement")
