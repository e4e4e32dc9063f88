"""Agreement on marks in a real browser: accessible, narrow, from the matrix to the pair."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Study
from annotation.protocols.tokens import Cut, tokens
from annotation.services.planning.assignments import assignments_fill
from tests.browser.test_agreement import violations
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.protocols.judged import answer

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = ("synonym", "hyperonym", "delmod", "deloth", "move", "inoth", "verbf")
TEXT = "Le preneur qui quitte les lieux avant terme rend les clés au bailleur le jour même"
SIMPLE = "Le locataire qui part plus tôt rend les clés au propriétaire ce jour là"


def _edit(rng: random.Random) -> dict[str, Any]:
    kind = rng.choice(KINDS)
    its, other = (rng.choice(tokens(text, Cut.WORDS)) for text in (TEXT, SIMPLE))
    return {
        "type": kind,
        "original": [] if kind == "inoth" else [list(its)],
        "simplification": [] if kind.startswith("del") else [list(other)],
    }


@pytest.fixture
def marked(live_server: Any, log_in: Any) -> Study:
    lead = make_user("responsable")
    study = make_study(
        "alpha", lead=lead, protocol_key="assetann", protocol_version="1", state="main"
    )
    for number in range(8):
        make_pair(study, original=f"{TEXT} {number}", text=SIMPLE)
    for name in "ABC":
        make_annotator(study, pseudonym=name)
    assignments_fill(actor=None, study=study)
    for place, row in enumerate(Assignment.objects.order_by("simplification", "annotator")):
        # Who marks a pair mostly sees what the others see. Drawn by place: a row's number depends
        # on the tests before.
        rng = random.Random(place // 3)
        edits = [_edit(rng) for _number in range(4)]
        own = random.Random(100 + place)
        edits = [_edit(own) if own.random() < 0.3 else edit for edit in edits]
        answer(row, {"edits": edits})
    Study.objects.filter(pk=study.pk).update(state="closed", is_blind=False)
    log_in(lead)
    return study


def test_from_the_matrix_to_the_pair(
    page: Page, live_server: Any, marked: Study, screenshot: Any
) -> None:
    page.goto(f"{live_server.url}/studies/alpha/agreement/")
    page.locator('a[href="/studies/alpha/agreement/marks/"]').click()
    page.wait_for_url("**/agreement/marks/")
    screenshot("marks-agreement", full_page=True)
    assert violations(page) == []
    page.reload()
    page.locator("details.card:has(textarea) summary").click()
    page.locator('input[name="merge"][value="deletions"]').check()
    page.locator('textarea[name="groups"]').fill("word = synonym, hyperonym")
    page.locator('form button:has-text("Appliquer")').click()
    page.wait_for_url("**groups=word**")
    expect(page.locator("#agreement-2")).to_be_visible()
    page.locator("section:has(#matrix) tbody a").first.click()
    page.wait_for_url("**first=**")
    screenshot("marks-agreement-cell", full_page=True)
    page.locator("#cell a").first.click()
    page.wait_for_url("**/agreement/items/**")
    expect(page.locator("h1")).to_be_visible()
    screenshot("marks-item", full_page=True)
    assert violations(page) == []


def test_on_a_phone_nothing_is_wider_than_the_page(
    page: Page, live_server: Any, marked: Study, screenshot: Any
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{live_server.url}/studies/alpha/agreement/marks/?merge=deletions")
    expect(page.locator("#matrix")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    screenshot("marks-agreement-phone", full_page=True)
