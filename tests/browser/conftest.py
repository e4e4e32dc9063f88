"""Chromium for the browser tests, and what they share."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.processes import PATIENCE
from tests.servers import chromium

FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HERE = Path(__file__).parent
# No figure of a page: the moment at which a test gives up, also on a slow machine.
expect.set_options(timeout=PATIENCE / 2 * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if HERE in item.path.parents]
    for item in here:
        item.add_marker(pytest.mark.browser)
        # One process for all of them: two browsers at a time make a small machine miss its time-outs.
        item.add_marker(pytest.mark.xdist_group("browser"))
    if chromium():
        return
    for item in here:
        if HERE / "firefox" not in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="no Chromium on this machine"))


@pytest.fixture(scope="session", autouse=True)
def _allow_database_beside_playwright() -> Iterator[None]:
    # Playwright's synchronous interface runs an event loop in this thread, which Django takes for async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    yield
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": chromium(), "args": FLAGS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "locale": "fr-CA", "viewport": {"width": 1280, "height": 800}}


@pytest.fixture(autouse=True)
def _no_other_host(context: BrowserContext, live_server: Any) -> Iterator[None]:
    """No page may ask anything of another host."""
    context.set_default_timeout(PATIENCE / 2 * 1000)
    own = urlsplit(live_server.url).netloc
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    yield
    strangers = [
        url for url in asked if urlsplit(url).scheme in ("http", "https", "ws") and urlsplit(url).netloc != own
    ]
    assert not strangers


class UnderWay:
    """How many requests the server of this process is answering."""

    def __init__(self) -> None:
        self._lock, self._number = threading.Lock(), 0

    def begun(self, **_: Any) -> None:
        with self._lock:
            self._number += 1

    def ended(self, **_: Any) -> None:
        with self._lock:
            self._number -= 1

    def wait(self, seconds: float = PATIENCE) -> None:
        """Until there is none, and none comes any more."""
        until, quiet = time.monotonic() + seconds, 0
        while quiet < 3:
            assert time.monotonic() < until, f"{self._number} requests are still under way"
            time.sleep(0.02)
            quiet = 0 if self._number > 0 else quiet + 1


@pytest.fixture(autouse=True)
def _nothing_under_way(transactional_db: None, browser: Browser, live_server: Any) -> Iterator[None]:
    """Pages go on saving and asking when a test has ended; emptying the tables meets them, and PostgreSQL then ends
    one of the two as a deadlock."""
    under_way = UnderWay()
    request_started.connect(under_way.begun)
    request_finished.connect(under_way.ended)
    try:
        yield
        for context in browser.contexts:
            for page in context.pages:
                page.close()
        under_way.wait()
    finally:
        request_started.disconnect(under_way.begun)
        request_finished.disconnect(under_way.ended)


@pytest.fixture
def log_in(context: BrowserContext, live_server: Any) -> Callable[[Any], None]:
    """Logs a user in without the log-in page, as ``force_login`` does."""

    def log_in(user: Any) -> None:
        client = Client()
        client.force_login(user)
        name = django_settings.SESSION_COOKIE_NAME
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])

    return log_in


@pytest.fixture
def screenshot(page: Page) -> Callable[..., Path]:
    """Keeps a picture of the page: in docs/screenshots when BAREME_SCREENSHOTS=docs, else in var/screenshots."""
    place = "docs" if os.environ.get("BAREME_SCREENSHOTS") == "docs" else "var"
    folder = Path(django_settings.BASE_DIR) / place / "screenshots"

    def screenshot(name: str, **options: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", **options)
        return folder / f"{name}.png"

    return screenshot
