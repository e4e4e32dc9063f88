"""The judging page by keyboard: five keys a judgment, every answer taken back, keys of one's own,
held keys."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft, Judgment
from annotation.services.accounts.accounts import user_update_preferences
from annotation.services.planning.assignments import assignments_fill
from tests.browser.waiting import expect_found, expect_step
from tests.factories import make_annotator, make_pair, make_study

pytestmark = pytest.mark.django_db(transaction=True)

ANSWERS = """() => JSON.stringify([...new FormData(document.getElementById("judgment-form"))]
  .filter(([name]) => !["csrfmiddlewaretoken", "key", "base_revision"].includes(name)))"""


@pytest.fixture
def student(make_student: Any, request: pytest.FixtureRequest) -> Any:
    return make_student(getattr(request, "param", 3))


@pytest.fixture
def judging(page: Page, live_server: Any, student: Any) -> Page:
    page.goto(f"{live_server.url}/annotate/essai/")
    ready(page)
    return page


def ready(page: Page) -> None:
    # A page that was kept is told how things stand before anything is asserted of it.
    expect(page.locator("main[data-ready]:not([data-unknown])")).to_be_attached()


@pytest.mark.both_databases
@pytest.mark.slow
@pytest.mark.parametrize("student", [12], indirect=True)
def test_each_judgment_takes_five_keys(judging: Page) -> None:
    """For more pairs than are fetched ahead at a time."""
    for _ in range(12):
        ready(judging)
        before = judging.url
        for key in ("1", "0", "5", "3", "Control+Enter"):
            judging.keyboard.press(key)
        judging.wait_for_url(lambda url, before=before: url != before)
    done = Judgment.objects.filter(submitted_at__isnull=False)
    assert done.count() == 12
    scores = {
        (r.value, r.bracket) for j in done for r in j.ratings.filter(dimension="legal_meaning")
    }
    assert scores == {(10, 3)}


def test_held_keys_act_once_and_not_on_the_next_pair(judging: Page) -> None:
    for key in ("1", "0", "5", "3"):
        judging.keyboard.press(key)
    before = judging.url
    judging.keyboard.down("Control")
    for _ in range(20):
        judging.keyboard.down("Enter")
    judging.wait_for_url(lambda url: url != before)
    ready(judging)
    for _ in range(20):
        judging.keyboard.down("Enter")
    judging.keyboard.up("Enter")
    judging.keyboard.up("Control")
    for _ in range(20):
        judging.keyboard.down("1")
    judging.keyboard.up("1")
    expect_step(judging, 2)
    expect(judging.locator("#problems")).to_be_empty()
    expect(judging.locator("#save-status")).to_contain_text("Enregistré")
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1
    assert Draft.objects.get(assignment__judgment__isnull=True).answers["characterization"] is None


def test_answers_go_on_only_where_they_should(
    judging: Page, live_server: Any, student: Any
) -> None:
    judging.keyboard.press("1")
    expect_step(judging, 2)
    judging.keyboard.press("ArrowDown")
    judging.keyboard.press("ArrowDown")
    # Arrows choose, they do not go on.
    expect(judging.locator("input[name=characterization]:checked")).to_have_count(1)
    expect_step(judging, 2)
    judging.keyboard.press("1")
    expect(judging.locator("input[name=characterization][value='1']")).to_be_checked()
    judging.keyboard.press("2")
    expect(judging.locator("input[name=characterization][value='12']")).to_be_checked()
    expect_step(judging, 3)
    judging.keyboard.press("Backspace")
    judging.keyboard.press("Backspace")
    judging.keyboard.press("Backspace")
    expect_step(judging, 1)
    user_update_preferences(user=student, auto_advance=False)
    expect(judging.locator("#save-status")).to_contain_text("Enregistré")
    judging.goto(f"{live_server.url}/annotate/essai/2/")
    # Kept before the choice was changed elsewhere: it is fetched anew as soon as it is told.
    expect(judging.locator("main[data-ready][data-kept='']")).to_be_attached()
    judging.keyboard.press("1")
    expect(judging.locator("input[name=simplicity][value='1']")).to_be_checked()
    expect_step(judging, 1)
    judging.keyboard.press("Enter")
    expect_step(judging, 2)


def test_printed_keys_work_in_step_2(judging: Page) -> None:
    judging.keyboard.press("1")
    judging.keyboard.press("d")
    expect(judging.locator("#diff-legend")).to_be_visible()
    judging.keyboard.press("g")
    expect(judging.locator("#guide-panel[data-loaded]")).to_be_visible()
    judging.keyboard.press("g")
    expect(judging.locator("#guide-panel")).to_be_hidden()
    expect(judging.locator("#toggle-guide")).to_have_attribute("aria-expanded", "false")
    judging.keyboard.press("o")
    expect(judging.locator("#text-original")).to_be_focused()
    judging.keyboard.press("/")
    expect(judging.locator("#class-filter")).to_be_focused()
    judging.keyboard.type("frais")
    judging.keyboard.press("Enter")
    expect(judging.locator("input[name=characterization][value='7']")).to_be_checked()
    expect_step(judging, 3)


def random_answer(page: Page, choose: random.Random) -> None:
    """One answer of any kind, as a person would give it."""
    kind = choose.choice(
        ["simplicity", "class", "bracket", "error", "type", "remove", "doubt", "comment", "note"]
    )
    rows = page.locator("[data-error]").count()
    if kind in ("simplicity", "class", "bracket"):
        step = {"simplicity": 1, "class": 2, "bracket": 3}[kind]
        page.locator(f"[data-open='{step}']").click()
        name = {"simplicity": "simplicity", "class": "characterization", "bracket": "bracket"}[kind]
        value = choose.randint(1, {"simplicity": 3, "class": 17, "bracket": 3}[kind])
        page.evaluate(
            "([n, v]) => document.querySelector(`input[name=${n}][value='${v}']`).click()",
            [name, value],
        )
    elif kind == "doubt":
        page.locator("#id_doubt").click()
    else:
        page.locator("[data-open='3']").click()
        if kind == "comment":
            page.locator("#id_comment").fill(f"Remarque {choose.randint(1, 99)}")
        elif kind == "error" or not rows:
            page.locator("#add-error").click()
        elif kind == "remove":
            page.locator("[data-remove]").nth(choose.randrange(rows)).click()
        elif kind == "type":
            chosen = choose.choice(["hallucination", "omission", "confusion"])
            page.locator("[data-error] select").nth(choose.randrange(rows)).select_option(chosen)
        else:
            page.locator("[data-error] [data-name=note]").nth(choose.randrange(rows)).fill(
                f"n{choose.randint(1, 99)}"
            )


@pytest.mark.parametrize("seed", [1, 2])
def test_every_answer_is_taken_back_and_given_again(judging: Page, seed: int) -> None:
    choose = random.Random(seed)
    for key in ("1", "0", "5", "3"):
        judging.keyboard.press(key)
    states = [judging.evaluate(ANSWERS)]
    while len(states) < 25:
        random_answer(judging, choose)
        judging.evaluate("document.activeElement.blur()")
        now = judging.evaluate(ANSWERS)
        if now != states[-1]:
            states.append(now)
    for former in reversed(states[:-1]):
        judging.keyboard.press("Control+z")
        expect_found(judging, ANSWERS, former)
        judging.evaluate("document.activeElement.blur()")
    for later in states[1:]:
        judging.keyboard.press("Control+y")
        expect_found(judging, ANSWERS, later)
        judging.evaluate("document.activeElement.blur()")
    judging.keyboard.press("z")
    expect_found(judging, ANSWERS, states[-2])
    judging.keyboard.press("Shift+z")
    expect_found(judging, ANSWERS, states[-1])


def test_a_field_keeps_its_own_undo_and_is_one_answer(judging: Page) -> None:
    for key in ("1", "0", "5", "3"):
        judging.keyboard.press(key)
    judging.locator("#id_comment").click()
    judging.keyboard.type("abc")
    judging.keyboard.press("Control+z")
    expect(judging.locator("#id_comment")).not_to_have_value("abc")
    expect(judging.locator("input[name=bracket][value='3']")).to_be_checked()
    judging.keyboard.type("une phrase")
    judging.keyboard.press("Escape")
    judging.keyboard.press("z")
    expect(judging.locator("#id_comment")).to_have_value("")
    expect(judging.locator("input[name=bracket][value='3']")).to_be_checked()
    judging.keyboard.press("z")
    expect(judging.locator("input[name=bracket]:checked")).to_have_count(0)
    expect(judging.locator("#save-status")).to_contain_text("Enregistré")
    assert Draft.objects.get().answers["bracket"] is None


@pytest.mark.parametrize("student", [1], indirect=True)
def test_what_was_submitted_is_taken_back_in_its_own_study(
    judging: Page, live_server: Any, student: Any
) -> None:
    """After a study's last pair no page of it comes: that of another study says nothing of it."""
    other = make_study("autre", state="main")
    make_pair(other, language="fr")
    make_annotator(other, student)
    assignments_fill(actor=None, study=other)
    for key in ("1", "0", "5", "3", "Control+Enter"):
        judging.keyboard.press(key)
    judging.wait_for_url("**/annotate/essai/mine/")
    judging.goto(f"{live_server.url}/annotate/autre/")
    ready(judging)
    expect(judging.locator("#toast")).not_to_contain_text("soumise")
    judging.keyboard.press("z")
    judging.keyboard.press("2")
    expect(judging.locator("#save-status")).to_contain_text("Enregistré")
    assert "/annotate/autre/" in judging.url
    assert Judgment.objects.get().submitted_at is not None


def test_keys_of_one_s_own(judging: Page, student: Any) -> None:
    judging.keyboard.press("?")
    sheet = judging.locator("#help-dialog")
    expect(sheet).to_be_visible()
    sheet.locator("[data-customize]").click()
    undo = sheet.locator("[data-action=undo]")
    undo.locator("button").click()
    judging.keyboard.press("s")
    expect(sheet.locator("[data-said]")).to_contain_text("S sert déjà")
    undo.locator("button").click()
    judging.keyboard.press("3")
    expect(sheet.locator("[data-said]")).to_contain_text("garde son rôle")
    undo.locator("button").click()
    judging.keyboard.press("x")
    expect(sheet.locator("[data-said]")).to_have_text("Gardé.")
    student.refresh_from_db()
    assert student.keys == {"undo": "x"}
    judging.reload()
    ready(judging)
    expect(judging.locator("#toast kbd")).to_have_text("X")
    judging.keyboard.press("2")
    judging.keyboard.press("z")
    expect(judging.locator("input[name=simplicity][value='2']")).to_be_checked()
    judging.keyboard.press("x")
    expect(judging.locator("input[name=simplicity]:checked")).to_have_count(0)
    judging.keyboard.press("?")
    sheet.locator("[data-customize]").click()
    sheet.locator("[data-reset]").click()
    expect(undo.locator("kbd")).to_have_text("Z")
    expect(sheet.locator("[data-said]")).to_have_text("Gardé.")
    student.refresh_from_db()
    assert student.keys == {}


def test_a_type_pressed_with_the_selection_is_the_menu_s(judging: Page) -> None:
    for key in ("1", "0", "5", "3", "s", "Control+Home"):
        judging.keyboard.press(key)
    # Selection and key within one task: the page has not been told of the selection yet.
    judging.evaluate("""() => {
      const text = document.getElementById("text-simplification");
      getSelection().setBaseAndExtent(text.firstChild, 2, text.firstChild, 10);
      text.dispatchEvent(new KeyboardEvent("keydown", { key: "o", bubbles: true, cancelable: true }));
    }""")  # noqa: E501
    expect(judging.locator("mark")).to_have_text("assureur")
    expect(judging.locator("[data-error] select")).to_have_value("omission")


def test_names_hold_no_keys(judging: Page) -> None:
    expect(judging.get_by_role("button", name="Différences", exact=True)).to_have_attribute(
        "aria-keyshortcuts", "D"
    )
    expect(judging.get_by_role("radio", name="Plus simple à lire", exact=True)).to_be_visible()
    expect(judging.get_by_role("button", name="Soumettre", exact=True)).to_have_attribute(
        "aria-keyshortcuts", "Control+Enter"
    )
    later = judging.get_by_role("button", name="Plus tard", exact=True)
    expect(later).to_have_attribute("aria-keyshortcuts", "L")
    expect(judging.locator("#private-note summary")).to_have_attribute("aria-keyshortcuts", "N")
    expect(judging.locator("#text-original")).to_have_attribute("aria-keyshortcuts", "O")
    judging.keyboard.press("?")
    expect(judging.locator("#help-dialog")).to_be_visible()
    named = ":is(button, summary, a, label, h2) kbd"
    expect(judging.locator(f"{named}:not([aria-hidden=true])")).to_have_count(0)
