"""What a key, a click or an answer of the server brings to a page comes when it comes: it is waited
for, and not looked at in the moment after."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page, expect

from tests.processes import PATIENCE


def expect_found(page: Page, script: str, wanted: Any = True, *, given: Any = None) -> None:
    """That a script of a page which stays comes to find what is wanted. For what no ``expect`` of
    Playwright's is about: places in the window, what scrolls, the browser's storage."""
    until = time.monotonic() + PATIENCE / 2
    while (returned := page.evaluate(script, given)) != wanted:
        assert time.monotonic() < until, f"{returned!r} rather than {wanted!r}"
        page.wait_for_timeout(50)


def expect_step(page: Page, number: int) -> None:
    """That this step of the judging page is the open one."""
    expect(page.locator("[data-step]:not([hidden])")).to_have_attribute("data-step", str(number))


def expect_awake(page: Page) -> None:
    """That the judging page takes keys again: it is at rest while a submission is under way, and
    until nobody types after one that was not taken."""
    expect(page.locator("main:not([data-resting])")).to_be_attached()
