"""A silent repeat stands where the first answer stood: what a browser keeps of that is not shown on
it, nor counted to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Assignment, Draft, StudyPlan
from annotation.services.planning.repeats import repeats_offer
from tests.browser.database import LIES
from tests.browser.network import back_online, close_offline
from tests.browser.test_copies import (
    LOCAL,
    expect_comment,
    expect_status,
    open_pair,
    type_comment,
)
from tests.browser.waiting import expect_found
from tests.planning import days_pass, rows, submit

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "une correction tapée hors ligne"


@pytest.fixture
def judged(make_student: Any) -> Assignment:
    """One pair of the student's, judged eight days ago."""
    make_student(pairs=1)
    assignment = Assignment.objects.select_related("annotator__study").get()
    submit(rows(assignment.annotator.study)[0])
    days_pass(assignment.annotator.study, 8)
    return assignment


@pytest.fixture
def offer(judged: Assignment) -> Callable[[], None]:
    """Offers that pair again."""

    def offered() -> None:
        study = judged.annotator.study
        StudyPlan.objects.create(study=study, repeat_percent=100, repeat_after_days=7)
        assert repeats_offer(study=study) == 1

    return offered


def test_a_repeat_begins_at_nought(
    page: Page, live_server: Any, judged: Assignment, offer: Callable[[], None]
) -> None:
    open_pair(page, live_server)
    page.evaluate("""() => {
      const { user, assignment } = document.getElementById("judge").dataset;
      localStorage.setItem(`bareme:v1:seconds:${user}:essai:1`, "48");
      localStorage.setItem(`bareme:v2:seconds:${user}:${assignment}`, "3720");
    }""")
    open_pair(page, live_server)
    expect(page.locator("[data-clock]")).to_contain_text("62:")
    offer()
    open_pair(page, live_server)
    expect(page.locator("[data-clock]")).to_contain_text("0:0")
    expect_found(page, "Object.keys(localStorage).filter((key) => key.includes(':v1:seconds'))", [])


@pytest.mark.both_databases
@pytest.mark.parametrize("by", ["the home page", "the pair itself"])
def test_a_correction_that_waited_is_not_shown_on_the_repeat(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    judged: Assignment,
    offer: Callable[[], None],
    by: str,
) -> None:
    open_pair(page, live_server)
    expect_comment(page).to_have_value("")
    context.set_offline(True)
    type_comment(page, WORDS)
    expect_status(page).to_contain_text(LOCAL)
    close_offline(page)
    offer()
    back_online(context)
    other = context.new_page()
    if by == "the home page":
        with other.expect_response("**/1/draft/") as saved:
            other.goto(live_server.url)
        assert saved.value.status == 200
        expect(other.locator("#unsent")).to_contain_text("envoyées")
        open_pair(other, live_server)
    else:
        with other.expect_response("**/1/draft/"):
            open_pair(other, live_server)
    expect_comment(other).to_have_value("")
    expect(other.locator("dialog.conflict")).to_have_count(0)
    expect(other.locator("#other-notices p")).to_have_count(0)
    expect_found(other, f"async () => (await ({LIES})('copies')).length", 0)
    draft = Draft.objects.get()
    assert (draft.assignment_id, draft.answers["comment"]) == (judged.pk, WORDS)
    # The repeat takes answers of its own.
    type_comment(other, "du second regard")
    expect_status(other).to_contain_text("Enregistré à")
    own = Draft.objects.exclude(assignment=judged).get()
    assert own.answers["comment"] == "du second regard"


def test_a_page_that_was_open_goes_on_with_the_first(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    judged: Assignment,
    offer: Callable[[], None],
) -> None:
    open_pair(page, live_server)
    offer()
    other = open_pair(context.new_page(), live_server)
    type_comment(other, "du second regard")
    expect_status(other).to_contain_text("Enregistré à")
    page.bring_to_front()
    type_comment(page, WORDS)
    expect_status(page).to_contain_text("Enregistré à")
    expect(page.locator("dialog.conflict")).to_have_count(0)
    assert Draft.objects.get(assignment=judged).answers["comment"] == WORDS
    own = Draft.objects.exclude(assignment=judged).get()
    assert own.answers["comment"] == "du second regard"
    expect_comment(other).to_have_value("du second regard")
    expect(other.locator("#choice-again")).to_be_hidden()


def test_a_copy_of_an_earlier_version_that_is_the_first_s_is_not_shown(
    page: Page, live_server: Any, judged: Assignment, offer: Callable[[], None]
) -> None:
    """It does not say which assignment it is of, but builds on a save: this one has had none."""
    open_pair(page, live_server)
    page.evaluate(
        """(words) => {
          const { user } = document.getElementById("judge").dataset;
          const answers = JSON.parse(document.getElementById("judge-state").textContent).answers;
          const copy = {
            study: "essai", position: 1, page: "a", pair: "Paire 1", href: "/annotate/essai/1/",
            draft_url: "/annotate/essai/1/draft/", submit_url: "/annotate/essai/1/submit/",
            base_revision: 1, acknowledged: "", answers: { ...answers, comment: words },
            active_seconds: 3, changed_at: 5, intent: "draft", sent: null,
          };
          const spare = { user, page: "a", text: JSON.stringify(copy), order: 1 };
          localStorage.setItem(`bareme:v2:copy:${user}:a`, JSON.stringify(spare));
        }""",
        WORDS,
    )
    offer()
    with page.expect_response("**/1/draft/") as saved:
        open_pair(page, live_server)
    assert saved.value.status == 200
    expect_comment(page).to_have_value("")
    assert Draft.objects.get().assignment_id == judged.pk
