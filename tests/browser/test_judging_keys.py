"""The judging page by keyboard: five keys a judgment, every answer taken back, keys of one's own,
held keys."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Draft, Judgment, JudgmentRevision, Simplification, Study
from annotation.services.accounts.accounts import user_update_preferences
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import guide_publish
from tests.browser.waiting import expect_found, expect_step
from tests.factories import make_annotator, make_pair, make_study

pytestmark = pytest.mark.django_db(transaction=True)

ANSWERS = """() => JSON.stringify([...new FormData(document.getElementById("judgment-form"))]
  .filter(([name]) => !["csrfmiddlewaretoken", "key", "base_revision"].includes(name)))"""

# Fingers are still when the test says so.
STILL_LATE = """(() => {
  const later = window.setTimeout.bind(window);
  window.setTimeout = (act, delay, ...given) =>
    delay === 450 ? ((window.rest = act), 0) : later(act, delay, ...given);
})()"""


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


def submit_slowly(page: Page) -> Route:
    """Five keys, and then one that is quicker than the server's answer: the request that waits for
    it. The answers stand as they were submitted."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)
        # Of another attempt nothing is expected.
        if len(routes) > 1:
            route.fulfill(status=503, body="away")

    page.route("**/submit/", hold)
    for key in ("1", "0", "5", "3"):
        page.keyboard.press(key)
    with page.expect_request("**/submit/"):
        page.keyboard.press("Control+Enter")
    expect(page.locator("#save-status")).to_have_text("Soumission…")
    for key in ("2", "0", "8", "2", "u", "z", "Backspace", "Control+z"):
        page.keyboard.press(key)
    # By what is no key of this page either.
    page.evaluate(
        """() => {
          const doubt = document.getElementById("id_doubt");
          doubt.checked = true;
          doubt.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    expect_kept(page)
    expect(page.locator("#toast")).to_contain_text("Tapé trop tôt")
    expect(page.locator("#messages-aloud")).to_contain_text("Tapé trop tôt")
    return routes[0]


def expect_kept(page: Page) -> None:
    """The answers of five keys."""
    for name, value in (("simplicity", 1), ("characterization", 5), ("bracket", 3)):
        expect(page.locator(f"input[name={name}][value='{value}']")).to_be_checked()
    expect(page.locator("#id_doubt")).not_to_be_checked()


def test_what_is_typed_while_a_pair_is_submitted_changes_neither_it_nor_the_next(
    judging: Page,
) -> None:
    judging.add_init_script(STILL_LATE)
    slow = submit_slowly(judging)
    before = judging.url
    slow.continue_()
    judging.wait_for_url(lambda url: url != before)
    expect(judging.locator("main[data-resting]:not([data-unknown])")).to_be_attached()
    # Still typing: what comes was begun on the pair before.
    for key in ("0", "8", "2"):
        judging.keyboard.press(key)
    expect(judging.locator("#toast")).to_contain_text("Paire 1 soumise.")
    expect(judging.locator("#other-notices")).to_contain_text("Tapé trop tôt")
    expect(judging.locator("#judgment-form input[type=radio]:checked")).to_have_count(0)
    judging.evaluate("window.rest()")
    ready(judging)
    judging.keyboard.press("2")
    expect(judging.locator("input[name=simplicity][value='2']")).to_be_checked()
    expect(judging.locator("#save-status")).to_contain_text("Enregistré")
    score = Judgment.objects.get().ratings.get(dimension="legal_meaning")
    assert (score.value, score.bracket) == (10, 3)
    assert JudgmentRevision.objects.count() == 1
    assert not Draft.objects.get(assignment__position=1).answers["doubt"]


def test_a_digit_that_another_might_have_followed_is_submitted(judging: Page) -> None:
    """One of many options, at once followed by the submission."""
    before = judging.url
    for key in ("1", "0", "5", "3"):
        judging.keyboard.press(key)
    judging.locator(".stepper__step").nth(1).click()
    expect_step(judging, 2)
    for key in ("1", "Control+Enter"):
        judging.keyboard.press(key)
    judging.wait_for_url(lambda url: url != before)
    ratings = {r.dimension: r.value for r in Judgment.objects.get().ratings.all()}
    assert ratings["characterization"] == 1


def test_what_one_writes_in_a_field_of_the_next_pair_is_written(judging: Page) -> None:
    judging.add_init_script(STILL_LATE)
    before = judging.url
    for key in ("1", "0", "5", "3", "Control+Enter"):
        judging.keyboard.press(key)
    judging.wait_for_url(lambda url: url != before)
    expect(judging.locator("main[data-resting]:not([data-unknown])")).to_be_attached()
    judging.keyboard.press("1")
    judging.evaluate(
        """() => {
          const field = document.createElement("textarea");
          document.getElementById("judgment-form").append(field);
          field.focus();
        }"""
    )
    judging.keyboard.type("un mot")
    expect_found(judging, "document.activeElement.value", "un mot")
    expect(judging.locator("#judgment-form input[type=radio]:checked")).to_have_count(0)


def test_a_pair_that_is_being_kept_for_later_takes_no_answer(judging: Page) -> None:
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    judging.route("**/later/", hold)
    before = judging.url
    with judging.expect_request("**/later/"):
        judging.keyboard.press("l")
    judging.keyboard.press("1")
    expect(judging.locator("#judgment-form input[type=radio]:checked")).to_have_count(0)
    routes[0].continue_()
    judging.wait_for_url(lambda url: url != before)
    assert not Draft.objects.filter(answers__simplicity=1).exists()


@pytest.mark.parametrize("status", [422, 503])
def test_what_is_not_taken_is_given_back_as_it_was(judging: Page, status: int) -> None:
    judging.evaluate(STILL_LATE)
    slow = submit_slowly(judging)
    expect(judging.locator("#judgment-form[inert]")).to_be_attached()
    if status == 422:
        guide_publish(actor=None, study=Study.objects.get(), body_fr="Lisez.", body_en="Read.")
        slow.continue_()
        expect(judging.locator("#problems")).to_contain_text("lisez le guide")
    else:
        # Nor is it the server's own answer.
        slow.fulfill(status=status, body="away")
        expect(judging.locator("#save-status")).to_have_text("Sera soumise")
    expect(judging.locator("#judgment-form:not([inert])")).to_be_attached()
    judging.keyboard.press("2")
    expect_kept(judging)
    judging.evaluate("window.rest()")
    expect(judging.locator("main:not([data-resting])")).to_be_attached()
    judging.keyboard.press("2")
    expect(judging.locator("input[name=bracket][value='2']")).to_be_checked()


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


def contradicted(page: Page, server: str) -> None:
    """At a pair whose texts are the same, with an answer that this contradicts."""
    Simplification.objects.update(is_identical=True)
    page.goto(f"{server}/annotate/essai/2/")
    ready(page)
    page.keyboard.press("1")
    expect(page.locator("#id_simplicity_confirmed")).to_be_focused()


@pytest.fixture
def contradicting(page: Page, live_server: Any, student: Any) -> Page:
    contradicted(page, live_server.url)
    return page


def test_a_confirmation_upholds_no_other_answer(contradicting: Page) -> None:
    page, confirmed = contradicting, contradicting.locator("#id_simplicity_confirmed")
    page.keyboard.press("k")
    expect_step(page, 2)
    page.keyboard.press("Backspace")
    expect(confirmed).to_be_checked()
    # The very same answer is confirmed still.
    page.keyboard.press("1")
    expect_step(page, 2)
    page.keyboard.press("Backspace")
    page.keyboard.press("3")
    expect(confirmed).not_to_be_checked()
    expect(confirmed).to_be_focused()
    expect_step(page, 1)
    expect(page.locator("#save-status")).to_contain_text("Enregistré")
    draft = Draft.objects.get()
    assert (draft.answers["simplicity"], draft.answers["simplicity_confirmed"]) == (3, False)
    # What is taken back brings its own confirmation along.
    page.locator("#step-1-title").focus()
    page.keyboard.press("z")
    expect(page.locator("input[name=simplicity][value='1']")).to_be_checked()
    expect(confirmed).to_be_checked()


def test_by_pointer_it_is_asked_again_as_well(contradicting: Page) -> None:
    page, confirmed = contradicting, contradicting.locator("#id_simplicity_confirmed")
    page.locator("label[for=id_simplicity_confirmed]").click()
    expect_step(page, 2)
    page.keyboard.press("Backspace")
    page.wait_for_timeout(500)
    page.locator("#id_simplicity .option").nth(2).click()
    expect(confirmed).not_to_be_checked()
    expect_step(page, 1)
    page.keyboard.press("ArrowUp")
    expect(page.locator("input[name=simplicity][value='2']")).to_be_checked()
    expect(confirmed).not_to_be_checked()


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
    expect(undo).to_contain_text("Appuyez sur une touche")
    judging.keyboard.press("s")
    expect(undo).to_contain_text("S sert déjà")
    # It listens on until there is a key that it can have.
    judging.keyboard.press("3")
    expect(undo).to_contain_text("3 garde son rôle")
    judging.keyboard.press("Escape")
    expect(undo.get_by_role("status")).to_be_empty()
    expect(sheet).to_be_visible()
    undo.locator("button").click()
    judging.keyboard.press("s")
    judging.keyboard.press("x")
    expect(undo.get_by_role("status")).to_have_text("Gardé.")
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


def test_what_a_chosen_key_does_is_said_where_it_is_chosen(judging: Page) -> None:
    """The sheet is longer than the window: a row far down is told of in itself."""
    judging.keyboard.press("?")
    sheet = judging.locator("#help-dialog")
    sheet.locator("[data-customize]").click()
    for action in ("doubt", "help"):
        row = sheet.locator(f"[data-action={action}]")
        row.locator("button").click()
        expect(row.get_by_role("status")).to_be_in_viewport(ratio=1)
        judging.keyboard.press("g")
        expect(row.get_by_role("status")).to_contain_text("G sert déjà à ceci : Guide.")
        expect(row.get_by_role("status")).to_be_in_viewport(ratio=1)
        expect(row.locator("button")).to_be_in_viewport(ratio=1)
    judging.keyboard.press("Tab")
    expect(row.get_by_role("status")).to_be_empty()


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


def test_letters_choose_no_type_in_its_list(judging: Page, student: Any) -> None:
    """They act as everywhere; the browser's own search by letters would change the answer."""
    type_list = judging.locator("#id_errors\\.0\\.type")
    for key in ("1", "0", "9", "3", "e"):
        judging.keyboard.press(key)
    expect(type_list).to_be_focused()
    judging.keyboard.press("1")
    expect(type_list).to_have_value("hallucination")
    # No key of the page (only beside selected words), and digits that the list does not have.
    for key in ("i", "c", "h", "a", "x", "Shift+o", "0", "7", "9"):
        judging.keyboard.press(key)
        expect(type_list).to_be_focused()
        expect(type_list).to_have_value("hallucination")
    judging.keyboard.press("u")
    expect(judging.locator("#id_doubt")).to_be_checked()
    judging.keyboard.press("g")
    expect(judging.locator("#guide-panel")).to_be_visible()
    judging.keyboard.press("g")
    type_list.focus()
    # What moves about in the list stays the browser's.
    judging.keyboard.press("ArrowDown")
    expect(type_list).to_have_value("omission")
    judging.keyboard.press("Home")
    judging.keyboard.press("1")
    expect(type_list).to_have_value("hallucination")
    judging.keyboard.press("Control+z")
    judging.keyboard.press("Control+y")
    expect(type_list).to_have_value("hallucination")
    type_list.focus()
    judging.keyboard.press("o")
    expect(judging.locator("#text-original")).to_be_focused()
    expect(type_list).to_have_value("hallucination")
    # Nor does the letter of somebody's own, or one that does nothing any more.
    user_update_preferences(user=student, keys={"original": "c"})
    expect(judging.locator("#save-status")).to_contain_text("Enregistré")
    judging.reload()
    ready(judging)
    judging.locator("[data-open='3']").click()
    type_list.focus()
    judging.keyboard.press("o")
    expect(type_list).to_be_focused()
    judging.keyboard.press("c")
    expect(judging.locator("#text-original")).to_be_focused()
    expect(type_list).to_have_value("hallucination")
    # Who has letters and digits alone do nothing has the browser's search.
    judging.evaluate("localStorage.setItem('bareme:v1:keys-off', '1')")
    type_list.focus()
    judging.keyboard.press("o")
    expect(type_list).to_have_value("omission")


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
