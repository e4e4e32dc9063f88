"""An export in the browser: asked for, seen to arrive without a reload, fetched; and the same
without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from annotation import jobs
from annotation.models import Job
from annotation.services.publishing.exports import export_write
from tests.bulk import fill_study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

ASK = "main form button.button--primary"


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setattr(
        jobs, "_send", lambda *message: None
    )  # no worker here: the tests do its work
    study = make_study("etude", lead=make_user("lead"), state="main")
    fill_study(study, pairs=2, annotators=2)
    return study


@pytest.mark.both_databases
def test_the_file_arrives_without_a_reload(page: Page, live_server, study, log_in):
    said: list[ConsoleMessage] = []
    page.on("console", lambda message: said.append(message))  # noqa: PLW0108  (Playwright marks the function)  # noqa: PLW0108 (Playwright marks it; a built-in cannot be)
    log_in(study.leads.get().user)
    page.goto(f"{live_server.url}/studies/etude/exports/")
    page.locator("#layout-long").check()
    page.locator(ASK).click()
    waiting = page.locator("article.card")
    expect(waiting).to_have_attribute("hx-trigger", "every 1s")
    page.evaluate("window.stayed = true")

    Job.objects.update(state="running", done=1, total=4)
    expect(waiting.locator("progress")).to_have_attribute("value", "1")
    Job.objects.update(state="queued")
    assert export_write(Job.objects.get().public_id)

    link = waiting.locator("a[download]")
    expect(link).to_be_visible()
    expect(waiting).not_to_have_attribute("hx-trigger", "every 1s")
    expect(page.locator("#export-news")).to_contain_text("CSV")
    assert page.evaluate("window.stayed")
    with page.expect_download() as fetched:
        link.click()
    assert fetched.value.suggested_filename == Job.objects.get().result_name
    assert not [message.text for message in said if message.type in ("error", "warning")]


def test_without_scripts_the_page_reloads_itself(
    browser: Browser, live_server, study, log_in, context: BrowserContext
):
    log_in(study.leads.get().user)
    plain = browser.new_context(
        java_script_enabled=False, locale="fr-CA", storage_state=context.storage_state()
    )
    try:
        page = plain.new_page()
        page.goto(f"{live_server.url}/studies/etude/exports/")
        page.locator("#layout-frjudge").check()
        page.locator(ASK).click()
        expect(page.locator("article.card")).to_be_visible()
        assert export_write(Job.objects.get().public_id)
        expect(page.locator("article.card a[download]")).to_be_visible()
        page.locator("article.card summary").click()
        page.locator("article.card button[value=delete]").click()
        expect(page.locator("article.card")).to_have_count(0)
        assert not Job.objects.exists()
    finally:
        plain.close()
