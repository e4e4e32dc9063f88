"""Every page in a real browser: accessible, within its weight, strict, on a phone; and its picture
for the docs."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from django.db import connection
from playwright.sync_api import Page, Request, expect

from annotation.demo.study import demo_seed
from annotation.models import Study, User
from tests.second_factors import code_of

pytestmark = pytest.mark.django_db(transaction=True)

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
# Of the elements that keep a rule, which are most, no account: making it costs more than looking.
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    # Of its good practices the one that tells regions of one page apart.
    "rules": {"landmark-unique": {"enabled": True}},
    "resultTypes": ["violations"],
}
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
    "address": "/account/address/",
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


@pytest.fixture(scope="session")
def demo_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a copy of the whole database lies once the demonstration was made in it."""
    return tmp_path_factory.mktemp("demo") / "demo.sqlite3"


@pytest.fixture
def demo(settings: Any, live_server: Any, demo_rows: Path) -> None:
    """Made once in a process, as that takes seconds: whoever comes next has a copy, on SQLite."""
    settings.DEMO = True
    if connection.vendor != "sqlite":
        demo_seed()
        return
    if not demo_rows.exists():
        demo_seed()
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(demo_rows)])
        return
    connection.ensure_connection()
    with closing(sqlite3.connect(demo_rows)) as made:
        made.backup(connection.connection)


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it stands, in words."""
    page.evaluate(AXE)
    broken_rules = page.evaluate(
        f"axe.run(document, {json.dumps(RULES)}).then((all) => all.violations)"
    )
    return [f"{v['id']}: {node['html'][:120]}" for v in broken_rules for node in v["nodes"]]


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
    expect(page.locator("main[data-ready]")).to_be_attached()
    assert violations(page) == []
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#step-2")).to_be_visible()
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
    expect(page.locator("#help-dialog")).to_be_visible()
    assert violations(page) == []


def violations_by_page(
    page: Page, live_server: Any, screenshot: Any, paths: dict[str, str]
) -> dict[str, list[str]]:
    """Those of each page that has some, and a picture of each."""
    by_page = {}
    for name, path in paths.items():
        page.goto(f"{live_server.url}{path}")
        by_page[name] = violations(page)
        screenshot(name)
    return {name: problems for name, problems in by_page.items() if problems}


def test_the_student_s_other_pages(
    page: Page, live_server: Any, student: User, screenshot: Any
) -> None:
    assert violations_by_page(page, live_server, screenshot, STUDENT_PAGES) == {}


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
    assert violations_by_page(page, live_server, screenshot, LEAD_PAGES) == {}


def test_the_admin_s_pages(
    page: Page, live_server: Any, demo: None, log_in: Any, screenshot: Any
) -> None:
    log_in(User.objects.get(email="admin@demo.bareme.example"))
    assert violations_by_page(page, live_server, screenshot, ADMIN_PAGES) == {}


def test_a_practice_item_at_the_meeting(
    page: Page, live_server: Any, lead: User, screenshot: Any
) -> None:
    page.goto(f"{live_server.url}/studies/demo/practice/")
    page.locator("table a").first.click()
    expect(page.locator("mark").first).to_be_visible()
    expect(page.locator("#id_bracket")).to_be_visible()
    assert violations(page) == []
    screenshot("practice-item", full_page=True)


def needs_more_than(page: Page, widths: tuple[int, ...], addresses: list[str]) -> list[object]:
    """Addresses whose page is wider than the window, with its width and what it needs."""
    wide: list[object] = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 740})
        for address in addresses:
            page.goto(address)
            if (needed := page.evaluate("document.documentElement.scrollWidth")) > width:
                wide.append((address, width, needed))
    return wide


def test_nothing_scrolls_sideways_on_a_phone_or_at_200_percent(
    page: Page, live_server: Any, student: User, screenshot: Any
) -> None:
    paths = (*STUDENT_PAGES.values(), "/annotate/demo/10/")
    for width in (360, 640):
        assert needs_more_than(page, (width,), [f"{live_server.url}{path}" for path in paths]) == []
        screenshot(f"judge-{width}")


@pytest.mark.parametrize(
    ("role", "paths"),
    [
        ("student", ("/", "/annotate/demo/1/", "/annotate/demo/mine/")),
        ("lead", ("/", "/studies/demo/", "/studies/demo/watch/", "/studies/demo/settings/")),
    ],
)
def test_a_title_that_is_one_long_word_pushes_no_page_sideways(
    page: Page, live_server: Any, role: str, paths: tuple[str, ...], request: Any
) -> None:
    request.getfixturevalue(role)
    Study.objects.filter(key="demo").update(title="Police" * 33)
    addresses = [f"{live_server.url}{path}" for path in paths]
    assert needs_more_than(page, (390, 1280), addresses) == []


# How many pixels of the hint do not fit into the field that it stands in.
CUT = """(field) => {
  const style = getComputedStyle(field);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(field.placeholder).width - room;
}"""


def test_the_hint_of_a_search_field_is_read_whole(
    page: Page, live_server: Any, student: User, subtests: pytest.Subtests
) -> None:
    for width in (1280, 360):
        with subtests.test(width=width):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(f"{live_server.url}/annotate/demo/mine/")
            field = page.locator("#own-q")
            assert field.get_attribute("placeholder")
            assert field.evaluate(CUT) <= 0


def test_the_first_load_is_light_and_silent(page: Page, live_server: Any, student: User) -> None:
    received: dict[str, int] = {}

    def finished(request: Request) -> None:
        sizes = request.sizes()
        received[request.url] = sizes["responseBodySize"] + sizes["responseHeadersSize"]

    page.on("requestfinished", finished)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    opened = f"{live_server.url}/annotate/demo/10/"
    page.goto(opened, wait_until="networkidle")
    assert said == []
    # The pairs that are fetched ahead come when the page is ready.
    own = [size for url, size in received.items() if "/static/" in url or url == opened]
    assert len(own) > 20
    # The test server sends files as they are; in production they are compressed, so the whole is
    # lighter still.
    assert 0 < sum(own) < 270_000
