"""The page that marks edits on both texts: by mouse, by touch, from suggestions, with none and with
two hundred."""

from __future__ import annotations

import gzip
import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from annotation.config.storage import _COMMENTS
from annotation.models import Draft, Study
from annotation.services.planning.assignments import assignments_fill
from tests.browser.edits.driving import ORIGINAL, draft_with, press, ready, rows, saved
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_found
from tests.factories import make_annotator, make_user
from tests.protocols.samples.marked import asking

pytestmark = pytest.mark.django_db(transaction=True)

FITS = "document.documentElement.scrollWidth <= innerWidth"
# Bytes of an answer beside its content.
HEADERS = 400
OFFERS = "[data-offer]"
# Where some words of a text stand in the window.
PLACE = """([side, words]) => {
  const element = document.getElementById(`text-${side}`);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const start = node.data.indexOf(words);
    if (start < 0) continue;
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, start + words.length);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return [left + 2, right - 2, (top + bottom) / 2];
  }
}"""


def drag(page: Page, side: str, first: str, last: str) -> None:
    """From within one word to within another."""
    left, _right, top = page.evaluate(PLACE, [side, first])
    _left, right, bottom = page.evaluate(PLACE, [side, last])
    page.mouse.move(left + 3, top)
    page.mouse.down()
    page.mouse.move(right - 3, bottom, steps=4)
    page.mouse.up()


def tap(page: Page, side: str, words: str) -> None:
    left, right, middle = page.evaluate(PLACE, [side, words])
    page.touchscreen.tap((left + right) / 2, middle)


def choose(page: Page, label: str) -> None:
    page.locator("[data-all]").click()
    page.get_by_role("option", name=label, exact=True).click()


def test_words_are_dragged_over_and_marked(marking: Any, screenshot: Any) -> None:
    page = marking()
    drag(page, "original", "résilier", "résilier")
    expect_found(page, "getSelection().toString()", "résilier")
    page.locator("[data-hand-act=mark]").click()
    drag(page, "simplification", "mettre", "fin")
    expect_found(page, "getSelection().toString()", "mettre fin")
    page.locator("[data-hand-act=mark]").click()
    choose(page, "périphrase")
    saved(page, ("op20", ["résilier"], ["mettre fin"]))
    # Pointed at, it is shown on both sides, with a line between them.
    page.locator("#text-simplification .edit").first.hover()
    expect(page.locator("#text-original .edit[data-lit]")).to_have_text("résilier")
    expect(page.locator(".edit-link")).to_have_attribute("data-shown", "")
    drag(page, "original", "alors", "portion")
    choose(page, "mot supprimé")
    page.mouse.move(5, 5)
    press(page, "ArrowLeft")
    # Marked on one side alone: no line leads anywhere.
    expect(page.locator("#text-original .edit[data-lit]")).to_have_text("alors la portion")
    expect(page.locator(".edit-link")).not_to_have_attribute("data-shown", "")
    saved(page, ("op20", ["résilier"], ["mettre fin"]), ("op5", ["alors la portion"], []))
    screenshot("edits")
    rows(page).nth(0).locator("[data-act=remove]").click()
    saved(page, ("op5", ["alors la portion"], []))
    page.locator("#toast [data-undo]").click()
    saved(page, ("op20", ["résilier"], ["mettre fin"]), ("op5", ["alors la portion"], []))


@pytest.mark.both_databases
def test_suggestions_are_taken_over_refused_and_switched_off(marking: Any) -> None:
    page = marking()
    offers = page.locator(OFFERS)
    page.locator("[data-offers] summary").click()
    expect(offers).to_have_count(6)
    expect(page.locator(".edit-offer").first).to_be_visible()
    assert violations(page) == []
    # In the list: taken over, it only lacks its operation.
    offers.filter(has_text="résilier").locator("[data-act=accept]").click()
    expect(page.locator("[role=combobox]")).to_be_focused()
    press(page, "0", "3")
    expect(offers).to_have_count(5)
    # That operation is marked in the simplification alone.
    edits = saved(page, ("op3", [], ["mettre fin à"]))
    assert edits[0]["source"] == "suggested"
    press(page, "Control+z")
    saved(page, ("", ["résilier"], ["mettre fin à"]))
    press(page, "e", "2", "0")
    saved(page, ("op20", ["résilier"], ["mettre fin à"]))
    # In the text: by its keys.
    press(page, "o", "Control+Home", "PageDown", "k")
    press(page, "Escape", "Escape")
    saved(page, ("op20", ["résilier"], ["mettre fin à"]))
    count = offers.count()
    press(page, "o", "Control+End", "PageUp", "Delete")
    expect(offers).to_have_count(count - 1)
    # What was refused stays so, and what is switched off as well.
    page.reload()
    ready(page)
    expect(offers).to_have_count(count - 1)
    page.locator("[data-toggle=offers]").click()
    expect(offers).to_have_count(0)
    expect(page.locator(".edit-offer")).to_have_count(0)
    page.reload()
    ready(page)
    expect(page.locator("[data-toggle=offers]")).to_have_attribute("aria-pressed", "false")
    expect(offers).to_have_count(0)


def test_what_somebody_refused_is_offered_to_who_judges_after_them_in_the_tab(
    marking: Any, log_in: Any
) -> None:
    page = marking()
    offers = page.locator(OFFERS)
    page.locator("[data-offers] summary").click()
    offers.filter(has_text="résilier").locator("[data-act=refuse]").click()
    expect(offers).to_have_count(5)
    page.reload()
    ready(page)
    expect(offers).to_have_count(5)
    another = make_user("another")
    make_annotator(Study.objects.get(key="essai"), another)
    assignments_fill(actor=None, study=Study.objects.get(key="essai"))
    log_in(another)
    page.reload()
    ready(page)
    expect(offers).to_have_count(6)


def test_refused_suggestions_are_an_answer(marking: Any, screenshot: Any) -> None:
    page = marking(protocol=asking(refused="refused"))
    offers = page.locator(OFFERS)
    page.locator("[data-offers] summary").click()
    expect(offers).to_have_count(6)
    refused = page.locator("#id_refused")
    expect(refused).to_be_hidden()
    offers.filter(has_text="résilier").locator("[data-act=refuse]").click()
    expect(offers).to_have_count(5)
    expect(refused.locator("summary")).to_contain_text("(1)")
    press(page, "o", "Control+End", "PageUp", "Delete")
    expect(offers).to_have_count(4)
    kept = draft_with(page, "refused", 2)
    assert [ORIGINAL[slice(*kept[0]["original"][0])]] == ["résilier"]
    # Undone like every answer, and back after the page was.
    page.locator("#toast [data-undo]").click()
    expect(offers).to_have_count(5)
    draft_with(page, "refused", 1)
    page.reload()
    ready(page)
    expect(offers).to_have_count(5)
    refused.locator("summary").click()
    assert violations(page) == []
    screenshot("edits-refused")
    refused.get_by_role("button").click()
    expect(offers).to_have_count(6)
    expect(refused).to_be_hidden()
    assert draft_with(page, "refused", 0) == []
    saved(page)


def test_what_is_not_covered_yet_is_shown(marking: Any) -> None:
    page = marking("Il paie la prime.", "Il règle la prime due.")
    page.locator("[data-toggle=bare]").click()
    bare = page.locator(".edit-bare")
    expect(bare).to_have_text(["paie", "règle", "due"])
    expect(page.locator("[data-bare-count]")).to_have_text(re.compile(r"\b1 .*\b2 "))
    press(page, "o", "ArrowRight", "Enter", "1", "2")
    saved(page, ("op12", ["paie"], ["règle"]))
    expect(bare).to_have_text(["due"])


def test_none_is_an_answer_and_two_hundred_are_no_burden(marking: Any, screenshot: Any) -> None:
    words = " ".join(f"mot{number} reste" for number in range(100))
    page = marking(words, words.replace("reste", "demeure"))
    expect(page.locator("[data-empty]")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Control+s")
    press(page, "o", "ArrowRight", "5")
    saved(page, ("op5", ["reste"], []))
    edits = [
        {
            "type": f"op{5 + number % 4}",
            "original": [[span, span + 4]],
            "simplification": [],
            "note": "",
            "severity": None,
            "source": "hand",
        }
        for number, span in enumerate(range(0, 1000, 5))
    ]
    Draft.objects.update(answers={"edits": edits})
    page.reload()
    ready(page)
    expect(rows(page)).to_have_count(200)
    screenshot("edits-200")
    press(page, "o", "Control+Home", "Delete")
    expect(rows(page)).to_have_count(199)
    press(page, "Control+z")
    expect(rows(page)).to_have_count(200)


@pytest.mark.browser_context_args(
    viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
)
def test_on_a_phone_two_taps_choose_words(marking: Any, screenshot: Any) -> None:
    page = marking()
    expect_found(page, FITS)
    tap(page, "original", "avisé")
    expect_found(page, "getSelection().toString()", "avisé")
    tap(page, "original", "sinistre")
    expect_found(page, "getSelection().toString()", "avisé du sinistre")
    page.locator("[data-hand-act=over]").tap()
    expect(page.locator("#panel-simplification")).to_be_visible()
    tap(page, "simplification", "prévenu")
    expect_found(page, "getSelection().toString()", "prévenu")
    screenshot("edits-phone-1")
    page.locator("[data-all]").tap()
    expect(page.get_by_role("listbox")).to_be_visible()
    screenshot("edits-phone-2")
    page.get_by_role("option", name="synonyme", exact=True).tap()
    saved(page, ("op12", ["avisé du sinistre"], ["prévenu"]))
    screenshot("edits-phone-3")
    assert violations(page) == []
    expect_found(page, FITS)


# Asked for once everything else is there: the pairs that are kept ahead, what keeps them, and what
# sends answers and notes that were left behind. On a slow machine they are there before one looks.
LATE = re.compile(r"/ahead/|/(?:breaks|keeping|leaving|login|notes|own-pair|too-long)\.js")


def test_the_page_weighs_no_more_than_it_may(marking: Any) -> None:
    """kB that would come over the wire at a first load, each file as it is served, with headers."""
    page = marking()
    requests: list[Request] = []
    page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108
    page.reload()
    ready(page)
    urls = {request.url for request in tuple(requests) if request.method == "GET"}
    # Asked for once more: the browser keeps no body of what a page has left.
    got = {url: page.request.get(url).body() for url in sorted(urls) if not LATE.search(url)}
    weighed = sum(wire_size(url, body) for url, body in got.items()) / 1000
    scripts = [url for url in got if "/kinds/edits" in url]
    assert len(scripts) == 9
    assert 30 < weighed <= 93


def wire_size(url: str, body: bytes) -> int:
    """Of a file as ``StaticStorage`` keeps it: without comments, compressed."""
    comments = _COMMENTS.get(PurePosixPath(urlsplit(url).path).suffix)
    text = comments.sub("", body.decode()).encode() if comments else body
    return len(gzip.compress(text)) + HEADERS
