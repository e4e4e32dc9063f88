"""Aids for reading beside the two texts: the guide, and where a term stands."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.corpus.glossary import Term
from annotation.models import Assignment, Study
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import guide_publish
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_found
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.processes import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)

GUIDE = "\n\n".join(
    f"## Étape {step}. Sa question\n\n"
    + "\n\n".join(f"Étape {step}, alinéa {n}. " + "Mot " * 30 for n in range(12))
    for step in (1, 2, 3)
)
ORIGINAL = (
    "L'assureur paie les frais de l'assuré. Le preneur avise l’assureur sans délai des biens et "
    "du bien."
)
SIMPLIFICATION = "Le courtier paie les frais. Les biens sont assurés. L'assurée avise la compagnie."


@pytest.fixture
def judging(page: Page, live_server: Any, log_in: Any) -> Page:
    study = make_study("essai", state="main")
    for _ in range(2):
        make_pair(study, original=ORIGINAL, text=SIMPLIFICATION, language="fr")
    user = make_user("student")
    annotator = make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    guide = guide_publish(actor=user, study=study, body_fr=GUIDE, body_en="")
    guide_acknowledge(annotator=annotator, number=guide.number)
    log_in(user)
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-ready]")).to_be_visible()
    return page


OVERLAPS = """() => {
  const panel = document.getElementById("guide-panel").getBoundingClientRect();
  const meets = (box) =>
    box.left < panel.right && box.right > panel.left && box.top < panel.bottom && box.bottom > panel.top;
  const shown = document.querySelectorAll(".bar, .text, [data-step]:not([hidden]), .site-header, .toast[data-shown]");
  return [...shown].filter((each) => meets(each.getBoundingClientRect())).map((each) => each.className);
}"""  # noqa: E501
FIRST_LINE = """() => {
  const panel = document.getElementById("guide-panel");
  const top = panel.querySelector("[data-head]").getBoundingClientRect().bottom;
  const blocks = [...panel.querySelectorAll("[data-guide-body] > *")];
  return (blocks.find((each) => each.getBoundingClientRect().bottom > top + 4)?.textContent ?? "").slice(0, 24);
}"""  # noqa: E501
FITS = "document.documentElement.scrollWidth <= innerWidth"
STEP_IN_VIEW = """() => {
  const box = document.querySelector("[data-step][data-current]").getBoundingClientRect();
  const bar = document.querySelector(".bar").getBoundingClientRect();
  return box.top >= bar.bottom - 1 && box.top < innerHeight / 2;
}"""


def read_until(page: Page, start: str) -> str:
    """The first line that the guide shows, once it begins like this. (The page's policy lets no
    script wait for it.)"""
    until = time.monotonic() + PATIENCE
    while not (
        line := page.evaluate(FIRST_LINE) if page.locator("#guide-panel[open]").count() else ""
    ).startswith(start):
        assert time.monotonic() < until, f"{line!r} rather than {start!r}"
        page.wait_for_timeout(30)
    return str(line)


def test_the_guide_stands_beside_what_it_explains_and_follows_the_steps(judging: Page) -> None:
    # Under a pointer it would not follow, and where that is at first each browser says for itself.
    judging.mouse.move(1300, 700)
    judging.keyboard.press("g")
    expect(judging.locator("#guide-panel")).to_be_focused()
    read_until(judging, "Étape 1. Sa question")
    expect_found(judging, OVERLAPS, [])
    assert violations(judging) == []
    # The keys of the page go on acting, and the next step brings its section.
    judging.keyboard.press("1")
    judging.keyboard.press("Enter")
    expect(judging.locator("#step-2")).to_have_attribute("data-current", "")
    read_until(judging, "Étape 2. Sa question")
    expect_found(judging, OVERLAPS, [])
    expect_found(judging, STEP_IN_VIEW)


def test_it_opens_where_one_was_in_the_section_and_stays_for_the_next_pair(
    judging: Page, live_server: Any
) -> None:
    judging.keyboard.press("g")
    read_until(judging, "Étape 1. Sa question")
    judging.evaluate("document.getElementById('guide-panel').scrollTop += 600")
    here = read_until(judging, "Étape 1, alinéa")
    judging.goto(f"{live_server.url}/annotate/essai/2/")
    read_until(judging, here)
    expect(judging.locator("[data-guide=dock]")).to_be_visible()
    # Put away, it stays away.
    judging.keyboard.press("Escape")
    expect(judging.locator("#guide-panel")).to_be_hidden()
    judging.goto(f"{live_server.url}/annotate/essai/1/")
    expect(judging.locator("main[data-ready]")).to_be_visible()
    expect(judging.locator("#guide-panel")).to_be_hidden()


def test_on_a_small_window_it_is_a_sheet_put_away_with_one_key(
    judging: Page, subtests: pytest.Subtests
) -> None:
    for width, height in [(683, 384), (360, 740), (1024, 768)]:
        with subtests.test(width=width):
            judging.set_viewport_size({"width": width, "height": height})
            radio = judging.locator("input[name=simplicity]").first
            for key in ("g", "Escape"):
                radio.focus()
                judging.keyboard.press("g")
                expect(judging.locator("#guide-panel:modal")).to_be_visible()
                expect(judging.locator("#guide-panel")).to_contain_text("Étape 1, alinéa 0")
                expect_found(judging, FITS)
                assert violations(judging) == []
                judging.keyboard.press(key)
                expect(judging.locator("#guide-panel")).to_be_hidden()
                expect(radio).to_be_focused()


def test_a_term_is_marked_as_often_as_is_counted(judging: Page, subtests: pytest.Subtests) -> None:
    judging.keyboard.press("t")
    for term, original, simplification in [
        ("le", ["Le"], ["Le"]),
        ("les", ["les"], ["les", "Les"]),
        ("assuré", ["assuré"], ["assurés", "assurée"]),
        ("l'assureur", ["L'assureur", "l’assureur"], []),
        ("biens", ["biens", "bien"], ["biens"]),
    ]:
        with subtests.test(term):
            judging.locator("#term").fill(term)
            expect(judging.locator("#text-original .term")).to_have_text(original)
            expect(judging.locator("#text-simplification .term")).to_have_text(simplification)
            expect(judging.locator("#term-count")).to_have_text(
                f"{len(original)} dans l'original, {len(simplification)} dans la simplification"
            )


def test_the_endings_of_number_and_gender(judging: Page, subtests: pytest.Subtests) -> None:
    script = """async ([text, term]) => {
      const { occurrences } = await import(document.querySelector("link[href*='/words']").href);
      return occurrences(text, term).map(({ start, end }) => text.slice(start, end));
    }"""
    for text, term, occurrences in [
        ("le travail, les travaux", "travail", ["travail", "travaux"]),
        ("général, généraux, générale", "généraux", ["général", "généraux", "générale"]),
        ("des préjudices  corporels", "préjudice corporel", ["préjudices  corporels"]),
        ("la porte du port", "porte", ["porte"]),
        ("(a) et a", "(a)", ["(a)"]),
        ("😀 Œuvre, prix", "prix", ["prix"]),
        ("rien", "  ", []),
    ]:
        with subtests.test(text, term=term):
            assert judging.evaluate(script, [text, term]) == occurrences


def test_which_terms_may_be_rendered_otherwise(judging: Page, subtests: pytest.Subtests) -> None:
    script = """async ([original, simplification, glossary]) => {
      const { href } = document.querySelector("link[href*='/words']");
      const { renderings } = await import(href.replace("words", "renderings"));
      return renderings(original, simplification, glossary).map((each) => [each.term, each.kept, each.renderings]);
    }"""  # noqa: E501
    cases: list[tuple[str, str, list[str], dict[str, tuple[int, list[str]]]]] = [
        (ORIGINAL, SIMPLIFICATION, [], {"assureur": (0, ["courtier", "compagnie"])}),
        (
            "L'assureur paie. L'assureur avise.",
            "L'assureur paie. Le courtier avise.",
            [],
            {"assureur": (1, ["courtier"])},
        ),
        ("L'assuré paie la prime.", "Vous payez la prime.", [], {}),
        (
            "L'assuré paie; l'assuré avise.",
            "Vous payez; nous avisons.",
            [],
            {"assuré": (0, ["vous", "nous"])},
        ),
        ("La franchise est due au sinistre.", "Le montant est dû au sinistre.", [], {}),
        (
            "La franchise est due au sinistre.",
            "Le montant est dû au sinistre.",
            ["franchise"],
            {"franchise": (0, ["montant"])},
        ),
        ("Les franchises sont dues.", "La franchise est due.", ["franchise"], {}),
        ("", "Le courtier.", [], {}),
    ]
    for original, simplification, glossary, renderings in cases:
        with subtests.test(original, glossary=glossary):
            returned = judging.evaluate(script, [original, simplification, glossary])
            assert {term: (kept, names) for term, kept, names in returned} == renderings


@pytest.fixture
def aided(judging: Page) -> Page:
    Study.objects.update(aid_renderings=True)
    glossary_replace(
        actor=None,
        study=Study.objects.get(),
        terms=[Term("assureur", "Qui promet de payer.", "art. 1")],
    )
    judging.reload()
    expect(judging.locator("main[data-ready]")).to_be_visible()
    return judging


def test_terms_rendered_otherwise_are_pointed_out_and_that_is_noted(aided: Page) -> None:
    aided.keyboard.press("1")
    aided.keyboard.press("r")
    expect(aided.locator("#text-simplification .rendering")).to_have_text(["courtier", "compagnie"])
    expect(aided.locator("#renderings-bar li")).to_contain_text("« courtier », « compagnie »")
    assert violations(aided) == []
    aided.keyboard.press("Escape")
    expect(aided.locator(".rendering")).to_have_count(0)
    aided.keyboard.press("Control+s")
    expect(aided.locator("#save-status")).to_have_attribute("data-state", "saved")
    aided.keyboard.press("2")
    aided.keyboard.press("Control+s")
    expect(aided.locator("#save-status")).to_have_attribute("data-state", "saved")
    noted = Assignment.objects.get(position=1)
    assert noted.renderings_at is not None
    assert noted.glossary_at is None


def test_a_term_is_looked_up_from_the_text_by_keyboard_and_pointer(aided: Page) -> None:
    aided.locator("#aids-menu summary").click()
    aided.locator("#toggle-terms").click()
    aided.locator("#text-original .gloss").first.click()
    card = aided.locator("#glossary-card")
    expect(card).to_be_focused()
    expect(card.locator("[data-entry]:visible")).to_contain_text("Qui promet de payer.")
    expect(card).to_contain_text("art. 1")
    assert violations(aided) == []
    aided.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(aided.locator("#text-original")).to_be_focused()
    aided.keyboard.press("y")
    expect(card).to_be_focused()
    card.locator("input").fill("hypothèque")
    expect(card.locator("[data-none]")).to_be_visible()
    aided.set_viewport_size({"width": 360, "height": 740})
    expect_found(aided, FITS)
    aided.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_selected_words_are_looked_up_from_their_menu(aided: Page) -> None:
    select = """(words) => {
      const text = document.getElementById("text-original");
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const start = node.data.indexOf(words);
        if (start < 0) continue;
        text.focus();
        document.getSelection().setBaseAndExtent(node, start, node, start + words.length);
        return;
      }
    }"""
    button, card = aided.locator("#error-menu [data-look-up]"), aided.locator("#glossary-card")
    for press in (button.click, lambda: aided.keyboard.press("y")):
        aided.evaluate(select, "assureur")
        expect(button).to_be_visible()
        press()
        expect(card.locator("[data-entry]:visible")).to_contain_text("Qui promet de payer.")
        expect(aided.locator("#error-menu")).to_be_hidden()
        aided.keyboard.press("Escape")
        expect(card).to_be_hidden()
    Study.objects.update(aid_glossary=False)
    aided.reload()
    expect(aided.locator("main[data-ready]")).to_be_visible()
    aided.evaluate(select, "assureur")
    expect(aided.locator("#error-menu")).to_be_visible()
    expect(button).to_be_hidden()


VOICE = """
const voice = { lang: "fr-FR", name: "test" };
const spoken = (window.spoken = []);
const quiet = { getVoices: () => [voice], addEventListener() {}, speak: (said) => spoken.push(said), cancel() {} };
Object.defineProperty(window, "speechSynthesis", { value: quiet });
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""  # noqa: E501


def test_a_text_is_read_aloud_sentence_by_sentence(page: Page, judging: Page) -> None:
    expect(judging.locator("#toggle-voice")).to_be_hidden()
    page.add_init_script(VOICE)
    page.reload()
    expect(page.locator("main[data-ready]")).to_be_visible()
    page.keyboard.press("v")
    expect(page.locator("#text-original .spoken")).to_have_text(
        "L'assureur paie les frais de l'assuré."
    )
    page.evaluate("spoken.at(-1).onend()")
    expect(page.locator("#text-original .spoken")).to_contain_text("Le preneur avise")
    page.keyboard.press("v")
    expect(page.locator(".spoken")).to_have_count(0)
    page.evaluate("spoken.at(-1).onend()")
    expect(page.locator(".spoken")).to_have_count(0)


@pytest.fixture
def fluency(page: Page, live_server: Any, log_in: Any) -> Page:
    """The step of a protocol that shows the simplification alone."""
    study = make_study(
        "essai",
        state="main",
        protocol_key="jades",
        protocol_version="1",
        aid_renderings=True,
    )
    make_pair(study, original=ORIGINAL, text=SIMPLIFICATION, language="fr")
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    log_in(user)
    page.add_init_script(VOICE)
    page.goto(f"{live_server.url}/annotate/essai/1/")
    expect(page.locator("main[data-ready]")).to_be_visible()
    return page


def test_no_aid_tells_of_a_text_that_the_step_does_not_show(fluency: Page) -> None:
    """Read aloud, counted, or pointed out: whether it reads well is asked of one text alone."""
    page = fluency
    expect(page.locator("#panel-original")).to_be_hidden()
    page.keyboard.press("v")
    expect(page.locator("#text-simplification .spoken").first).to_be_visible()
    assert ORIGINAL.count(page.evaluate("spoken.at(-1).text")) == 0
    page.keyboard.press("v")
    expect(page.locator("#voice-bar")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.locator("#toggle-renderings")).to_be_hidden()
    page.keyboard.press("t")
    page.keyboard.type("assureur")
    expect(page.locator("#term-count")).to_contain_text("– dans l'original")
    page.keyboard.press("Escape")
    page.locator("#step-1-title").focus()
    page.keyboard.press("3")
    expect(page.locator("#panel-original")).to_be_visible()
    page.keyboard.press("r")
    expect(page.locator("#renderings-bar li").first).to_be_visible()
    page.keyboard.press("v")
    expect(page.locator("#text-original .spoken").first).to_be_visible()
    page.keyboard.press("Backspace")
    expect(page.locator("#panel-original")).to_be_hidden()
    expect(page.locator("#renderings-bar")).to_be_hidden()
    page.evaluate("spoken.at(-1).onend()")
    expect(page.locator("#text-simplification .spoken").first).to_be_visible()
