"""Whether statsmodels is here; CI has it, and says so as for PyTorch."""

from __future__ import annotations

import os

import pytest

from annotation.agreement.mixed.library import statsmodels_version

needs_statsmodels = pytest.mark.skipif(
    statsmodels_version() is None and not os.environ.get("BAREME_REQUIRE_TORCH"),
    reason="statsmodels is not installed: make crowd",
)
