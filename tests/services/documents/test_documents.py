"""Source documents: read once, chosen from by criteria and by hand, drawn from once. All examples
are invented."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest

from annotation.corpus.funnel import Criteria
from annotation.errors import RuleError
from annotation.models import Event, Generation, GenerationSystem, Item, Simplification
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import (
    criteria_change,
    criteria_of,
    document_funnel,
    page_of,
)
from annotation.services.documents.decisions import block_override, block_override_undo
from annotation.services.documents.documents import (
    criteria_set,
    document_add,
    document_discard,
)
from annotation.services.documents.draws import draw_undo, items_draw
from annotation.services.generation.runs import run_create
from annotation.services.items.removal import item_remove
from tests.corpus.pdfs import encrypted, pdf
from tests.documents import CONTRACT, EASY, HARD, make_document
from tests.factories import make_pair, make_study, make_user
from tests.house.sizes import ROOT

pytestmark = pytest.mark.django_db
REAL = ROOT.parent / "shared" / "data" / "fpq1_fr.txt"


@pytest.fixture
def actor():
    return make_user()


@pytest.fixture
def document(actor):
    return make_document(make_study(), actor)


def refused(call, **arguments):
    with pytest.raises(RuleError) as caught:
        call(**arguments)
    (problem,) = caught.value.problems
    return problem


def key_of(document, text):
    return next(
        verdict.key for verdict in document_funnel(document).verdicts if verdict.block.text == text
    )


def kept(document):
    return [verdict.block.text for verdict in document_funnel(document).kept]


class TestAdding:
    def test_the_file_and_its_text_are_kept(self, document, settings):
        path = Path(document.file.path)
        assert path == settings.MEDIA_ROOT / "documents" / str(document.pk)
        assert path.read_bytes() == CONTRACT.encode()
        assert (document.kind, document.encoding, document.size) == (
            "txt",
            "utf-8",
            len(CONTRACT.encode()),
        )
        assert kept(document) == [HARD[0], HARD[1], HARD[2], HARD[3], HARD[4]]
        assert Event.objects.get(verb="document_added").details["kind"] == "txt"

    def test_a_word_document_says_what_its_headings_are(self):
        written = docx.Document()
        written.add_heading("Les garanties du présent contrat", level=1)
        written.add_paragraph(HARD[0])
        stream = io.BytesIO()
        written.save(stream)
        stored = document_add(
            actor=None, study=make_study(), name="c.docx", content=stream.getvalue()
        )
        stored.refresh_from_db()
        assert stored.kind == "docx"
        assert document_funnel(stored).kept[0].block.headings == (
            "Les garanties du présent contrat",
        )

    def test_a_pdf_knows_its_pages(self):
        content = pdf([HARD[0]], [HARD[1]])
        stored = document_add(actor=None, study=make_study(), name="c.pdf", content=content)
        assert (stored.kind, stored.pages) == ("pdf", 2)
        pages = {
            verdict.block.text: page_of(stored, verdict) for verdict in document_funnel(stored).kept
        }
        assert pages == {HARD[0]: 1, HARD[1]: 2}

    def test_a_text_has_no_pages(self, document):
        assert page_of(document, document_funnel(document).kept[0]) is None

    @pytest.mark.parametrize(
        ("content", "code"),
        [(b" ", "empty"), (b"\x89PNG....", "wrong_type"), (b"%PDF-1.4 abc", "broken"), (pdf([]), "no_text"),  # noqa: E501
         (encrypted(pdf(["Une clause."]), "secret"), "encrypted")],
    )  # fmt: skip
    def test_what_cannot_be_read_is_said_at_its_field(self, content, code):
        problem = refused(
            document_add, actor=None, study=make_study(), name="x.pdf", content=content
        )
        assert (problem.field, problem.code) == ("file", code)
        assert "x.pdf" in problem.message.en
        assert not SourceDocument.objects.exists()

    def test_the_same_file_twice_is_said(self, document):
        problem = refused(
            document_add,
            actor=None,
            study=document.study,
            name="autre.txt",
            content=CONTRACT.encode(),
        )
        assert problem.code == "present"
        assert "contrat.txt" in problem.message.fr
        make_document(make_study())  # another study may have it

    def test_a_closed_study_takes_none(self):
        assert refused(make_document, study=make_study(state="closed")).code == "closed"

    def test_an_encoding_may_be_chosen(self):
        content = "L'indemnité complète.".encode("mac-roman")
        stored = document_add(
            actor=None, study=make_study(), name="\n", content=content, encoding="mac-roman"
        )
        assert (stored.text, stored.name) == ("L'indemnité complète.", "document")


class TestCriteria:
    def test_they_are_the_papers_until_chosen(self, document, actor):
        assert criteria_of(document.criteria) == Criteria()
        criteria_set(actor=actor, document=document, criteria=Criteria())
        assert not Event.objects.filter(verb="document_criteria_set").exists()

    def test_a_change_is_stored_and_recorded(self, document, actor):
        document = criteria_set(
            actor=actor, document=document, criteria=Criteria(hardest_only=None)
        )
        document.refresh_from_db()
        assert EASY in kept(document)
        assert Event.objects.get(verb="document_criteria_set").details == {
            "hardest_only": "50.0 → None"
        }
        document = criteria_set(actor=actor, document=document, criteria=Criteria())
        assert EASY not in kept(document)

    def test_what_a_change_would_do_is_known_before(self, document):
        change = criteria_change(document, Criteria(hardest_only=None, drop_duplicates=False))
        assert (change.before, change.after) == (5, 7)
        assert [verdict.block.text for verdict in change.gained] == [EASY, HARD[0]]
        assert criteria_change(document, Criteria(fewest_sentences=2)).lost


class TestSingleBlocks:
    def test_a_block_is_rescued_excluded_and_left_again(self, document, actor):
        rescued, excluded = key_of(document, EASY), key_of(document, HARD[1])
        document = block_override(
            actor=actor, document=document, key=rescued, keep=True, reason=" Un  cas "
        )
        document = block_override(
            actor=actor, document=document, key=excluded, keep=False, reason="Sans objet"
        )
        document.refresh_from_db()
        assert EASY in kept(document)
        assert HARD[1] not in kept(document)
        entry = document.overrides[rescued]
        assert (entry["keep"], entry["reason"], entry["actor"]) == (True, "Un cas", actor.pk)
        assert entry["at"]
        document = block_override_undo(actor=actor, document=document, key=rescued)
        assert EASY not in kept(document)
        verbs = set(Event.objects.values_list("verb", flat=True))
        assert {"block_rescued", "block_excluded", "block_left_to_criteria"} <= verbs

    @pytest.mark.parametrize(("reason", "code"), [(" ", "required"), ("x" * 501, "too_long")])
    def test_a_reason_is_needed(self, document, actor, reason, code):
        problem = refused(
            block_override, actor=actor, document=document, key="0", keep=True, reason=reason
        )
        assert (problem.field, problem.code) == ("reason", code)

    def test_a_block_that_is_not_there(self, document, actor):
        assert (
            refused(
                block_override, actor=actor, document=document, key="0", keep=True, reason="x"
            ).code
            == "missing"
        )
        assert (
            refused(block_override_undo, actor=actor, document=document, key="0").code == "missing"
        )

    def test_a_block_that_is_there_and_follows_the_criteria(self, document, actor):
        """It was said to be gone: whoever sent the request again was told something false."""
        key = document_funnel(document).verdicts[0].key
        undone = refused(block_override_undo, actor=actor, document=document, key=key)
        assert (undone.code, "follows the criteria" in undone.message.en) == ("undecided", True)


def drawn(document, **changed):
    options = {"practice": 2, "main": 2, "seed": "7"} | changed
    return items_draw(actor=None, document=document, **options)


class TestDrawing:
    def test_items_stand_in_the_order_of_the_document_with_their_place(self, document):
        items = drawn(document, main=None)
        document.refresh_from_db()
        assert [item.original for item in items] == list(HARD)
        assert [item.key for item in items] == [f"item-{number:04}" for number in range(1, 6)]
        assert sorted(item.round for item in items) == ["main"] * 3 + ["practice"] * 2
        assert Item.objects.get(position=2).context_before == EASY
        assert Item.objects.get(position=4).source == "contrat.txt › CHAPITRE PREMIER › 2. FIN"
        assert document.draw | {"items": 0} == {
            "seed": "7",
            "practice": 2,
            "main": 3,
            "all": True,
            "items": 0,
        }
        assert Event.objects.get(verb="items_drawn").details == {
            "seed": "7",
            "practice": 2,
            "main": 3,
        }

    def test_the_same_seed_gives_the_same_items(self):
        def draw(seed):
            return [
                (item.key, item.round, item.original)
                for item in drawn(make_document(make_study()), seed=seed)
            ]

        assert draw("7") == draw("7")
        assert any(draw("7") != draw(str(seed)) for seed in range(5))

    def test_a_second_document_adds_and_nothing_is_drawn_twice(self, document):
        drawn(document, main=None)
        more = make_document(
            document.study, text=f"1. SUITE\n{HARD[0]}\n{HARD[1].replace('provisoire', 'nommé')}\n"
        )
        items = drawn(more, practice=0, main=None)
        assert [(item.key, item.position) for item in items] == [("item-0006", 6)]
        again = make_document(document.study, text=CONTRACT + "\n")
        assert refused(drawn, document=again).code == "none_kept"

    def test_keys_that_are_taken_stay_theirs(self, document):
        make_pair(document.study, key="item-0002")
        assert [item.key for item in drawn(document)] == [
            "item-0003",
            "item-0004",
            "item-0005",
            "item-0006",
        ]

    def test_more_than_there_is_is_refused_with_the_number(self, document):
        problem = refused(drawn, document=document, main=297)
        assert (problem.field, problem.code) == ("practice", "too_few")
        assert "5" in problem.message.fr
        assert refused(drawn, document=document, practice=9, main=None).code == "too_few"
        assert not Item.objects.exists()

    def test_once_drawn_nothing_moves(self, document, actor):
        key = key_of(document, EASY)
        drawn(document)
        codes = {
            refused(drawn, document=document).code,
            refused(
                criteria_set, actor=actor, document=document, criteria=Criteria(hardest_only=9)
            ).code,
            refused(
                block_override, actor=actor, document=document, key=key, keep=True, reason="x"
            ).code,
            refused(document_discard, actor=actor, document=document).code,
        }
        assert codes == {"drawn"}

    def test_only_in_preparation(self, document, actor):
        drawn(document)
        document.study.state = "practice"
        document.study.save()
        other = make_document(document.study, text="1. AUTRE\n" + HARD[0])
        assert refused(drawn, document=other).code == "opened"
        assert refused(draw_undo, actor=actor, document=document).code == "opened"

    def test_a_long_path_keeps_its_narrowest_heading(self, document):
        document.name = "n" * 190
        document.text = CONTRACT.replace("PREMIER", "PREMIER " + "X" * 60).replace(
            "FIN", "FIN " + "Y" * 80
        )
        document.save()
        source = drawn(document, main=None)[3].source
        assert len(source) <= 300
        assert source.endswith("Y")


class TestUndoing:
    def test_the_items_go_and_the_settings_open_again(self, document, actor):
        drawn(document)
        assert draw_undo(actor=actor, document=document) == 4
        document.refresh_from_db()
        assert (document.draw, document.drawn_at, Item.objects.count()) == ({}, None, 0)
        assert Event.objects.get(verb="draw_undone").details == {"seed": "7", "items": 4}
        assert refused(draw_undo, actor=actor, document=document).code == "undrawn"

    def test_an_item_that_was_removed_is_nobody_else_s(self, document, actor):
        first, second = drawn(document, practice=0)
        item_remove(actor=actor, item=second)
        document.refresh_from_db()
        assert list(document.draw["items"].values()) == [first.key]
        text = f"1. SUITE\n{HARD[1].replace('provisoire', 'nommé')}\n"
        other = make_document(document.study, text=text)
        [later] = drawn(other, practice=0, main=None)
        assert (later.key, later.position) == ("item-0003", 3)
        assert draw_undo(actor=actor, document=document) == 1
        assert Item.objects.get() == later
        assert draw_undo(actor=actor, document=other) == 1
        assert [item.key for item in drawn(other, practice=0, main=None)] == ["item-0004"]

    def test_what_somebody_wrote_for_stays(self, document, actor):
        first, second, *_ = drawn(document)
        Simplification.objects.create(item=first, text="Une phrase.")
        run = run_create(actor=actor, study=document.study)
        system = GenerationSystem.objects.create(
            run=run, name="m", model="m", prompt="{input}", price_prompt=0, price_completion=0
        )
        Generation.objects.create(run=run, system=system, item=second)
        problem = refused(draw_undo, actor=actor, document=document)
        assert problem.code == "used"
        assert problem.message.en.startswith("2 of")

    def test_a_document_is_thrown_away_with_its_file(
        self, document, actor, django_capture_on_commit_callbacks
    ):
        path = Path(document.file.path)
        with django_capture_on_commit_callbacks(execute=True):
            document_discard(actor=actor, document=document)
        assert not path.exists()
        assert not SourceDocument.objects.exists()
        assert Event.objects.filter(verb="document_discarded").exists()


@pytest.mark.skipif(not REAL.exists(), reason="the real form lies outside of the repository")
def test_the_real_form_gives_the_figures_of_the_manual():
    document = document_add(
        actor=None, study=make_study(), name="fpq1.txt", content=REAL.read_bytes()
    )
    funnel = document_funnel(document)
    assert (len(funnel.verdicts), len(funnel.kept)) == (395, 119)
    assert [number for number in funnel.dropped.values() if number] == [134, 139, 3]
    items = drawn(document, practice=15, main=None)
    assert [item.round for item in items].count("main") == 104
