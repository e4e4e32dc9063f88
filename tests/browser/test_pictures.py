"""Charts as pictures: a PNG with title and caption, made of the drawing that is downloaded; and the
page of two studies, on which one stands."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_pages import violations
from tests.factories import make_study, make_user
from tests.systems_study import fill_systems
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/studies/first/beside/?other=second"


@pytest.fixture
def beside(live_server: Any, log_in: Any) -> str:
    """The address of the page."""
    lead = make_user("responsable")
    for key, gap in (("first", 2), ("second", 4)):
        fill_systems(make_study(key, lead=lead, state="closed"), planted(gap=gap))
    log_in(lead)
    return f"{live_server.url}{PAGE}"


def test_a_chart_is_saved_as_a_picture(
    beside: str, page: Page, tmp_path: Path, screenshot: Any
) -> None:
    page.goto(beside)
    screenshot("studies-side-by-side")
    link = page.get_by_role("link", name="PNG")
    expect(link).to_be_visible()
    with page.expect_download() as waiting:
        link.click()
    saved = tmp_path / "chart.png"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename == "first-beside-second-changes.png"
    content = saved.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    # Three times the drawing, which title and caption make higher than the chart itself.
    assert width > 1200
    assert height > 600


def test_the_page_of_two_studies_is_accessible(beside: str, page: Page) -> None:
    page.goto(beside)
    page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide
