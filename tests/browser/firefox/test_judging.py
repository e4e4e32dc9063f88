"""A student's day in Firefox: the same tests as in Chromium, in the other engine."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.test_judging_flows import (  # noqa: F401  (fixtures and tests, collected here)
    judging,
    student,
    test_a_cut_network_costs_nothing_and_sends_once,
    test_an_ended_session_is_renewed_in_place,
    test_an_error_is_marked_from_the_keyboard_in_code_points,
    test_five_errors_ask_about_the_bracket,
    test_three_pairs_by_keyboard_alone,
    test_two_tabs_do_not_overwrite_each_other,
    test_what_was_typed_survives_a_reload,
)
from tests.browser.test_judging_keys import (  # noqa: F401
    test_letters_choose_no_type_in_its_list,
    test_what_is_not_taken_is_given_back_as_it_was,
    test_what_is_typed_while_a_pair_is_submitted_changes_neither_it_nor_the_next,
)


def test_it_is_firefox(page: Page) -> None:
    assert "Firefox/" in page.evaluate("navigator.userAgent")


def test_an_opened_list_is_searched_by_letters(judging: Page) -> None:  # noqa: F811
    """Firefox lets the page hear of them; Chromium does not."""
    for key in ("1", "0", "9", "3", "e", "Alt+ArrowDown"):
        judging.keyboard.press(key)
    judging.wait_for_function("document.activeElement.matches('select:open')")
    judging.keyboard.press("o")
    judging.keyboard.press("Enter")
    expect(judging.locator("[data-error] select")).to_have_value("omission")
    expect(judging.locator("[data-error] select")).to_be_focused()
