"""Two versions of one pair, in Firefox: the same tests as in Chromium, in the other engine."""

from __future__ import annotations

from tests.browser.test_conflicts import (  # noqa: F401  (fixtures and tests, collected here)
    elsewhere,
    here,
    student,
    test_a_conflict_is_in_the_window_and_comes_back_until_it_is_settled,
    test_a_mix_by_keyboard_alone,
    test_a_version_put_aside_is_brought_back_from_the_history,
    test_all_of_the_other_version_and_back,
    test_all_of_what_is_here_and_the_other_version_stays,
)
