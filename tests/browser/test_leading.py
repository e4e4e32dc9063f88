"""What a lead does in a browser around the pages themselves: the column beside them, columns of
tables, the end of letters."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

from annotation.models import User
from annotation.services.studies.digests import digest_token
from tests.browser.test_pages import demo, demo_rows, lead, violations

__all__ = ["demo", "demo_rows", "lead"]
pytestmark = pytest.mark.django_db(transaction=True)


def top_of_content(page: Page) -> float:
    return page.locator("main h1").evaluate("(head) => head.getBoundingClientRect().top")


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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
def test_one_click_in_the_letter_ends_them(page: Page, live_server: Any, demo: None) -> None:
    user = User.objects.get(email="responsable@demo.bareme.example")
    page.goto(f"{live_server.url}/digest/off/{digest_token(user)}/")
    expect(page.locator(".notice--ok")).to_be_visible()
    user.refresh_from_db()
    assert user.digest == "never"
    assert violations(page) == []


@pytest.mark.both_databases
def test_what_is_typed_under_one_remark_outlives_what_is_done_to_another(
    page: Page, live_server: Any, lead: User
) -> None:
    page.goto(f"{live_server.url}/studies/demo/remarks/?state=open")
    remarks = page.locator("article.card")
    first, second = (remarks.nth(place).get_attribute("id") for place in (0, 1))
    page.locator(f"#{second} textarea").fill("Pas encore envoyée.")
    # Enter on a box presses no button.
    page.locator(f"#{second} input[type=checkbox]").press("Enter")
    page.locator(f"#{first}").get_by_role("button", name="Marquer comme réglé").click()
    expect(page.locator(f"#{first}")).to_have_count(0)
    expect(page.locator(f"#{second} textarea")).to_have_value("Pas encore envoyée.")
    expect(page.locator(f"#{second}")).to_be_in_viewport()
    assert violations(page) == []
    assert _asked_by_a_download(page) == [], "a file leaves the page where it is"
    with page.expect_event("dialog") as event:
        page.evaluate("() => void setTimeout(() => location.reload())")
    assert event.value.type == "beforeunload"
    event.value.dismiss()
    page.locator(f"#{second}").get_by_role("button", name="Envoyer la réponse").click()
    expect(page.locator(f"#{second}")).to_contain_text("Pas encore envoyée.")
    expect(page.locator(f"#{second} textarea")).to_have_value("")


def _asked_by_a_download(page: Page) -> list[str]:
    """What the browser asks before the list comes as a file."""
    types: list[str] = []

    def accept(dialog: Dialog) -> None:
        types.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    with page.expect_download():
        page.get_by_role("link", name="Télécharger en CSV").click()
    page.remove_listener("dialog", accept)
    return types


@pytest.mark.both_databases
def test_all_that_is_shown_is_ticked_at_once_and_looked_at_before_it_goes(
    page: Page, live_server: Any, lead: User
) -> None:
    page.goto(f"{live_server.url}/studies/demo/items/?order=fewest")
    boxes = page.locator("tbody input[type=checkbox]")
    everything = page.get_by_label("Tout ici")
    everything.check()
    expect(boxes.nth(0)).to_be_checked()
    expect(boxes.nth(49)).to_be_checked()
    boxes.nth(3).uncheck()
    expect(everything).not_to_be_checked()
    everything.check()
    everything.uncheck()
    boxes.nth(0).check()
    page.get_by_role("button", name="Retirer les clauses cochées").click()
    section = page.locator("section[aria-labelledby=doomed]")
    expect(section).to_contain_text("1 clause")
    assert violations(page) == []
    key = section.locator("p").first.inner_text()
    section.get_by_role("button", name="Les retirer").click()
    expect(page.locator(".messages .notice--ok")).to_have_text("1 clause retirée.")
    expect(page.get_by_role("link", name=key, exact=True)).to_have_count(0)
