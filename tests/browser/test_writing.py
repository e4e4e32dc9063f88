"""Somebody writes while the page has something to ask: their sentence is written to its end."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import BrowserContext, Locator, Page, expect

from annotation.models import Draft
from tests.browser.waiting import expect_found

pytestmark = pytest.mark.django_db(transaction=True)

SAVED = "Enregistré"
BEGUN = "La franchise a disparu "
SENTENCE = f"{BEGUN}et l'assuré ne sait plus, en cas de sinistre, ce qu'il paie de sa poche."
# About ten signs a second.
APART_MS = 100


@pytest.fixture
def writing(page: Page, live_server: Any, student: Any) -> Page:
    """The last step, the caret in the comments."""
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-ready]")).to_be_attached()
    for key in ("1", "Enter", "0", "7", "Enter", "3"):
        page.keyboard.press(key)
    expect(status(page)).to_contain_text(SAVED)
    comment(page).focus()
    return page


@pytest.fixture
def student(make_student: Any) -> Any:
    return make_student()


def status(page: Page) -> Locator:
    return page.locator("#save-status")


def comment(page: Page) -> Locator:
    return page.locator("#id_comment")


def write_until_told(page: Page, code: int) -> None:
    """The sentence, in the midst of which the server says that it does not take this."""
    with page.expect_response(lambda answer: answer.status == code):
        page.keyboard.type(SENTENCE[:60], delay=APART_MS)
    page.keyboard.type(SENTENCE[60:], delay=APART_MS)


def log_in_again(page: Page, student: Any) -> None:
    dialog = page.locator("#login-dialog")
    dialog.locator("[name=username]").fill(student.email)
    dialog.locator("[name=password]").fill("a-long-password")
    dialog.locator("[name=password]").press("Enter")
    expect(dialog).to_be_hidden()


def test_a_sentence_is_written_to_its_end_before_the_log_in_is_asked_for(
    writing: Page, student: Any
) -> None:
    Session.objects.all().delete()
    write_until_told(writing, 401)
    expect(writing.locator("#login-dialog")).to_be_visible()
    expect(comment(writing)).to_have_value(SENTENCE)
    expect(writing.locator("#login-email")).to_have_value("")
    log_in_again(writing, student)
    expect(status(writing)).to_contain_text(SAVED)
    expect(comment(writing)).to_have_value(SENTENCE)
    assert Draft.objects.get().answers["comment"] == SENTENCE


@pytest.fixture
def elsewhere(context: BrowserContext, writing: Page) -> Page:
    """Another window on the same pair, in which something else is saved."""
    page = context.new_page()
    page.goto(writing.url)
    expect(page.locator("main[data-ready]")).to_be_attached()
    return page


def save_elsewhere(page: Page, writing: Page) -> None:
    """As if that window were on another computer, of which this one hears nothing."""
    page.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    comment(page).fill("ailleurs")
    page.keyboard.press("Control+s")
    expect_found(page, "document.getElementById('save-status').dataset.state", "saved")
    writing.bring_to_front()
    comment(writing).focus()


@pytest.mark.parametrize(
    ("chosen", "kept"), [("mine", SENTENCE), ("theirs", "ailleurs")], ids=["mine", "theirs"]
)
def test_so_it_is_before_two_versions_are_put_beside_each_other(
    writing: Page, elsewhere: Page, chosen: str, kept: str
) -> None:
    save_elsewhere(elsewhere, writing)
    write_until_told(writing, 409)
    dialog = writing.locator("dialog.conflict")
    expect(dialog).to_be_visible()
    expect(comment(writing)).to_have_value(SENTENCE)
    expect(dialog).to_contain_text(SENTENCE)
    dialog.locator(f"button[value={chosen}]").click()
    expect(status(writing)).to_contain_text(SAVED)
    expect(comment(writing)).to_have_value(kept)
    answers = [Draft.objects.get().answers]
    answers += Draft.objects.get().assignment.draft_versions.values_list("answers", flat=True)
    assert SENTENCE in [each["comment"] for each in answers]
    assert answers[0]["comment"] == kept


def test_what_is_asked_stands_in_the_bar_meanwhile_and_opens_where_one_leaves_the_field(
    writing: Page, elsewhere: Page
) -> None:
    save_elsewhere(elsewhere, writing)
    with writing.expect_response(lambda answer: answer.status == 409):
        writing.keyboard.type(SENTENCE[:60], delay=APART_MS)
    writing.keyboard.type("… ", delay=APART_MS)
    expect(writing.locator("#choice-again")).to_be_visible()
    expect(writing.locator("dialog[open]")).to_have_count(0)
    comment(writing).blur()
    expect(writing.locator("dialog.conflict")).to_be_visible()


def test_who_saves_or_submits_by_key_is_asked_at_once(writing: Page) -> None:
    """It is the page's answer to them."""
    comment(writing).press_sequentially(BEGUN)
    expect(status(writing)).to_contain_text(SAVED)
    Session.objects.all().delete()
    # A pause that nobody would wait for.
    writing.evaluate("performance.now = ((now) => () => now)(performance.now())")
    writing.keyboard.type("e")
    writing.keyboard.press("Control+s")
    expect(writing.locator("#login-dialog")).to_be_visible()
    assert comment(writing).input_value() == f"{BEGUN}e"


def test_the_comment_grows_with_what_is_written(writing: Page) -> None:
    height = "document.getElementById('id_comment').clientHeight"
    before = writing.evaluate(height)
    comment(writing).fill(chr(10).join(["une ligne"] * 6))
    writing.wait_for_function(f"{height} > {2 * before}")
    scrolled = "document.getElementById('id_comment').scrollHeight"
    writing.wait_for_function(f"{scrolled} === {height}")
    comment(writing).fill(chr(10).join(["une ligne"] * 100))
    writing.wait_for_function(f"{scrolled} > {height} && {height} < innerHeight / 2")
