"""A campaign from a contract to its closed main round, all of it in browsers: a lead's and two
students'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.models import Judgment, Simplification, Study
from tests.documents import CONTRACT
from tests.factories import make_user
from tests.fake_openai import fake_openai

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.slow]

STUDENTS = ("Camille", "Dominique")
PRACTICE, MAIN = 2, 3


@pytest.fixture
def lead(page: Page, live_server: Any, log_in: Callable[[Any], None]) -> Page:
    """The lead's browser, on the page of a new study."""
    log_in(make_user("lead", is_admin=True))
    page.goto(f"{live_server.url}/studies/new/")
    page.fill("#id_title", "Contrats d'assurance")
    page.fill("#id_key", "campagne")
    send(page, "Créer l'étude")
    return page


@contextmanager
def somebody(browser: Browser, **options: Any) -> Iterator[Page]:
    """A browser of somebody else."""
    context = browser.new_context(**options)
    try:
        yield context.new_page()
    finally:
        context.close()


def send(page: Page, name: str) -> None:
    """Press a button and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()


def follow(page: Page, path: str) -> None:
    """By a link that is on the page: what nobody can find is not there."""
    with page.expect_navigation():
        page.locator(f"a[href$='{path}']").first.click()


@pytest.mark.both_databases
def test_from_a_contract_to_the_closed_main_round(
    lead: Page,
    browser: Browser,
    browser_context_args: dict[str, Any],
    live_worker: Callable[..., Any],
    tmp_path: Path,
    screenshot: Callable[..., Path],
) -> None:
    write_the_guide(lead)
    draw_items(lead, tmp_path, screenshot)
    with fake_openai() as service:
        live_worker(environment=service.environment)
        have_them_simplified(lead, screenshot)
    links = [invite(lead, name) for name in STUDENTS]
    with (
        somebody(browser, **browser_context_args) as first,
        somebody(browser, **browser_context_args) as second,
    ):
        for student, name, link in zip((first, second), STUDENTS, links, strict=True):
            join(student, name, link)
        open_round(lead, "practice")
        for student in (first, second):
            resume(student)
            send(student, "J'ai lu")
            judge_everything(student, PRACTICE)
        hold_the_meeting(lead, screenshot)
        open_round(lead, "main")
        for student in (first, second):
            resume(student)
            judge_everything(student, MAIN)
        open_round(lead, "closed")
        resume(first)
        expect(first.locator("main")).to_contain_text("ne prend pas de réponses")
    assert Study.objects.get().state == "closed"
    sealed = Judgment.objects.filter(submitted_at__isnull=False)
    assert sealed.count() == len(STUDENTS) * (PRACTICE + MAIN)
    follow(lead, "/agreement/")
    expect(lead.locator("main")).to_contain_text("3 paires, 2 annotateur")
    screenshot("agreement-small")


def write_the_guide(page: Page) -> None:
    follow(page, "/guide/")
    page.fill("#id_body_fr", "# Guide\n\nLisez l'**original** d'abord.")
    send(page, "Publier une nouvelle version")


def draw_items(page: Page, folder: Path, screenshot: Callable[..., Path]) -> None:
    (folder / "contrat.txt").write_text(CONTRACT, encoding="utf-8")
    follow(page, "/import/")
    follow(page, "/documents/")
    page.set_input_files("input[type=file]", folder / "contrat.txt")
    send(page, "Lire le document")
    screenshot("funnel", full_page=True)
    follow(page, "/draw/")
    page.fill("#id_practice", str(PRACTICE))
    page.check("#id_everything")
    page.fill("#id_seed", "42")
    send(page, "Prévisualiser")
    screenshot("draw", full_page=True)
    send(page, "Tirer")


def have_them_simplified(page: Page, screenshot: Callable[..., Path]) -> None:
    follow(page, "/generation/")
    send(page, "Préparer")
    send(page, "Ajouter le système")
    screenshot("generation-estimate", full_page=True)
    send(page, "Lancer")
    expect(page.locator("#run-state")).to_contain_text("5 sorties sur 5")
    page.reload()
    screenshot("generation-run", full_page=True)
    send(page, "Ajouter à l'étude")
    assert Simplification.objects.count() == PRACTICE + MAIN


def invite(page: Page, name: str) -> str:
    follow(page, "/campagne/people/")
    page.fill("input[name=email]", f"{name.lower()}@example.org")
    send(page, "Créer un lien d'invitation")
    return page.locator("#invitation-link").input_value()


def open_round(page: Page, state: str) -> None:
    follow(page, "/studies/campagne/")
    form = page.locator(f"form:has(input[name=to][value={state}])")
    # Everything is done: no reason to pass over anything is asked for.
    expect(form.locator("input[name=reason]")).to_have_count(0)
    with page.expect_navigation():
        form.locator("button").click()


def join(page: Page, name: str, link: str) -> None:
    page.goto(link)
    page.fill("#id_name", name)
    for field in page.locator("input[type=password]").all():
        field.fill("une-longue-phrase-de-passe-7")
    send(page, "Accepter l'invitation")


def resume(page: Page) -> None:
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/", 3)[2] + "/annotate/campagne/")


def judge_everything(page: Page, count: int) -> None:
    resume(page)
    for _ in range(count):
        expect(page.locator("main[data-ready]:not([data-unknown])")).to_be_attached()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.keyboard.type("07")
        page.keyboard.press("Enter")
        page.keyboard.press("3")
        expect(page.locator("input[name=bracket][value='3']")).to_be_checked()
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")


def hold_the_meeting(page: Page, screenshot: Callable[..., Path]) -> None:
    follow(page, "/studies/campagne/")
    follow(page, "/practice/")
    send(page, "Ouvrir la réunion")
    screenshot("practice-meeting", full_page=True)
    for number in range(PRACTICE):
        page.locator("table a").nth(number).click()
        page.fill("#id_note", "La franchise ne doit jamais disparaître.")
        send(page, "Enregistrer")
        follow(page, "/practice/")
    send(page, "Publier")
    send(page, "Fermer la réunion")
