"""Unsent answers leave from any page; log-out sends or warns; what stays is nobody's but its
owner's."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotation.models import Annotator, Assignment, Draft, Judgment, PrivateNote, Study
from annotation.services.judging.drafts import Save, draft_save
from annotation.services.judging.own_pairs import note_save
from annotation.services.people.people import annotator_withdraw
from annotation.services.planning.assignments import assignments_fill
from tests.browser.database import LIES
from tests.browser.network import back_online, close_offline
from tests.browser.test_copies import HELD, LOCAL, expect_status, open_pair, student, type_comment  # noqa: F401
from tests.browser.test_keeping import wait_for_files, wait_for_kept
from tests.browser.waiting import expect_found
from tests.factories import (
    ORIGINAL,
    SIMPLIFIED,
    answers,
    make_annotator,
    make_pair,
    make_study,
    make_user,
    said,
    save,
)

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "mots confidentiels"
# With the study's title on a page that is not of the study.
SUBMITTED = re.compile(r"Paire 1(?: \(Study \d+\))?\s: soumise")
KEY = uuid.UUID(int=1)
# Cleared by the page that follows a log-out, where the page before had no script for it.
NO_KEYS = f"async () => [await ({LIES})('keys'), await ({LIES})('pages')]"


def left_behind(
    page: Page, context: BrowserContext, live_server: Any, *, submitted: bool = False
) -> None:
    """An answer typed without a network, its window closed, the network back."""
    open_pair(page, live_server)
    context.set_offline(True)
    type_comment(page, WORDS)
    expect_status(page).to_contain_text(LOCAL)
    if submitted:
        page.evaluate("""() => {
          for (const [name, value] of [["simplicity", 1], ["characterization", 7], ["bracket", 3]]) {
            const option = document.querySelector(`input[name=${name}][value='${value}']`);
            option.checked = true;
            option.dispatchEvent(new Event("change", { bubbles: true }));
          }
        }""")  # noqa: E501
        page.keyboard.press("Control+Enter")
        expect_status(page).to_contain_text("Sera soumise")
    close_offline(page)
    back_online(context)


@pytest.mark.parametrize(
    "address", ["/", "/annotate/essai/mine/", "/annotate/essai/guide/", "/account/preferences/"]
)
def test_what_waits_leaves_from_any_page(
    address: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server, submitted=True)
    other = context.new_page()
    with other.expect_response(lambda answer: answer.url.endswith("/submit/") and answer.ok):
        other.goto(f"{live_server.url}{address}")
    expect(other.locator("#unsent")).to_contain_text(SUBMITTED)
    assert said(Judgment.objects.get(), "comment") == WORDS
    other.reload()
    expect(other.locator("#unsent")).to_be_hidden()


def still_waiting(context: BrowserContext, address: str) -> Page:
    """Another page, from which a submission cannot leave yet."""
    other = context.new_page()
    other.route("**/submit/", lambda route: route.abort())
    other.goto(address)
    expect(other.locator("#unsent")).to_contain_text("1 réponse n'est pas encore partie")
    return other


@pytest.mark.parametrize(
    ("address", "way_on"), [("/", "Reprendre"), ("/annotate/essai/mine/", None)]
)
def test_what_a_page_counts_is_brought_up_to_date_when_something_left(
    address: str,
    way_on: str | None,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Without a reload, and without losing what was said, typed or focused."""
    left_behind(page, context, live_server, submitted=True)
    other = still_waiting(context, f"{live_server.url}{address}")
    counts = other.get_by_text(re.compile(r"\d+ sur \d+ jugée"))
    expect(counts).to_contain_text("0 sur")
    if way_on:
        other.get_by_role("link", name="Commencer").focus()
    else:
        other.get_by_role("searchbox").fill("assureur")
    other.unroute("**/submit/")
    other.evaluate("window.dispatchEvent(new Event('online'))")
    expect(counts).to_contain_text("1 sur")
    expect(other.locator("#unsent")).to_contain_text(SUBMITTED)
    if way_on:
        expect(other.get_by_role("link", name=way_on)).to_be_focused()
    else:
        expect(other.get_by_role("row", name="Soumise")).to_have_count(1)
        expect(other.get_by_role("searchbox")).to_have_value("assureur")


def test_the_page_of_another_person_is_not_drawn_into_this_one(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Who shares the computer may have logged in between."""
    left_behind(page, context, live_server, submitted=True)
    other = still_waiting(context, f"{live_server.url}/")
    theirs = (
        "<main><section data-counted=\"to-judge\">De quelqu'un d'autre</section></main>"
        '<aside id="unsent" data-user="another"></aside>'
    )
    other.route(
        f"{live_server.url}/", lambda route: route.fulfill(body=theirs, content_type="text/html")
    )
    other.unroute("**/submit/")
    with other.expect_response(f"{live_server.url}/"):
        other.evaluate("window.dispatchEvent(new Event('online'))")
    expect(other.locator("#unsent")).to_contain_text(SUBMITTED)
    expect(other.get_by_text(re.compile(r"\d+ sur \d+ jugée"))).to_contain_text("0 sur")
    expect(other.get_by_text("De quelqu'un d'autre")).to_have_count(0)


@pytest.mark.both_databases
def test_what_waits_for_the_network_is_counted_and_then_sent(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    other = context.new_page()
    other.route("**/draft/", lambda route: route.abort())
    other.goto(live_server.url)
    expect(other.locator("#unsent")).to_contain_text("1 réponse n'est pas encore partie")
    other.unroute("**/draft/")
    other.evaluate("window.dispatchEvent(new Event('online'))")
    expect(other.locator("#unsent")).to_contain_text("ont été envoyées")
    expect(other.locator("#unsent")).not_to_contain_text("pas encore partie")
    assert Draft.objects.get().answers["comment"] == WORDS


@pytest.mark.parametrize("address", ["/", "/annotate/autre/mine/", "/annotate/autre/1/"])
def test_what_leaves_from_a_page_of_another_study_names_its_own(
    address: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Each study's pairs are numbered from 1."""
    Study.objects.filter(key="essai").update(title="Baux")
    other_study = make_study("autre", state="main")
    make_pair(other_study)
    make_annotator(other_study, student)
    assignments_fill(actor=None, study=other_study)
    left_behind(page, context, live_server)
    other = context.new_page()
    other.goto(f"{live_server.url}{address}")
    notices = other.locator("#unsent, #other-notices")
    expect(notices).to_contain_text("Paire 1 (Baux) : les réponses gardées")
    assert Draft.objects.get().answers["comment"] == WORDS


def test_what_needs_a_decision_leads_to_its_pair(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    Study.objects.update(state="closed")
    other = context.new_page()
    other.goto(live_server.url)
    links = other.locator("#unsent a")
    expect(links).to_have_text(["Ouvrir cette paire", "Télécharger ma copie"])
    expect(links.first).to_have_attribute("href", "/annotate/essai/1/")


def test_what_can_be_sent_no_more_can_be_taken_away(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Its pair is not this annotator's any more: no page of it is left to lead to."""
    left_behind(page, context, live_server)
    annotator = Annotator.objects.get(user=student)
    annotator_withdraw(actor=None, annotator=annotator, reason="Départ.")
    other = context.new_page()
    other.goto(live_server.url)
    notice = other.locator("#unsent")
    expect(notice).to_contain_text("n'est plus à vous")
    expect(notice.get_by_role("link")).to_have_text(["Télécharger ma copie"])
    with other.expect_download() as taken:
        notice.get_by_role("link").click()
    assert WORDS in taken.value.path().read_text(encoding="utf-8")
    other.reload()
    expect(notice.get_by_role("link")).to_have_text(["Télécharger ma copie"])


def test_what_needs_a_decision_is_said_once(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """However often the page tries to send it, while somebody reads another pair."""
    left_behind(page, context, live_server)
    assignment = Assignment.objects.get(position=1)
    draft_save(actor=student, assignment=assignment, save=save(comment="ailleurs"))
    other = open_pair(context.new_page(), live_server, position=2)
    notices = other.locator("#other-notices .notice")
    expect(notices).to_contain_text("demandent votre attention")
    with other.expect_response(lambda answer: answer.url.endswith("/1/draft/")):
        other.evaluate("window.dispatchEvent(new Event('online'))")
    other.evaluate("new Promise((done) => navigator.locks.request('bareme:outbox', done))")
    expect(notices).to_have_count(1)


# Where whatever is read or pressed lies on the page, in whole pixels.
PLACES = """() => [...document.querySelectorAll(".text, .bar, .stepper, #step-1-title, .option, #submit, .foot label")]
  .map((one) => one.getBoundingClientRect())
  .map(({ left, top, right, bottom }) => [left, top + scrollY, right, bottom + scrollY].map(Math.round))"""  # noqa: E501
WINDOWS = [(1366, 768), (1366, 625), (1280, 720), (1024, 768), (820, 1180)]
WINDOWS += [(768, 1024), (360, 740), (683, 384)]


def test_what_comes_while_somebody_reads_moves_nothing(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
    subtests: pytest.Subtests,
) -> None:
    """It is said below what is read, and stays behind a button, with the way to its pair."""
    left_behind(page, context, live_server)
    assignment = Assignment.objects.get(position=1)
    draft_save(actor=student, assignment=assignment, save=save(comment="ailleurs"))
    other = context.new_page()
    for width, height in WINDOWS:
        with subtests.test(width=width, height=height):
            other.set_viewport_size({"width": width, "height": height})
            other.route("**/1/draft/", lambda route: route.abort())
            open_pair(other, live_server, position=2)
            expect(other.locator("main[data-synced]")).to_be_attached()
            before = other.evaluate(PLACES)
            other.unroute("**/1/draft/")
            other.evaluate("window.dispatchEvent(new Event('online'))")
            messages = other.locator("#messages")
            expect(messages.locator("[data-count]")).to_have_text("1")
            expect(other.locator("#toast")).to_contain_text("demandent votre attention")
            assert other.evaluate(PLACES) == before
            messages.locator("summary").click()
            link = messages.get_by_role("link", name="Ouvrir cette paire")
            expect(link).to_be_in_viewport(ratio=1)
            assert other.evaluate(PLACES) == before
            other.keyboard.press("Escape")
            expect(link).to_be_hidden()
            # What this page had no time to say would be said by the next one from its beginning.
            other.evaluate("sessionStorage.clear()")


def log_out(page: Page) -> None:
    page.locator("summary", has_text="Student").click()
    page.locator("[data-logout] button").click()


def test_log_out_sends_first(page: Page, live_server: Any, student: Any) -> None:  # noqa: F811
    open_pair(page, live_server)
    type_comment(page, "un")
    type_comment(page, WORDS)
    log_out(page)
    page.wait_for_url("**/account/login/**")
    assert Draft.objects.get().answers["comment"] == WORDS


@pytest.mark.parametrize("address", ["/", "/annotate/essai/2/"])
def test_log_out_says_at_once_that_it_sends_first(
    address: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """The server does not answer at all; asked for a second time, it is not asked twice."""
    left_behind(page, context, live_server)
    held: list[Route] = []
    other = context.new_page()
    other.route("**/draft/", lambda route: held.append(route))  # noqa: PLW0108  # Playwright looks for its __self__
    other.goto(f"{live_server.url}{address}")
    log_out(other)
    button = other.locator("[data-logout] button")
    status = other.locator("[data-logout] [role=status]")
    expect(status).to_have_text("Envoi de ce qui attend…", timeout=1500)
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(other.locator("#leaving")).to_be_hidden()
    button.click(force=True)
    dialog = other.locator("#leaving")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Rester").click()
    expect(status).to_have_text("")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    assert "/login/" not in other.url


@pytest.mark.parametrize("place", ["judging", "home"])
def test_log_out_warns_of_what_cannot_be_sent_and_the_next_person_reads_nothing(
    place: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    context.route("**/draft/", lambda route: route.abort())
    open_pair(page, live_server)
    type_comment(page, WORDS)
    expect_status(page).to_contain_text(LOCAL)
    if place == "home":
        page.goto(live_server.url)
    log_out(page)
    dialog = page.locator("#leaving")
    expect(dialog).to_contain_text("1 réponse n'a pas pu partir")
    dialog.get_by_role("button", name="Rester").click()
    expect(dialog).to_be_hidden()
    log_out(page)
    dialog.get_by_role("button", name="Se déconnecter").click()
    page.wait_for_url("**/account/login/**")
    assert_reads_nothing(page)
    # Somebody else logs in at this computer: nothing is sent, nothing is read.
    context.unroute("**/draft/")
    urls: list[str] = []
    context.on(
        "request", lambda request: urls.append(request.url) if "/draft/" in request.url else None
    )
    log_in_by_page(page, make_user("stranger"))
    page.wait_for_load_state("networkidle")
    expect(page.locator("#unsent")).to_be_hidden()
    assert_reads_nothing(page)
    assert urls == []
    page.evaluate("document.querySelector('[data-logout]').submit()")
    page.wait_for_url("**/account/login/**")
    log_in_by_page(page, student)
    expect(page.locator("#unsent")).to_contain_text("ont été envoyées")
    assert Draft.objects.get().answers["comment"] == WORDS


def test_nothing_is_read_after_a_log_out_without_the_script(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    other = context.new_page()
    context.route("**/draft/", lambda route: route.abort())
    other.goto(live_server.url)
    other.evaluate("document.querySelector('[data-logout]').submit()")
    other.wait_for_url("**/account/login/**")
    other.wait_for_load_state("networkidle")
    assert_reads_nothing(other)


def log_in_by_page(page: Page, user: Any) -> None:
    page.locator("main [name=username]").fill(user.email)
    page.locator("main [name=password]").fill("a-long-password")
    page.locator("main [name=password]").press("Enter")
    page.wait_for_url(lambda url: "login" not in url)


def assert_reads_nothing(page: Page) -> None:
    expect_found(page, NO_KEYS, [[], []])
    held = page.evaluate(HELD)
    for words in (WORDS, ORIGINAL, SIMPLIFIED, ORIGINAL[:30], SIMPLIFIED[:15]):
        assert words not in held
    assert "keys: []" in held
    assert "pages: []" in held


def type_note(page: Page, context: BrowserContext, live_server: Any) -> Any:
    """A note that was begun on the server, and typed further without a network."""
    note_save(assignment=Assignment.objects.get(position=1), text="Avant", base_revision=0)
    open_pair(page, live_server)
    page.locator("#private-note summary").click()
    field = page.locator("#private-note-text")
    expect(field).to_have_value("Avant")
    context.set_offline(True)
    field.fill(f"Avant, {WORDS}")
    expect(page.locator("#private-note [role=status]")).to_contain_text("Gardée sur cet ordinateur")
    return field


@pytest.mark.both_databases
@pytest.mark.parametrize("address", ["/", "/annotate/essai/1/", "/annotate/essai/2/"])
def test_a_private_note_waits_sealed_and_leaves_from_any_page(
    address: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    type_note(page, context, live_server)
    assert WORDS not in page.evaluate(HELD)
    close_offline(page)
    # Another computer meanwhile: both stay.
    note_save(
        assignment=Assignment.objects.get(position=1),
        text="Ailleurs",
        base_revision=PrivateNote.objects.get().revision,
    )
    back_online(context)
    other = context.new_page()
    with other.expect_response(
        lambda answer: answer.request.method == "POST" and "/note/" in answer.url
    ):
        other.goto(f"{live_server.url}{address}")
    assert PrivateNote.objects.get().text == f"Ailleurs\nAvant, {WORDS}"
    other.wait_for_function(f"async () => !(await ({LIES})('copies')).length")


def test_what_is_typed_before_the_script_of_notes_is_there_is_kept(
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/own-pair*.js", hold)
    page.route("**/note/*", lambda route: route.abort())
    # Asked for by whichever comes first: the box, or what keeps the page's files.
    with page.expect_request("**/own-pair*.js"):
        open_pair(page, live_server, 1)
        page.locator("#private-note summary").click()
    page.locator("#private-note-text").fill(WORDS)
    for script in held:
        script.continue_()
    expect(page.locator("#private-note [role=status]")).to_contain_text("Gardée sur cet ordinateur")


def test_a_note_without_a_network_is_read_on_after_a_reload(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    open_pair(page, live_server, 1)
    wait_for_kept(page, 2, 3)
    wait_for_files(page)
    context.set_offline(True)
    page.locator("a[rel=next]").click()
    page.locator("main[data-position='2'][data-synced]").wait_for(state="attached")
    page.locator("#private-note summary").click()
    field = page.locator("#private-note-text")
    field.fill(WORDS)
    expect(page.locator("#private-note [role=status]")).to_contain_text("Gardée sur cet ordinateur")
    page.locator("a[rel=next]").click()
    page.locator("main[data-position='3'][data-synced]").wait_for(state="attached")
    page.locator("a[rel=prev]").click()
    page.locator("main[data-position='2'][data-ready]").wait_for(state="attached")
    page.locator("#private-note summary").click()
    expect(field).to_have_value(WORDS)
    back_online(context)
    expect(page.locator("#private-note [role=status]")).to_contain_text("Note enregistrée")
    assert PrivateNote.objects.get().text == WORDS


@pytest.mark.parametrize("is_draft_there", [False, True])
def test_what_a_closed_round_did_not_get_is_not_said_to_be_saved(
    is_draft_there: bool,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Neither where the server has an older draft, nor where it lacks the submission alone."""
    left_behind(page, context, live_server, submitted=True)
    assignment = Assignment.objects.get(position=1)
    words = WORDS if is_draft_there else "avant"
    stored = answers(comment=words, simplicity=1, characterization=7, bracket=3, errors=[])
    draft_save(
        actor=student, assignment=assignment, save=Save(answers=stored, base_revision=0, key=KEY)
    )
    Study.objects.update(state="closed")
    other = context.new_page()
    other.goto(f"{live_server.url}/annotate/essai/1/")
    question = other.locator("#choice-dialog")
    expect(question.get_by_role("link", name="Télécharger ma copie")).to_be_visible()
    other.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect_status(other).to_have_text("Gardé sur cet ordinateur, pas envoyé")
