"""Answers that the server does not take, whatever is tried: the round is closed, or the pair is not
their annotator's any more. They wait for nothing, are asked about once, and go when the person says
so."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Annotator, Assignment, Study
from annotation.services.items.removal import simplification_remove
from annotation.services.people.people import annotator_add, annotator_withdraw
from tests.browser.database import LIES
from tests.browser.test_copies import open_pair, student  # noqa: F401
from tests.browser.test_leaving import WORDS, left_behind, log_out
from tests.browser.waiting import expect_found

pytestmark = pytest.mark.django_db(transaction=True)

COPIES = f"async () => (await ({LIES})('copies')).length"


def refuse(why: str) -> None:
    if why == "closed":
        Study.objects.update(state="closed")
    elif why == "left":
        annotator_withdraw(actor=None, annotator=Annotator.objects.get(), reason="Départ.")
    else:
        pair = Assignment.objects.get(position=1).simplification
        simplification_remove(actor=None, simplification=pair)


def saves(page: Page) -> list[str]:
    """The saves that the page sends from now on, by their addresses."""
    urls: list[str] = []
    page.on(
        "request", lambda request: urls.append(request.url) if "/draft/" in request.url else None
    )
    return urls


def notice(page: Page) -> Any:
    return page.locator("#unsent")


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("closed", "ne prend pas de réponses"),
        ("removed", "n'est plus à vous"),
        ("left", "n'est plus"),
    ],
)
def test_a_copy_goes_when_its_person_says_so_and_then_nothing_is_said_of_it(
    why: str,
    words: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    refuse(why)
    other = context.new_page()
    other.goto(live_server.url)
    expect(notice(other)).to_contain_text(words)
    notice(other).get_by_role("button", name="Retirer cette copie").click()
    expect(notice(other)).to_contain_text("peut-être qu'ici")
    keep = notice(other).get_by_role("button", name="La garder")
    expect(keep).to_be_focused()
    keep.click()
    expect(notice(other)).not_to_contain_text("peut-être qu'ici", use_inner_text=True)
    expect_found(other, COPIES, 1)
    notice(other).get_by_role("button", name="Retirer cette copie").click()
    notice(other).get_by_role("button", name="Supprimer pour de bon").click()
    expect(notice(other)).to_be_hidden()
    expect_found(other, COPIES, 0)
    other.reload()
    log_out(other)
    other.wait_for_url("**/account/login/**")


HELD = """(() => {
  // What the page asks of its session once a copy can be removed waits for the test.
  const ask = window.fetch;
  const held = new Promise((go) => (window.go = go));
  window.fetch = async (url, ...options) => {
    if (String(url).includes("/session/") && document.querySelector("#unsent button")) {
      window.isHeld = true;
      await held;
    }
    return ask(url, ...options);
  };
})()"""


def test_a_copy_that_is_removed_while_the_page_still_asks_is_told_of_no_more(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    refuse("removed")
    other = context.new_page()
    other.add_init_script(HELD)
    other.goto(live_server.url)
    expect(notice(other)).to_contain_text("n'est plus à vous")
    expect_found(other, "() => window.isHeld")
    notice(other).get_by_role("button", name="Retirer cette copie").click()
    notice(other).get_by_role("button", name="Supprimer pour de bon").click()
    expect_found(other, COPIES, 0)
    other.evaluate("window.go()")
    expect(notice(other)).to_be_hidden()


@pytest.mark.parametrize("why", ["removed", "closed", "left"])
def test_the_server_is_asked_again_once_a_page_where_that_may_help(
    why: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    refuse(why)
    other = context.new_page()
    other.goto(live_server.url)
    expect(notice(other)).to_contain_text("Votre copie reste")
    sent_again = saves(other)
    for _ in range(2):
        # Whatever has come before is done when this is.
        with other.expect_response("**/session/"):
            other.goto(f"{live_server.url}/annotate/essai/mine/")
        expect(notice(other)).to_contain_text("Votre copie reste")
        with other.expect_response("**/healthz"):
            other.evaluate("""async () => {
              window.dispatchEvent(new Event("online"));
              await navigator.locks.request("bareme:outbox", () => fetch("/healthz"));
            }""")
    assert len(sent_again) == (0 if why == "removed" else 2)


def test_who_is_taken_back_is_not_told_that_the_pair_is_not_theirs(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    refuse("left")
    other = context.new_page()
    other.goto(live_server.url)
    expect(notice(other)).to_contain_text("n'est plus à vous")
    annotator = Annotator.objects.get()
    assert annotator.user
    annotator_add(actor=None, study=annotator.study, user=annotator.user)
    other.reload()
    expect(notice(other)).to_contain_text("ont été envoyées")
    expect_found(other, COPIES, 0)


@pytest.mark.parametrize("why", ["removed", "closed"])
@pytest.mark.parametrize("address", ["/", "/annotate/essai/2/"])
def test_log_out_does_not_wait_for_it_and_says_what_becomes_of_it(
    why: str,
    address: str,
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    refuse(why)
    other = context.new_page()
    other.goto(live_server.url)
    expect(notice(other)).to_contain_text("Votre copie reste")
    # No clock of this page goes on: whatever waits, waits for ever.
    other.clock.install()
    other.goto(f"{live_server.url}{address}")
    other.clock.pause_at(other.evaluate("Date.now() + 1000"))
    log_out(other)
    dialog = other.locator("#leaving")
    expect(dialog).to_contain_text("1 réponse n'est plus acceptée")
    expect(dialog).to_contain_text("jusqu'à ce que vous le retiriez")
    expect(dialog).not_to_contain_text("partira quand vous", use_inner_text=True)
    expect(dialog.get_by_role("link", name="Télécharger mes copies")).to_be_visible()
    dialog.get_by_role("button", name="Se déconnecter").click()
    other.wait_for_url("**/account/login/**")


def test_on_other_pairs_it_is_told_without_a_way_to_a_page_that_is_gone(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Said once in the foot, and kept behind the button on every page, to be taken or removed."""
    left_behind(page, context, live_server)
    refuse("removed")
    other = open_pair(context.new_page(), live_server, position=2)
    expect(other.locator("#toast")).to_contain_text("n'est plus à vous")
    messages = other.locator("#messages")
    lines = other.locator("#other-notices .notice")
    expect(lines).to_contain_text("son numéro d'alors")
    open_pair(other, live_server, position=3)
    expect(messages.locator("[data-count]")).to_have_text("1")
    expect(other.locator("#toast")).not_to_contain_text("n'est plus à vous")
    messages.locator("summary").click()
    expect(lines.get_by_role("link")).to_have_text(["Télécharger ma copie"])
    with other.expect_download() as taken:
        lines.get_by_role("link").click()
    assert WORDS in taken.value.path().read_text(encoding="utf-8")
    lines.get_by_role("button", name="Retirer cette copie").click()
    lines.get_by_role("button", name="Supprimer pour de bon").click()
    expect(lines).to_have_count(0)
    expect(messages).to_be_hidden()
    expect_found(other, COPIES, 0)


@pytest.mark.parametrize(
    ("why", "words"), [("removed", "pas des vôtres"), ("left", "ne participez plus")]
)
def test_a_note_and_keeping_for_later_are_told_so_too(
    why: str,
    words: str,
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Neither waits for a server that answers."""
    open_pair(page, live_server)
    refuse(why)
    page.keyboard.press("l")
    expect(page.locator("#toast")).to_contain_text(words)
    page.locator("#private-note summary").click()
    said = page.locator("#private-note [role=status]")
    expect(said).to_contain_text(words)
    with page.expect_response("**/note/**"):
        page.locator("#private-note-text").fill(WORDS)
    expect(said).to_contain_text(words)


def test_at_a_withdrawn_pair_one_is_told_so_with_the_way_on(
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    open_pair(page, live_server)
    refuse("removed")
    page.keyboard.press("1")
    dialog = page.locator("#choice-dialog")
    expect(dialog).to_contain_text("n'est plus, à vous")
    expect(dialog.get_by_role("link", name="Télécharger ma copie")).to_be_visible()
    dialog.get_by_role("link", name="Passer à la paire suivante").click()
    page.wait_for_url("**/annotate/essai/2/")


def test_a_page_that_is_only_read_is_loaded_anew_once_its_round_is_open_again(
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    refuse("closed")
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-synced][data-editable='0']")).to_be_attached()
    note = page.get_by_text("Vous pouvez lire la paire")
    expect(note).to_be_visible()
    back = "window.dispatchEvent(new Event('focus'))"
    with page.expect_response("**/ahead/") as answer:
        page.evaluate(back)
    assert answer.value.status == 409
    Study.objects.update(state="main")
    with page.expect_navigation():
        page.evaluate(back)
    expect(page.locator("main[data-ready][data-editable='1']")).to_be_attached()
    expect(note).to_have_count(0)


def test_at_a_closed_pair_its_copy_is_removed(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    left_behind(page, context, live_server)
    refuse("closed")
    other = context.new_page()
    other.goto(f"{live_server.url}/annotate/essai/1/")
    dialog = other.locator("#choice-dialog")
    dialog.get_by_role("button", name="Retirer cette copie").click()
    expect(dialog).to_contain_text("peut-être qu'ici")
    with other.expect_navigation():
        dialog.get_by_role("button", name="Supprimer pour de bon").click()
    expect(other.locator("main[data-ready]")).to_be_attached()
    expect_found(other, COPIES, 0)
