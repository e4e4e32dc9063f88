"""The judging page of protocols that are not FrJUDGE's: put together from their fields, judged by
keyboard alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.apps import publish
from annotation.models import Draft, Judgment, PublishedProtocol, Study
from annotation.protocols.registry import CONTENTS, PROTOCOLS, SOURCES
from annotation.services.planning.assignments import assignments_fill
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_found, expect_step
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.processes import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "L'assureur paie les frais numéro {number}. L'assuré doit aviser."
FITS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture
def make_judging(page: Page, live_server: Any, log_in: Any) -> Any:
    """Opens the first pair of a study of a protocol."""

    def made(key: str, version: str) -> Study:
        page.set_viewport_size({"width": 1366, "height": 768})
        study = make_study("essai", state="main", protocol_key=key, protocol_version=version)
        for number in range(2):
            make_pair(study, text=TEXT.format(number=number), language="fr")
        user = make_user("student")
        make_annotator(study, user)
        assignments_fill(actor=None, study=study)
        log_in(user)
        page.goto(f"{live_server.url}/annotate/essai/1/")
        ready(page)
        return study

    return made


def ready(page: Page) -> None:
    expect(page.locator("main[data-ready][data-synced]:not([data-unknown])")).to_be_attached()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(
    page: Page, of: Callable[[Any], Any] = lambda answer: answer, **expected: Any
) -> dict[str, Any]:
    """What the draft holds, once it says what is expected ``of`` its answers."""
    page.keyboard.press("Control+s")
    until = time.monotonic() + PATIENCE / 2
    while True:
        answers = getattr(Draft.objects.first(), "answers", {})
        if {name: of(answers.get(name)) for name in expected} == expected:
            return dict(answers)
        assert time.monotonic() < until, f"{answers} rather than {expected}"
        page.wait_for_timeout(50)


def types(marks: list[dict[str, Any]] | None) -> list[str]:
    return [mark["type"] for mark in marks or ()]


@pytest.mark.both_databases
def test_a_pair_with_one_field_of_each_kind_by_keyboard_alone(
    page: Page, make_judging: Any, screenshot: Any
) -> None:
    make_judging("everything", "1")
    first_step(page)
    screenshot("any-1")
    second_step(page)
    screenshot("any-2")
    answers = third_step(page)
    screenshot("any-3")
    # All of it is there again.
    page.reload()
    ready(page)
    expect(page.locator("[data-answered]")).to_have_count(3)
    saved(page, **answers)
    window = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 740})
    for number in (3, 2, 1):
        page.locator(f"[data-open='{number}']").click()
        expect_step(page, number)
        expect_found(page, FITS)
        screenshot(f"any-phone-{number}")
    page.set_viewport_size(window)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/annotate/essai/2/")
    ratings = {rating.dimension: rating.value for rating in Judgment.objects.get().ratings.all()}
    assert (ratings["share"], ratings["warmth"], ratings["worth"]) == (11, 60, 19)
    assert ratings["changes_shorter"] == ratings["ease"] == 0


def test_a_digit_after_words_is_for_no_earlier_list(page: Page, make_judging: Any) -> None:
    """Several of several take digit after digit, but not across a text that was written between."""
    make_judging("everything", "1")
    press(page, "3")
    page.keyboard.type("des voisins")
    page.keyboard.press("Escape")
    press(page, "1")
    saved(page, reader=3, changes=[10])
    page.locator("#id_reason").focus()
    page.keyboard.type(" et d'autres")
    press(page, "Escape", "0")
    saved(page, reader=3, reason="des voisins et d'autres", changes=[10])


def first_step(page: Page) -> None:
    """A choice, a text that one of its options asks for, several of several."""
    # The step shows the simplification alone.
    expect(page.locator("#panel-original")).to_be_hidden()
    # What differs would tell of the other text.
    page.keyboard.press("d")
    expect(page.locator("#toggle-differences, #diff-legend").filter(visible=True)).to_have_count(0)
    expect(page.locator("#title-simplification")).to_have_text("Après")
    expect(page.locator("#id_reason")).to_be_hidden()
    # How to come to a score is said at the step that has the brackets.
    expect(page.locator("#foot #score-text, .foot #score-text")).to_be_hidden()
    assert violations(page) == []
    press(page, "3")
    expect(page.locator("#id_reason")).to_be_focused()
    page.keyboard.type("des voisins")
    page.keyboard.press("Escape")
    # Digits answer what has the focus, else the first that has no answer yet.
    page.locator("#id_reader input").first.focus()
    press(page, "1")
    expect(page.locator("#id_reason"), "what was typed is never hidden").to_be_visible()
    page.locator("#step-1-title").focus()
    # Several of several: digits put in and take out, 0 says that none holds.
    press(page, "1", "2", "1")
    saved(page, changes=[20])
    press(page, "0")
    saved(page, changes=[])


def second_step(page: Page) -> None:
    """A scale of which 0 is one level, two numbers on a line."""
    press(page, "Enter")
    expect_step(page, 2)
    expect(page.locator("#panel-original")).to_be_visible()
    assert violations(page) == []
    # 0 is an answer: of a scale, and of a number on a line.
    press(page, "0")
    expect(page.locator("input[name=ease][value='0']")).to_be_checked()
    expect(page.locator("#id_share")).to_have_value("")
    expect(page.locator("[data-field=share] [data-range]")).to_have_attribute("data-unset", "")
    page.locator("#id_share").focus()
    page.keyboard.type("140")
    expect(page.locator("[data-field=share] [data-invalid]")).to_be_visible()
    press(page, "Backspace", "Backspace", "Backspace", "0")
    expect(page.locator("[data-field=share] [data-invalid]")).to_be_hidden()
    saved(page, ease=0, share=0, warmth=None)
    press(page, "PageUp", "ArrowUp", "ArrowDown", "ArrowUp")
    saved(page, share=11)
    page.locator("[data-field=warmth] [data-range]").focus()
    press(page, "End", "ArrowLeft")
    saved(page, warmth=55)
    page.locator("#step-2-title").focus()
    press(page, "z")
    expect(page.locator("#id_warmth")).to_have_value("60")


def third_step(page: Page) -> dict[str, Any]:
    """Brackets with marks that take points off, a flag at the foot."""
    press(page, "Enter")
    expect_step(page, 3)
    assert violations(page) == []
    press(page, "2", "e", "1")
    expect(page.locator("select[name=flaws-0-type]")).to_have_value("typo")
    press(page, "Escape", "u")
    expect(page.locator("#id_unsure")).to_be_checked()
    expect(page.locator("#score-text")).to_contain_text("19 sur 20")
    answers = saved(page, tier=2, unsure=True, reason="des voisins")
    assert [flaw["type"] for flaw in answers["flaws"]] == ["typo"]
    return answers


def test_a_first_step_that_requires_nothing_is_where_a_pair_begins(
    page: Page, make_judging: Any
) -> None:
    """Else nobody would ever be asked what it asks; and numbers below 0 are typed anywhere."""
    make_judging("mixed", "1.0")
    expect_step(page, 1)
    expect(page.locator("[data-open='3'], [data-open='4']").first).to_be_disabled()
    press(page, "Enter")
    expect_step(page, 2)
    press(page, "0", "Enter")
    expect_step(page, 3)
    # The sign goes where its digits go, wherever the focus is.
    page.keyboard.type("-45")
    expect(page.locator("#id_balance")).to_have_value("-45")
    press(page, "Enter", "2")
    saved(page, losses=[], balance=-45, clarity=2)
    page.reload()
    ready(page)
    expect_step(page, 4)
    # Of a clear clause no changes are asked for, and none are missed.
    expect(page.locator("[data-field=changes]")).to_be_hidden()
    press(page, "Control+Enter")
    page.wait_for_url("**/annotate/essai/2/")
    ratings = {rating.dimension: rating.value for rating in Judgment.objects.get().ratings.all()}
    assert ratings["balance"] == -45
    assert "changes_number" not in ratings


def test_edits_that_are_asked_for_are_missed(page: Page, make_judging: Any) -> None:
    make_judging("mixed", "1.0")
    press(page, "Enter", "0", "Enter")
    expect_step(page, 3)
    page.keyboard.type("5")
    # Two questions that need no answer are left without one.
    press(page, "Enter", "1", "Enter", "Enter", "Enter")
    expect_step(page, 4)
    expect(page.locator("[data-field=changes]")).to_be_visible()
    press(page, "Control+Enter")
    expect(page.locator("[data-field=changes] .field__problem").first).to_be_visible()
    assert not Judgment.objects.exists()


def test_words_are_marked_for_either_of_two_lists(
    page: Page, make_judging: Any, screenshot: Any
) -> None:
    """The menu offers what both lists of the step take, each under digits of its own; a list that
    is not asked for takes nothing."""
    make_judging("mixed", "1.0")
    press(page, "Enter")
    expect_step(page, 2)
    menu = page.locator("#error-menu")
    select_words(page)
    expect(menu.locator("[data-of-field]:visible")).to_have_count(2)
    expect(menu.locator("[data-of-field=gaps]:visible")).to_have_count(0)
    press(page, "Escape", "Escape", "2")
    expect(page.locator("[data-field=gaps]")).to_be_visible()
    select_words(page)
    expect(menu.locator("[data-of-field]:visible [data-digit]")).to_have_text(list("1234"))
    expect(menu).to_contain_text("autre réussite Réussites")
    screenshot("any-two-lists")
    press(page, "4")
    select_words(page)
    press(page, "2")
    expect(page.locator("#panel-original .mark, #panel-simplification .mark")).to_have_count(2)
    answers = saved(page, of=types, gaps=["other"], praise=["other"])
    assert answers["losses"] == [2]
    praise = page.locator("[data-field=praise]")
    expect(praise).to_contain_text("Ajouter une marque sans passage")
    expect(praise).not_to_contain_text("rreur")
    expect(page.locator("[data-field=gaps]")).to_contain_text("Ajouter une erreur sans passage")
    expect(praise.locator("q").first).to_have_attribute("lang", "en")


def select_words(page: Page) -> None:
    """The next few characters of the simplification, by keyboard."""
    press(page, "s", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    expect(page.locator("#error-menu")).to_be_visible()


def test_three_scales_take_three_digits(page: Page, make_judging: Any) -> None:
    make_judging("plain", "2.0")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    kinds = sorted(name.split("/")[-1] for name in loaded if "/kinds/" in name)
    assert kinds == ["choice.js"], "a kind's script comes only where the protocol has it"
    expect(page.locator("#score-text, #error-menu, .foot input")).to_have_count(0)
    expect(page.locator("[aria-describedby=text-hint]")).to_have_count(0)
    press(page, "2", "5", "7")
    saved(page, clarity=2, adequacy=5, style=7)
    expect_step(page, 3)
    press(page, "z")
    expect(page.locator("[name=style]:checked")).to_have_count(0)
    press(page, "Backspace", "Backspace", "1")
    saved(page, clarity=1)


def test_enter_passes_over_no_answer_that_could_still_be_given(
    page: Page, make_judging: Any
) -> None:
    """In a field it goes to the next one of the step that is open, required or not; from an empty
    text as well, which takes no line break before its first word."""
    make_judging("everything", "1")
    press(page, "3")
    expect(page.locator("#id_reason")).to_be_focused()
    page.keyboard.type("des voisins")
    press(page, "Tab", "2", "Enter")
    expect_step(page, 2)
    press(page, "0")
    page.locator("[name=ease]:checked").focus()
    press(page, "Enter")
    expect(page.locator("#id_warmth")).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#id_share")).to_be_focused()
    page.keyboard.type("50")
    press(page, "Enter")
    expect_step(page, 3)
    press(page, "2")
    page.locator("#id_readings").focus()
    page.keyboard.type("4")
    press(page, "Enter")
    expect(page.locator("#id_tired")).to_be_focused()
    press(page, "Enter")
    # A remark to the leads is no question; it is passed over.
    expect(page.locator("#submit")).to_be_focused()
    saved(page, reason="des voisins", ease=0, share=50, readings=4, tired=False)


def test_enter_in_an_empty_text_goes_on_and_in_one_with_words_begins_a_line(
    page: Page, make_judging: Any
) -> None:
    make_judging("mixed", "1.0")
    page.locator("#id_reason").focus()
    for expected in ("#id_hasty", "[name=register] >> nth=0"):
        press(page, "Enter")
        expect(page.locator(expected)).to_be_focused()
    press(page, "Enter")
    expect_step(page, 2)
    press(page, "Backspace")
    expect_step(page, 1)
    page.locator("#id_reason").focus()
    page.keyboard.type("un")
    press(page, "Enter")
    page.keyboard.type("deux")
    saved(page, reason="un\ndeux")
    expect_step(page, 1)


def test_a_number_that_cannot_be_sent_keeps_nothing_else_and_is_not_lost(
    page: Page, make_judging: Any
) -> None:
    """Out of bounds: the rest of the pair is saved, and submitting brings one to the number."""
    make_judging("everything", "1")
    page.locator("[data-open='1']").click()
    press(page, "1", "Enter")
    page.locator("#id_warmth").fill("7")
    page.locator("#id_readings").evaluate("element => { element.value = '42'; }")
    page.locator("#id_readings").dispatch_event("input")
    saved(page, reader=1, warmth=None, readings=None)
    expect(page.locator("[data-field=readings] [data-wrong]")).to_be_attached()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#id_warmth")).to_be_focused()
    # Whatever goes out next goes out after a submission, had there been one.
    page.locator("#id_unsure").check()
    saved(page, unsure=True)
    assert not Judgment.objects.exists()
    expect(page.locator("#id_warmth")).to_have_value("7")


def test_a_pair_whose_kinds_are_gone_is_read_and_sends_nothing(
    page: Page, make_judging: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that no control of the page can hold is not taken for a change."""
    make_judging("plain", "2.0")
    press(page, "2", "5")
    saved(page, clarity=2, adequacy=5)
    Draft.objects.update(answers={"clarity": {"deep": [2]}, "adequacy": 5, "style": None})
    kept = PublishedProtocol.objects.get(key="plain")
    before = deepcopy(kept.description)
    kept.description["steps"][0]["fields"][0]["_class"] = "Gone"
    kept.save()
    monkeypatch.delitem(PROTOCOLS, ("plain", "2.0"))
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.goto(page.url)
    expect(page.locator("main[data-ready][data-editable='0']")).to_be_attached()
    expect(page.locator("#submit")).to_be_hidden()
    expect(page.locator("[data-field=clarity] [data-lines]")).to_contain_text("2")
    assert not violations(page)
    page.goto(page.url.replace("/1/", "/2/"))
    expect(page.locator("main[data-ready]")).to_be_attached()
    assert not [url for url in urls if url.endswith(("/draft/", "/submit/"))]
    assert Draft.objects.get(assignment__position=1).answers["clarity"] == {"deep": [2]}
    PublishedProtocol.objects.filter(pk=kept.pk).update(description=before)


def test_keys_of_what_a_study_does_not_have_are_not_listed(page: Page, make_judging: Any) -> None:
    study = make_judging("assetann", "1")
    sheet = page.locator("#help-dialog")

    def listed(**rows: bool) -> None:
        press(page, "?")
        expect(sheet).to_be_visible()
        for action, is_listed in rows.items():
            expect(sheet.locator(f"[data-action={action}]")).to_be_visible(visible=is_listed)

    listed(renderings=False, look_up=False, voice=False, later=True, keep=True, attach=True)
    Study.objects.filter(pk=study.pk).update(aid_renderings=True)
    page.reload()
    ready(page)
    listed(renderings=True, look_up=False, voice=False, later=True, keep=True, attach=True)
    # A browser may learn of its voices later.
    press(page, "Escape")
    page.locator("#toggle-voice").evaluate("button => (button.hidden = false)")
    listed(voice=True)


@pytest.fixture
def publish_here(tmp_path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Makes a protocol known for the one test."""
    names: list[tuple[str, str]] = []

    def make_known(description: dict[str, Any]) -> None:
        path = tmp_path / f"{description['key']}.json"
        path.write_text(json.dumps(description), encoding="utf-8")
        publish([str(path)])
        names.append((description["key"], description["version"]))

    yield make_known
    for name in names:
        for known in (PROTOCOLS, SOURCES, CONTENTS):
            known.pop(name)


MARKED = {
    "key": "marked_first",
    "version": "1",
    "title": {"fr": "Deux étapes", "en": "Two steps"},
    "steps": [
        {
            "key": "worth",
            "question": {"fr": "Que vaut-elle?", "en": "What is it worth?"},
            "fields": [
                {
                    "kind": "scale",
                    "name": "worth",
                    "label": {"fr": "Valeur", "en": "Worth"},
                    "required": True,
                    "options": [
                        {"value": n, "key": f"w{n}", "label": {"fr": f"{n}", "en": f"{n}"}}
                        for n in (1, 2)
                    ],
                },
                {
                    "kind": "marks",
                    "name": "flaws",
                    "label": {"fr": "Défauts", "en": "Flaws"},
                    "types": [{"value": 1, "key": "gap", "label": {"fr": "lacune", "en": "gap"}}],
                },
            ],
        },
        {
            "key": "more",
            "question": {"fr": "Un mot?", "en": "A word?"},
            "fields": [
                {
                    "kind": "text",
                    "name": "comment",
                    "label": {"fr": "Remarque", "en": "Remark"},
                    "is_remark": True,
                }
            ],
        },
    ],
}


def test_no_answer_goes_on_past_marks_that_may_follow_it(
    page: Page, make_judging: Any, publish_here: Callable[[dict[str, Any]], None]
) -> None:
    """Whoever gives a grade first and marks what it costs afterwards is not taken away from it."""
    publish_here(MARKED)
    make_judging("marked_first", "1")
    press(page, "2")
    saved(page, worth=2)
    expect_step(page, 1)
    page.locator("#step-1 label").filter(has_text="1").first.click()
    saved(page, worth=1)
    expect_step(page, 1)
    press(page, "Enter")
    expect_step(page, 2)


TO_TEN = {
    "key": "to_ten",
    "version": "1",
    "title": {"fr": "De 0 à 10", "en": "From 0 to 10"},
    "steps": [
        {
            "key": key,
            "question": {"fr": "Combien?", "en": "How much?"},
            "fields": [
                {
                    "kind": "scale",
                    "name": key,
                    "label": {"fr": "Mesure", "en": "Measure"},
                    "options": [
                        {"value": n, "key": f"n{n}", "label": {"fr": f"{n}", "en": f"{n}"}}
                        for n in range(11)
                    ],
                },
            ],
        }
        for key in ("ease", "care", "worth")
    ],
}


def test_a_nought_that_another_digit_might_follow_is_an_answer(
    page: Page, make_judging: Any, publish_here: Callable[[dict[str, Any]], None]
) -> None:
    """On a scale from 0 to 10, as a 1 is: after a moment, with Enter, and when it is submitted."""
    publish_here(TO_TEN)
    make_judging("to_ten", "1")
    press(page, "0")
    expect(page.locator("[name=ease][value='0']")).to_be_checked()
    press(page, "Enter")
    expect_step(page, 2)
    press(page, "0", "Enter")
    expect_step(page, 3)
    saved(page, ease=0, care=0, worth=None)
    press(page, "0", "Control+Enter")
    page.wait_for_url("**/annotate/essai/2/")
    assert sorted(rating.value for rating in Judgment.objects.get().ratings.all()) == [0, 0, 0]


SEVERAL = {
    "key": "several",
    "version": "1",
    "title": {"fr": "Plusieurs de douze", "en": "Several of twelve"},
    "steps": [
        {
            "key": key,
            "question": {"fr": "Lesquels?", "en": "Which?"},
            "fields": [
                {
                    "kind": "choices",
                    "name": key,
                    "label": {"fr": "Lesquels", "en": "Which"},
                    "required": True,
                    "options": [
                        {"value": n, "key": f"n{n}", "label": {"fr": f"{n}", "en": f"{n}"}}
                        for n in range(1, 13)
                    ],
                },
                *(
                    [{"kind": "text", "name": "why", "label": {"fr": "Pourquoi", "en": "Why"}}]
                    if key == "ease"
                    else []
                ),
            ],
        }
        for key in ("ease", "care")
    ],
}


def test_a_first_digit_of_several_is_a_number_whatever_comes_instead_of_a_second(
    page: Page, make_judging: Any, publish_here: Callable[[dict[str, Any]], None]
) -> None:
    publish_here(SEVERAL)
    make_judging("several", "1")
    # Another option is clicked: what is typed after that is a number of its own.
    press(page, "1")
    page.locator("[name=ease][value='5']").check()
    press(page, "2", "Enter")
    saved(page, ease=[1, 2, 5])
    # A text is written.
    press(page, "3")
    page.locator("#id_why").focus()
    page.keyboard.type("parce que")
    saved(page, ease=[1, 2, 3, 5])
    # Another key of the page, which takes it back again.
    page.locator("#step-1-title").focus()
    press(page, "4", "z")
    expect(page.locator("#toast")).to_contain_text("Annulé")
    # Another step.
    press(page, "7")
    page.locator("[data-open='2']").click()
    expect_step(page, 2)
    saved(page, ease=[1, 2, 3, 5, 7])
    press(page, "6")
    page.locator("[data-open='1']").click()
    expect_step(page, 1)
    saved(page, ease=[1, 2, 3, 5, 7], care=[6])
    # The button that goes on, the other pair, the submission.
    page.locator("[data-open='2']").click()
    press(page, "8")
    page.locator("#submit").click()
    page.wait_for_url("**/annotate/essai/2/")
    ratings = Judgment.objects.get().ratings.filter(dimension__startswith="care_", value=1)
    assert set(ratings.values_list("dimension", flat=True)) == {"care_n6", "care_n8"}
    ready(page)
    press(page, "9")
    page.goto(page.url.replace("/2/", "/1/"))
    ready(page)
    assert Draft.objects.get(assignment__position=2).answers["ease"] == [9]


def test_the_line_of_a_number_is_seen_in_forced_colours_too(page: Page, make_judging: Any) -> None:
    page.emulate_media(forced_colors="active")
    make_judging("direct_assessment", "1")
    around = page.locator(".slider__line").filter(visible=True)
    shown = around.screenshot()
    around.locator("[data-range]").evaluate("(line) => (line.style.visibility = 'hidden')")
    assert around.screenshot() != shown
