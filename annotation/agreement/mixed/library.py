"""Whether statsmodels is here, and which one."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of

PACKAGE = "statsmodels"


class StatsmodelsMissing(ModuleNotFoundError):
    """statsmodels is not installed."""


def statsmodels_version() -> str | None:
    """The version that is installed; None where there is none."""
    try:
        return version_of(PACKAGE)
    except PackageNotFoundError:
        return None
