"""What a lead does in a browser around the pages themselves: the column beside them, columns of
tables, the end of letters."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import User
from annotation.services.studies.digests import digest_token
from tests.browser.test_pages import demo, demo_rows, lead, violations

__all__ = ["demo", "demo_rows", "lead"]
pytestmark = pytest.mark.django_db(transaction=True)


def top_of_content(page: Page) -> float:
    return page.locator("main h1").evaluate("(head) => head.getBoundingClientRect().top")


@pytest.mark.once
def test_the_column_stands_beside_the_page_and_folds_where_it_is_narrow(
    page: Page, live_server: Any, lead: User, screenshot: Any
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/studies/demo/watch/")
    column = page.locator(".study-nav__phases")
    fold = page.locator(".study-nav__fold > summary")
    expect(column).to_be_visible()
    expect(fold).to_be_hidden()
    assert top_of_content(page) < 250
    page.set_viewport_size({"width": 360, "height": 740})
    expect(column).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert top_of_content(page) < 370  # beneath the demonstration's banner, the head and the path
    screenshot("watch-narrow")
    fold.focus()
    page.keyboard.press("Enter")
    expect(column).to_be_visible()
    assert violations(page) == []
    column.get_by_role("link", name="Remarques").last.click()
    expect(page).to_have_url(f"{live_server.url}/studies/demo/remarks/")


def test_columns_are_chosen_and_stay(page: Page, live_server: Any, lead: User) -> None:
    page.goto(f"{live_server.url}/studies/demo/items/?round=main")
    page.locator(".columns > summary").click()
    assert violations(page) == []
    page.get_by_label("Source", exact=True).check()
    page.get_by_label("Ronde", exact=True).last.uncheck()
    page.get_by_role("button", name="Garder ce choix").click()
    expect(page).to_have_url(f"{live_server.url}/studies/demo/items/?round=main")
    heads = page.locator("thead th")
    expect(heads.filter(has_text="Source")).to_be_visible()
    expect(heads.filter(has_text="Ronde")).to_have_count(0)


def test_one_click_in_the_letter_ends_them(page: Page, live_server: Any, demo: None) -> None:
    user = User.objects.get(email="responsable@demo.bareme.example")
    page.goto(f"{live_server.url}/digest/off/{digest_token(user)}/")
    expect(page.locator(".notice--ok")).to_be_visible()
    user.refresh_from_db()
    assert user.digest == "never"
    assert violations(page) == []
