"""The page on agreement in a real browser: accessible in both themes, narrow, without scripts, in
two steps."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import ErrorDeduction, User
from annotation.web.agreement.views import agreement
from tests.browser.test_pages import violations as violations_as_it_stands
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

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
    return violations_as_it_stands(page)


def test_it_is_accessible_and_keeps_the_content_policy(
    page: Page, live_server: Any, lead: User, screenshot: Any, subtests: pytest.Subtests
) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    item = ErrorDeduction.objects.first().judgment.assignment.simplification.item
    for theme in ("light", "dark"):
        with subtests.test(theme):
            User.objects.filter(pk=lead.pk).update(theme=theme)
            page.goto(f"{live_server.url}{PAGE}")
            screenshot("agreement" if theme == "light" else "agreement-dark")
            assert violations(page) == []
            page.goto(f"{live_server.url}{PAGE}?dimension=characterization&length=short")
            assert violations(page) == []
            page.goto(f"{live_server.url}{PAGE}items/{item.key}/")
            expect(page.locator("mark").first).to_be_visible()
            assert violations(page) == []
            screenshot("agreement-item" if theme == "light" else "agreement-item-dark")
    assert said == []


def test_nothing_scrolls_sideways_but_the_charts(
    page: Page, live_server: Any, lead: User, subtests: pytest.Subtests
) -> None:
    for width in (360, 640):
        with subtests.test(width=width):
            page.set_viewport_size({"width": width, "height": 740})
            page.goto(f"{live_server.url}{PAGE}")
            page.evaluate(
                "document.querySelectorAll('main details').forEach(one => { one.open = true })"
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.both_databases
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
