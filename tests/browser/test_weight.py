"""How many bytes the judging page costs. Bytes are no timing: the same on every machine."""

from __future__ import annotations

from typing import Any

import pytest

from bench.first_load import load, student_state
from tests.config.test_serve import READY, Served, folder, installed, served  # noqa: F401  (fixtures)

# With those that start the same server: its data folder is made once.
pytestmark = [pytest.mark.once]


def test_the_judging_page_weighs_no_more_than_it_may(
    served: Served,  # noqa: F811
    playwright: Any,
    browser: Any,
) -> None:
    """kB that come over the wire, headers counted."""
    served.until(READY)
    host = f"http://127.0.0.1:{served.port}"
    found = load(browser, host, student_state(playwright, host))
    assert served.end() == 0, served.said
    assert 40 < found.first <= 80
    assert 10 < found.further <= 18
