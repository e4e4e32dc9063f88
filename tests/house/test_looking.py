"""Browser tests wait for what an act brings before they look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.looking import hasty, hasty_in

BROWSER = Path(__file__).parent.parent / "browser"


def test_no_browser_test_looks_in_the_moment_after_an_act() -> None:
    assert hasty_in(BROWSER) == []


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("page.click('a')\nassert page.url == 'b'", [3]),
        ("page.click('a')\npage.wait_for_url('b')\nassert page.url == 'b'", []),
        ("page.click('a')\nexpect(page.locator('b')).to_be_visible()\nassert page.url", []),
        ("page.keyboard.press('z')\nassert Draft.objects.get()", [3]),
        ("page.keyboard.press('z')\nassert 1 == 2", []),
        ("with page.expect_navigation():\n    page.click('a')\nassert page.url == 'b'", []),
        ("for key in 'ab':\n    page.keyboard.press(key)\nassert page.evaluate('1')", [4]),
        ("helper(page)\nassert page.evaluate('1')", [3]),
        ("careful(page)\nassert page.evaluate('1')", []),
    ],
)
def test_what_is_told_apart(body: str, lines: list[int]) -> None:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    helpers = (
        "def helper(page):\n    page.click('a')\n"
        "def careful(page):\n    helper(page)\n    expect(page).to_have_url('b')\n"
    )
    assert hasty(f"def test(page):\n{indented}\n{helpers}") == lines
