"""The description of the API, as docs/openapi.yaml has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

# By the library in C: the other takes a second, in every process that only collects tests.
DESCRIPTION: dict[str, Any] = yaml.load(
    (Path(__file__).parents[2] / "docs" / "openapi.yaml").read_text(encoding="utf-8"),
    Loader=yaml.CSafeLoader,
)
