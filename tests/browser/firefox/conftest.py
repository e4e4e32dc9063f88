"""Debian's own Firefox in the place of Chromium: what the fixtures of the folder above give is
Firefox here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright

from tests.processes import PATIENCE
from tests.servers import firefox

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE not in item.path.parents:
            continue
        # The same pages, and nothing here that a database would do differently.
        item.add_marker(pytest.mark.once)
        if not firefox():
            item.add_marker(pytest.mark.skip(reason="no Firefox on this machine"))


@pytest.fixture(scope="session")
def firefox_launch_args(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """For Playwright's ``launch`` and ``launch_persistent_context``."""
    instead = tmp_path_factory.mktemp("firefox") / "firefox"
    instead.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE / "relay.py"}" "$@"\n')
    instead.chmod(0o700)
    environment = os.environ | {"BAREME_FIREFOX": firefox() or ""}
    return {
        "channel": "moz-firefox",
        "executable_path": instead,
        "env": environment,
        "headless": True,
        "timeout": PATIENCE * 1000,
    }


@pytest.fixture(scope="session")
def browser(playwright: Playwright, firefox_launch_args: dict[str, Any]) -> Iterator[Browser]:
    browser = playwright.firefox.launch(**firefox_launch_args)
    yield browser
    browser.close()
