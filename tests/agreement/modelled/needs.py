"""Whether crowd-kit is here; CI has it, and says so as for PyTorch."""

from __future__ import annotations

import os

import pytest

from annotation.agreement.modelled.crowd import package_version

needs_crowdkit = pytest.mark.skipif(
    package_version() is None and not os.environ.get("BAREME_REQUIRE_TORCH"),
    reason="crowd-kit is not installed: make crowd",
)
