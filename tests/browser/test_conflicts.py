"""Two windows on one pair, a copy from an earlier day, somebody else's log-in: shown where one
looks, nothing lost."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from annotation.models import Assignment, Draft, DraftVersion, Judgment, JudgmentRevision, Study
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.assignments import assignments_fill
from tests.browser.network import back_online, close_offline
from tests.browser.test_pages import violations
from tests.factories import make_annotator, make_user, said, save

pytestmark = pytest.mark.django_db(transaction=True)

SAVED, WAITING = "Enregistré à", "En attente de votre choix"
SIZES = [(1366, 768), (360, 740)]


@pytest.fixture
def student(make_student: Any) -> Any:
    return make_student(text="L'assureur paie les frais numéro {number}.")


@pytest.fixture
def here(page: Page, live_server: Any, student: Any) -> Page:
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("#judge")).to_have_attribute("data-ready", "1")
    return page


@pytest.fixture
def elsewhere(context: BrowserContext, here: Page) -> Page:
    """A second window on the same pair."""
    page = context.new_page()
    page.goto(here.url)
    expect(page.locator("#judge")).to_have_attribute("data-ready", "1")
    return page


def put(page: Page, **fields: Any) -> None:
    """Give answers as the form's own controls would, whatever step is open."""
    page.evaluate(
        """(fields) => {
            const form = document.getElementById("judgment-form");
            for (const [name, value] of Object.entries(fields)) {
                const radio = form.querySelector(`input[type=radio][name="${name}"][value="${value}"]`);
                if (radio) radio.checked = true;
                else form.elements[name].value = value;
            }
            form.dispatchEvent(new Event("change", { bubbles: true }));
        }""",  # noqa: E501
        fields,
    )


def status(page: Page) -> Locator:
    return page.locator("#save-status")


def dialog(page: Page) -> Locator:
    return page.locator("dialog.conflict")


def quarrel(here: Page, elsewhere: Page) -> None:
    """The other window saves first; this one is asked."""
    put(elsewhere, simplicity="1", characterization="7", bracket="3", comment="ailleurs")
    expect(status(elsewhere)).to_contain_text(SAVED)
    here.bring_to_front()
    put(here, simplicity="2", characterization="7", bracket="2", comment="ici")
    expect(dialog(here)).to_be_visible()


def draft(**wanted: Any) -> dict[str, Any]:
    """Of the stored draft, what is asked about."""
    stored = Draft.objects.get(assignment__position=1).answers
    return {name: stored[name] for name in wanted}


def kept() -> list[tuple[str, str]]:
    return list(DraftVersion.objects.order_by("number").values_list("origin", "answers__comment"))


def expect_inside(part: Locator) -> None:
    """That the whole of it comes to lie in the window."""
    expect(part).to_be_in_viewport(ratio=0.99)


@pytest.mark.both_databases
def test_a_conflict_is_in_the_window_and_comes_back_until_it_is_settled(
    here: Page, elsewhere: Page, screenshot: Any, subtests: pytest.Subtests
) -> None:
    here.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    quarrel(here, elsewhere)
    for size in SIZES:
        with subtests.test(size=size):
            here.set_viewport_size({"width": size[0], "height": size[1]})
            expect_conflict_comes_back(here, screenshot)
    assert not JudgmentRevision.objects.exists()
    assert draft(comment="")["comment"] == "ailleurs"


def expect_conflict_comes_back(here: Page, screenshot: Any) -> None:
    """Of one that is asked about: each time it is put off."""
    expect(status(here)).to_have_text(WAITING)
    expect_inside(dialog(here))
    for button in dialog(here).locator("button").all():
        expect_inside(button)
    expect(dialog(here).locator("#conflict-title")).to_be_focused()
    assert violations(here) == []
    screenshot(f"conflict-{here.evaluate('innerWidth')}")
    here.keyboard.press("Escape")
    expect(dialog(here)).to_have_count(0)
    expect(status(here)).to_have_text(WAITING)
    again = here.locator("#choice-again")
    here.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect_inside(again)
    expect_inside(status(here))
    again.click()
    expect(dialog(here)).to_be_visible()
    here.keyboard.press("Escape")
    expect(dialog(here)).to_have_count(0)
    here.locator("body").press("Control+Enter")
    expect(dialog(here)).to_be_visible()
    expect(status(here)).to_have_text(WAITING)


@pytest.mark.parametrize("days", [-3, 3])
def test_a_computer_s_wrong_clock_puts_no_version_on_another_day(
    here: Page, elsewhere: Page, days: int
) -> None:
    here.evaluate(
        """(days) => {
          const { now } = Date;
          Date.now = () => now() + days * 24 * 3600 * 1000;
        }""",
        days,
    )
    quarrel(here, elsewhere)
    for side in ("Ici, dans cette fenêtre", "Dans l'autre fenêtre"):
        expect(dialog(here)).to_contain_text(re.compile(rf"{side} · \d\d?\sh\s\d\d"))
    dialog(here).locator("button[value=theirs]").click()
    expect(status(here)).to_contain_text(SAVED)
    [version] = DraftVersion.objects.filter(origin="refused")
    assert timezone.now() - version.saved_at < timedelta(hours=1)


def test_only_what_differs_is_open(here: Page, elsewhere: Page) -> None:
    quarrel(here, elsewhere)
    expect(dialog(here).locator(".versions__row legend")).to_contain_text(
        ["Simplicité", "Précision", "Commentaires"]
    )
    same = dialog(here).locator(".versions__same")
    expect(same.locator("dl")).to_be_hidden()
    expect(same).to_contain_text("7 ·")
    rows = dialog(here).locator(".versions__row")
    expect(rows.filter(has_text="ici").filter(has_text="ailleurs")).to_have_count(1)


def test_all_of_what_is_here_and_the_other_version_stays(here: Page, elsewhere: Page) -> None:
    quarrel(here, elsewhere)
    dialog(here).locator("button[value=mine]").click()
    expect(status(here)).to_contain_text(SAVED)
    assert draft(comment="", simplicity=0) == {"comment": "ici", "simplicity": 2}
    assert kept() == [("overwritten", "ailleurs")]
    expect(here.locator("#choice-again")).to_be_hidden()


def quarrel_over_submission(here: Page, elsewhere: Page) -> None:
    """This window submits what it has not saved yet, and is asked."""
    put(elsewhere, simplicity="1", characterization="7", bracket="3", comment="ailleurs")
    expect(status(elsewhere)).to_contain_text(SAVED)
    here.bring_to_front()
    here.route("**/draft/", lambda route: route.abort())
    put(here, simplicity="1", characterization="7", bracket="3", comment="ici")
    here.unroute("**/draft/")
    here.locator("body").press("Control+Enter")
    expect(dialog(here)).to_be_visible()


@pytest.mark.both_databases
def test_what_was_submitted_and_is_kept_whole_goes_on_to_be_submitted(
    here: Page, elsewhere: Page
) -> None:
    quarrel_over_submission(here, elsewhere)
    dialog(here).locator("button[value=mine]").click()
    here.wait_for_url("**/annotate/essai/2/")
    expect(here.locator("#toast")).to_contain_text("Paire 1 soumise.")
    assert Judgment.objects.get().submitted_at is not None
    assert kept() == [("overwritten", "ailleurs")]


def test_what_was_submitted_and_is_not_kept_is_said_to_be_no_submission(
    here: Page, elsewhere: Page
) -> None:
    """Nobody has submitted the other version."""
    quarrel_over_submission(here, elsewhere)
    dialog(here).locator("button[value=theirs]").click()
    expect(here.locator("#toast")).to_contain_text("pas encore soumis")
    expect(status(here)).to_contain_text(SAVED)
    assert not Judgment.objects.exists()
    assert kept() == [("refused", "ici")]


def submitted_elsewhere(here: Page, elsewhere: Page) -> None:
    """The other window has submitted what it says; this one says something else."""
    put(elsewhere, simplicity="1", characterization="7", bracket="3", comment="ailleurs")
    elsewhere.locator("body").press("Control+Enter")
    elsewhere.wait_for_url("**/annotate/essai/2/")
    here.bring_to_front()
    put(here, simplicity="2", characterization="7", bracket="2", comment="ici")
    heads = dialog(here).locator(".versions__heads span")
    expect(heads.nth(0)).not_to_contain_text("soumise")
    expect(heads.nth(1)).to_have_text(re.compile("^Dans l'autre fenêtre · .+ · soumise$"))


def test_what_is_kept_beside_a_submitted_version_is_said_to_be_no_submission(
    here: Page, elsewhere: Page
) -> None:
    """As it is once the page is loaded again."""
    submitted_elsewhere(here, elsewhere)
    dialog(here).locator("button[value=mine]").click()
    expect(here.locator("#toast")).to_contain_text("pas encore soumis")
    for _ in range(2):
        expect(status(here)).to_contain_text(SAVED)
        notice = here.locator("#submitted")
        expect(notice).to_contain_text("Soumise le")
        expect(notice).to_contain_text("une correction que vous n'avez pas encore soumise")
        expect(here.locator("#submit")).to_contain_text("Soumettre la correction")
        here.reload()
        expect(here.locator("main[data-synced]")).to_be_attached()
    assert draft(comment="")["comment"] == "ici"
    assert said(Judgment.objects.get(), "comment") == "ailleurs"


def test_the_submitted_version_is_no_draft_and_what_one_goes_back_to_is(
    here: Page, elsewhere: Page
) -> None:
    submitted_elsewhere(here, elsewhere)
    dialog(here).locator("button[value=theirs]").click()
    expect(here.locator("#toast")).to_contain_text("Votre choix est gardé. L'autre")
    expect(here.locator("#submitted")).to_contain_text("Vous pouvez encore la corriger")
    here.locator("#toast [data-undo]").click()
    expect(here.locator("#submitted")).to_contain_text("pas encore soumise")
    expect(here.locator("#submitted")).to_have_count(1)


@pytest.mark.both_databases
def test_a_submission_without_a_network_that_meets_another_version_is_submitted_once_settled(
    here: Page, student: Any, context: BrowserContext
) -> None:
    context.set_offline(True)
    put(here, simplicity="1", characterization="7", bracket="3", comment="hors ligne")
    here.locator("body").press("Control+Enter")
    expect(status(here)).to_have_text("Sera soumise")
    tab = context.new_page()
    close_offline(here)
    draft_save(
        actor=student,
        assignment=Assignment.objects.get(position=1),
        save=save(comment="entre-temps"),
    )
    back_online(context)
    tab.goto(here.url)
    dialog(tab).locator("button[value=mine]").click()
    tab.wait_for_url("**/annotate/essai/2/")
    assert said(Judgment.objects.get(), "comment") == "hors ligne"


def test_all_of_the_other_version_and_back(here: Page, elsewhere: Page) -> None:
    quarrel(here, elsewhere)
    dialog(here).locator("button[value=theirs]").click()
    expect(here.locator("#id_comment")).to_have_value("ailleurs")
    expect(status(here)).to_contain_text(SAVED)
    assert kept() == [("refused", "ici")]
    # The line says still that what was chosen is saved.
    with here.expect_response(lambda answer: answer.url.endswith("/draft/") and answer.ok):
        here.locator("#toast [data-undo]").click()
    expect(here.locator("#id_comment")).to_have_value("ici")
    assert Draft.objects.filter(answers__comment="ici").exists()
    expect(status(here)).to_contain_text(SAVED)
    assert ("refused", "ailleurs") in kept() or ("overwritten", "ailleurs") in kept()


def test_a_mix_by_keyboard_alone(here: Page, elsewhere: Page) -> None:
    quarrel(here, elsewhere)
    # The first question's radio, then the other window's answer.
    while not here.evaluate("document.activeElement.name === 'pick-simplicity'"):
        here.keyboard.press("Tab")
    here.keyboard.press("ArrowDown")
    expect(dialog(here).locator("input[name=pick-simplicity][value=theirs]")).to_be_checked()
    while not here.evaluate("document.activeElement.value === 'mixed'"):
        here.keyboard.press("Tab")
    here.keyboard.press("Enter")
    expect(dialog(here)).to_have_count(0)
    expect(status(here)).to_contain_text(SAVED)
    assert draft(simplicity=0, comment="", bracket=0) == {
        "simplicity": 1,
        "comment": "ici",
        "bracket": 2,
    }
    assert sorted(kept()) == [("overwritten", "ailleurs"), ("refused", "ici")]


def mark_error(page: Page, kind: str) -> None:
    """As its controls would, whatever step is open."""
    page.evaluate(
        """(kind) => {
            document.getElementById("add-error").click();
            const select = [...document.querySelectorAll("[data-error] select")].at(-1);
            select.value = kind;
            select.dispatchEvent(new Event("change", { bubbles: true }));
        }""",
        kind,
    )


def test_the_errors_of_both_can_be_kept_together(here: Page, elsewhere: Page) -> None:
    put(elsewhere, simplicity="1", characterization="7", bracket="3")
    mark_error(elsewhere, "omission")
    elsewhere.keyboard.press("Control+s")
    expect(status(elsewhere)).to_contain_text(SAVED)
    here.bring_to_front()
    put(here, simplicity="1", characterization="7", bracket="3")
    expect(dialog(here)).to_be_visible()
    here.keyboard.press("Escape")
    mark_error(here, "hallucination")
    here.locator("#choice-again").click()
    dialog(here).locator("input[value=both]").check()
    dialog(here).locator("button[value=mixed]").click()
    expect(here.locator("[data-error]")).to_have_count(2)
    expect(status(here)).to_contain_text(SAVED)
    types = [error["type"] for error in draft(errors=[])["errors"]]
    assert types == ["hallucination", "omission"]


def test_a_window_that_was_overtaken_says_so_and_follows(here: Page, elsewhere: Page) -> None:
    put(elsewhere, simplicity="1", comment="ailleurs")
    expect(status(here)).to_have_text("Version plus récente enregistrée dans une autre fenêtre")
    expect(here.locator("dialog[open]")).to_have_count(0)
    here.bring_to_front()
    here.locator("#choice-again").click()
    dialog(here).locator("button[value=theirs]").click()
    expect(here.locator("#id_comment")).to_have_value("ailleurs")
    expect(status(here)).to_contain_text(SAVED)
    expect(here.locator("#choice-again")).to_be_hidden()
    assert kept() == [], "an empty form is nothing to keep"


def test_a_copy_of_an_earlier_day_stands_beside_what_is_here(
    here: Page, student: Any, context: BrowserContext
) -> None:
    put(here, simplicity="1", comment="enregistrée")
    expect(status(here)).to_contain_text(SAVED)
    context.set_offline(True)
    put(here, comment="hier, hors ligne")
    expect(status(here)).to_have_attribute("data-state", re.compile("kept|local"))
    tab = context.new_page()
    close_offline(here)
    Draft.objects.update(
        revision=7, answers=Draft.objects.get().answers | {"comment": "entre-temps"}
    )
    back_online(context)
    tab.goto(here.url)
    expect(dialog(tab)).to_be_visible()
    dialog(tab).locator("button[value=theirs]").click()
    expect(tab.locator("#id_comment")).to_have_value("entre-temps")
    expect(status(tab)).to_contain_text(SAVED)
    assert kept() == [("refused", "hier, hors ligne")]


@pytest.mark.both_databases
def test_a_version_put_aside_is_brought_back_from_the_history(here: Page, elsewhere: Page) -> None:
    quarrel(here, elsewhere)
    dialog(here).locator("button[value=mine]").click()
    expect(status(here)).to_contain_text(SAVED)
    here.locator("#toast a").click()
    here.wait_for_url("**/history/")
    card = here.locator("article", has_text="ailleurs")
    card.locator("button").click()
    here.wait_for_url("**/annotate/essai/1/")
    expect(here.locator("#id_comment")).to_have_value("ailleurs")
    assert draft(comment="")["comment"] == "ailleurs"
    assert ("replaced", "ici") in kept()


def submitted_in_haste(here: Page) -> Locator:
    """The next pair's offer to take the first one back."""
    put(here, simplicity="1", characterization="7", bracket="3", comment="trop vite")
    here.locator("body").press("Control+Enter")
    here.wait_for_url("**/annotate/essai/2/")
    toast = here.locator("#toast")
    expect(toast).to_contain_text("Paire 1 soumise.")
    # Keys rest for a moment.
    expect(here.locator("main[data-ready]")).to_be_attached()
    return toast


@pytest.mark.both_databases
def test_a_submission_is_taken_back_from_the_next_pair(here: Page) -> None:
    toast = submitted_in_haste(here)
    assert JudgmentRevision.objects.count() == 1
    toast.locator("[data-undo]").click()
    here.wait_for_url("**/annotate/essai/1/")
    expect(here.locator("#id_comment")).to_have_value("trop vite")
    assert not Judgment.objects.exists()
    expect(here.locator("#submit")).to_contain_text("Soumettre")


def test_one_undo_too_many_offers_to_take_the_submission_back_before_it_does(here: Page) -> None:
    toast = submitted_in_haste(here)
    here.keyboard.press("1")
    here.keyboard.press("z")
    expect(toast).to_contain_text("Annulé.")
    here.keyboard.press("z")
    expect(toast).to_contain_text("Paire 1 soumise.")
    expect(toast.locator("[data-undo]")).to_be_visible()
    assert Judgment.objects.get().submitted_at is not None
    here.keyboard.press("z")
    here.wait_for_url("**/annotate/essai/1/")
    expect(toast).to_contain_text("Paire 1 : soumission retirée")
    assert not Judgment.objects.exists()
    here.reload()
    expect(here.locator("main[data-synced]")).to_be_attached()
    expect(toast).not_to_contain_text("retirée")


@pytest.mark.parametrize("answer", ["none", "proxy"])
def test_what_could_not_be_taken_back_for_the_network_can_be_once_it_is_there(
    answer: str, here: Page
) -> None:
    toast = submitted_in_haste(here)

    def away(route: Any) -> None:
        route.abort() if answer == "none" else route.fulfill(status=502, body="bad gateway")

    here.route("**/take-back/", away)
    toast.locator("[data-undo]").click()
    expect(toast).to_contain_text("n'a pas pu se faire")
    here.unroute("**/take-back/")
    here.keyboard.press("z")
    here.wait_for_url("**/annotate/essai/1/")
    expect(toast).to_contain_text("Paire 1 : soumission retirée")


@pytest.mark.both_databases
def test_a_pair_kept_for_later_is_said_and_taken_up_again_from_the_next(here: Page) -> None:
    here.keyboard.press("l")
    here.wait_for_url("**/annotate/essai/2/")
    toast = here.locator("#toast")
    expect(toast).to_contain_text("Paire 1 gardée pour plus tard.")
    assert Assignment.objects.get(position=1).set_aside_at is not None
    toast.locator("[data-undo]").click()
    here.wait_for_url("**/annotate/essai/1/")
    expect(toast).to_contain_text("Annulé.")
    assert Assignment.objects.get(position=1).set_aside_at is None


def test_a_submission_that_is_not_there_any_more_is_not_said_to_be_taken_back(here: Page) -> None:
    put(here, simplicity="1", characterization="7", bracket="3", comment="d'ailleurs")
    here.locator("body").press("Control+Enter")
    here.wait_for_url("**/annotate/essai/2/")
    toast = here.locator("#toast")
    expect(toast).to_contain_text("Paire 1 soumise.")
    judgment = Judgment.objects.get()
    judgment_take_back(
        actor=judgment.assignment.annotator.user, assignment=judgment.assignment, number=1
    )
    toast.locator("[data-undo]").click()
    expect(toast).to_contain_text("pas pu se faire")
    assert here.url.endswith("/annotate/essai/2/")


def test_somebody_else_logged_in_is_said_in_the_window(
    here: Page, log_in: Any, student: Any
) -> None:
    other = make_annotator(Study.objects.get(), make_user("other"))
    assignments_fill(actor=None, study=other.study)
    log_in(other.user)
    put(here, simplicity="1", comment="à moi")
    question = here.locator("#choice-dialog")
    expect(question).to_be_visible()
    expect_inside(question)
    expect(question).to_contain_text("autre nom")
    expect(status(here)).to_have_text(WAITING)
    here.keyboard.press("Escape")
    expect(question).to_be_hidden()
    here.locator("body").press("Control+Enter")
    expect(question).to_be_visible()
    assert not Draft.objects.exists()
    log_in(student)
    question.get_by_role("button", name="Réessayer").click()
    expect(status(here)).to_contain_text(SAVED)
    assert Draft.objects.get().assignment.annotator.user == student
    assert Assignment.objects.filter(annotator=other, draft__isnull=False).count() == 0
    assert not Judgment.objects.exists()
