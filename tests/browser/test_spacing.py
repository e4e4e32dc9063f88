"""Wider spacing and a typeface for dyslexia: chosen on the judging page, and nothing of it loaded
before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import User
from annotation.services.planning.assignments import assignments_fill
from tests.browser.test_pages import violations
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

ORIGINAL = (
    "L'assureur paie les frais de l'assuré. Le preneur avise l’assureur sans délai des biens et "
    "du bien. "
) * 3
# Of an element: letters, words and lines, each by the size of its type.
SPACES = """(element) => {
  const style = getComputedStyle(element);
  const size = parseFloat(style.fontSize);
  return [style.letterSpacing, style.wordSpacing, style.lineHeight].map((each) => parseFloat(each) / size);
}"""  # noqa: E501
# What stands beyond the window's edge, or is cut where it cannot be scrolled to.
CUT = """() => [...document.querySelectorAll("body, .bar, .bar *, .text__title, [data-step]:not([hidden]), .step *")]
  .filter((each) => each.checkVisibility() && !each.closest(".visually-hidden"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.outerHTML.slice(0, 80))"""  # noqa: E501


def test_chosen_on_the_judging_page(
    page: Page, live_server: Any, log_in: Callable[[Any], None], screenshot: Callable[..., Path]
) -> None:
    study = make_study("essai", state="main")
    make_pair(study, original=ORIGINAL, text=ORIGINAL, language="fr")
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    log_in(user)
    fetched: list[str] = []
    page.on(
        "request",
        lambda request: fetched.append(request.url) if request.resource_type == "font" else None,
    )
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-ready]")).to_be_visible()
    assert fetched == []

    menu = page.locator("[data-menu]", has=page.locator("form[data-preferences]"))
    menu.locator("summary").click()
    with page.expect_response("**/account/preferences/"):
        menu.locator("button[name=spacing][value=wide]").click()
    with (
        page.expect_response("**/*.woff2") as font,
        page.expect_response("**/account/preferences/"),
    ):
        menu.locator("button[name=typeface][value=opendyslexic]").click()
    assert font.value.status == 200
    page.reload()
    expect(page.locator("main[data-ready]")).to_be_visible()
    assert page.evaluate(
        "document.fonts.ready.then(() => document.fonts.check('16px OpenDyslexic'))"
    )
    letters, words, lines = page.locator("#panel-original .legal-text").first.evaluate(SPACES)
    assert (letters >= 0.119, words >= 0.159, lines >= 1.5) == (True, True, True), (
        letters,
        words,
        lines,
    )
    screenshot("spacing-wide")
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("1")
    status = page.locator("#save-status")
    expect(status).to_have_attribute("data-state", "saved")
    expect(status).not_to_be_empty()
    assert status.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    assert violations(page) == []
    screenshot("spacing-wide-answered")
    user = User.objects.get(pk=user.pk)
    assert (user.spacing, user.typeface) == ("wide", "opendyslexic")
