"""No word is lost in a crash of Firefox, either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.test_crashes import assert_words_survive

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_words_survive_kills_of_firefox(
    playwright: Any, live_server: Any, firefox_launch_args: dict[str, Any]
) -> None:
    def start(playwright: Any, profile: Path) -> Any:
        return playwright.firefox.launch_persistent_context(profile, **firefox_launch_args)

    assert_words_survive(playwright, live_server, start)
