"""What the server refused is said at its field and in the foot as long as it holds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.waiting import expect_awake

pytestmark = pytest.mark.django_db(transaction=True)

CROSSED = re.compile(r"7 erreurs donnent 1")


@pytest.fixture
def judging(page: Page, live_server: Any, make_student: Any) -> Page:
    make_student()
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-ready]")).to_be_attached()
    for key in ("1", "Enter", "0", "7", "Enter", "2"):
        page.keyboard.press(key)
    expect(page.locator("input[name=bracket][value='2']")).to_be_checked()
    return page


def add_errors(page: Page, number: int, kind: str = "omission") -> None:
    for _ in range(number):
        page.locator("#add-error").click()
        if kind:
            page.locator("[data-error] select").last.select_option(kind)


def rows(page: Page) -> Locator:
    return page.locator("[data-error]")


def foot(page: Page) -> Locator:
    return page.locator("#problems")


def refuse(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    expect(foot(page).locator("a").first).to_be_visible()
    expect_awake(page)


@pytest.fixture
def crossed(judging: Page) -> Page:
    """Seven errors take the score below its bracket, and nothing was said of that."""
    add_errors(judging, 7)
    refuse(judging)
    expect(foot(judging)).to_contain_text(CROSSED)
    expect(judging.locator("#problem-crossing_answer")).to_contain_text(CROSSED)
    return judging


def expect_nothing_said(page: Page) -> None:
    expect(foot(page)).to_be_empty()
    expect(page.locator("#crossing .field__problem")).to_have_count(0)


def test_who_removes_the_errors_that_crossed_is_told_of_them_no_more(crossed: Page) -> None:
    for _ in range(4):
        rows(crossed).last.locator("[data-remove]").click()
    expect(crossed.locator("#crossing")).to_be_hidden()
    expect_nothing_said(crossed)


def test_nor_of_seven_where_there_are_six(crossed: Page) -> None:
    rows(crossed).last.locator("[data-remove]").click()
    expect(crossed.locator("#crossing")).to_contain_text("6 erreurs")
    expect_nothing_said(crossed)


def test_nor_who_chooses_another_bracket(crossed: Page) -> None:
    crossed.locator("input[name=bracket][value='3']").check()
    expect_nothing_said(crossed)


def test_nor_who_goes_back_by_key(crossed: Page) -> None:
    crossed.locator("#step-3-title").focus()
    # The type of the seventh, then the seventh.
    crossed.keyboard.press("z")
    crossed.keyboard.press("z")
    expect(rows(crossed)).to_have_count(6)
    expect_nothing_said(crossed)


def test_the_answer_by_key_settles_its_own_problem_alone(judging: Page) -> None:
    add_errors(judging, 7)
    judging.locator("input[name=simplicity]:checked").evaluate("(input) => input.checked = false")
    rows(judging).last.locator("input[type=text]").fill("une note")
    refuse(judging)
    expect(foot(judging).locator("a")).to_have_count(2)
    judging.locator("[data-open='3']").click()
    judging.locator("#step-3-title").focus()
    judging.keyboard.press("k")
    expect(foot(judging)).not_to_contain_text(CROSSED)
    expect(foot(judging).locator("a")).to_have_count(1)


@pytest.fixture
def untyped(judging: Page) -> Page:
    """The third and the fourth of four errors have no type."""
    judging.locator("input[name=bracket][value='3']").check()
    add_errors(judging, 2)
    add_errors(judging, 2, "")
    refuse(judging)
    for number in (3, 4):
        expect(said_of(judging, number)).to_have_count(1)
    return judging


def said_of(page: Page, number: int) -> Locator:
    return foot(page).locator("a", has_text=f"rreur {number}")


def expect_third_alone(page: Page) -> None:
    expect(said_of(page, 4)).to_have_count(0)
    expect(said_of(page, 3)).to_have_count(1)
    expect(rows(page).nth(2).locator(".field__problem")).to_be_visible()


def separators(page: Page) -> list[str]:
    """What is drawn before each problem of the foot."""
    script = "(all) => all.map((each) => getComputedStyle(each, '::before').content)"
    return foot(page).locator("span").evaluate_all(script)


def test_what_is_said_of_an_error_outlasts_the_one_after_it(untyped: Page) -> None:
    first, *others = separators(untyped)
    assert (first, {*others}) == ("none", {'" ·"'})
    rows(untyped).nth(3).locator("[data-remove]").click()
    expect_third_alone(untyped)


def test_and_the_undoing_of_what_followed_it(untyped: Page) -> None:
    rows(untyped).nth(3).locator("select").select_option("confusion")
    expect_third_alone(untyped)
    untyped.locator("#step-3-title").focus()
    untyped.keyboard.press("z")
    expect(rows(untyped).nth(3).locator("select")).to_have_value("")
    expect_third_alone(untyped)


def test_nothing_parts_the_one_that_is_left(untyped: Page) -> None:
    rows(untyped).nth(2).locator("select").select_option("confusion")
    expect(foot(untyped)).to_contain_text("rreur 4")
    expect(foot(untyped)).not_to_contain_text("·")
    assert separators(untyped)[0] == "none"


def test_a_passage_settles_what_is_said_of_its_error(judging: Page) -> None:
    """Where it is about the passage."""
    problems = [
        {"field": "errors.0", "code": "span_required", "message": "Marquez le passage."},
        {"field": "errors.0.type", "code": "required", "message": "Choisissez le type."},
    ]
    add_errors(judging, 1)
    body = {"type": "refused", "revision": 1, "problems": problems}
    judging.route("**/submit/", lambda route: route.fulfill(status=422, json=body))
    judging.keyboard.press("Control+Enter")
    expect(foot(judging).locator("a")).to_have_count(2)
    expect_awake(judging)
    rows(judging).first.locator("select").focus()
    judging.evaluate(
        """() => {
          const text = document.querySelector("[data-side=simplification]");
          text.focus();
          const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
          const node = walker.nextNode();
          document.getSelection().setBaseAndExtent(node, 0, node, 10);
        }"""
    )
    judging.locator("#error-menu [data-attach]").click()
    expect(foot(judging)).not_to_contain_text("passage")
    expect(foot(judging)).to_contain_text("Choisissez le type.")
