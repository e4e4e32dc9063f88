"""The next pairs without a network, in Firefox."""

from tests.browser.test_keeping import (  # noqa: F401
    first,
    student,
    test_keeping_looks_at_nothing,
    test_the_next_pairs_are_read_and_judged_without_a_network,
)
