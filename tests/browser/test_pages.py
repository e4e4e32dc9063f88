"""Every page in a real browser: accessible, within its weight, strict, on a phone; and its picture
for the docs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.demo.study import demo_seed
from annotation.models import User
from tests.second_factors import code_of

pytestmark = pytest.mark.django_db(transaction=True)

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
LEAD_PAGES = {
    "study": "/studies/demo/",
    "items": "/studies/demo/items/",
    "item": "/studies/demo/items/demo-001/",
    "import": "/studies/demo/import/",
    "people": "/studies/demo/people/",
    "guide": "/studies/demo/guide/",
    "plan": "/studies/demo/plan/",
    "consistency": "/studies/demo/plan/steadiness/",
    "watch": "/studies/demo/watch/",
    "remarks": "/studies/demo/remarks/",
    "pay": "/studies/demo/pay/",
    "practice": "/studies/demo/practice/",
    "rejudge": "/studies/demo/guide/rejudge/",
    "deviations": "/studies/demo/deviations/",
    "exports": "/studies/demo/exports/",
    "settings": "/studies/demo/settings/",
    "events": "/studies/demo/events/",
    "new": "/studies/new/",
}
STUDENT_PAGES = {
    "mine": "/annotate/demo/mine/",
    "guide-annotator": "/annotate/demo/guide/",
    "guide-read": "/annotate/demo/guide/read/",
    "feedback": "/annotate/demo/feedback/",
    "own-data": "/account/data/",
    "security": "/account/security/",
    "home": "/",
}
ADMIN_PAGES = {
    "system": "/system/",
    "scorers": "/scorers/",
    "schedule": "/scorers/schedule/",
    "erasures": "/erasures/",
    "all-people": "/people/",
}


@pytest.fixture
def demo(settings: Any, live_server: Any) -> None:
    settings.DEMO = True
    demo_seed()


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it stands, in words."""
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run(document, {json.dumps(RULES)})")
    return [f"{v['id']}: {node['html'][:120]}" for v in found["violations"] for node in v["nodes"]]


@pytest.fixture
def student(demo: None, log_in: Any) -> User:
    user = User.objects.get(email="etudiant3@demo.bareme.example")
    log_in(user)
    return user


@pytest.fixture
def lead(demo: None, log_in: Any) -> User:
    user = User.objects.get(email="responsable@demo.bareme.example")
    log_in(user)
    return user


def test_the_log_in_page(page: Page, live_server: Any, demo: None, screenshot: Any) -> None:
    page.goto(f"{live_server.url}/account/login/")
    assert violations(page) == []
    screenshot("login")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_judging_page_at_each_step(
    page: Page, live_server: Any, student: User, screenshot: Any, theme: str
) -> None:
    User.objects.filter(pk=student.pk).update(theme=theme)
    page.goto(f"{live_server.url}/annotate/demo/10/")
    expect(page.locator("#step-1")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    assert violations(page) == []
    page.keyboard.type("07")
    expect(page.locator("input[name=characterization][value='7']")).to_be_checked()
    screenshot(f"classes-{theme}")
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    page.keyboard.press("s")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+Shift+ArrowRight")
    page.keyboard.press("Control+Shift+ArrowRight")
    expect(page.locator("#error-menu")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("mark").first).to_be_visible()
    assert violations(page) == []
    page.evaluate("window.scrollTo(0, 0)")
    screenshot("judge" if theme == "light" else "judge-dark")
    page.keyboard.press("Escape")
    page.locator("#open-help").click()
    assert violations(page) == []


@pytest.mark.parametrize(("name", "path"), STUDENT_PAGES.items())
def test_the_student_s_other_pages(
    page: Page, live_server: Any, student: User, screenshot: Any, name: str, path: str
) -> None:
    page.goto(f"{live_server.url}{path}")
    assert violations(page) == []
    screenshot(name)


def test_the_second_step_is_set_up(
    page: Page, live_server: Any, student: User, screenshot: Any
) -> None:
    page.goto(f"{live_server.url}/account/security/")
    page.locator("[name=begin-password]").fill("bareme-demo")
    page.keyboard.press("Enter")
    expect(page.locator("svg.qr")).to_be_visible()
    assert violations(page) == []
    page.locator("[name=code]").fill(code_of(student))
    page.keyboard.press("Enter")
    expect(page.locator(".codes li")).to_have_count(10)
    expect(page.locator("#codes")).to_be_focused()
    assert violations(page) == []
    screenshot("second-step", full_page=True)


def test_the_lead_s_pages(page: Page, live_server: Any, lead: User, screenshot: Any) -> None:
    found = {}
    for name, path in LEAD_PAGES.items():
        page.goto(f"{live_server.url}{path}")
        found[name] = violations(page)
        screenshot(name)
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_the_admin_s_pages(
    page: Page, live_server: Any, demo: None, log_in: Any, screenshot: Any
) -> None:
    log_in(User.objects.get(email="admin@demo.bareme.example"))
    found = {}
    for name, path in ADMIN_PAGES.items():
        page.goto(f"{live_server.url}{path}")
        found[name] = violations(page)
        screenshot(name)
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_a_practice_item_at_the_meeting(
    page: Page, live_server: Any, lead: User, screenshot: Any
) -> None:
    page.goto(f"{live_server.url}/studies/demo/practice/")
    page.locator("table a").first.click()
    expect(page.locator("mark").first).to_be_visible()
    expect(page.locator("#id_bracket")).to_be_visible()
    assert violations(page) == []
    screenshot("practice-item", full_page=True)


@pytest.mark.parametrize("width", [360, 640])
def test_nothing_scrolls_sideways_on_a_phone_or_at_200_percent(
    page: Page, live_server: Any, student: User, screenshot: Any, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    for path in ("/annotate/demo/10/", *STUDENT_PAGES.values()):
        page.goto(f"{live_server.url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.goto(f"{live_server.url}/annotate/demo/10/")
    screenshot(f"judge-{width}")


# How many pixels of the hint do not fit into the field that it stands in.
CUT = """(field) => {
  const style = getComputedStyle(field);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(field.placeholder).width - room;
}"""


@pytest.mark.parametrize("width", [1280, 360])
def test_the_hint_of_a_search_field_is_read_whole(
    width: int, page: Page, live_server: Any, student: User
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{live_server.url}/annotate/demo/mine/")
    field = page.locator("#own-q")
    assert field.get_attribute("placeholder")
    assert field.evaluate(CUT) <= 0


def test_the_first_load_is_light_and_silent(
    page: Page, context: BrowserContext, live_server: Any, student: User
) -> None:
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    received: list[float] = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{live_server.url}/annotate/demo/10/", wait_until="networkidle")
    assert said == []
    # The test server sends files as they are; in production they are compressed, so the whole is
    # lighter still.
    assert 0 < sum(received) < 400_000
