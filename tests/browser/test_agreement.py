"""The page on agreement in a real browser: accessible in both themes, narrow, without scripts, in
two steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import ErrorDeduction, User
from annotation.web.agreement.views import agreement
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
PAGE = "/studies/alpha/agreement/"


@pytest.fixture
def lead(live_server: Any, log_in: Any) -> User:
    user = make_user("responsable")
    fill_study(make_study("alpha", lead=user, state="main"), pairs=24, annotators=4)
    log_in(user)
    return user


def violations(page: Page) -> list[str]:
    """What axe finds with everything unfolded, in words."""
    page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run(document, {json.dumps(RULES)})")
    return [f"{v['id']}: {node['html'][:120]}" for v in found["violations"] for node in v["nodes"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_and_keeps_the_content_policy(
    page: Page, live_server: Any, lead: User, screenshot: Any, theme: str
) -> None:
    User.objects.filter(pk=lead.pk).update(theme=theme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{live_server.url}{PAGE}")
    screenshot("agreement" if theme == "light" else "agreement-dark")
    assert violations(page) == []
    page.goto(f"{live_server.url}{PAGE}?dimension=characterization&length=short")
    assert violations(page) == []
    item = ErrorDeduction.objects.first().judgment.assignment.simplification.item
    page.goto(f"{live_server.url}{PAGE}items/{item.key}/")
    expect(page.locator("mark").first).to_be_visible()
    assert violations(page) == []
    screenshot("agreement-item" if theme == "light" else "agreement-item-dark")
    assert said == []


@pytest.mark.parametrize("width", [360, 640])
def test_nothing_scrolls_sideways_but_the_charts(
    page: Page, live_server: Any, lead: User, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(f"{live_server.url}{PAGE}")
    page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_large_study_shows_progress_then_its_figures(
    page: Page, live_server: Any, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "AT_ONCE", 0)
    page.goto(f"{live_server.url}{PAGE}", wait_until="commit")
    expect(page.locator("#figures svg").first).to_be_visible()
    expect(page.locator("main progress")).to_have_count(0)


def test_without_scripts_the_figures_come_as_well(
    browser: Browser,
    context: BrowserContext,
    live_server: Any,
    lead: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agreement, "AT_ONCE", 0)
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(f"{live_server.url}{PAGE}")
    expect(page.locator("#figures svg").first).to_be_visible()
    plain.close()
