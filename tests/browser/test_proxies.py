"""What stands between a browser and the server may answer in its stead, as while that starts anew:
such an answer says nothing of the pair, and is not taken for the server's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Draft, Judgment
from tests.browser.test_copies import SAVED, expect_status, open_pair, type_comment
from tests.browser.test_keeping import KEPT, first, judge, place, student, text_of  # noqa: F401
from tests.browser.waiting import expect_found
from tests.factories import said

pytestmark = pytest.mark.django_db(transaction=True)

PAGE, PROGRAM = "<html><body>no such backend</body></html>", '{"message": "no Route matched"}'
ANSWERS = [(200, PAGE), (401, PROGRAM), (403, PAGE), (404, PAGE), (404, PROGRAM), (413, PAGE)]


# Whatever gives up after seconds does so twenty times as soon.
IMPATIENT = """
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds / 20);
"""


def answered(page: Page, address: str, status: int, body: str) -> None:
    """As a proxy answers for a server that is not there."""
    kind = "application/json" if body.startswith("{") else "text/html"

    def answer(route: Route) -> None:
        route.fulfill(status=status, body=body, content_type=kind)

    page.route(address, answer)


@pytest.mark.parametrize(("status", "body"), ANSWERS)
def test_a_save_that_a_proxy_answers_is_sent_again(
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
    status: int,
    body: str,
) -> None:
    open_pair(page, live_server)
    answered(page, "**/draft/", status, body)
    answered(page, "**/session/", status, body)
    with page.expect_response("**/draft/"):
        type_comment(page, "pendant le redémarrage")
    expect_status(page).to_contain_text("Gardé ici, sera envoyé")
    expect(page.locator("#login-dialog")).to_be_hidden()
    expect(page.locator("#choice-dialog")).to_be_hidden()
    page.unroute("**/draft/")
    page.unroute("**/session/")
    # By its own clock: nobody does anything.
    expect_status(page).to_contain_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "pendant le redémarrage"


@pytest.mark.parametrize("silent", ["**/draft/", "**/session/"])
def test_what_is_never_answered_holds_nothing_up(
    silent: str,
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Neither the save itself nor the token that it is sent again with after a refusal."""
    page.add_init_script(IMPATIENT)
    open_pair(page, live_server)
    answered(page, "**/draft/", 403, PAGE)
    page.route(silent, lambda _: None)
    with page.expect_request(silent):
        type_comment(page, "pendant le silence")
    expect_status(page).to_contain_text("Gardé ici, sera envoyé")
    page.unroute("**/draft/")
    page.unroute("**/session/")
    judge(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/2/")
    assert said(Judgment.objects.get(), "comment") == "pendant le silence"


def test_a_pair_rests_until_its_submission_is_answered_however_many_requests_that_takes(
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    """Here the save that was on its way, and only then the submission."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.clock.install()
    open_pair(page, live_server)
    judge(page)
    expect_status(page).to_contain_text(SAVED)
    page.route(re.compile("/(draft|submit)/$"), hold)
    with page.expect_request("**/draft/"):
        page.keyboard.press("u")
        page.clock.run_for(5000)
    page.keyboard.press("Control+Enter")
    form = page.locator("#judgment-form")
    expect(form).to_have_js_property("inert", True)
    page.clock.run_for(15000)
    with page.expect_request("**/submit/"):
        held[0].continue_()
    page.clock.run_for(15000)
    expect(form).to_have_js_property("inert", True)
    held[1].continue_()
    page.wait_for_url("**/2/")
    assert Judgment.objects.get().submitted_at is not None


def test_a_submission_too(page: Page, live_server: Any, student: Any) -> None:  # noqa: F811
    open_pair(page, live_server)
    answered(page, "**/submit/", 404, PAGE)
    judge(page)
    with page.expect_response("**/submit/"):
        page.keyboard.press("Control+Enter")
    expect_status(page).to_contain_text("Sera soumise")
    page.unroute("**/submit/")
    page.wait_for_url("**/2/")
    assert Judgment.objects.filter(submitted_at__isnull=False).count() == 1


def test_what_waits_of_another_pair_is_sent_once_the_server_is_back(
    page: Page,
    live_server: Any,
    student: Any,  # noqa: F811
) -> None:
    open_pair(page, live_server)
    answered(page, "**/draft/", 404, PAGE)
    type_comment(page, "de la première")
    expect_status(page).to_contain_text("Gardé ici, sera envoyé")
    with page.expect_response("**/1/draft/"):
        open_pair(page, live_server, 2)
    expect(page.locator("#other-notices")).not_to_contain_text("votre attention")
    page.unroute("**/draft/")
    expect(page.locator("#other-notices")).to_contain_text("envoyées")
    assert Draft.objects.get().answers["comment"] == "de la première"


@pytest.mark.parametrize("status", [401, 404, 409])
def test_what_is_kept_stays(first: Page, live_server: Any, status: int) -> None:  # noqa: F811
    """Whether a page asks what comes next, fetches it, or somebody goes there."""
    kept = first.evaluate(KEPT)
    answered(first, "**/ahead/", status, PAGE)
    with first.expect_response("**/ahead/"):
        first.evaluate("window.dispatchEvent(new Event('online'))")
    expect_found(first, KEPT, kept)
    first.context.route(
        "**/annotate/essai/2/", lambda route: route.fulfill(status=status, body=PAGE)
    )
    first.goto(place(live_server, 2))
    expect(first.locator("#text-simplification")).to_contain_text(text_of(2))
    first.reload()
    expect(first.locator("#text-simplification")).to_contain_text(text_of(2))
    first.locator("main[data-synced]").wait_for(state="attached")
    expect_found(first, f"async () => (await ({KEPT})()).includes('/annotate/essai/2/')", True)
