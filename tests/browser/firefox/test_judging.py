"""A student's day in Firefox: the same tests as in Chromium, in the other engine."""

from __future__ import annotations

from playwright.sync_api import Page

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


def test_it_is_firefox(page: Page) -> None:
    assert "Firefox/" in page.evaluate("navigator.userAgent")
