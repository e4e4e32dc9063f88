"""A protocol composed in a browser, from a single question to an answer of which one sees what it
would amount to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment, ProtocolDraft, User
from annotation.protocols.files import protocol_text
from annotation.protocols.registry import PROTOCOLS
from tests.browser.test_any_protocol import FITS
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_found
from tests.composing import composed, draft_of
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lead(page: Page, log_in: Any) -> User:
    page.set_viewport_size({"width": 1366, "height": 768})
    user = make_user("lead")
    make_study("essai", lead=user)
    log_in(user)
    return user


def at(page: Page, way: str) -> Locator:
    return page.locator(f"[id='id_{way}']")


def say(page: Page, way: str, fr: str, en: str) -> None:
    at(page, f"{way}.fr").fill(fr)
    at(page, f"{way}.en").fill(en)


def ready(page: Page) -> None:
    expect(page.locator("main[data-ready]")).to_be_attached()


def test_a_protocol_is_composed_and_tried(
    page: Page, live_server: Any, lead: User, screenshot: Any
) -> None:
    page.goto(f"{live_server.url}/protocols/")
    assert violations(page) == []
    page.get_by_role("button", name="Commencer une ébauche").click()
    at(page, "key").fill("clarity")
    say(page, "title", "Clarté", "Clarity")
    say(page, "steps.0.question", "Est-ce clair?", "Is it clear?")
    page.locator("[id='id_steps.0.fields.0'] > summary").click()
    say(page, "steps.0.fields.0.label", "Clarté", "Clarity")
    for number, (fr, en) in enumerate((("pas claire", "not clear"), ("claire", "clear"))):
        page.locator(f"[id='id_steps.0.fields.0.options.{number}'] > summary").click()
        say(page, f"steps.0.fields.0.options.{number}.label", fr, en)
    page.locator("[id='id_steps.0.fields.kind']").select_option("text")
    page.get_by_role("button", name="L'ajouter").click()
    # What was made stands open, and what was typed before is kept.
    expect(at(page, "steps.0.fields.1.label.fr")).to_be_visible()
    say(page, "steps.0.fields.1.label", "Pourquoi?", "Why?")
    page.locator("[id='id_steps.0.fields.1'] details > summary").click()
    at(page, "steps.0.fields.1.shown_when.field").select_option("scale_1")
    at(page, "steps.0.fields.1.shown_when.values").fill("1")
    assert violations(page) == []
    # Enter in a line saves, and does nothing to its rows.
    at(page, "version").press("Enter")
    expect(page.get_by_text("Ce protocole est complet")).to_be_visible()
    assert violations(page) == []
    page.evaluate("window.scrollTo(0, 0)")
    screenshot("compose")
    said = json.loads(ProtocolDraft.objects.get().text)["steps"][0]["fields"]
    assert [field["name"] for field in said] == ["scale_1", "text_1"]
    page.get_by_role("button", name="Enregistrer et essayer").click()
    ready(page)
    assert violations(page) == []
    page.keyboard.press("2")
    expect(page.get_by_label("Pourquoi?")).to_be_hidden()
    page.keyboard.press("1")
    page.get_by_label("Pourquoi?").fill("Une phrase obscure.")
    screenshot("compose-trial")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("table", name="Évaluations", exact=True)).to_contain_text("scale_1")
    expect(page.get_by_role("table", name="À côté")).to_contain_text("Une phrase obscure.")
    assert violations(page) == []
    assert not Judgment.objects.exists()
    page.get_by_role("navigation", name="Où vous êtes").get_by_role("link", name="Clarté").click()
    page.get_by_role("link", name="L'installer").click()
    expect(page.get_by_role("heading", name="Installer « Clarté »")).to_be_visible()
    assert violations(page) == []
    expect(page.get_by_text("posée si « Clarté » vaut : pas claire")).to_be_visible()
    screenshot("compose-install")
    # By keyboard alone, to a study.
    page.get_by_role("button", name="Installer clarity 1").press("Enter")
    expect(page.get_by_text("« clarity 1 » est installé")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Nouvelle étude (Clarté)").press("Enter")
    expect(page.get_by_label("Protocole", exact=True)).to_have_value("clarity")


def test_what_is_wrong_leads_to_where_it_is_mended(
    page: Page, live_server: Any, lead: User
) -> None:
    draft = draft_of(lead, composed(key="Clé", title={"fr": "Clarté", "en": "Clarity"}))
    page.goto(f"{live_server.url}/protocols/drafts/{draft.public_id}/")
    expect(at(page, "key")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[id='faults_key']")).to_contain_text("Clé")
    assert violations(page) == []
    page.locator("#state").get_by_role("link").click()
    expect(at(page, "key")).to_be_focused()
    at(page, "key").fill("clarity")
    at(page, "steps.0.fields.0.label.en").evaluate("(field) => (field.value = '')")
    page.get_by_role("button", name="Enregistrer et vérifier").click()
    row = at(page, "steps.0.fields.0")
    expect(row.get_by_text("Clarté", exact=False).first).to_be_visible()
    row.locator("summary").first.click()
    expect(row).not_to_have_attribute("open", "")
    page.locator("#state").get_by_role("link").press("Enter")
    expect(row).to_have_attribute("open", "")
    assert violations(page) == []


def test_a_number_that_is_none_of_the_question_s_is_mended_first(
    page: Page, live_server: Any, lead: User
) -> None:
    """As where people judge; sent, it would be no answer, and gone."""
    page.goto(f"{live_server.url}/protocols/trials/direct_assessment-1/")
    ready(page)
    number = page.get_by_role("spinbutton").first
    number.fill("700")
    page.keyboard.press("Control+Enter")
    expect(number).to_be_focused()
    expect(number).to_have_value("700")
    expect(number).to_have_attribute("aria-invalid", "true")
    number.fill("70")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("À corriger avant de soumettre")).to_be_visible()
    expect(page.get_by_role("button", name="1 70")).to_be_visible()


def test_marks_are_tried_and_refused_where_something_is_missing(
    page: Page, live_server: Any, lead: User
) -> None:
    page.goto(f"{live_server.url}/protocols/trials/legal_meaning-1/")
    ready(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("À corriger avant de soumettre")).to_be_visible()
    ready(page)
    # Who answers at once answers what is asked for.
    expect_found(page, "document.activeElement.name", "simplicity")
    page.keyboard.press("2")
    expect(page.locator("#step-2")).to_be_visible()
    page.keyboard.type("07")
    expect(page.locator("#step-3")).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press("s")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+Shift+ArrowRight")
    expect(page.locator("#error-menu")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("#score-text")).to_contain_text("9")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".overlay__tag").first).to_be_visible()
    expect(page.get_by_role("table", name="Évaluations", exact=True)).to_contain_text(
        "legal_meaning"
    )


@pytest.mark.parametrize("width", [390, 320])
def test_a_draft_fits_a_phone(page: Page, live_server: Any, lead: User, width: int) -> None:
    draft = draft_of(lead, protocol_text(PROTOCOLS["jades", "1"]))
    page.set_viewport_size({"width": width, "height": 844})
    for url in (
        f"drafts/{draft.public_id}/",
        f"drafts/{draft.public_id}/?as=file",
        "",
        "trials/jades-1/",
    ):
        page.goto(f"{live_server.url}/protocols/{url}")
        for closed in page.locator("main details:not([open]) > summary").all():
            if closed.is_visible():
                closed.click()
        expect_found(page, FITS)


def test_whoever_adds_something_goes_on_there_and_finds_open_what_was(
    page: Page, live_server: Any, lead: User
) -> None:
    draft = draft_of(lead, protocol_text(PROTOCOLS["jades", "1"]))
    page.goto(f"{live_server.url}/protocols/drafts/{draft.public_id}/")
    page.locator("[id='id_controls'] > summary").click()
    page.locator("[id='id_controls.identical.0'] > summary").click()
    page.get_by_role("button", name="Ajouter une décision").press("Enter")
    focused = "document.activeElement.parentElement.id"
    expect_found(page, focused, "id_rulings.0")
    expect(at(page, "controls.identical.0.lowest")).to_be_visible()
    assert violations(page) == []
    at(page, "version").press("Enter")
    expect(page.get_by_text("Enregistré.")).to_be_visible()
    expect(at(page, "controls.identical.0.lowest")).to_be_visible()
    expect(at(page, "rulings.0.name")).to_be_visible()
