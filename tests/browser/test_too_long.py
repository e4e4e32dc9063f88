"""A text that is longer than the server takes: nothing of it is cut, and how much is too much is
said."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Draft, Judgment, PrivateNote
from tests.browser.network import back_online, close_offline
from tests.browser.test_copies import SAVED, expect_comment, expect_status, open_pair, student
from tests.browser.test_keeping import judge
from tests.browser.test_pages import violations
from tests.factories import said

__all__ = ["student"]
pytestmark = pytest.mark.django_db(transaction=True)

HELD = "Gardé sur cet ordinateur, pas envoyé"
# Each is one character, and two units of a browser's strings.
FITS = "😀" * 5000
WORDS = "Le mot. " * 1000 + "FIN"
PASTED = """([selector, text]) => {
  const field = document.querySelector(selector);
  field.focus();
  document.execCommand("insertText", false, text);
}"""


@pytest.fixture
def judging(page: Page, live_server: Any, student: Any) -> Page:
    """A pair that is judged and not submitted: the comment stands in its last step."""
    open_pair(page, live_server)
    judge(page)
    expect_status(page).to_contain_text(SAVED)
    return page


def paste(page: Page, text: str, selector: str = "#id_comment") -> None:
    page.evaluate(PASTED, [selector, text])


def expect_excess(page: Page, number: int) -> None:
    expect(excess(page)).to_have_text(re.compile(rf"^Caractères de trop\s: {number}\."))


def excess(page: Page) -> Any:
    return page.locator("p:text('Caractères de trop'):visible")


def comment() -> Any:
    return Draft.objects.get().answers["comment"]


def test_what_is_pasted_stays_whole_and_is_sent_once_it_is_shorter(judging: Page) -> None:
    paste(judging, WORDS)
    expect_excess(judging, len(WORDS) - 5000)
    expect_status(judging).to_have_text(HELD)
    expect_comment(judging).to_have_value(WORDS)
    assert violations(judging) == []
    assert comment() == ""
    judging.locator("#id_comment").fill(FITS)
    expect(excess(judging)).to_have_count(0)
    expect_status(judging).to_contain_text(SAVED)
    assert comment() == FITS


def test_it_is_not_submitted_and_one_is_led_there(judging: Page) -> None:
    paste(judging, WORDS)
    expect_excess(judging, len(WORDS) - 5000)
    judging.keyboard.press("Escape")
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#id_comment")).to_be_focused()
    assert not Judgment.objects.filter(submitted_at__isnull=False).exists()
    judging.locator("#id_comment").fill("Court.")
    # Nobody is as quick as to submit before it is measured again.
    expect(excess(judging)).to_have_count(0)
    judging.keyboard.press("Control+Enter")
    judging.wait_for_url("**/2/")
    assert said(Judgment.objects.get(), "comment") == "Court."


def test_taking_it_back_takes_back_what_is_said_of_it(judging: Page) -> None:
    paste(judging, WORDS)
    expect_excess(judging, len(WORDS) - 5000)
    judging.keyboard.press("Escape")
    judging.keyboard.press("z")
    expect(excess(judging)).to_have_count(0)
    expect_comment(judging).to_have_value("")
    judging.keyboard.press("u")
    expect_status(judging).to_contain_text(SAVED)
    assert Draft.objects.get().answers["doubt"] is True


def test_without_a_network_it_waits_here_and_is_whole_when_one_comes_back(
    judging: Page, context: BrowserContext, live_server: Any
) -> None:
    context.set_offline(True)
    paste(judging, WORDS)
    expect_status(judging).to_have_text(HELD)
    close_offline(judging)
    back_online(context)
    again = open_pair(context.new_page(), live_server)
    expect_comment(again).to_have_value(WORDS)
    expect_excess(again, len(WORDS) - 5000)


def test_so_is_the_note_of_an_error(judging: Page) -> None:
    judging.keyboard.press("Escape")
    judging.keyboard.press("e")
    paste(judging, WORDS, "[data-error] [data-name=note]")
    expect_excess(judging, len(WORDS) - 2000)
    expect_status(judging).to_have_text(HELD)
    judging.locator("[data-error] [data-name=note]").fill("Court.")
    expect_status(judging).to_contain_text(SAVED)
    assert Draft.objects.get().answers["errors"][0]["note"] == "Court."


def test_and_a_private_note(judging: Page) -> None:
    judging.locator("#private-note summary").click()
    field = judging.locator("#private-note-text")
    expect(field).to_be_focused()
    expect(judging.locator("#private-note [role=status]")).to_be_empty()
    paste(judging, "a" * 20_003, "#private-note-text")
    expect_excess(judging, 3)
    field.fill("a" * 20_000)
    expect(judging.locator("#private-note [role=status]").last).to_have_text("Note enregistrée.")
    assert PrivateNote.objects.get().text == "a" * 20_000
