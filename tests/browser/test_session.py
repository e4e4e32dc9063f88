"""A log-in that ends behind a page with a form: what was typed there stays, whatever the server and
the network do meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from annotation.models import GuideVersion, User
from tests.browser.network import back_online
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_found
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "Deux heures de travail."
SESSION = "**/account/session/"


@pytest.fixture
def lead(live_server: Any, log_in: Callable[[Any], None]) -> User:
    user = make_user("lead")
    make_study("essai", lead=user)
    log_in(user)
    return user


@pytest.fixture
def typing(page: Page, live_server: Any, lead: User) -> Page:
    """The guide being written, for hours."""
    page.clock.install()
    page.goto(f"{live_server.url}/studies/essai/guide/")
    editor(page).fill(WORDS)
    return page


def editor(page: Page) -> Any:
    return page.locator("#id_body_fr")


def warning(page: Page) -> Any:
    return page.locator("#session-warning")


def ended(page: Page) -> Any:
    return page.locator("#session-ended")


def nearly_ended(page: Page) -> None:
    Session.objects.update(expire_date=timezone.now() + timedelta(seconds=200))
    hours_pass(page)
    expect(warning(page)).to_be_visible()


def hours_pass(page: Page) -> None:
    page.clock.fast_forward(8 * 3600 * 1000)


def log_in_elsewhere(page: Page, user: User) -> None:
    """In another tab, whose log-in makes a token of this page's forms worth nothing."""
    with page.expect_popup() as opened:
        ended(page).get_by_role("link").click()
    other = opened.value
    other.locator("[name=username]").fill(user.email)
    other.locator("[name=password]").fill("a-long-password")
    other.locator("[name=password]").press("Enter")
    expect(other.locator("#unsent")).to_be_attached()
    other.close()


def come_back(page: Page) -> None:
    page.evaluate("window.dispatchEvent(new Event('focus'))")


def publish(page: Page) -> None:
    page.locator("form", has=editor(page)).evaluate("(form) => form.requestSubmit()")


def test_a_server_that_is_away_when_one_stays_connected_costs_nothing(typing: Page) -> None:
    nearly_ended(typing)
    typing.route(SESSION, lambda route: route.fulfill(status=502, body="bad gateway"))
    warning(typing).get_by_role("button", name="Rester").click()
    expect(warning(typing).locator("[data-problem]")).to_contain_text("ne répond pas")
    expect(editor(typing)).to_have_value(WORDS)
    assert violations(typing) == []
    typing.unroute(SESSION)
    warning(typing).get_by_role("button", name="Rester").click()
    expect(warning(typing)).to_be_hidden()
    assert Session.objects.get().expire_date > timezone.now() + timedelta(hours=7)
    expect(editor(typing)).to_have_value(WORDS)


def test_nothing_is_said_of_a_session_while_the_network_is_away(typing: Page) -> None:
    """It is asked again until the server tells."""
    Session.objects.update(expire_date=timezone.now() + timedelta(seconds=200))
    typing.context.set_offline(True)
    with typing.expect_event("requestfailed"):
        hours_pass(typing)
    with typing.expect_event("requestfailed"):
        expect_found(typing, "!document.getElementById('session-warning').open")
        typing.clock.fast_forward(15000)
    expect(warning(typing)).to_be_hidden()
    back_online(typing.context)
    typing.clock.fast_forward(15000)
    expect(warning(typing)).to_be_visible()


def test_what_was_typed_is_sent_after_a_log_in_in_another_tab(typing: Page, lead: User) -> None:
    Session.objects.all().delete()
    hours_pass(typing)
    expect(ended(typing)).to_contain_text("Connectez-vous dans un autre onglet")
    assert violations(typing) == []
    log_in_elsewhere(typing, lead)
    come_back(typing)
    expect(ended(typing)).to_be_hidden()
    publish(typing)
    expect(typing.locator(".messages")).to_be_visible()
    assert GuideVersion.objects.get().body_fr == WORDS


def test_the_warning_becomes_the_word_that_it_has_ended(typing: Page) -> None:
    nearly_ended(typing)
    Session.objects.all().delete()
    typing.clock.fast_forward(202 * 1000)
    expect(ended(typing)).to_be_visible()
    expect(warning(typing)).to_be_hidden()


def test_what_would_be_lost_is_not_sent(typing: Page) -> None:
    """Whoever closes the word and sends all the same is told again, and their words stand."""
    Session.objects.all().delete()
    hours_pass(typing)
    ended(typing).get_by_role("button").click()
    expect(ended(typing)).to_be_hidden()
    publish(typing)
    expect(ended(typing)).to_be_visible()
    expect(editor(typing)).to_have_value(WORDS)


def test_somebody_else_s_log_in_is_named(typing: Page) -> None:
    Session.objects.all().delete()
    hours_pass(typing)
    expect(ended(typing)).to_be_visible()
    log_in_elsewhere(typing, make_user("somebody-else"))
    come_back(typing)
    expect(ended(typing)).to_contain_text("Quelqu'un d'autre")
    publish(typing)
    expect(editor(typing)).to_have_value(WORDS)
    assert not GuideVersion.objects.exists()


def test_a_session_that_another_tab_renewed_is_not_said_to_end(typing: Page) -> None:
    asked: list[Route] = []

    def count(route: Route) -> None:
        asked.append(route)
        route.continue_()

    typing.route(SESSION, count)
    with typing.expect_response(SESSION):
        hours_pass(typing)
    expect(warning(typing)).to_be_hidden()
    expect(ended(typing)).to_be_hidden()
    assert len(asked) == 1


def test_a_sentence_is_written_to_its_end_before_it_is_said(typing: Page) -> None:
    Session.objects.all().delete()
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    typing.route(SESSION, hold)
    with typing.expect_request(SESSION):
        hours_pass(typing)
    editor(typing).focus()
    typing.keyboard.press("Control+End")
    typing.keyboard.type(" La franchise ")
    with typing.expect_response(SESSION):
        asked[0].continue_()
    typing.keyboard.type("a disparu du texte.", delay=100)
    expect(ended(typing)).to_be_visible()
    expect(editor(typing)).to_have_value(f"{WORDS} La franchise a disparu du texte.")
