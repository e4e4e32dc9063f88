"""Ruling on edits in a real browser: from the page of an item to the case, ticked and recorded; at
the width of a lead's laptop and of a phone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Adjudication, Study
from tests.browser.edits.test_marks_page import marked  # noqa: F401 (a fixture)
from tests.browser.test_agreement import violations

pytestmark = pytest.mark.django_db(transaction=True)
FITS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.mark.once
def test_from_the_item_to_the_ruling(
    page: Page,
    live_server: Any,
    marked: Study,  # noqa: F811
    screenshot: Any,
) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    item = marked.items.order_by("position").first()
    page.goto(f"{live_server.url}/studies/alpha/agreement/items/{item.key}/")
    page.locator("details:has(.consensus) summary").click()
    expect(page.locator(".consensus").first).to_be_visible()
    assert violations(page) == []
    screenshot("item-consensus", full_page=True)
    page.get_by_role("link", name="Trancher").click()
    boxes = page.locator("input[name^=stands-]")
    expect(boxes.first).to_be_visible()
    assert page.evaluate(FITS)
    assert violations(page) == []
    screenshot("edits-ruling", full_page=True)
    for box in boxes.all():
        box.uncheck()
    # One with a place in both texts, which a change of words asks for.
    row = page.locator("tr:has(input[name^=stands-])", has_not_text="∅").first
    row.locator("input[name^=stands-]").check()
    row.locator("select").select_option("hyperonym")
    page.locator("#id_outcome").check()
    page.locator("#id_reasons").fill("Un seul changement.")
    page.locator("button.button--primary", has_text="Enregistrer").click()
    page.wait_for_url("**/adjudication/")
    ruling = Adjudication.objects.get()
    assert [mark["type"] for mark in ruling.marks] == ["hyperonym"]
    page.set_viewport_size({"width": 360, "height": 740})
    pk = ruling.simplification_id
    page.goto(f"{live_server.url}/studies/alpha/adjudication/{pk}/edits_number/")
    expect(row.locator("input[name^=stands-]")).to_be_checked()
    assert page.evaluate(FITS)
    screenshot("edits-ruling-phone", full_page=True)


@pytest.mark.once
def test_an_edit_is_added_with_keys_then_with_the_pointer(
    page: Page,
    live_server: Any,
    marked: Study,  # noqa: F811
    screenshot: Any,
) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    pair = marked.items.order_by("position").first().simplifications.get()
    page.goto(f"{live_server.url}/studies/alpha/adjudication/{pair.pk}/edits_number/")
    rows = page.locator("input[name^=stands-]")
    expect(rows.first).to_be_visible()
    before = rows.count()
    summary = page.get_by_text("Ajouter une opération que personne")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    words = page.locator("[name=pick-original]")
    expect(words.first).to_be_focused()
    for key in ("ArrowRight", "Shift+ArrowRight", "ArrowRight", "ArrowRight", "Space"):
        page.keyboard.press(key)
    picked = page.locator("[name=pick-original]:checked")
    expect(picked).to_have_count(3)
    for place in (1, 2, 4):
        expect(words.nth(place)).to_be_checked()
    # An operation that has its place in both texts: what is lacking is said, the words stay.
    page.locator("#id_add-type").select_option("synonym")
    words.nth(4).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#add-problem")).to_contain_text("dans la simplification")
    expect(picked).to_have_count(3)
    assert violations(page) == []
    # Drawn over three words of the other text.
    others = page.locator("label:has([name=pick-simplification])")
    others.nth(0).hover()
    page.mouse.down()
    others.nth(1).hover()
    others.nth(2).hover()
    page.mouse.up()
    expect(page.locator("[name=pick-simplification]:checked")).to_have_count(3)
    others.nth(1).click()
    expect(page.locator("[name=pick-simplification]:checked")).to_have_count(2)
    screenshot("edits-ruling-adding", full_page=True)
    page.locator("[data-add]").click()
    expect(rows).to_have_count(before + 1)
    expect(rows.last).to_be_checked()
    expect(picked).to_have_count(0)
    assert page.evaluate(FITS)
    screenshot("edits-ruling-added", full_page=True)
    for box in rows.all()[:-1]:
        box.uncheck()
    page.locator("#id_outcome").check()
    page.locator("#id_reasons").fill("Personne ne l'avait vue.")
    page.locator("button.button--primary", has_text="Enregistrer").click()
    page.wait_for_url("**/adjudication/")
    (mark,) = Adjudication.objects.get().marks
    assert mark["type"] == "synonym"
    assert len(mark["original"]) == len(mark["simplification"]) == 2


@pytest.mark.once
def test_an_edit_can_be_added_on_a_phone(
    page: Page,
    live_server: Any,
    marked: Study,  # noqa: F811
    screenshot: Any,
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    pair = marked.items.order_by("position").first().simplifications.get()
    page.goto(f"{live_server.url}/studies/alpha/adjudication/{pair.pk}/edits_number/")
    page.get_by_text("Ajouter une opération que personne").click()
    expect(page.locator("#id_add-type")).to_be_visible()
    assert page.evaluate(FITS)
    screenshot("edits-ruling-adding-phone", full_page=True)
