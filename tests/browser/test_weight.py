"""The judging page with its files as they are collected: how many bytes it costs, which are no
timing and the same on every machine; and that it works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from playwright.sync_api import expect

from annotation.bundles import SCRIPTS, STYLES, members
from bench.first_load import load, student_state
from tests.config.test_serve import READY, Served, folder, installed, served  # noqa: F401  (fixtures)


def test_the_judging_page_weighs_no_more_than_it_may(
    served: Served,  # noqa: F811
    playwright: Any,
    browser: Any,
) -> None:
    """kB that come over the wire, headers counted."""
    served.until(READY)
    host = f"http://127.0.0.1:{served.port}"
    weight = load(browser, host, student_state(playwright, host))
    assert served.end() == 0, served.said
    assert 40 < weight.first <= 70
    assert 5 < weight.requests <= 12
    assert 10 < weight.further <= 18


def test_a_pair_is_judged_with_what_was_put_together(
    served: Served,  # noqa: F811
    playwright: Any,
    browser: Any,
) -> None:
    """Each module is there once, those that come later included."""
    served.until(READY)
    host = f"http://127.0.0.1:{served.port}"
    context = browser.new_context(storage_state=student_state(playwright, host))
    page = context.new_page()
    urls: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{host}/annotate/demo/43/")
    expect(page.locator("main[data-ready]")).to_be_attached()
    name = page.locator("main").get_attribute("data-pair-name")
    page.keyboard.press("g")
    expect(page.locator("#guide-panel h2").first).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("?")
    expect(page.locator("#help-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    for key in ("1", "0", "5", "3"):
        page.keyboard.press(key)
    expect(page.locator("#score-text")).to_contain_text("10 sur 10")
    page.keyboard.press("Control+Enter")
    expect(page.locator(f"main[data-ready]:not([data-pair-name='{name}'])")).to_be_attached()
    expect(page.locator("#toast")).to_contain_text("soumise")
    context.close()
    assert served.end() == 0, served.said
    assert wrong == []
    # Names without the mark of their content.
    files = {re.sub(r"\.[0-9a-f]{12}(?=\.\w+$)", "", url.split("/static/")[-1]) for url in urls}
    root = Path(settings.BASE_DIR) / "static"
    gone = members(lambda name: (root / name).read_text(encoding="utf-8"))
    assert files & {*gone, *(part for parts in STYLES.values() for part in parts)} == set()
    assert files >= {*SCRIPTS.values(), *STYLES, "js/judging/guide.js", "js/judging/keeping.js"}
