"""Chromium for the browser tests, and what they share."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from annotation.services.planning.assignments import assignments_fill
from tests.browser.late import IS_WANTED, late
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.processes import PATIENCE
from tests.servers import chromium, headless_chromium
from tests.worlds import Held

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
        # What a page does until it asks the server is the same on either database. What the server
        # does then, tests of services, pages and the API look at on both.
        if not item.get_closest_marker("both_databases"):
            item.add_marker(pytest.mark.once)
        # A browser's own clockwork is not ours. CI tries a second time, and names what needed it
        # (RERUN); on one's own machine the first failure stands.
        if os.environ.get("BAREME_REQUIRE_BROWSER"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if chromium():
        return
    for item in here:
        if HERE / "firefox" not in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="no Chromium on this machine"))


@pytest.fixture(scope="session", autouse=True)
def _allow_database_beside_playwright(_worlds: Held, django_db_blocker: Any) -> Iterator[None]:
    # Playwright's synchronous interface runs an event loop in this thread, which Django takes for
    # async code and gives a connection of its own: no transaction may be open when that begins or
    # ends.
    _end(_worlds, django_db_blocker)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    yield
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session", autouse=True)
def _leave_no_transaction(
    _allow_database_beside_playwright: None,
    playwright: Playwright,
    _worlds: Held,
    django_db_blocker: Any,
) -> Iterator[None]:
    yield
    _end(_worlds, django_db_blocker)


def _end(worlds: Held, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        worlds.end()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    own = {"executable_path": headless_chromium(), "args": FLAGS, "timeout": PATIENCE * 1000}
    return {**browser_type_launch_args, **own}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "locale": "fr-CA", "viewport": {"width": 1280, "height": 800}}


@pytest.fixture(autouse=True)
def _own_address(settings: Any, live_server: Any) -> None:
    """Links that are handed on lead to the server of this process."""
    settings.PUBLIC_URL = live_server.url


@pytest.fixture(autouse=True)
def _no_other_host(context: BrowserContext, live_server: Any) -> Iterator[None]:
    """No page may ask anything of another host."""
    context.set_default_timeout(PATIENCE / 2 * 1000)
    own = urlsplit(live_server.url).netloc
    urls: list[str] = []
    context.on("request", lambda request: urls.append(request.url))
    yield
    strangers = [
        url
        for url in urls
        if urlsplit(url).scheme in ("http", "https", "ws") and urlsplit(url).netloc != own
    ]
    assert not strangers


@pytest.fixture(autouse=True)
def _as_late_as_asked(context: BrowserContext, browser: Browser) -> Iterator[None]:
    with late(browser, context) if IS_WANTED else nullcontext():
        yield


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
def _nothing_under_way(
    transactional_db: None, browser: Browser, live_server: Any
) -> Iterator[None]:
    """Pages go on saving and asking when a test has ended; emptying the tables meets them, and
    PostgreSQL then ends one of the two as a deadlock."""
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
        context.add_cookies(
            [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
        )

    return log_in


@pytest.fixture
def make_student(live_server: Any, log_in: Callable[[Any], None]) -> Callable[..., Any]:
    """Makes the study «essai», its main round open, and logs its one annotator in. ``text``: of
    each simplification, with its number from 0."""

    def made(
        pairs: int = 3,
        text: str = "L'assureur paie les frais numéro {number}. L'assuré doit aviser.",
    ) -> Any:
        study = make_study("essai", state="main")
        for number in range(pairs):
            make_pair(study, text=text.format(number=number), language="fr")
        user = make_user("student")
        make_annotator(study, user)
        assignments_fill(actor=None, study=study)
        log_in(user)
        return user

    return made


@pytest.fixture
def screenshot(page: Page) -> Callable[..., Path]:
    """Keeps a picture of the page: in docs/screenshots when BAREME_SCREENSHOTS=docs, else in
    var/screenshots."""
    place = "docs" if os.environ.get("BAREME_SCREENSHOTS") == "docs" else "var"
    folder = Path(django_settings.BASE_DIR) / place / "screenshots"

    def screenshot(name: str, **options: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", **options)
        return folder / f"{name}.png"

    return screenshot
