"""What was begun and not chosen yet when a pair is submitted or left: a number that is typed
counts, and nothing else is lost without a word."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft, ErrorDeduction, Rating
from annotation.protocols.base import Option, Wording
from annotation.protocols.kinds import Choices
from annotation.protocols.protocol import Protocol, Step
from tests.browser.edits.driving import draft_with, press, ready, rows, saved
from tests.browser.waiting import expect_found
from tests.processes import until
from tests.protocols.samples.marked import asking

pytestmark = pytest.mark.django_db(transaction=True)

SELECTED: tuple[str, list[str], list[str]] = ("op5", ["L'assureur qui"], [])


def select(page: Page) -> None:
    """The first words of the original."""
    press(page, "o", "Control+Home", *["Shift+ArrowRight"] * 2)
    expect_found(page, "getSelection().toString()", "L'assureur qui")


def box(page: Page) -> Any:
    return page.locator("[role=combobox]")


def begin(page: Page, number: str) -> None:
    """A number with which others begin: the field waits for another digit."""
    select(page)
    press(page, number)
    expect(box(page)).to_have_value(number)
    expect(rows(page)).to_have_count(0)


def test_suggestions_are_named_in_the_form_of_the_language(marking: Any) -> None:
    """Before a colon stands a space in French alone."""
    page = marking(protocol=asking(refused="none"))
    offer = page.locator("[data-offer]").first
    names = {act: offer.locator(f"[data-act={act}]") for act in ("accept", "refuse")}
    for button in names.values():
        expect(button).to_have_attribute("aria-label", re.compile(r"^.+: .+ → .+$"))
        expect(button).not_to_have_attribute("aria-label", re.compile(r"[{}]"))
    names["refuse"].evaluate("button => { button.closest('details').open = true; button.click(); }")
    again = page.locator("#id_none li button")
    expect(again).to_have_attribute("aria-label", re.compile(r"^.+: .+ → .+$"))


def test_a_digit_of_several_of_many_is_submitted(marking: Any) -> None:
    """Of twelve options each has two digits: one alone waits for the other."""
    options = tuple(
        Option(number, f"way{number}", Wording(f"façon {number}", f"way {number}"))
        for number in range(1, 13)
    )
    label = Wording("Comment?", "How?")
    question = Choices("ways", label=label, required=True, options=options)
    page = marking(
        protocol=Protocol(
            key="marked", version="1", title=label, steps=(Step("ways", label, (question,)),)
        )
    )
    press(page, "0", "3", "1", "Control+Enter")
    until(lambda: Rating.objects.filter(value=1).count() == 2)
    chosen = Rating.objects.filter(value=1).values_list("dimension", flat=True)
    assert sorted(chosen) == ["ways_way1", "ways_way3"]


def submitted(key: str) -> None:
    """The only edit of the only pair that was submitted is of this operation."""
    until(lambda: ErrorDeduction.objects.count() == 1)
    assert ErrorDeduction.objects.get().type == key


@pytest.mark.both_databases
@pytest.mark.parametrize("way", ["key", "button"])
def test_a_number_that_waits_for_a_digit_is_submitted(marking: Any, way: str) -> None:
    page = marking()
    press(page, "s", "Control+Home", "Shift+ArrowRight", "2")
    expect(box(page)).to_have_value("2")
    if way == "key":
        press(page, "Control+Enter")
    else:
        page.locator("#submit").click()
    submitted("op2")


def test_a_number_holds_as_soon_as_its_field_is_left(marking: Any) -> None:
    page = marking()
    begin(page, "2")
    page.locator("#submit").focus()
    # Of the other text: it is kept, with what it lacks.
    expect(rows(page)).to_have_count(1)
    expect(page.locator("#submit")).to_be_focused()
    expect(box(page)).to_have_value("")
    assert [edit["type"] for edit in draft_with(page, "edits", 1)] == ["op2"]


def test_whoever_goes_back_to_the_words_chooses_others(marking: Any) -> None:
    page = marking()
    begin(page, "1")
    page.locator("#text-original").click()
    expect(box(page)).to_have_value("")
    select(page)
    press(page, "0", "5")
    saved(page, SELECTED)


def test_a_page_that_is_left_keeps_the_number(marking: Any) -> None:
    page = marking()
    press(page, "s", "Control+Home", "2")
    expect(box(page)).to_have_value("2")
    pair = page.url
    # What is sent as the page goes is stored in its own time: a page loaded at once may be before.
    page.goto("about:blank")
    until(lambda: any(draft.answers["edits"] for draft in Draft.objects.all()))
    page.goto(pair)
    ready(page)
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_have_attribute("aria-label", re.compile("exemple"))


def test_a_number_for_an_edit_of_the_list_counts(marking: Any) -> None:
    page = marking()
    select(page)
    press(page, "0", "5")
    saved(page, SELECTED)
    rows(page).locator("[data-act=type]").focus()
    press(page, "2")
    expect(box(page)).to_have_value("2")
    page.locator("[data-act=take]").focus()
    saved(page, ("op2", [], []))


def test_words_that_are_selected_hold_the_submission_once(marking: Any) -> None:
    page = marking()
    notice = page.locator("#toast")
    select(page)
    press(page, "Control+Enter")
    expect(notice).to_contain_text(re.compile("sélectionnés|selected"))
    # There a number can be given at once.
    expect(box(page)).to_be_focused()
    page.keyboard.type("05")
    saved(page, SELECTED)
    # Others than those.
    press(page, "o", "Control+End", *["Shift+ArrowLeft"] * 2, "Control+Enter")
    expect(box(page)).to_be_focused()
    press(page, "Control+Enter")
    submitted("op5")


@pytest.mark.parametrize("written", ["0", "référ"])
def test_what_is_no_number_of_an_operation_holds_the_submission(marking: Any, written: str) -> None:
    page = marking()
    notice = page.locator("#toast")
    press(page, "o", "Control+Home", "e")
    expect(box(page)).to_be_focused()
    page.keyboard.type(written)
    press(page, "Control+Enter")
    expect(notice).to_contain_text(re.compile(f"[“«].?{written}"))
    expect(box(page)).to_have_value(written)
    # Also where the button was clicked, for which the field is left.
    page.locator("#private-note summary").focus()
    expect(box(page)).to_have_value("")
    press(page, "Control+Enter")
    expect(notice).to_contain_text(re.compile(f"[“«].?{written}"))
    expect(page.locator("main[data-ready]")).to_be_attached()
    assert ErrorDeduction.objects.count() == 0
