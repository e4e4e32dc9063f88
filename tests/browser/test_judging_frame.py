"""The judging page at the windows that people have: what is asked is in view, whoever comes to it
and how."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import Assignment, Simplification, User
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.watching.remarks import remark_answer
from tests.browser.test_pages import violations
from tests.browser.waiting import expect_awake, expect_found, expect_step
from tests.factories import make_annotator, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db(transaction=True)

LAPTOPS = [(1366, 768), (1366, 625), (1280, 720), (1440, 900), (1920, 1080)]
SIZES = [*LAPTOPS, (1024, 768), (820, 1180), (768, 1024), (360, 740)]
CLAUSE = (
    "L'aliénation du bâtiment assuré met fin à l'assurance à compter du transfert de propriété, "
    "sauf lorsque l'acquéreur est le conjoint ou un héritier de l'assuré, auquel cas le contrat se "
    "poursuit à son bénéfice jusqu'à l'échéance, sous réserve du paiement de la prime et d'une "
    "déclaration faite dans les soixante jours. En cas de vente à un tiers, la portion de prime "
    "correspondant à la période non courue est restituée au vendeur."
)
# Whether each element lies in the window whole and nothing lies over it: asked at its corners and
# its middle.
UNSEEN = """selectors => selectors.flatMap(selector => {
  const found = [...document.querySelectorAll(selector)];
  if (!found.length) return [`${selector}: missing`];
  return found.filter(element => {
    const box = element.getBoundingClientRect();
    const inside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    const points = [[0.02, 0.1], [0.98, 0.1], [0.5, 0.5], [0.02, 0.9], [0.98, 0.9]];
    const isSeen = ([x, y]) => {
      const top = document.elementFromPoint(box.left + x * box.width, box.top + y * box.height);
      return top && (element.contains(top) || top.contains(element));
    };
    return !box.height || !inside || !points.every(isSeen);
  }).map(element => `${selector}: ${JSON.stringify(element.getBoundingClientRect())}`);
})"""  # noqa: E501
# Whether all parts of the bar stand on one line.
BAR_IS_A_LINE = """() => {
  const boxes = [...document.querySelectorAll(".bar > *")].map((part) => part.getBoundingClientRect());
  const middles = boxes.map(({ top, bottom }) => (top + bottom) / 2);
  return Math.max(...middles) - Math.min(...middles) < 10;
}"""  # noqa: E501
# How many classes lie within the step, without its being scrolled.
IN_STEP = """() => {
  const step = document.getElementById("steps").getBoundingClientRect();
  const isIn = ({ top, bottom }) => top >= step.top && bottom <= step.bottom + 0.5 && bottom <= innerHeight;
  return [...document.querySelectorAll("#id_characterization .option")].filter((each) => isIn(each.getBoundingClientRect())).length;
}"""  # noqa: E501
# How wide what is cut still is.
CUT_TO = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.clientWidth)"
FITS = "document.documentElement.scrollWidth <= innerWidth"
FOOT = ["#score-text", "#submit", "label[for=id_doubt]"]


@pytest.fixture
def study(live_server: Any, log_in: Any) -> Any:
    """A long pair for each size of the window; the two texts of each are the same, which is not
    known of any."""
    study = make_study("cadre", state="main")
    for number in range(len(SIZES)):
        text = f"{CLAUSE} Article {number}."
        make_pair(study, original=text, text=text, language="fr")
    user = make_user("student")
    make_annotator(study, user)
    assignments_fill(actor=None, study=study)
    log_in(user)
    return study


def expect_seen(page: Page, *selectors: str) -> None:
    """That all of these come to be in view, whole."""
    expect_found(page, UNSEEN, [], given=list(selectors))


def open_pair(page: Page, live_server: Any, size: tuple[int, int], position: int = 1) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{live_server.url}/annotate/cadre/{position}/")
    # One that was kept ahead is told how things stand, which may change what it shows.
    expect(page.locator("main[data-ready]:not([data-unknown])")).to_be_attached()


def leave(page: Page) -> None:
    """With nothing left to be sent, of which the next pair would tell."""
    page.keyboard.press("Control+s")
    expect(page.locator("#save-status")).to_have_attribute("data-state", "saved")
    expect(page.locator("#save-status")).to_contain_text("Enregistré")


def mark(page: Page, letters: str) -> None:
    """So many errors, three words each, by keyboard."""
    page.keyboard.press("s")
    page.keyboard.press("Control+Home")
    for number, letter in enumerate(letters, start=1):
        for _ in range(3):
            page.keyboard.press("Control+Shift+ArrowRight")
        page.keyboard.press(letter)
        expect(page.locator("[data-error]")).to_have_count(number)
        for _ in range(4):
            page.keyboard.press("Control+ArrowRight")


def test_what_is_asked_is_in_view(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    for position, size in enumerate(SIZES, start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            expect_asked_in_view(page, size)
            leave(page)


def expect_asked_in_view(page: Page, size: tuple[int, int]) -> None:
    expect_seen(page, "#step-1-title", "#id_simplicity .option", *FOOT)
    expect_seen(page, ".bar__nav [href$='/mine/']")
    page.keyboard.press("1")
    first = "#id_characterization .option"
    classes = first if size in [*LAPTOPS, (1024, 768)] else f"{first}:first-child"
    expect_seen(page, "#step-2-title", classes, *FOOT)
    page.keyboard.press("1")
    page.keyboard.press("8")
    expect(page.locator("#id_explanation")).to_be_focused()
    expect_seen(page, "#id_explanation", *FOOT)
    page.keyboard.type("Rien d'autre")
    page.locator("[data-go-on]").click()
    expect_seen(page, "#step-3-title", "#id_bracket .option", *FOOT)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#step-3 .field__problem").first).to_be_visible()
    expect_seen(
        page, "#step-3 .field__problem", "#problems", "#id_bracket .option:has(:focus)", *FOOT
    )
    expect_awake(page)
    page.keyboard.press("3")
    mark(page, "hoic")
    expect_seen(page, "#id_crossing_answer .option", "[data-error]:last-child select", *FOOT)
    if size[0] >= 1280 and size[1] >= 768:
        expect_seen(page, "[data-error]", "#id_bracket .option", ".texts .text")
    expect_found(page, "document.documentElement.scrollHeight <= innerHeight")
    expect_found(page, FITS)


def test_so_it_is_by_pointer(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    Simplification.objects.update(is_identical=True)
    for position, size in enumerate(SIZES, start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            expect_in_view_by_pointer(page)
            leave(page)


def expect_in_view_by_pointer(page: Page) -> None:
    page.locator("#id_simplicity .option").first.click()
    expect_seen(page, "#finding [data-finding-text]", "#finding label", *FOOT)
    page.locator("#id_simplicity_confirmed").check()
    page.locator("[data-go-on]").click()
    expect_seen(page, "#step-2-title", "#id_characterization .option:first-child", *FOOT)
    page.wait_for_timeout(500)
    page.locator("#id_characterization .option").nth(13).click()
    expect_seen(page, "#step-3-title", "#id_bracket .option", *FOOT)


def test_the_bar_is_one_line_on_a_laptop(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    Simplification.objects.update(is_identical=True)
    for size in LAPTOPS:
        with subtests.test(size=size):
            open_pair(page, live_server, size)
            expect_found(page, BAR_IS_A_LINE)


@pytest.mark.parametrize(
    ("type_size", "sizes"),
    [
        ("m", [(1280, 720)]),
        ("l", [(1280, 720), (1366, 768), (1366, 625)]),
        ("xl", [(1366, 768), (1366, 625)]),
    ],
)
def test_all_classes_are_in_view_in_a_larger_type_too(
    page: Page,
    live_server: Any,
    study: Any,
    subtests: pytest.Subtests,
    type_size: str,
    sizes: list[tuple[int, int]],
) -> None:
    """Each is hit by a finger or a shaky pointer, and what its line cuts stands on its card."""
    User.objects.update(type_size=type_size)
    for position, size in enumerate(sizes, start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            expect_classes_in_view(page, type_size)
            leave(page)


def expect_classes_in_view(page: Page, type_size: str) -> None:
    page.keyboard.press("1")
    expect_step(page, 2)
    expect_found(page, IN_STEP, 18)
    boxes = [option.bounding_box() for option in page.locator("#id_characterization .option").all()]
    assert min(box["height"] for box in boxes if box) >= 24
    if type_size != "xl":
        expect(page.locator("#save-status")).to_contain_text("Enregistré")
        expect_found(page, BAR_IS_A_LINE)


def test_an_error_marked_on_both_texts_can_be_unmarked_on_each(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    """Both buttons whole and hit by a click, and enough of what is quoted to know it by."""
    for position, size in enumerate(SIZES, start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            for key in ("1", "0", "5", "3"):
                page.keyboard.press(key)
            expect_step(page, 3)
            mark(page, "hi")
            page.keyboard.press("o")
            page.keyboard.press("Control+Home")
            for _ in range(8):
                page.keyboard.press("Control+Shift+ArrowRight")
            page.keyboard.press("a")
            row = page.locator("[data-error]").nth(1)
            expect(row.locator("[data-unmark]:visible")).to_have_count(2)
            row.scroll_into_view_if_needed()
            expect_seen(page, "[data-error]:nth-child(2) [data-unmark]", *FOOT)
            # A quotation may be cut, but is never nothing but its dots.
            widths = row.locator("q").evaluate_all(CUT_TO)
            assert all(width >= 90 for width in widths), widths
            expect_found(page, FITS)
            leave(page)


def test_what_can_be_undone_is_said_whole(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    """With its button, beside the score and the actions or above them, over neither."""
    for position, size in enumerate(SIZES, start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            for key in ("1", "0", "5", "3", "u", "z"):
                page.keyboard.press(key)
            expect(page.locator("#toast")).to_contain_text("Annulé")
            expect_seen(page, "#toast [data-text]", "#toast [data-undo]", *FOOT)
            assert page.locator("#toast [data-text]").evaluate(CUT) is False
            leave(page)


def test_a_second_click_hits_nothing(page: Page, live_server: Any, study: Any) -> None:
    open_pair(page, live_server, (1366, 768))
    page.locator("#id_simplicity .option").first.dblclick()
    expect(page.locator("#step-2")).to_be_visible()
    expect(page.locator("#id_characterization :checked")).to_have_count(0)


@pytest.fixture
def phone(browser: Browser, live_server: Any, study: Any, context: BrowserContext) -> Any:
    made = browser.new_context(
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        locale="fr-CA",
        storage_state=context.storage_state(),
    )
    page = made.new_page()
    page.goto(f"{live_server.url}/annotate/cadre/1/")
    expect(page.locator("main[data-ready]")).to_be_attached()
    yield page
    made.close()


def test_a_phone_keeps_text_and_step_together(phone: Page) -> None:
    heights = phone.evaluate(
        "['.site-header', '.bar'].map(s => document.querySelector(s).offsetHeight)"
    )
    assert sum(heights) <= 0.2 * 740
    phone.locator("#id_simplicity .option").first.tap()
    expect(phone.locator("#step-2-title")).to_be_focused()
    expect_seen(phone, "#texts .text:not(#panel-simplification)", "#step-2-title", *FOOT)
    phone.wait_for_timeout(500)
    phone.locator("#id_characterization .option").nth(2).tap()
    expect(phone.locator("#step-2")).to_be_visible()
    phone.locator("[data-go-on]").tap()
    expect_seen(phone, "#step-3-title", "#id_bracket .option", *FOOT)
    phone.locator("#tab-simplification").tap()
    expect(phone.locator("#panel-simplification")).to_be_visible()
    expect(phone.locator("#panel-original")).to_be_hidden()
    expect_seen(phone, "#id_bracket .option")
    expect(phone.locator("#open-help")).to_be_hidden()
    assert violations(phone) == []


def test_a_long_press_marks_an_error(phone: Page) -> None:
    phone.locator("#tab-simplification").tap()
    box = phone.locator("#text-simplification").bounding_box()
    assert box
    session = phone.context.new_cdp_session(phone)
    point = {"x": box["x"] + 60, "y": box["y"] + 22}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    menu = phone.locator("#error-menu")
    expect(menu).to_be_visible()
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(menu).to_be_visible()
    menu.locator("[data-type=omission]").tap()
    expect(phone.locator("mark")).to_have_text("aliénation")
    expect(phone.locator("#toast")).to_be_visible()
    # What is said stands where the way to a score did: the question keeps its room.
    expect_seen(phone, "#toast [data-undo]", "#id_simplicity .option", "#submit")


PHONES = [(375, 550), (375, 667), (360, 560), (320, 568), (320, 640)]
# How many lines of the open text can be seen at once, as far as it has any, and whether it is
# scrolled inside itself.
LINES = """() => {
  const text = [...document.querySelectorAll(".text__body")].find((each) => each.checkVisibility());
  const { top, bottom } = text.getBoundingClientRect();
  const foot = document.querySelector(".foot").getBoundingClientRect();
  const isOver = getComputedStyle(document.querySelector(".foot")).position === "sticky";
  const end = Math.min(bottom, isOver ? foot.top : innerHeight);
  const line = parseFloat(getComputedStyle(text).lineHeight);
  const room = Math.min(end, innerHeight) - Math.max(top, 0);
  return { lines: Math.round(room / line), isCut: text.scrollHeight > text.clientHeight + 1 };
}"""
ALL = ("xl", "wide", "opendyslexic")


def look_at_the_text(page: Page) -> dict[str, Any]:
    """Once it is at the top of the window, where the page scrolls."""
    page.evaluate("document.fonts.ready")
    page.evaluate("document.getElementById('texts').scrollIntoView()")
    seen: dict[str, Any] = page.evaluate(LINES)
    return seen


def test_a_phone_shows_enough_of_the_text_and_keeps_the_way_on_in_view(
    phone: Page, live_server: Any, subtests: pytest.Subtests
) -> None:
    for position, size in enumerate(PHONES, start=1):
        with subtests.test(size=size):
            open_pair(phone, live_server, size, position)
            expect_seen(phone, *FOOT)
            expect_found(phone, FITS)
            seen = look_at_the_text(phone)
            assert not seen["isCut"]
            assert seen["lines"] >= 8
            expect_seen(phone, *FOOT)
            phone.locator("#id_simplicity .option").first.tap()
            expect_seen(phone, "#step-2-title", *FOOT)
            phone.wait_for_timeout(500)
            phone.locator("#id_characterization .option").first.tap()
            phone.locator("[data-go-on]").tap()
            expect_seen(phone, "#step-3-title", "#id_bracket .option:first-child", *FOOT)
            leave(phone)


@pytest.mark.parametrize(
    "preferences", [("l", "normal", "standard"), ("xl", "normal", "standard"), ALL]
)
def test_larger_letters_leave_enough_of_the_text(
    page: Page,
    live_server: Any,
    study: Any,
    subtests: pytest.Subtests,
    preferences: tuple[str, str, str],
) -> None:
    type_size, spacing, typeface = preferences
    User.objects.update(type_size=type_size, spacing=spacing, typeface=typeface)
    for position, size in enumerate([(1280, 800), (1366, 768), (1920, 1080)], start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            expect_seen(page, *FOOT)
            seen = look_at_the_text(page)
            assert not seen["isCut"] or seen["lines"] >= 6
            for key in ("1", "0", "5"):
                page.keyboard.press(key)
            expect_step(page, 3)
            expect_seen(page, "#step-3-title", "#id_bracket .option:first-child", *FOOT)
            expect_found(page, FITS)
            leave(page)


def test_on_a_low_window_the_page_scrolls_and_its_foot_with_it(
    phone: Page, live_server: Any
) -> None:
    open_pair(phone, live_server, (640, 300))
    assert not look_at_the_text(phone)["isCut"]
    expect_found(phone, "document.documentElement.scrollHeight > innerHeight")
    expect_found(phone, "getComputedStyle(document.querySelector('.foot')).position", "static")


def test_nothing_runs_off_a_phone_in_the_largest_letters(
    phone: Page, live_server: Any, subtests: pytest.Subtests
) -> None:
    User.objects.update(type_size=ALL[0], spacing=ALL[1], typeface=ALL[2])
    for position, size in enumerate(PHONES, start=1):
        with subtests.test(size=size):
            open_pair(phone, live_server, size, position)
            phone.evaluate("document.fonts.ready")
            expect_found(phone, "document.documentElement.scrollWidth", size[0])
            phone.locator(".site-header .menu > summary").tap()
            buttons = phone.locator(".site-header .segmented button")
            boxes = [box for each in buttons.all() if (box := each.bounding_box())]
            assert len(boxes) >= 13
            assert min(box["x"] for box in boxes) >= 0
            assert max(box["x"] + box["width"] for box in boxes) <= size[0]
            phone.goto(f"{live_server.url}/")
            phone.locator(".site-header .menu > summary").tap()
            boxes = [box for each in buttons.all() if (box := each.bounding_box())]
            assert min(box["x"] for box in boxes) >= 0
            assert max(box["x"] + box["width"] for box in boxes) <= size[0]


@pytest.fixture
def submitted(study: Any) -> None:
    """Every pair submitted, with a remark that the lead has answered at some length."""
    lead = make_user("lead")
    for assignment in Assignment.objects.filter(annotator__study=study):
        student = assignment.annotator.user
        saved = save(comment="Et le délai?", errors=[])
        judgment_submit(actor=student, assignment=assignment, save=saved)
        remark_answer(actor=lead, study=study, assignment=assignment.pk, text=CLAUSE)


def test_what_is_said_of_a_submitted_pair_leaves_room_for_it(
    page: Page, live_server: Any, submitted: None, subtests: pytest.Subtests
) -> None:
    for position, size in enumerate(SIZES, start=1):
        with subtests.test(size=size):
            open_pair(page, live_server, size, position)
            expect_seen(page, "#step-3-title", "#id_bracket .option:first-child", *FOOT)
            # Not always read whole at once, but seen, and it scrolls.
            assert page.locator("#notices").evaluate("(element) => element.clientHeight") >= 36
            expect_found(page, "document.documentElement.scrollHeight <= innerHeight")
            expect_found(page, FITS)


def test_on_a_phone_it_is_read_whole_where_the_text_has_room_to_give(
    page: Page, live_server: Any, study: Any
) -> None:
    assignment = Assignment.objects.get(annotator__study=study, position=1)
    saved = save(errors=[])
    judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=saved)
    open_pair(page, live_server, (390, 844))
    hidden = "(element) => element.scrollHeight - element.clientHeight"
    assert page.locator("#notices").evaluate(hidden) <= 2


CUT = "(element) => element.scrollWidth > element.clientWidth"


def test_the_own_list_leads_into_its_pairs_in_any_window(
    page: Page, live_server: Any, submitted: None, subtests: pytest.Subtests
) -> None:
    """State and way in of each, without its table being scrolled sideways."""
    assignment = Assignment.objects.get(position=2)
    student = assignment.annotator.user
    again = save(comment="Et le délai?", errors=[], base_revision=assignment.judgment.revision)
    judgment_submit(actor=student, assignment=assignment, save=again)
    for size in SIZES:
        with subtests.test(size=size):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.goto(f"{live_server.url}/annotate/cadre/mine/")
            expect(page.get_by_role("link", name="Versions")).to_have_count(1)
            assert page.locator(".table-wrap").evaluate(CUT) is False
            expect_found(page, FITS)


def test_on_a_phone_nothing_in_the_bar_is_squeezed(
    page: Page, live_server: Any, study: Any
) -> None:
    study.aid_renderings = True
    study.save()
    open_pair(page, live_server, (360, 740))
    buttons = ".bar .button:visible, .bar__nav a:visible"
    assert [button.evaluate(CUT) for button in page.locator(buttons).all()] == [
        False
    ] * page.locator(buttons).count()
    expect_seen(page, "#aids-menu", "#private-note", "#later")
    heights = {
        box["height"] for button in page.locator(buttons).all() if (box := button.bounding_box())
    }
    assert len(heights) == 1
    # Whoever's name is long: cut with its ellipsis, which only a block draws.
    name = page.locator(".site-header .menu > summary")
    assert name.evaluate("(element) => getComputedStyle(element).display") == "block"


def test_a_long_answer_does_not_widen_a_phones_page(
    page: Page, live_server: Any, study: Any
) -> None:
    open_pair(page, live_server, (360, 740))
    page.keyboard.press("1")
    options = page.locator("#id_characterization .option")
    expect(options.first).to_be_visible()
    texts = options.all_inner_texts()
    options.nth(texts.index(max(texts, key=len))).locator("input").check()
    expect(page.locator("#step-3")).to_be_visible()
    expect_found(page, FITS)


def test_digits_choose_the_type_of_a_row_and_messages_do_not_outlive_it(
    page: Page, live_server: Any, study: Any
) -> None:
    open_pair(page, live_server, (1366, 768))
    for key in ("1", "Enter", "0", "7", "Enter", "2"):
        page.keyboard.press(key)
    page.locator("#add-error").click()
    page.locator("#add-error").click()
    row = page.locator("[data-error]").last
    expect(row.locator("select")).to_be_focused()
    expect(row.locator(".error-row__type kbd")).to_be_visible()
    expect(page.locator("#toast")).to_contain_text("choisissez")
    page.keyboard.press("2")
    expect(row.locator("select")).to_have_value("omission")
    expect(row.locator(".error-row__type kbd")).to_be_hidden()
    expect(page.locator("#toast")).to_be_hidden()
    # The first has no type: told, and told no more once it is gone.
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems a").first).to_be_visible()
    link = page.locator("#problems a").filter(has_text="rreur 1")
    expect_awake(page)
    page.locator("[data-error]").first.locator("select").focus()
    page.keyboard.press("Delete")
    expect(page.locator("[data-error]")).to_have_count(1)
    expect(link).to_have_count(0)


def test_without_colours_of_its_own_the_page_tells_what_is_current(
    page: Page, live_server: Any, study: Any
) -> None:
    """Borders that are transparent otherwise are drawn then: one step of three has one that is
    seen, and what is pressed stands out."""
    page.emulate_media(forced_colors="active")
    open_pair(page, live_server, (1366, 768))
    drawn = """() => [...document.querySelectorAll(".stepper__step")].map((step) =>
      getComputedStyle(step).borderBlockEndColor !==
      getComputedStyle(document.body).backgroundColor)"""
    expect_found(page, drawn, [True, False, False])
    page.keyboard.press("d")
    differences = page.locator("#toggle-differences")
    expect(differences).to_have_attribute("aria-pressed", "true")
    background = "(button) => getComputedStyle(button).backgroundColor"
    others = page.locator("#toggle-term").evaluate(background)
    assert differences.evaluate(background) != others


NOT_KEPT = "Object.defineProperty(window, 'indexedDB', { value: undefined }); Storage.prototype.setItem = () => { throw new Error(); };"  # noqa: E501


def test_that_nothing_is_kept_is_said_whole(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    """Nothing else tells it, and a title is not read on a touch screen."""
    page.add_init_script(NOT_KEPT)
    page.route("**/draft/", lambda route: route.abort())
    open_pair(page, live_server, LAPTOPS[0])
    page.keyboard.press("1")
    expect(page.locator("#save-status")).to_contain_text("ne garde pas de copie locale")
    for width, height in [*SIZES, (640, 400)]:
        with subtests.test(width=width, height=height):
            page.set_viewport_size({"width": width, "height": height})
            expect_seen(page, "#save-status")
            assert not page.locator("#save-status").evaluate(CUT)
            expect_found(page, FITS)


def test_nothing_lies_over_the_clock_beside_what_waits_for_a_choice(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    page.route("**/draft/", lambda route: route.fulfill(status=409, json={"type": "study_closed"}))
    open_pair(page, live_server, LAPTOPS[0])
    page.keyboard.press("1")
    expect(page.locator("#choice-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.evaluate("document.getElementById('messages').hidden = false")
    for size in LAPTOPS:
        with subtests.test(size=size):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect_seen(page, "#save-status", "#choice-again", "#messages", "#clock")
            assert not page.locator("#save-status").evaluate(CUT)


def test_where_the_answers_are_is_said_whole_and_nothing_moves_for_it(
    page: Page, live_server: Any, study: Any, subtests: pytest.Subtests
) -> None:
    """Beside the badges of the bar, through a save and without a network."""
    page.route("**/draft/", lambda route: route.abort())
    open_pair(page, live_server, LAPTOPS[0])
    line, sentences = page.locator("#save-status"), page.locator("#strings")
    texts = {
        name: sentences.get_attribute(f"data-{name}") or ""
        for name in ("saved", "pending", "kept", "sending", "waiting", "local")
    }
    page.locator("#guidance").evaluate(
        "(badge, text) => badge.textContent = text", sentences.get_attribute("data-guidance")
    )
    for width, height in [*LAPTOPS, (1024, 768)]:
        with subtests.test(width=width, height=height):
            page.set_viewport_size({"width": width, "height": height})
            for state, text in texts.items():
                line.evaluate(
                    "(line, [state, text]) => { line.dataset.state = state; line.textContent = text; }",  # noqa: E501
                    ["local" if state == "waiting" else state, text.format(time="14 h 05")],
                )
                expect_seen(page, "#save-status")
                assert not line.evaluate(CUT)
                assert page.evaluate(BAR_IS_A_LINE)
                assert page.locator(".bar").evaluate("(bar) => bar.offsetHeight") < 45


def test_how_to_come_to_a_score_is_said_where_the_brackets_are(
    page: Page, live_server: Any, study: Any
) -> None:
    open_pair(page, live_server, LAPTOPS[0])
    score = page.locator("#score-text")
    for key in ("1", "Enter"):
        expect(score).to_be_hidden()
        page.keyboard.press(key)
    expect_step(page, 2)
    expect(score).to_be_hidden()
    for key in ("0", "7", "Enter"):
        page.keyboard.press(key)
    expect(score).to_have_text("Choisissez une fourchette : le score en découle.")
    page.keyboard.press("2")
    expect(score).to_contain_text("Score")
    page.locator("[data-open='1']").click()
    expect(score).to_be_visible()


def test_the_card_of_what_was_looked_for_goes_with_the_search(
    page: Page, live_server: Any, study: Any
) -> None:
    open_pair(page, live_server, LAPTOPS[0])
    for key in ("1", "Enter"):
        page.keyboard.press(key)
    card = page.locator("[data-card=characterization]")
    page.keyboard.press("/")
    page.keyboard.type("excl")
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.locator("input[name=characterization][value='1']").check()
    page.locator("[data-open='2']").click()
    help_of = "(number) => document.getElementById(`help-characterization-${number}`).textContent"
    expect(card).to_have_text(page.evaluate(help_of, 1))
    page.keyboard.press("/")
    page.keyboard.type("excl")
    expect(card).not_to_have_text(page.evaluate(help_of, 1))
    page.keyboard.press("Escape")
    expect(card).to_have_text(page.evaluate(help_of, 1))


def test_which_text_is_open_is_seen_in_forced_colours_too(
    page: Page, live_server: Any, study: Any
) -> None:
    page.emulate_media(forced_colors="active")
    open_pair(page, live_server, (400, 740))
    background = "(tab) => getComputedStyle(tab).backgroundColor"
    tabs = [page.locator(f"#tab-{side}") for side in ("original", "simplification")]
    for shown, other in (tabs, tabs[::-1]):
        shown.click()
        expect(shown).to_have_attribute("aria-selected", "true")
        assert shown.evaluate(background) != other.evaluate(background)


def test_at_400_percent_in_the_widest_letters_nothing_scrolls_sideways(
    page: Page, live_server: Any, study: Any
) -> None:
    User.objects.update(type_size="xl", spacing="wide", typeface="opendyslexic")
    open_pair(page, live_server, (320, 256))
    expect_found(page, FITS)
    for key in ("1", "0", "5", "3"):
        page.keyboard.press(key)
    expect_step(page, 3)
    page.evaluate("document.fonts.ready")
    expect_found(page, FITS)
