"""A form that is refused is shown with the focus on what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_pages import violations
from tests.factories import make_user
from tests.practising import practice_study

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_wrong_field_has_the_focus(page: Page, live_server: Any, log_in: Any) -> None:
    """It stayed on the body: whoever hears the page heard the same one again."""
    log_in(make_user())
    page.goto(f"{live_server.url}/account/password/change/")
    page.locator("#id_old_password").fill("not the one")
    page.locator("#id_new_password1").fill("une phrase de passe bien longue")
    page.locator("#id_new_password2").fill("une phrase de passe bien longue")
    page.keyboard.press("Enter")
    old = page.locator("#id_old_password")
    expect(old).to_have_attribute("aria-invalid", "true")
    expect(old).to_be_focused()
    expect(old).to_have_attribute("aria-describedby", "id_old_password_error")
    assert violations(page) == []


def test_the_list_of_what_is_wrong_has_the_focus(page: Page, live_server: Any, log_in: Any) -> None:
    lead = make_user("responsable")
    practice_study(lead)
    log_in(lead)
    page.goto(f"{live_server.url}/studies/pratique/practice/")
    page.locator("main button[value=open]").click()
    problems = page.locator("main .problems")
    expect(problems).to_be_focused()
    # From there on goes the keyboard to what is named.
    page.keyboard.press("Tab")
    expect(problems.locator("a")).to_be_focused()
    assert violations(page) == []
