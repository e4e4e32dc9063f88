"""From a source document to items in the browser. All examples are invented."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Item
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import document_funnel
from annotation.services.documents.decisions import block_override
from annotation.services.documents.draws import items_draw
from tests.corpus.pdfs import pdf
from tests.documents import CONTRACT, EASY, ENGLISH, HARD, make_document
from tests.factories import make_study
from tests.web.items.importing import page_text

CRITERIA = {
    "fewest_sentences": "1",
    "most_sentences": "5",
    "hardest_only": "50",
    "syllables": "phonetic",
    "drop_boilerplate": "on",
    "french_only": "on",
    "drop_duplicates": "on",
    "as_form": "on",
    "drop_tables": "on",
    "drop_fields": "on",
    "drop_verbless": "on",
    "standing_from": "5",
}
DRAW = {"practice": "2", "everything": "on", "seed": "7"}


@pytest.fixture
def study(cast):
    return make_study("gamma", lead=cast.lead)


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


@pytest.fixture
def document(study, cast):
    return make_document(study, cast.lead)


def url(name, document):
    return reverse(name, args=["gamma", document.pk])


def key_of(document, text):
    return next(
        verdict.key for verdict in document_funnel(document).verdicts if verdict.block.text == text
    )


def send(client, content, name="contrat.txt", **more):
    return client.post(
        reverse("document_upload", args=["gamma"]),
        {"file": SimpleUploadedFile(name, content), **more},
    )


class TestUploading:
    def test_the_way_here_is_on_the_import_page(self, lead):
        assert reverse("document_upload", args=["gamma"]) in page_text(
            lead.get(reverse("pairs_upload", args=["gamma"]))
        )

    def test_a_file_leads_to_its_funnel(self, lead):
        answer = send(lead, CONTRACT.encode())
        stored = SourceDocument.objects.get()
        assert answer.url == url("document", stored)
        assert "contrat.txt" in page_text(lead.get(reverse("document_upload", args=["gamma"])))

    @pytest.mark.parametrize(
        ("content", "said"),
        [(pdf([]), "OCR"), (b"\x89PNG...", "image"), (b"%PDF-1.4 x", "abîmé"), (b"", "vide")],
    )
    def test_what_cannot_be_read_is_said_at_the_field(self, lead, content, said):
        answer = send(lead, content, name="x.pdf")
        assert answer.status_code == 422
        assert said in str(answer.context["form"].errors["file"])
        assert not SourceDocument.objects.exists()

    def test_the_same_file_twice_is_said(self, lead, document):
        answer = send(lead, CONTRACT.encode(), name="copie.txt")
        assert answer.status_code == 422
        assert "contrat.txt" in str(answer.context["form"].errors["file"])

    def test_a_closed_study_says_so(self, lead, study):
        study.state = "closed"
        study.save()
        assert send(lead, CONTRACT.encode()).context["form"].non_field_errors()


class TestFunnel:
    def test_the_numbers_are_in_the_table_and_drawn(self, lead, document):
        answer = lead.get(url("document", document))
        page = page_text(answer)
        assert [(stage.dropped, stage.left) for stage in answer.context["stages"]] == [
            (3, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (1, 7), (1, 6), (1, 5), (0, 5),
        ]  # fmt: skip
        assert page.count("<svg") >= 2
        assert "style=" not in page
        assert "172" in page  # the paper's own threshold cannot be recomputed

    def test_a_document_that_is_mostly_english_is_said(self, lead, study):
        stored = make_document(
            study, text=f"{ENGLISH}\n{ENGLISH.replace('property', 'house')}\n{HARD[0]}\n"
        )
        answer = lead.get(url("document", stored))
        assert answer.context["foreign"]
        assert "notice--warn" in page_text(answer)

    def test_an_empty_funnel_says_what_to_do(self, lead, study):
        answer = lead.get(url("document", make_document(study, text=f"{EASY}\n")))
        assert "notice--bad" in page_text(answer)

    def test_a_text_without_words_has_no_histogram(self, lead, study):
        answer = lead.get(url("document", make_document(study, text="1. TITRE\n")))
        assert len(answer.context["charts"]) == 1

    def test_an_endless_sentence_makes_wide_bars(self, lead, study):
        stored = make_document(
            study, text=f"{HARD[0]}\n{HARD[1].rstrip('.')} {'indemnisation ' * 300}.\n"
        )
        chart = lead.get(url("document", stored)).context["charts"][1]
        assert len(chart.table.rows) <= 16

    def test_a_guess_about_the_file_is_shown(self, lead):
        send(lead, HARD[0].encode("cp1252"))
        assert "notice--warn" in page_text(lead.get(url("document", SourceDocument.objects.get())))

    def test_a_pdf_shows_its_pages(self, lead):
        send(lead, pdf([HARD[0]], [HARD[1]]), name="c.pdf")
        stored = SourceDocument.objects.get()
        assert ("Pages", 2) in lead.get(url("document", stored)).context["facts"]
        assert [
            row["page"] for row in lead.get(url("document_blocks", stored)).context["rows"]
        ] == [1, 2]

    def test_a_decision_that_finds_no_block_is_said(self, lead, document, cast):
        document.overrides = {
            "gone": {"keep": True, "reason": "x", "actor": cast.lead.pk, "at": "2026-01-01"}
        }
        document.save()
        assert "notice--warn" in page_text(lead.get(url("document", document)))


class TestCriteria:
    def test_a_change_is_shown_before_it_is_stored(self, lead, document):
        form = CRITERIA | {"hardest_only": "", "action": "preview"}
        answer = lead.post(url("document", document), form)
        assert answer.status_code == 200
        assert (answer.context["change"]["after"], answer.context["change"]["gained"]) == (6, 1)
        assert EASY in page_text(answer)
        stored = document.criteria
        document.refresh_from_db()
        assert document.criteria == stored

    def test_more_than_a_handful_is_counted(self, lead, document, study):
        easy = "".join(
            f"Le chat {word} dort bien ici.\n"
            for word in ("gris", "noir", "roux", "brun", "vif", "vieux")
        )
        stored = make_document(study, text=easy)
        change = lead.post(
            url("document", stored), CRITERIA | {"hardest_only": "", "action": "preview"}
        ).context["change"]
        assert change["sections"][0][2] == 1

    def test_a_document_of_before_forms_says_so(self, lead, document):
        assert "comme un formulaire\u00a0:" not in page_text(lead.get(url("document", document)))
        SourceDocument.objects.update(criteria={})
        answer = lead.get(url("document", document))
        assert "comme un formulaire\u00a0:" in page_text(answer)
        assert not answer.context["form"]["as_form"].value()

    def test_it_is_stored(self, lead, document):
        assert (
            lead.post(url("document", document), CRITERIA | {"hardest_only": "40,5"}).status_code
            == 302
        )
        document.refresh_from_db()
        assert document.criteria["hardest_only"] == 40.5
        assert "40,5" in page_text(lead.get(url("document", document)))

    @pytest.mark.parametrize(
        "wrong",
        [
            {"most_sentences": "0"},
            {"fewest_sentences": "6"},
            {"hardest_only": "x"},
            {"syllables": "none"},
        ],
    )
    def test_the_impossible_is_said(self, lead, document, wrong):
        answer = lead.post(url("document", document), CRITERIA | wrong)
        assert answer.status_code == 422
        assert answer.context["form"].errors

    def test_after_the_draw_they_are_fixed(self, lead, document, cast):
        items_draw(actor=cast.lead, document=document, practice=1, main=None, seed="7")
        answer = lead.post(url("document", document), CRITERIA | {"hardest_only": "40"})
        assert answer.status_code == 422
        assert answer.context["problems"]


class TestBlocks:
    def test_every_view_shows_its_blocks(self, lead, document, cast):
        block_override(
            actor=cast.lead,
            document=document,
            key=key_of(document, HARD[4]),
            keep=False,
            reason="Trop vague",
        )
        counts = {
            show: lead.get(url("document_blocks", document), {"show": show})
            .context["page"]
            .paginator.count
            for show in (
                "kept",
                "dropped",
                "manual",
                "all",
                "boilerplate",
                "language",
                "readability",
                "nonsense",
            )
        }
        assert counts == {
            "kept": 4, "dropped": 7, "manual": 1, "all": 11, "boilerplate": 3, "language": 1, "readability": 1,  # noqa: E501
            "nonsense": 4,
        }  # fmt: skip
        page = page_text(lead.get(url("document_blocks", document), {"show": "manual"}))
        assert "Trop vague" in page
        assert cast.lead.name in page

    def test_words_are_searched(self, lead, document):
        answer = lead.get(url("document_blocks", document), {"show": "all", "q": "SUBROGATION"})
        assert [row["text"] for row in answer.context["rows"]] == [HARD[4]]
        assert not lead.get(url("document_blocks", document), {"q": "introuvable"}).context["rows"]

    def test_a_block_is_rescued_and_left_again_without_scripts(self, lead, document):
        address = url("document_blocks", document) + "?show=readability"
        page = page_text(lead.get(address))
        key = re.search(r'name="key" value="(\w+)"', page).group(1)
        answer = lead.post(address, {"key": key, "action": "rescue", "reason": "Un cas d'école"})
        assert answer.url == address
        document.refresh_from_db()
        assert [entry["keep"] for entry in document.overrides.values()] == [True]
        assert "Un cas d" in page_text(lead.get(url("document_blocks", document)))
        lead.post(address, {"key": key, "action": "undo"})
        document.refresh_from_db()
        assert document.overrides == {}

    def test_a_refusal_keeps_what_was_typed(self, lead, document):
        key = key_of(document, HARD[0])
        answer = lead.post(
            url("document_blocks", document), {"key": key, "action": "exclude", "reason": "x" * 600}
        )
        assert answer.status_code == 422
        assert 'id="id_reason"' in page_text(answer)
        assert (
            lead.post(
                url("document_blocks", document), {"action": "eat", "reason": "x"}
            ).status_code
            == 422
        )

    def test_after_the_draw_there_is_nothing_to_decide(self, lead, document, cast):
        items_draw(actor=cast.lead, document=document, practice=1, main=None, seed="7")
        assert 'name="reason"' not in page_text(lead.get(url("document_blocks", document)))


class TestDrawing:
    def test_the_usual_draw_is_shown_at_once(self, lead, document):
        answer = lead.get(url("document_draw", document))
        assert answer.status_code == 200
        assert answer.context["form"]["seed"].value() == 7
        assert answer.context["form"]["everything"].value()
        assert (len(answer.context["shown"].practice), len(answer.context["shown"].main)) == (1, 4)

    def test_what_is_shown_is_what_is_drawn(self, lead, document):
        address = lead.post(url("document_draw", document), DRAW | {"action": "preview"}).url
        shown = lead.get(address).context["rows"]
        assert not Item.objects.filter(study=document.study).exists()
        answer = lead.post(url("document_draw", document), DRAW | {"action": "draw"})
        assert answer.url == reverse("study_items", args=["gamma"])
        items = Item.objects.filter(study=document.study)
        assert [(row["text"], row["practice"]) for row in shown] == [
            (item.original, item.round == "practice") for item in items
        ]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"practice": "6"},
            {"practice": "-1"},
            {"seed": ""},
            {"everything": "", "main": ""},
            {"main": "x"},
        ],
    )
    def test_the_impossible_is_said(self, lead, document, wrong):
        answer = lead.post(url("document_draw", document), DRAW | {"action": "draw"} | wrong)
        assert answer.status_code == 422
        assert answer.context["form"].errors
        assert lead.get(url("document_draw", document), DRAW | wrong).status_code in (200, 422)

    def test_what_the_study_has_is_said(self, lead, document, study):
        items_draw(actor=None, document=document, practice=0, main=None, seed="7")
        more = make_document(
            study, text=CONTRACT + "\n" + HARD[0].replace("préalable", "postérieure") + "\n"
        )
        answer = lead.get(url("document_draw", more), {"practice": "0", "main": "1", "seed": "7"})
        assert (answer.context["in_study"], answer.context["drawable"]) == (5, 1)
        assert len(answer.context["rows"]) == 1

    def test_a_draw_is_shown_and_taken_back(self, lead, document):
        lead.post(url("document_draw", document), DRAW | {"action": "draw"})
        assert lead.get(url("document_draw", document)).url == url("document", document)
        assert 'value="undo"' in page_text(lead.get(url("document", document)))
        assert "graine 7" in page_text(lead.get(reverse("document_upload", args=["gamma"])))
        assert lead.post(url("document", document), {"action": "discard"}).status_code == 422
        assert lead.post(url("document", document), {"action": "undo"}).status_code == 302
        assert not Item.objects.filter(study=document.study).exists()

    def test_not_once_a_round_was_opened(self, lead, document, study):
        study.state = "practice"
        study.save()
        assert "disabled" in page_text(lead.get(url("document_draw", document)))
        assert (
            lead.post(url("document_draw", document), DRAW | {"action": "draw"}).status_code == 422
        )


def test_a_document_is_thrown_away(lead, document):
    answer = lead.post(url("document", document), {"action": "discard"})
    assert answer.url == reverse("document_upload", args=["gamma"])
    assert not SourceDocument.objects.exists()


def test_another_study_s_document_is_not_there(cast, lead, document):
    for name in ("document", "document_blocks", "document_draw"):
        assert (
            cast.client("lead").get(reverse(name, args=["alpha", document.pk])).status_code == 404
        )
