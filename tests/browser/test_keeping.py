"""The next pairs without a network: read, judged, sent when it is back; nobody else's, never
outdated."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotation.models import Assignment, Draft, Judgment, Study
from annotation.services.judging.drafts import Save, draft_save
from annotation.services.planning.assignments import assignments_fill
from annotation.web.judging.views import annotate
from annotation.web.platform.user_ref import user_ref
from tests.browser.database import LIES
from tests.browser.network import back_online
from tests.browser.test_copies import HELD, expect_status, type_comment
from tests.browser.test_judging_frame import CUT, expect_seen
from tests.browser.waiting import expect_awake, expect_found
from tests.factories import answers, make_annotator, make_pair, make_study, make_user
from tests.processes import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "zz-du-texte-a-juger"
# Which pages are kept.
KEPT = f"() => ({LIES})('pages')"
# The page's own listeners, which are older, have heard it before.
HEARS = """() => {
  const channel = new BroadcastChannel("bareme:reader");
  window.heard = new Promise((done) => (channel.onmessage = () => done()));
}"""
WITHOUT_CRYPTOGRAPHY = "Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined });"


@pytest.fixture
def student(live_server: Any, log_in: Any) -> Any:
    """A logged-in annotator with four pairs, each of which can be told from the others."""
    study = make_study("essai", state="main")
    for number in range(4):
        make_pair(study, text=f"L'assureur paie, {SECRET}-{number}.")
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    log_in(user)
    return user


def place(live_server: Any, position: int) -> str:
    return f"{live_server.url}/annotate/essai/{position}/"


def text_of(position: int) -> str:
    return Assignment.objects.get(position=position).simplification.text


def wait_for_kept(page: Page, *positions: int) -> None:
    """Until just these are kept, and the worker is there."""
    expected = [f"/annotate/essai/{position}/" for position in positions]
    page.wait_for_function(
        f"async (expected) => String(await ({KEPT})()) === String(expected)", arg=expected
    )
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.wait_for_function(
        "async () => (await "
        "navigator.serviceWorker.getRegistration('/annotate/'))?.active?.state === 'activated'"
    )


def wait_for_files(page: Page) -> None:
    """Until what the page is made of is kept as well, the scripts that it has not needed yet last:
    they come after the pages of pairs."""
    page.wait_for_function(
        """async () => {
          const held = (await (await caches.open("bareme-files")).keys()).map(({ url }) => url);
          return held.length > 20 && held.some((url) => url.includes("/own-pair"));
        }"""
    )


@pytest.fixture
def first(page: Page, live_server: Any, student: Any) -> Page:
    """The first pair, the other three kept."""
    page.goto(place(live_server, 1))
    wait_for_kept(page, 2, 3, 4)
    wait_for_files(page)
    return page


def follow(page: Page) -> None:
    """To the next pair by its link."""
    with page.expect_navigation():
        page.locator("a[rel=next]").click()
    page.locator("main[data-ready]").wait_for(state="attached")


def judge(page: Page) -> None:
    # On a pair that one came to from another, keys rest for a moment.
    expect(page.locator("main[data-ready]")).to_be_attached()
    for key in ("1", "Enter", "0", "7", "Enter", "3"):
        page.keyboard.press(key)
    expect(page.locator("input[name=bracket][value='3']")).to_be_checked()


def opened(*positions: int) -> list[bool]:
    moments = dict(Assignment.objects.values_list("position", "opened_at"))
    return [moments[position] is not None for position in positions]


def test_keeping_looks_at_nothing(first: Page) -> None:
    assert opened(1, 2, 3, 4) == [True, False, False, False]
    assert not Draft.objects.exists()


@pytest.mark.both_databases
def test_the_next_pairs_are_read_and_judged_without_a_network(
    first: Page, context: BrowserContext
) -> None:
    context.set_offline(True)
    judge(first)
    first.keyboard.press("Control+Enter")
    expect(first.locator("#toast")).to_contain_text("dès le retour du réseau")
    for position in (2, 3):
        with first.expect_navigation():
            # Once more: on to the next, which does not wait for the network either.
            first.keyboard.press("Control+Enter")
        assert first.url.endswith(f"/{position}/")
        expect(first.locator("#text-simplification")).to_contain_text(text_of(position))
        first.locator("main[data-synced]").wait_for(state="attached")
        judge(first)
        first.keyboard.press("Control+Enter")
        expect(first.locator("#toast")).to_contain_text("dès le retour du réseau")
    # Of the earlier pages Chromium lets the last word through, as nobody is there to be offline.
    assert not Judgment.objects.filter(assignment__position=3).exists()
    assert opened(3) == [False]
    back_online(context)
    first.wait_for_url(lambda url: url.endswith("/4/"))
    submitted = Judgment.objects.filter(submitted_at__isnull=False, assignment__position__lte=3)
    # Who sends which is not said: a page's last word may have come through as it went.
    limit = time.monotonic() + PATIENCE / 2
    while submitted.count() < 3:
        assert time.monotonic() < limit, submitted
        first.wait_for_timeout(100)
    assert submitted.count() == 3
    # When they were looked at, not when that was told.
    for judgment in Judgment.objects.select_related("assignment").filter(
        assignment__position__in=(2, 3)
    ):
        assert judgment.started_at == judgment.assignment.opened_at
        assert judgment.submitted_at is not None
        assert judgment.started_at is not None
        assert judgment.started_at < judgment.submitted_at


def test_what_the_page_before_had_no_time_to_say_is_said(first: Page, live_server: Any) -> None:
    """Once, and to nobody else."""
    first.evaluate("""() => {
      const { user } = document.getElementById("judge").dataset;
      const told = [[user, "Paire 9 : soumise."], ["somebody", "Paire 8 : soumise."]];
      const lines = told.map(([user, text]) => ({ user, line: [text, ""], at: Date.now() }));
      sessionStorage.setItem("bareme:v1:unread", JSON.stringify(lines));
    }""")
    first.goto(place(live_server, 2))
    notices = first.locator("#other-notices")
    expect(notices).to_contain_text("Paire 9")
    expect(notices).not_to_contain_text("Paire 8")
    first.goto(place(live_server, 3))
    first.locator("main[data-synced]").wait_for(state="attached")
    expect(notices).not_to_contain_text("Paire 9")


def test_a_reload_without_a_network_shows_what_was_typed(
    first: Page, context: BrowserContext
) -> None:
    context.set_offline(True)
    follow(first)
    type_comment(first, "tapé hors ligne")
    expect_status(first).to_contain_text("Gardé ici")
    first.reload()
    first.wait_for_function(
        "() => document.querySelector('[name=comment]').value === 'tapé hors ligne'"
    )
    back_online(context)
    expect_status(first).to_contain_text("Enregistré à")
    assert Draft.objects.get().answers["comment"] == "tapé hors ligne"


def test_with_a_network_it_is_shown_at_once_and_told(first: Page) -> None:
    requests: list[str] = []
    first.on("request", lambda request: requests.append(f"{request.method} {request.url}"))
    with first.expect_response(
        lambda answer: answer.request.method == "POST" and "/2/ahead/" in answer.url
    ):
        follow(first)
    expect(first.locator("main:not([data-kept=''])")).to_be_attached()
    expect(first.locator("#progress-text")).to_have_text("0 sur 4 jugées")
    expect(first.locator("main:not([data-unknown])")).to_be_attached()
    assert opened(2) == [True]
    # Three were kept already: nothing is fetched twice.
    wait_for_kept(first, 1, 2, 3, 4)
    pages = [request for request in requests if re.search(r"/annotate/essai/[1234]/$", request)]
    assert [request for request in pages if request.endswith(("/3/", "/4/"))] == []


def test_answers_of_another_computer_are_shown_as_soon_as_the_server_tells(
    first: Page, student: Any
) -> None:
    stored = Assignment.objects.get(position=2)
    draft_save(
        actor=student,
        assignment=stored,
        save=Save(
            answers=answers(comment="ailleurs"),
            base_revision=0,
            key=uuid.UUID(int=1),
        ),
    )
    follow(first)
    expect(first.locator("[name=comment]")).to_have_value("ailleurs")
    expect(first.locator("main")).to_have_attribute("data-kept", "")
    expect(first.locator("#choice-dialog")).to_be_hidden()


def test_a_pair_that_was_begun_comes_from_the_network(first: Page) -> None:
    follow(first)
    type_comment(first, "commencé")
    expect_status(first).to_contain_text("Enregistré à")
    with first.expect_navigation():
        first.locator("a[rel=prev]").click()
    wait_for_kept(first, 2, 3, 4)
    follow(first)
    expect(first.locator("main")).to_have_attribute("data-kept", "")
    expect(first.locator("[name=comment]")).to_have_value("commencé")


def test_what_answers_with_an_error_is_replaced_by_what_is_kept(
    first: Page, live_server: Any, context: BrowserContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("annotation.web.judging.views.annotate.page_context", broken)
    # A reload asks the server first.
    first.goto(place(live_server, 2))
    expect(first.locator("#text-simplification")).to_contain_text(text_of(2))
    first.reload()
    expect(first.locator("#text-simplification")).to_contain_text(text_of(2))


def test_a_page_whose_script_has_not_come_is_asked_again(
    first: Page, live_server: Any, context: BrowserContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Route] = []
    is_asked = threading.Event()

    def broken(*_: object, **__: object) -> None:
        is_asked.set()
        raise RuntimeError("broken")

    context.route("**/keeping.js", lambda route: held.append(route))  # noqa: PLW0108  # Playwright looks for its __self__
    first.goto(place(live_server, 2))
    first.locator("main[data-synced]").wait_for(state="attached")
    monkeypatch.setattr("annotation.web.judging.views.annotate.page_context", broken)
    with first.expect_navigation():
        first.evaluate("() => void setTimeout(() => location.reload())")
        assert is_asked.wait(20)
        # What the worker asks in this moment, nobody hears.
        time.sleep(0.3)
        for route in held:
            route.continue_()
    expect(first.locator("#text-simplification")).to_contain_text(text_of(2))


def test_the_network_has_four_seconds(
    first: Page, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    as_it_was = annotate.page_context

    def slow(*given: Any) -> Any:
        assert go_on.wait(20)
        return as_it_was(*given)

    first.goto(place(live_server, 2))
    monkeypatch.setattr("annotation.web.judging.views.annotate.page_context", slow)
    try:
        first.reload()
        expect(first.locator("#text-simplification")).to_contain_text(text_of(2))
        expect(first.locator("main:not([data-kept=''])")).to_be_attached()
        waited = first.evaluate("performance.getEntriesByType('navigation')[0].responseStart")
        assert waited >= 4000
    finally:
        go_on.set()


@pytest.mark.both_databases
@pytest.mark.parametrize("gone", ["closed", "released", "left"])
def test_what_the_server_refuses_is_given_up(gone: str, first: Page, live_server: Any) -> None:
    study = Study.objects.get()
    if gone == "closed":
        Study.objects.update(state="closed")
    elif gone == "released":
        Assignment.objects.filter(position=2).update(position=99)
    else:
        study.annotators.update(withdrawn_at="2026-01-01T00:00Z")
    first.goto(place(live_server, 2))
    if gone == "closed":
        expect(first.locator(".judge__notices")).to_contain_text("ne prend pas de réponse")
        wait_for_kept(first)
    else:
        told = "Vous ne participez plus à cette étude" if gone == "left" else "404"
        expect(first.locator("body")).to_contain_text(told)
        # The page that was left is told of it while the answer comes.
        expect_found(first, f"async () => (await ({KEPT})()).includes('/annotate/essai/2/')", False)


def test_log_out_leaves_nothing_that_could_be_read(
    first: Page, live_server: Any, context: BrowserContext
) -> None:
    assert SECRET not in first.evaluate(HELD)
    first.locator(".site-header [data-menu] summary").first.click()
    first.locator("form[data-logout] button").click()
    first.wait_for_url("**/account/login/")
    assert first.evaluate(KEPT) == []
    assert SECRET not in first.evaluate(HELD)
    context.set_offline(True)
    with pytest.raises(Exception, match="ERR_"):
        first.goto(place(live_server, 2))


def test_a_log_in_that_ended_leaves_nothing_either(
    first: Page, live_server: Any, context: BrowserContext
) -> None:
    context.clear_cookies()
    first.goto(f"{live_server.url}/")
    first.wait_for_function(f"async () => !(await ({KEPT})()).length")
    assert SECRET not in first.evaluate(HELD)


def test_another_person_who_logs_in_finds_nothing(
    first: Page, live_server: Any, context: BrowserContext, log_in: Any
) -> None:
    log_in(make_user("other"))
    first.goto(f"{live_server.url}/")
    first.wait_for_function(f"async () => !(await ({KEPT})()).length")
    assert SECRET not in first.evaluate(HELD)


def test_without_a_key_nothing_is_written(page: Page, live_server: Any, student: Any) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.add_init_script(WITHOUT_CRYPTOGRAPHY)
    page.goto(place(live_server, 1))
    page.locator("main[data-synced]").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(KEPT) == []
    assert page.evaluate("caches.keys()") == []
    assert not [url for url in urls if "keeping.js" in url and "/annotate/keeping.js" in url]


def test_what_is_kept_stays_closed_to_another_key(
    first: Page, live_server: Any, student: Any
) -> None:
    """The very rows, under a log-in with another secret: not opened, fetched anew."""
    student.browser_secret = b"\1" * 32
    student.save()
    first.goto(f"{live_server.url}/annotate/essai/mine/")
    first.goto(place(live_server, 2))
    expect(first.locator("main")).to_have_attribute("data-kept", "")


def test_a_server_that_is_away_while_pages_are_kept(
    page: Page, live_server: Any, student: Any
) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=500, body="broken")

    page.route("**/ahead/", refuse)
    page.goto(place(live_server, 1))
    page.locator("main[data-synced]").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(KEPT) == []
    page.unroute("**/ahead/")
    page.evaluate("window.dispatchEvent(new Event('online'))")
    wait_for_kept(page, 2, 3, 4)


@pytest.fixture
def colleague(student: Any) -> Any:
    """Somebody else in the same study, who will use the same browser."""
    other = make_user("colleague")
    make_annotator(Study.objects.get(), other)
    assignments_fill(actor=None, study=Study.objects.get())
    return other


def asked_by(page: Page) -> list[str]:
    """What that page asks for from now on, to keep it."""
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    return urls


def end_of_renewing(page: Page) -> None:
    """The page has heard that there is a network, and everything that this sets off has ended."""
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.wait_for_load_state("networkidle")
    page.evaluate("new Promise((done) => setTimeout(done, 100))")


def test_a_page_left_open_keeps_nothing_of_who_logs_in_next(
    first: Page, log_in: Any, colleague: Any
) -> None:
    log_in(colleague)
    with first.expect_response(lambda answer: answer.url.endswith("/1/ahead/")) as answered:
        first.evaluate("window.dispatchEvent(new Event('online'))")
    assert answered.value.status == 403
    wait_for_kept(first)
    urls = asked_by(first)
    end_of_renewing(first)
    assert urls == []
    assert first.evaluate(KEPT) == []


def test_a_page_hears_that_somebody_else_judges_in_this_browser(
    first: Page, context: BrowserContext, live_server: Any, log_in: Any, colleague: Any
) -> None:
    log_in(colleague)
    urls = asked_by(first)
    first.evaluate(HEARS)
    theirs = context.new_page()
    theirs.goto(place(live_server, 1))
    wait_for_kept(theirs, 2, 3, 4)
    first.evaluate("window.heard")
    end_of_renewing(first)
    assert urls == []
    wait_for_kept(theirs, 2, 3, 4)
    follow(theirs)
    expect(theirs.locator("main")).to_have_attribute("data-user", user_ref(colleague))


def test_what_a_new_deployment_no_longer_has_comes_from_what_was_kept(first: Page) -> None:
    follow(first)
    # Said last: from then on the files that are kept stay as they are.
    first.locator("main:not([data-unknown])").wait_for(state="attached")
    origin = first.evaluate("""async () => {
        const cache = await caches.open("bareme-files");
        const headers = { "Content-Type": "text/javascript" };
        await cache.put("/static/js/former.0123.js", new Response("export const is = 'kept'", { headers }));
        return (await import("/static/js/former.0123.js")).is;
    }""")  # noqa: E501
    assert origin == "kept"


def test_a_save_tells_how_things_stand_where_it_could_not_be_told_before(
    first: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    with monkeypatch.context() as away:
        away.setattr("annotation.web.judging.views.keeping.pairs_ahead", broken)
        with first.expect_response(lambda answer: answer.url.endswith("/2/ahead/")) as answered:
            follow(first)
        assert answered.value.status == 500
        expect(first.locator("main")).to_have_attribute("data-unknown", "")
    type_comment(first, "le serveur est là")
    first.locator("main:not([data-unknown])").wait_for(state="attached")
    wait_for_kept(first, 1, 3, 4)


def test_the_way_on_stands_where_submit_stood(
    page: Page,
    context: BrowserContext,
    live_server: Any,
    student: Any,
    subtests: pytest.Subtests,
) -> None:
    """On each pair at another size, and a fifth to go on to."""
    study = Study.objects.get()
    make_pair(study)
    assignments_fill(actor=None, study=study)
    page.goto(place(live_server, 1))
    wait_for_kept(page, 2, 3, 4, 5)
    wait_for_files(page)
    context.set_offline(True)
    for position, size in enumerate([(1366, 768), (1280, 720), (820, 1180), (360, 740)], start=1):
        with subtests.test(size=size):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect_way_on(page, position)


def expect_way_on(first: Page, position: int) -> None:
    first.locator(f"main[data-position='{position}'][data-synced]").wait_for(state="attached")
    judge(first)
    way_on, submit = first.locator("#next-kept"), first.locator("#submit")
    submit.focus()
    first.keyboard.press("Control+Enter")
    expect(way_on).to_be_focused()
    expect(submit).to_be_hidden()
    expect_seen(first, "#next-kept", "#toast", "label[for=id_doubt]")
    assert not first.locator("#toast [data-text]").evaluate(CUT)
    expect_status(first).to_have_text("Sera soumise")
    assert not first.locator("#save-status").evaluate(CUT)
    # An answer that changes is submitted anew.
    expect_awake(first)
    first.locator("#id_doubt").check()
    expect(submit).to_be_visible()
    expect(way_on).to_be_hidden()
    first.keyboard.press("Control+Enter")
    expect(way_on).to_be_visible()
    expect_awake(first)
    first.keyboard.press("Tab")
    expect(way_on).to_be_focused()
    with first.expect_navigation():
        first.keyboard.press("Control+Enter")
    assert first.url.endswith(f"/{position + 1}/")


def test_a_round_that_takes_no_answers_is_asked_for_none(first: Page, live_server: Any) -> None:
    Study.objects.update(state="closed")
    urls: list[str] = []
    first.on("request", lambda request: urls.append(request.url))
    first.goto(place(live_server, 1))
    wait_for_kept(first)
    assert not [url for url in urls if url.endswith("/ahead/")]


def test_a_server_that_is_away_is_asked_again_without_being_told_that_it_is_back(
    first: Page, context: BrowserContext
) -> None:
    """The browser has a network all the time: no event says when what waits can leave."""
    expect_sent_by_itself(first, context, lambda route: route.abort(), "dès le retour du réseau")


def test_a_server_that_has_room_again_is_not_taken_for_a_network(
    first: Page, context: BrowserContext
) -> None:
    expect_sent_by_itself(
        first,
        context,
        lambda route: route.fulfill(status=507, json={"type": "storage_full"}),
        "dès que le serveur a de nouveau de la place",
    )


def expect_sent_by_itself(
    first: Page, context: BrowserContext, refuse: Callable[[Route], None], reason: str
) -> None:
    """A pair submitted in vain is counted on the next one, and leaves from there."""
    context.route(re.compile("/(draft|submit|session)/$"), refuse)
    judge(first)
    first.keyboard.press("Control+Enter")
    expect(first.locator("#toast")).to_contain_text(reason)
    with first.expect_navigation():
        first.keyboard.press("Control+Enter")
    first.locator("main[data-synced]").wait_for(state="attached")
    expect(first.locator("#messages [data-count]")).to_have_text("1")
    expect(first.locator("#other-notices")).to_contain_text("1 réponse n'est pas encore partie")
    context.unroute(re.compile("/(draft|submit|session)/$"))
    expect(first.locator("#other-notices")).to_contain_text("Paire 1 : soumise")
    expect(first.locator("#other-notices")).not_to_contain_text("pas encore partie")
    assert Judgment.objects.get().submitted_at is not None
