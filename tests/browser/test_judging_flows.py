"""A student's day: by keyboard alone, with the network cut, with an ended session, in two tabs,
without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Judgment,
    JudgmentRevision,
    Study,
    User,
)
from annotation.services.accounts.second_factor import second_factor_begin, second_factor_confirm
from annotation.services.studies.studies import guide_publish
from tests.browser.network import back_online
from tests.browser.test_copies import HELD, type_comment
from tests.second_factors import code_of

pytestmark = pytest.mark.django_db(transaction=True)

SAVED = "Enregistré à"


# What takes a copy off the disk is told that it is done when the test says so.
LET_GO_LATE = """() => {
  const stored = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, "oncomplete");
  const removed = new WeakSet();
  const { add, delete: remove } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.delete = function (...given) {
    removed.add(this.transaction);
    return remove.call(this, ...given);
  };
  IDBObjectStore.prototype.add = function (...given) {
    // One that writes takes its former version off as well.
    Promise.resolve().then(() => removed.delete(this.transaction));
    return add.call(this, ...given);
  };
  Object.defineProperty(IDBTransaction.prototype, "oncomplete", {
    configurable: true,
    get() { return stored.get.call(this); },
    set(act) {
      stored.set.call(this, async (event) => {
        const isCopy = removed.has(this) && this.objectStoreNames.contains("copies");
        if (isCopy && window.isLettingGo === undefined) {
          window.isLettingGo = true;
          await new Promise((done) => (window.letGo = done));
          window.isLettingGo = false;
        }
        act.call(this, event);
      });
    },
  });
}"""


@pytest.fixture
def student(make_student: Any) -> Any:
    """Each simplification starts with an emoji."""
    return make_student(text="😀 L'assureur paie les frais numéro {number}. L'assuré doit aviser.")


@pytest.fixture
def judging(page: Page, live_server: Any, student: Any) -> Page:
    page.goto(f"{live_server.url}/annotate/essai/")
    expect(page.locator("main[data-ready]")).to_be_attached()
    return page


def answer_by_keyboard(page: Page, *, bracket: str = "3") -> None:
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.keyboard.type("07")
    expect(page.locator("input[name=characterization][value='7']")).to_be_checked()
    page.keyboard.press("Enter")
    page.keyboard.press(bracket)
    expect(page.locator(f"input[name=bracket][value='{bracket}']")).to_be_checked()


def submit(page: Page) -> None:
    """And wait for the page that follows: the next pair takes keys, the own list has none."""
    before = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != before)
    expect(page.locator("main#main, main[data-ready]:not([data-unknown])")).to_be_attached()


@pytest.mark.both_databases
def test_three_pairs_by_keyboard_alone(judging: Page) -> None:
    for _ in range(3):
        answer_by_keyboard(judging)
        submit(judging)
    assert judging.url.endswith("/annotate/essai/mine/")
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 3


def test_an_error_is_marked_from_the_keyboard_in_code_points(judging: Page) -> None:
    answer_by_keyboard(judging)
    judging.keyboard.press("s")
    judging.keyboard.press("Control+Home")
    for _ in range(2):
        judging.keyboard.press("ArrowRight")
    for _ in range(10):
        judging.keyboard.press("Shift+ArrowRight")
    expect(judging.locator("#error-menu")).to_be_visible()
    judging.keyboard.press("o")
    expect(judging.locator("mark").first).to_be_visible()
    submit(judging)
    error = Judgment.objects.get().errors.get()
    text = Assignment.objects.get(judgment__isnull=False).simplification.text
    assert error.type == "omission"
    assert text[error.simplification_start : error.simplification_end] == "L'assureur"


def test_five_errors_ask_about_the_bracket(judging: Page) -> None:
    answer_by_keyboard(judging)
    for _ in range(5):
        judging.keyboard.press("Escape")
        judging.locator("body").press("e")
        judging.locator("select[name$='-type']").last.select_option("omission")
    expect(judging.locator("#crossing")).to_be_visible()
    judging.locator("body").click(position={"x": 5, "y": 5})
    judging.keyboard.press("Escape")
    judging.keyboard.press("k")
    submit(judging)
    score = Judgment.objects.get().ratings.get(dimension="legal_meaning")
    assert (score.value, score.bracket, score.crossing_answer) == (5, 3, "kept")


@pytest.mark.both_databases
def test_a_cut_network_costs_nothing_and_sends_once(judging: Page, context: BrowserContext) -> None:
    context.set_offline(True)
    answer_by_keyboard(judging)
    expect(judging.locator("#save-status")).to_contain_text("Gardé ici")
    with judging.expect_event("requestfailed"):
        judging.keyboard.press("Control+Enter")
    assert not Judgment.objects.exists()
    before = judging.url
    back_online(context)
    judging.wait_for_url(lambda url: url != before)
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1
    assert JudgmentRevision.objects.count() == 1


def test_what_is_incomplete_does_not_wait_for_the_network_as_submitted(
    judging: Page, context: BrowserContext
) -> None:
    """The server would refuse it once it is back, when somebody reads another pair."""
    context.set_offline(True)
    judging.keyboard.press("1")
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#toast")).to_contain_text("il manque une réponse ici")
    expect(judging.locator("#id_characterization :focus")).to_have_count(1)
    expect(judging.locator("#save-status")).to_contain_text("Gardé ici, sera envoyé")
    expect(judging.locator("#submit")).not_to_have_attribute("aria-disabled", "true")
    expect(judging.locator("#next-kept")).to_be_hidden()
    for key in ("0", "5", "3"):
        judging.keyboard.press(key)
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#save-status")).to_contain_text("Sera soumise")
    back_online(context)
    judging.wait_for_url(lambda url: not url.endswith("/1/"))
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1


def incomplete_without_the_server(page: Page) -> None:
    """Submitted with one answer; nobody knew that the server is away."""
    page.route("**/submit/", lambda route: route.fulfill(status=500, body="broken"))
    page.route("**/draft/", lambda route: route.fulfill(status=500, body="broken"))
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#toast")).to_contain_text("il manque une réponse ici")
    expect(page.locator("#save-status")).not_to_contain_text("Sera soumise")


def test_nor_where_the_server_turns_out_to_be_away(judging: Page) -> None:
    """What was sent incomplete would be refused in the place of what is complete by then."""
    incomplete_without_the_server(judging)
    expect(judging.locator("main:not([data-resting])")).to_be_attached()
    for key in ("0", "5", "3"):
        judging.keyboard.press(key)
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#save-status")).to_contain_text("Sera soumise")
    judging.unroute("**/submit/")
    judging.unroute("**/draft/")
    judging.wait_for_url(lambda url: not url.endswith("/1/"))
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1


def test_nor_does_another_pair_hear_of_a_refusal(judging: Page) -> None:
    incomplete_without_the_server(judging)
    judging.unroute("**/submit/")
    judging.unroute("**/draft/")
    judging.goto(judging.url.replace("/1/", "/2/"))
    expect(judging.locator("#toast")).to_contain_text("Paire 1")
    expect(judging.locator("#toast")).not_to_contain_text("attention")
    assert not Judgment.objects.filter(submitted_at__isnull=False).exists()


def test_a_server_that_fails_for_a_while_loses_nothing(judging: Page) -> None:
    judging.route("**/draft/", lambda route: route.fulfill(status=500, body="broken"))
    with judging.expect_response("**/draft/") as refused:
        answer_by_keyboard(judging)
    assert refused.value.status == 500
    judging.unroute("**/draft/")
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    assert Draft.objects.get().answers["bracket"] == 3


def end_session_while_answering(page: Page) -> None:
    """The session ends, and the very next answer is what finds out: the log-in comes where one
    types, and what one types after that is for it."""
    answer_by_keyboard(page)
    expect(page.locator("#save-status")).to_contain_text(SAVED)
    Session.objects.all().delete()
    page.keyboard.press("u")


@pytest.mark.both_databases
def test_an_ended_session_is_renewed_in_place(judging: Page, student: Any) -> None:
    end_session_while_answering(judging)
    dialog = judging.locator("#login-dialog")
    expect(dialog).to_be_visible()
    dialog.locator("[name=username]").fill(student.email)
    dialog.locator("[name=password]").fill("a-long-password")
    dialog.locator("[name=password]").press("Enter")
    expect(dialog).to_be_hidden()
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    assert Draft.objects.get().answers["doubt"] is True


def test_so_is_one_with_a_second_step(judging: Page, student: Any) -> None:
    second_factor_begin(actor=student)
    codes = second_factor_confirm(actor=student, code=code_of(student))
    end_session_while_answering(judging)
    dialog = judging.locator("#login-dialog")
    expect(dialog).to_be_visible()
    code = dialog.locator("[name=code]")
    expect(code).to_be_hidden()
    dialog.locator("[name=username]").fill(student.email)
    dialog.locator("[name=password]").fill("a-long-password")
    dialog.locator("[name=password]").press("Enter")
    expect(code).to_be_focused()
    code.fill(codes[0])
    code.press("Enter")
    expect(dialog).to_be_hidden()
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    assert Draft.objects.get().answers["doubt"] is True


def test_what_was_typed_survives_a_reload(judging: Page) -> None:
    answer_by_keyboard(judging)
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    judging.reload()
    expect(judging.locator("main[data-synced]")).to_be_attached()
    expect(judging.locator("input[name=bracket][value='3']")).to_be_checked()


def test_what_is_sent_while_the_disk_lets_go_of_the_last_copy_is_sent(judging: Page) -> None:
    """The server has an answer, the copy of it is being taken off the disk, and the next one is to
    be sent at once: nothing else would ever send it."""
    judging.evaluate(LET_GO_LATE)
    type_comment(judging, "un")
    judging.wait_for_function("() => window.isLettingGo")
    type_comment(judging, "un, deux")
    expect(judging.locator("#save-status")).to_have_attribute("data-state", "pending")
    judging.keyboard.press("Control+s")
    judging.evaluate("window.letGo()")
    expect(judging.locator("#save-status")).to_have_attribute("data-state", "saved")
    assert Draft.objects.get().answers["comment"] == "un, deux"


@pytest.mark.both_databases
def test_two_tabs_do_not_overwrite_each_other(judging: Page, context: BrowserContext) -> None:
    other = context.new_page()
    other.goto(judging.url)
    expect(other.locator("main[data-ready]")).to_be_attached()
    answer_by_keyboard(judging)
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    other.bring_to_front()
    other.locator("input[name=simplicity][value='2']").check(force=True)
    expect(other.locator("dialog.conflict")).to_be_visible()
    assert Draft.objects.get().answers["simplicity"] == 1


@pytest.mark.both_databases
def test_a_closed_study_keeps_the_copy_here(judging: Page) -> None:
    Study.objects.update(state="closed")
    answer_by_keyboard(judging)
    expect(judging.locator("#choice-dialog")).to_contain_text(
        "Votre copie reste sur cet ordinateur"
    )
    expect(judging.locator("#save-status")).to_have_text("Gardé sur cet ordinateur, pas envoyé")
    assert "sealed" in judging.evaluate(HELD)


def test_a_round_that_is_opened_again_gets_what_was_typed_meanwhile(judging: Page) -> None:
    """Nobody has to load the page again, or to ask for it."""
    judging.clock.install()
    Study.objects.update(state="closed")
    answer_by_keyboard(judging)
    question = judging.locator("#choice-dialog")
    expect(question).to_contain_text("Votre copie reste")
    # Said once: put off, it does not come back by itself.
    judging.keyboard.press("Escape")
    expect(question).to_be_hidden()
    with judging.expect_response("**/ahead/") as answer:
        judging.clock.fast_forward(31_000)
    assert answer.value.status == 409
    expect(question).to_be_hidden()
    expect(judging.locator("#choice-again")).to_be_visible()
    Study.objects.update(state="main")
    judging.clock.fast_forward(31_000)
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    expect(judging.locator("#choice-again")).to_be_hidden()
    assert Draft.objects.get().answers["simplicity"] == 1


@pytest.mark.both_databases
def test_without_scripts_a_pair_is_judged(
    browser: Any, live_server: Any, student: Any, context: BrowserContext
) -> None:
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(f"{live_server.url}/annotate/essai/1/")
    page.locator("#add-error").click()
    page.wait_for_url("**/annotate/essai/1/#id_errors")
    page.locator("[data-error] select").select_option("omission")
    page.locator("input[name=simplicity][value='1']").check()
    page.locator("input[name=characterization][value='7']").check()
    page.locator("input[name=bracket][value='3']").check()
    page.locator("button[name=action][value=submit]").click()
    page.wait_for_url("**/annotate/essai/2/")
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1
    expect(page.get_by_role("status").filter(has_text="Paire 1 soumise.")).to_be_visible()
    page.get_by_role("button", name="Annuler").click()
    page.wait_for_url("**/annotate/essai/1/")
    expect(page.locator("#notices")).to_contain_text("soumission retirée.")
    assert not Judgment.objects.filter(submitted_at__isnull=False).exists()
    page.locator("button[name=action][value=submit]").click()
    page.wait_for_url("**/annotate/essai/2/")
    expect(page.locator("#notices")).to_contain_text("Paire 1 soumise.")
    plain.close()


def test_a_page_is_answered_in_its_own_language_after_that_was_changed_elsewhere(
    judging: Page,
) -> None:
    User.objects.update(language="en")
    judging.keyboard.press("1")
    expect(judging.locator("#save-status")).to_contain_text(SAVED)
    expect(judging.locator("#save-status")).not_to_contain_text("M")
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#problems")).to_contain_text("Choisissez")


def test_a_guide_amended_meanwhile_is_read_and_one_is_back_at_the_pair(judging: Page) -> None:
    guide_publish(actor=None, study=Study.objects.get(), body_fr="Lisez.", body_en="Read.")
    answer_by_keyboard(judging)
    judging.keyboard.press("Control+Enter")
    way = judging.locator("#problems a")
    expect(way).to_contain_text("lisez le guide")
    expect(way).to_be_focused()
    judging.keyboard.press("Enter")
    judging.wait_for_url("**/annotate/essai/guide/read/?position=1")
    judging.locator("main form button").click()
    judging.wait_for_url("**/annotate/essai/1/")
    expect(judging.locator("main[data-ready]")).to_be_attached()
    expect(judging.locator("input[name=bracket][value='3']")).to_be_checked()
    judging.keyboard.press("Control+Enter")
    judging.wait_for_url(lambda url: not url.endswith("/1/"))
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1


def test_who_was_withdrawn_meanwhile_is_told_so_with_the_way_to_their_data(judging: Page) -> None:
    Annotator.objects.update(withdrawn_at=timezone.now())
    judging.keyboard.press("1")
    dialog = judging.locator("#choice-dialog")
    expect(dialog).to_contain_text("Vous ne participez plus")
    expect(dialog.locator("a", has_text="Vos données")).to_have_attribute("href", "/account/data/")
    expect(dialog.locator("a", has_text="Vos données")).not_to_have_attribute("download", "")


def work_until_a_break_is_due(page: Page, live_server: Any) -> None:
    User.objects.update(break_after_minutes=25)
    page.clock.install()
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-synced]")).to_be_attached()
    page.evaluate("""() => {
      const { user } = document.getElementById("judge").dataset;
      const worked = { since: 25 * 60 - 1, today: 40 * 60 - 1, at: Date.now() };
      localStorage.setItem(`bareme:v1:worked:${user}`, JSON.stringify(worked));
    }""")
    page.mouse.move(5, 5)
    page.clock.run_for(10 * 1000)
    expect(page.locator("#break-hint")).to_contain_text("25 min sans pause, 40 min aujourd'hui")


def test_a_break_that_is_due_is_named(page: Page, live_server: Any, student: Any) -> None:
    """Counted over all pairs and windows of this computer."""
    work_until_a_break_is_due(page, live_server)
    expect(page.locator("#break-hint")).to_be_in_viewport()


def test_after_a_rest_no_break_is_due_any_more(page: Page, live_server: Any, student: Any) -> None:
    work_until_a_break_is_due(page, live_server)
    page.clock.run_for(4 * 60 * 1000)
    expect(page.locator("#break-hint")).to_contain_text("sans pause")
    page.clock.run_for(2 * 60 * 1000)
    expect(page.locator("#break-hint")).to_be_empty()
    page.mouse.move(9, 9)
    page.clock.run_for(10 * 1000)
    expect(page.locator("#break-hint")).to_be_empty()
