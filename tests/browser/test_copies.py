"""Copies of unsent answers on this computer: where they are kept, what is said of it, what becomes
of older ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Draft, Study
from annotation.services.planning.assignments import assignments_fill
from annotation.web.platform.user_ref import former_refs
from tests.browser.network import back_online, close_offline
from tests.browser.waiting import expect_found
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

SAVED = "Enregistré à"
KEPT = "Gardé ici, envoi dans un instant"
LOCAL = "Gardé ici, sera envoyé"
NOT_KEPT = "ne garde pas de copie locale"
NO_DATABASE = "Object.defineProperty(window, 'indexedDB', { value: { open() { throw new Error('blocked'); } } });"  # noqa: E501
NO_STORAGE = (
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
)
FULL_DATABASE = """
IDBObjectStore.prototype.add = function () { throw new DOMException("full", "QuotaExceededError"); };
"""  # noqa: E501
FIVE_ANSWERS = """async () => {
  for (let n = 0; n < 5; n++) await fetch("/healthz", { cache: "no-store" });
}"""
# Everything that this site keeps in the browser, as text.
HELD = """async () => {
  const found = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) found.push(request.url, await (await cache.match(request)).text());
  }
  for (const { name } of await indexedDB.databases()) {
    const opened = await new Promise((done) => (indexedDB.open(name).onsuccess = (event) => done(event.target.result)));
    for (const table of opened.objectStoreNames) {
      const request = opened.transaction(table).objectStore(table).getAll();
      const rows = await new Promise((done) => (request.onsuccess = () => done(request.result)));
      const text = (bytes) => new TextDecoder().decode(bytes);
      const shown = (_, value) => (ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? text(value) : value);
      found.push(`${table}: ${JSON.stringify(rows, shown)}`);
    }
    opened.close();
  }
  return found.join("\\n");
}"""  # noqa: E501


@pytest.fixture
def student(live_server: Any, log_in: Any) -> Any:
    study = make_study("essai", state="main")
    for _ in range(3):
        make_pair(study)
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    log_in(user)
    return user


def open_pair(page: Page, live_server: Any, position: int = 1) -> Page:
    page.goto(f"{live_server.url}/annotate/essai/{position}/")
    page.locator("main[data-synced]").wait_for(state="attached")
    return page


def type_comment(page: Page, text: str) -> None:
    page.evaluate(
        """(text) => {
          const field = document.querySelector("[name=comment]");
          field.value = text;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        text,
    )


def expect_comment(page: Page) -> Any:
    return expect(page.locator("[name=comment]"))


def expect_status(page: Page) -> Any:
    return expect(page.locator("#save-status"))


def test_it_says_kept_once_it_is_and_then_saved(page: Page, live_server: Any, student: Any) -> None:
    open_pair(page, live_server)
    page.evaluate("""() => {
      window.said = [];
      const line = document.getElementById("save-status");
      new MutationObserver(() => window.said.push(line.textContent)).observe(line, { childList: true });
    }""")  # noqa: E501
    type_comment(page, "premier")
    expect_status(page).to_contain_text(SAVED)
    type_comment(page, "second")
    expect_status(page).to_have_text(KEPT)
    expect_status(page).to_contain_text(SAVED)
    said = page.evaluate("window.said")
    assert said[0] == "Envoi dans un instant"
    assert "Pas encore enregistré" not in said
    assert Draft.objects.get().answers["comment"] == "second"


@pytest.mark.parametrize("broken", [NO_DATABASE, FULL_DATABASE])
def test_without_the_database_the_other_place_holds_it(
    broken: str, page: Page, context: BrowserContext, live_server: Any, student: Any
) -> None:
    page.add_init_script(broken)
    open_pair(page, live_server)
    context.set_offline(True)
    type_comment(page, "secret")
    expect_status(page).to_contain_text(LOCAL)
    assert "secret" not in page.evaluate("JSON.stringify({ ...localStorage })")
    close_offline(page)
    back_online(context)
    other = context.new_page()
    other.add_init_script(broken)
    open_pair(other, live_server)
    expect_comment(other).to_have_value("secret")
    expect_status(other).to_contain_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "secret"
    expect_found(other, "JSON.stringify({ ...localStorage }).includes('copy')", False)


def test_where_nothing_is_kept_it_says_so_with_and_without_a_network(
    page: Page, context: BrowserContext, live_server: Any, student: Any
) -> None:
    page.add_init_script(NO_DATABASE + NO_STORAGE)
    open_pair(page, live_server)
    page.route("**/draft/", lambda route: route.abort())
    type_comment(page, "en ligne")
    expect_status(page).to_contain_text(NOT_KEPT)
    context.set_offline(True)
    type_comment(page, "hors ligne")
    expect_status(page).to_contain_text(NOT_KEPT)
    back_online(context)
    page.unroute("**/draft/")
    expect_status(page).to_contain_text(SAVED)


def test_a_server_without_room_is_named_and_gets_the_answer_once_there_is_some(
    page: Page, live_server: Any, student: Any
) -> None:
    open_pair(page, live_server)
    page.route("**/draft/", lambda route: route.fulfill(status=507, json={"type": "storage_full"}))
    type_comment(page, "gardée ici")
    expect_status(page).to_contain_text("le serveur n'a plus de place")
    expect(page.locator("#save-aloud")).to_contain_text("le serveur n'a plus de place")
    page.unroute("**/draft/")
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect_status(page).to_contain_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "gardée ici"


def test_a_copy_of_an_earlier_version_is_taken_over(
    page: Page, live_server: Any, student: Any
) -> None:
    open_pair(page, live_server)
    answers = page.evaluate(
        "JSON.parse(document.getElementById('judge-state').textContent).answers"
    )
    [reference] = former_refs(student)
    copies = {}
    # The clock was set back between the two: the order in which they are read is that of their
    # moments all the same.
    for name, words, changed_at in (("a", "ancienne", 5), ("b", "nouvelle", 9)):
        copy = {
            "study": "essai",
            "position": 2,
            "page": name,
            "href": "/annotate/essai/2/",
            "draft_url": "/annotate/essai/2/draft/",
            "submit_url": "/annotate/essai/2/submit/",
            "base_revision": 0,
            "acknowledged": "",
            "answers": {**answers, "comment": words},
            "active_seconds": 3,
            "changed_at": changed_at,
            "intent": "draft",
            "sent": None,
        }
        copies[f"bareme:v1:copy:{reference}:essai:2:{name}"] = json.dumps(copy)
    page.evaluate("(copies) => Object.assign(localStorage, copies)", copies)
    open_pair(page, live_server, 2)
    expect_comment(page).to_have_value("nouvelle")
    assert not page.evaluate(
        "Object.keys(localStorage).some((name) => name.startsWith('bareme:v1:copy'))"
    )


def test_the_newest_copy_is_restored_whatever_the_clock_says(
    page: Page, context: BrowserContext, live_server: Any, student: Any
) -> None:
    for number, (words, moment) in enumerate([("avant", "2027-12-01"), ("après", "2020-01-01")]):
        window = page if number == 0 else context.new_page()
        window.clock.set_fixed_time(moment)
        open_pair(window, live_server)
        window.route("**/draft/", lambda route: route.abort())
        window.route("**/session/", lambda route: route.abort())
        type_comment(window, words)
        expect_status(window).to_contain_text(LOCAL)
        if number == 1:
            close_offline(page, window)
    third = open_pair(context.new_page(), live_server)
    expect_comment(third).to_have_value("après")


def test_copies_are_sealed_for_their_owner(
    page: Page, context: BrowserContext, live_server: Any, student: Any
) -> None:
    open_pair(page, live_server)
    context.set_offline(True)
    type_comment(page, "un mot confidentiel")
    expect_status(page).to_contain_text(LOCAL)
    held = page.evaluate(HELD)
    assert '"sealed"' in held
    assert "confidentiel" not in held


def test_a_copy_under_another_key_is_told_of(
    page: Page, context: BrowserContext, live_server: Any, student: Any
) -> None:
    open_pair(page, live_server)
    context.set_offline(True)
    type_comment(page, "perdu")
    expect_status(page).to_contain_text(LOCAL)
    close_offline(page)
    back_online(context)
    other = context.new_page()
    # Another key under the same name: as after a database from elsewhere.
    other.route(
        "**/annotate/essai/1/",
        lambda route: route.fulfill(
            response=(answer := route.fetch()),
            body=answer.text().replace(
                'data-copy-key="',
                'data-copy-key="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" data-x="',
            ),
        ),
    )
    open_pair(other, live_server)
    expect(other.locator("#other-notices")).to_contain_text("ne peuvent plus être ouvertes")


def test_nothing_moves_when_the_network_goes_and_comes(
    page: Page, context: BrowserContext, live_server: Any, student: Any
) -> None:
    open_pair(page, live_server)
    top = "document.getElementById('text-original').getBoundingClientRect().top"
    for width in (1366, 1280, 768):
        page.set_viewport_size({"width": width, "height": 768})
        before = page.evaluate(top)
        context.set_offline(True)
        type_comment(page, f"hors ligne {width}")
        expect_status(page).to_contain_text(LOCAL)
        expect_found(page, top, before)
        back_online(context)
        expect_status(page).to_contain_text(SAVED)
        expect_found(page, top, before)


PASTED = """([name, text]) => {
  const field = document.querySelector(`[name=${name}]`);
  field.value = text;
  field.setSelectionRange(text.length, text.length);
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
}"""


@pytest.mark.parametrize(
    ("character", "instead"), [("\\u0000", ""), ("\\ud83d", "\ufffd"), ("\\udc00", "\ufffd")]
)
def test_a_character_that_cannot_be_stored_is_taken_out_where_it_is_pasted(
    page: Page, live_server: Any, student: Any, character: str, instead: str
) -> None:
    open_pair(page, live_server)
    pasted = json.loads(f'"avant {character}après 😀"')
    page.evaluate(f"({PASTED})(['comment', {json.dumps(pasted)}])")
    expect_status(page).to_contain_text(SAVED)
    expect_comment(page).to_have_value(f"avant {instead}après 😀")
    assert Draft.objects.get().answers["comment"] == f"avant {instead}après 😀"


def test_what_is_typed_with_one_is_sent_without(page: Page, live_server: Any, student: Any) -> None:
    open_pair(page, live_server)
    # As typed, a character may come in two halves.
    page.evaluate("window.half = String.fromCharCode(0xd83d)")
    page.evaluate(f"({PASTED.replace('insertFromPaste', 'insertText')})(['comment', half + 'a'])")
    expect_status(page).to_contain_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "\ufffda"
    page.evaluate(
        "document.querySelector('[name=comment]')"
        ".dispatchEvent(new Event('change', { bubbles: true }))"
    )
    expect_comment(page).to_have_value("\ufffda")


@pytest.mark.parametrize("status", [400, 413])
def test_what_the_server_cannot_read_is_not_said_to_be_sent_later(
    page: Page, live_server: Any, student: Any, status: int
) -> None:
    open_pair(page, live_server)
    kind = {400: "malformed", 413: "too_large"}[status]
    body = json.dumps({"type": kind, "title": "Illisible.", "status": status})
    page.route(
        "**/draft/",
        lambda route: route.fulfill(status=status, body=body, content_type="application/json"),
    )
    type_comment(page, "illisible")
    expect_status(page).to_have_text("Gardé sur cet ordinateur, pas envoyé")
    expect(page.locator("#choice-dialog")).to_contain_text("Illisible.")
    page.unroute("**/draft/")
    type_comment(page, "lisible")
    expect_status(page).to_contain_text(SAVED)


def test_what_waits_is_not_asked_about_while_somebody_else_is_logged_in(
    page: Page, context: BrowserContext, live_server: Any, student: Any, log_in: Any
) -> None:
    """No try could help: it waits for a page of its own person, and the server is left in peace."""
    page.clock.install()
    open_pair(page, live_server)
    left = open_pair(context.new_page(), live_server, 2)
    context.set_offline(True)
    type_comment(left, "attend sa personne")
    expect_status(left).to_contain_text(LOCAL)
    close_offline(left)
    somebody = make_annotator(Study.objects.get(), make_user("somebody-else"))
    assignments_fill(actor=None, study=somebody.study)
    log_in(somebody.user)
    tried: list[str] = []
    page.on("request", lambda request: tried.append(request.url))
    with page.expect_response(lambda answer: "/2/" in answer.url and not answer.ok):
        back_online(context)
    expect(page.locator("#other-notices")).to_contain_text("pas encore partie")
    first = [url for url in tried if "/2/" in url]
    for _ in range(4):
        page.clock.run_for(10 * 60 * 1000)
        # As long as a try would take: to the server and back.
        page.evaluate(FIVE_ANSWERS)
    assert [url for url in tried if "/2/" in url] == first
    assert not Draft.objects.exists()
    log_in(student)
    other = open_pair(context.new_page(), live_server)
    expect(other.locator("#other-notices")).to_contain_text("envoy")
    assert Draft.objects.get().answers["comment"] == "attend sa personne"
