"""The page that marks edits on both texts, by keyboard alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft
from tests.browser.edits.driving import press, ready, rows, saved
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_found

pytestmark = pytest.mark.django_db(transaction=True)


def expect_chosen(page: Page, words: str) -> None:
    expect_found(page, "getSelection().toString()", words)


def test_an_edit_on_each_side_takes_one_key_beyond_its_words_and_its_type(marking: Any) -> None:
    page = marking()
    press(page, "o", "ArrowRight")
    expect_chosen(page, "assureur")
    # What is only in the simplification, only in the original: no key beyond.
    press(page, "s", "Control+End", "ArrowLeft", "0", "1")
    saved(page, ("op1", [], ["prime"]))
    press(page, "o", "5")
    saved(page, ("op1", [], ["prime"]), ("op5", ["assureur"], []))
    # Back behind its words: «qui n'est pas avisé du sinistre» are passed over.
    expect_chosen(page, "qui")
    press(page, *["ArrowRight"] * 7)
    expect_chosen(page, "peut")
    press(page, "ArrowRight")
    expect_chosen(page, "résilier")
    # In both: Enter goes over, to the words that stand there.
    press(page, "Enter")
    expect_chosen(page, "mettre")
    press(page, "Shift+ArrowRight", "Shift+ArrowRight", "2", "0")
    saved(
        page,
        ("op1", [], ["prime"]),
        ("op5", ["assureur"], []),
        ("op20", ["résilier"], ["mettre fin à"]),
    )
    expect_chosen(page, "la")
    expect(page.locator("#text-original")).to_be_focused()
    expect(rows(page)).to_have_count(3)
    expect(rows(page).nth(2)).to_have_attribute("aria-label", re.compile("3.*périphrase"))
    assert violations(page) == []


def test_passages_apart_on_both_sides_and_several_edits_on_one_word(marking: Any) -> None:
    page = marking()
    press(page, "o", "ArrowRight", "ArrowRight", " ")
    press(page, *["ArrowRight"] * 4, "Shift+ArrowRight", " ")
    press(page, "s", "ArrowRight", " ", "ArrowRight", "Shift+ArrowLeft", "Enter")
    expect(page.locator("#text-original")).to_be_focused()
    press(page, "9")
    passages = ["qui", "avisé du"]
    saved(page, ("op9", passages, ["assureur peut"]))
    # Once more on some of the same words, and once more: lanes tell them apart.
    press(page, "o", *["ArrowLeft"] * 2)
    expect_chosen(page, "avisé")
    press(page, "5", "ArrowLeft", "6")
    saved(
        page,
        ("op9", passages, ["assureur peut"]),
        ("op5", ["avisé"], []),
        ("op6", ["avisé"], []),
    )
    lanes = page.evaluate(
        "[...document.querySelectorAll('#text-original .edit')]"
        ".filter((one) => one.textContent === 'avisé').map((one) => one.dataset.lane)"
    )
    assert sorted(lanes) == ["0", "1", "2"]


def test_the_operation_is_found_by_the_beginning_of_a_word(marking: Any) -> None:
    page = marking()
    box = page.locator("[role=combobox]")
    press(page, "o", "ArrowRight", "e")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-expanded", "true")
    options = page.get_by_role("option")
    expect(options).to_have_count(26)
    assert violations(page) == []
    page.keyboard.type("depl")
    expect(options).to_have_count(3)
    press(page, "ArrowDown")
    active = box.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_have_text("10 proposition déplacée")
    press(page, "Escape")
    expect(page.locator("#text-original")).to_be_focused()
    expect(rows(page)).to_have_count(0)
    press(page, "e")
    page.keyboard.type("référence")
    press(page, "Enter")
    saved(page, ("op7", ["assureur"], []))
    # Nothing fits: nothing is chosen.
    press(page, "e")
    page.keyboard.type("zzz")
    expect(page.get_by_text("Rien ne correspond.")).to_be_visible()
    press(page, "Enter", "Escape")
    expect(rows(page)).to_have_count(1)


@pytest.mark.both_databases
def test_changed_split_removed_undone_and_redone_to_any_depth(marking: Any) -> None:
    page = marking()
    states: list[Any] = [[]]

    def stands(*edits: tuple[str, list[str], list[str]]) -> None:
        saved(page, *edits)
        states.append([*edits])

    press(page, "o", "ArrowRight", " ", "ArrowRight", "ArrowRight", "ArrowRight")
    states.append([("", ["assureur"], [])])
    press(page, " ")
    stands(("", ["assureur", "est"], []))
    press(page, "5")
    stands(("op5", ["assureur", "est"], []))
    # Another operation, from the row.
    row = rows(page).nth(0)
    row.locator("[data-act=type]").focus()
    press(page, "8")
    stands(("op8", ["assureur", "est"], []))
    expect(row.locator("[data-act=type]")).to_be_focused()
    # Its words: in hand again, one more.
    row.locator("[data-act=take]").press("Enter")
    press(page, "o", "Control+End", " ")
    stands(("op8", ["assureur", "est", "."], []))
    press(page, "Escape", "ArrowLeft")
    row.locator("[data-act=split]").press("Enter")
    stands(("op8", ["assureur"], []), ("op8", ["est"], []), ("op8", ["."], []))
    rows(page).nth(1).locator("[data-act=remove]").press("Enter")
    stands(("op8", ["assureur"], []), ("op8", ["."], []))
    press(page, "Delete")
    stands(("op8", ["assureur"], []))
    for former in reversed(states[:-1]):
        page.keyboard.press("Control+z")
        if former:
            saved(page, *former)
        else:
            expect(rows(page)).to_have_count(0)
    for later in states[1:]:
        page.keyboard.press("Control+y")
        saved(page, *later)


def test_words_at_hand_are_split_off(marking: Any) -> None:
    page = marking()
    press(page, "o", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "5")
    saved(page, ("op5", ["assureur qui n'"], []))
    press(page, "ArrowLeft", "ArrowLeft")
    expect_chosen(page, "qui")
    rows(page).locator("[data-act=split]").press("Enter")
    saved(page, ("op5", ["assureur", "n'"], []), ("op5", ["qui"], []))


def test_an_operation_that_lacks_words_of_the_other_text_asks_for_them(marking: Any) -> None:
    page = marking()
    press(page, "o", "ArrowRight", "1", "2")
    expect(page.locator("#text-simplification")).to_be_focused()
    expect(page.locator("#toast")).to_contain_text("synonyme")
    expect(rows(page).locator("[data-quote=simplification][data-lacking]")).to_be_visible()
    expect_chosen(page, "assureur")
    press(page, "Enter")
    saved(page, ("op12", ["assureur"], ["assureur"]))
    expect(page.locator("#text-original")).to_be_focused()
    # One that is not marked there lets go of them; undone with it.
    rows(page).locator("[data-act=type]").press("0")
    press(page, "2")
    saved(page, ("op2", [], ["assureur"]))
    press(page, "Control+z")
    saved(page, ("op12", ["assureur"], ["assureur"]))


def test_where_one_was_is_there_after_a_reload(marking: Any) -> None:
    page = marking()
    press(page, "o", "ArrowRight", "5", "ArrowRight", " ")
    kept: tuple[tuple[str, list[str], list[str]], ...] = (
        ("op5", ["assureur"], []),
        ("", ["n'"], []),
    )
    before = saved(page, *kept)
    rows(page).nth(0).locator("[data-part=note]").fill("à vérifier")
    rows(page).nth(0).locator("[data-part=severity]").select_option("heavy")
    saved(page, *kept, first={"note": "à vérifier", "severity": "heavy"})
    page.reload()
    ready(page)
    expect(rows(page)).to_have_count(2)
    expect(rows(page).nth(0).locator("[data-part=note]")).to_have_value("à vérifier")
    # What has no operation yet is still in hand, and submitting brings one to it.
    expect(rows(page).nth(1)).to_have_attribute("data-hand", "")
    saved(page, *kept)
    now = Draft.objects.get().answers["edits"]
    assert now[0] == before[0] | {"note": "à vérifier", "severity": "heavy"}
    assert now[1] == before[1]
    page.locator("[role=combobox]").focus()
    press(page, "6")
    saved(page, ("op5", ["assureur"], []), ("op6", ["n'"], []))


def test_words_that_an_operation_of_one_text_takes_out_of_an_edit_are_named(marking: Any) -> None:
    """Chosen for an edit in hand, and for one that had another operation."""
    page = marking()
    toast = page.locator("#toast")
    press(page, "o", "ArrowRight", "Enter", " ", "0", "5")
    saved(page, ("op5", ["assureur"], []))
    expect(toast).to_contain_text("; « assureur » n'en fait plus partie")
    press(page, "z")
    expect(rows(page)).to_have_count(1)
    press(page, "2", "0")
    expect(toast).to_contain_text("périphrase.")
    expect(toast).not_to_contain_text("n'en fait plus partie")
    rows(page).first.locator("[data-act=type]").click()
    press(page, "0", "5")
    expect(toast).to_contain_text("n'en fait plus partie")
