"""A browser with its profile on a disk, as people have it. Chromium keeps there what is 64 KiB or
more in files of their own, and reads it otherwise than what it holds in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright

from annotation.models import Draft
from tests.browser.conftest import FLAGS
from tests.browser.network import back_online, close_offline
from tests.browser.test_copies import SAVED, expect_comment, expect_status, open_pair, type_comment
from tests.browser.test_keeping import wait_for_kept
from tests.browser.test_too_long import HELD
from tests.processes import PATIENCE
from tests.servers import headless_chromium

pytestmark = pytest.mark.django_db(transaction=True)

LARGE = 70_000
# What an open page answers the worker that asks it for the page of another pair.
GIVEN = """(path) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => resolve(data);
  const asked = { data: { kind: "kept?", path }, ports: [port2] };
  navigator.serviceWorker.dispatchEvent(new MessageEvent("message", asked));
  setTimeout(() => resolve({ html: "" }), 20000);
})"""


@pytest.fixture
def context(
    playwright: Playwright, browser_context_args: dict[str, Any], tmp_path: Path
) -> Iterator[BrowserContext]:
    context = playwright.chromium.launch_persistent_context(
        tmp_path / "profile",
        executable_path=headless_chromium(),
        args=FLAGS,
        timeout=PATIENCE * 1000,
        **browser_context_args,
    )
    yield context
    context.close()


@pytest.fixture(autouse=True)
def _close_pages(_nothing_under_way: None, context: BrowserContext) -> Iterator[None]:
    yield
    for page in context.pages:
        page.close()


def test_a_large_copy_is_there_again(page: Page, live_server: Any, make_student: Any) -> None:
    make_student()
    open_pair(page, live_server)
    type_comment(page, "a" * LARGE)
    expect_status(page).to_have_text(HELD)
    page.reload()
    expect_comment(page).to_have_value("a" * LARGE)
    page.locator("main[data-synced]").wait_for(state="attached")


def test_a_large_copy_keeps_no_other_from_leaving(
    page: Page, context: BrowserContext, live_server: Any, make_student: Any
) -> None:
    make_student()
    open_pair(page, live_server)
    type_comment(page, "a" * LARGE)
    expect_status(page).to_have_text(HELD)
    second = open_pair(context.new_page(), live_server, 2)
    context.set_offline(True)
    type_comment(second, "Typed without a network.")
    expect_status(second).to_contain_text("Gardé ici")
    close_offline(page, second)
    back_online(context)
    third = open_pair(context.new_page(), live_server, 2)
    expect_comment(third).to_have_value("Typed without a network.")
    expect_status(third).to_contain_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "Typed without a network."


def test_a_large_page_is_given_as_it_was_kept(
    page: Page, live_server: Any, make_student: Any
) -> None:
    make_student(text="L'assureur paie les frais numéro {number}. " + "mot " * (LARGE // 4))
    open_pair(page, live_server)
    wait_for_kept(page, 2, 3)
    for position in (2, 3):
        html = page.evaluate(GIVEN, f"/annotate/essai/{position}/")["html"]
        assert "mot mot mot" in html
        assert len(html) > LARGE
