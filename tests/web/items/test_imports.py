"""Getting pairs in by the browser: who may, the upload, the preview, the columns."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Item, PairsUpload, Simplification, User
from annotation.services.intake.uploads import upload_store
from tests.cast import ROLES
from tests.factories import make_study
from tests.web.items.importing import CSV, page_text, post, send, sent


@pytest.fixture
def study(cast):
    return make_study("gamma", lead=cast.lead)


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


class TestAccess:
    @pytest.fixture
    def upload(self, cast):
        file = SimpleUploadedFile("x", CSV.encode())
        return upload_store(actor=cast.lead, study=cast.alpha, name="x.csv", content=file)

    @pytest.mark.parametrize("role", ROLES)
    def test_only_leads_and_admins_reach_the_pages(self, cast, upload, role):
        expected = {"anonymous": 302, "lead": 200, "admin": 200}.get(role, 404)
        for name, arguments in (
            ("pairs_upload", ["alpha"]),
            ("pairs_mapping", ["alpha", upload.pk]),
            ("pairs_problems", ["alpha", upload.pk]),
        ):
            answer = cast.client(role).get(reverse(name, args=arguments))
            assert answer.status_code == expected, name
            if role == "anonymous":
                assert answer.url.startswith("/account/login/")

    @pytest.mark.parametrize("role", [role for role in ROLES if role not in ("lead", "admin")])
    def test_nobody_else_writes(self, cast, upload, role):
        client = cast.client(role)
        before = Item.objects.count()
        assert send(client, CSV, study="alpha").status_code in (302, 404)
        for action in ("import", "discard", "preview"):
            url = reverse("pairs_mapping", args=["alpha", upload.pk])
            assert client.post(url, {"action": action, "round": "main"}).status_code in (302, 404)
        assert (Item.objects.count(), PairsUpload.objects.count()) == (before, 1)

    def test_an_upload_belongs_to_its_study(self, cast, upload):
        assert (
            cast.client("other_lead")
            .get(reverse("pairs_mapping", args=["beta", upload.pk]))
            .status_code
            == 404
        )
        assert (
            cast.client("admin")
            .get(reverse("pairs_problems", args=["beta", upload.pk]))
            .status_code
            == 404
        )

    def test_only_get_and_post(self, lead, study):
        assert lead.put(reverse("pairs_upload", args=["gamma"])).status_code == 405


class TestUploading:
    def test_the_page_says_what_becomes_of_a_released_file(self, lead):
        text = page_text(lead.get(reverse("pairs_upload", args=["gamma"])))
        assert "FrJUDGE" in text
        assert 'enctype="multipart/form-data"' in text

    @pytest.mark.parametrize(
        "content", [b"%PDF-1.7", b"", b"   \n", b"[\n1\n]", b"PK\x03\x04broken"]
    )
    def test_what_is_no_table_is_refused_and_not_kept(self, lead, content):
        answer = send(lead, content, name="x.csv")
        assert answer.status_code == 422
        assert answer.context["form"].errors["file"]
        assert not PairsUpload.objects.exists()

    def test_no_file_at_all(self, lead):
        assert lead.post(reverse("pairs_upload", args=["gamma"])).status_code == 422

    def test_a_closed_study_says_so(self, lead, study):
        study.state = "closed"
        study.save()
        answer = send(lead, CSV)
        assert answer.status_code == 422
        assert answer.context["form"].non_field_errors()

    def test_what_was_not_finished_is_offered_again(self, lead):
        url = sent(lead, CSV)
        assert url in page_text(lead.get(reverse("pairs_upload", args=["gamma"])))

    @pytest.mark.parametrize("content", [b"not a zip", b"original;simplification\na b;a\n"])
    def test_text_that_is_called_a_workbook_is_said_to_be_text(self, lead, content):
        answer = send(lead, content, name="Paires.XLSX")
        assert answer.status_code == 422
        (problem,) = answer.context["form"].errors["file"]
        assert "son contenu est du texte" in problem
        assert "enregistrez-le en .xlsx" in problem
        assert not PairsUpload.objects.exists()


class TestLooking:
    def test_the_preview_shows_how_it_was_read_and_stores_nothing(self, lead, study):
        url = sent(lead, CSV.encode("cp1252"), name="clauses <été>.csv")
        text = page_text(lead.get(url))
        assert "Windows-1252" in text
        assert "L&#x27;assuré paie la prime." in text
        assert "clauses &lt;été&gt;.csv" in text
        # One of these buttons is always pressed: nothing that could be left out.
        assert re.search(r"Importer\s*<span class=.optional", text) is None
        assert not study.items.exists()

    def test_columns_that_hold_nothing_of_a_pair_are_named(self, lead):
        """As docs/leads.md, 3, says: one whose name is misspelt would be missing unseen."""
        text = "original;simplification;contxte;n°\nUn texte.;Un autre.;x;1\n"
        User.objects.update(language="en")
        assert "Used for nothing: contxte, n°" in page_text(lead.get(sent(lead, text)))
        assert "Used for nothing" not in page_text(lead.get(sent(lead, CSV)))

    def test_names_below_a_title_are_known_and_the_page_says_where(self, lead, study):
        url = sent(lead, "Corpus 2026;\n" + CSV)
        shown = lead.get(url).context
        assert shown["shown"].table.layout.header_row == 2
        assert any(value.startswith(("ligne 2", "row 2")) for _label, value in shown["facts"])
        assert post(lead, url).status_code == 302
        assert study.items.count() == 2

    def test_the_row_of_names_can_be_chosen(self, lead, study):
        url = sent(lead, "Corpus;2026;x\nici;là;x\nUn texte.;Un autre.;x\n")
        post(lead, url, action="preview", header_row="2")
        shown = lead.get(url).context["shown"]
        assert shown.table.columns == ("ici", "là", "x")
        post(lead, url, action="preview", header_row="9")
        answer = lead.get(url)
        assert answer.context["shown"].fatal.code == "no_such_row"
        assert "header_row" in answer.context["form"].fields
        post(lead, url, action="preview", header_row="")
        assert lead.get(url).context["shown"].table.layout.header_row == 0

    def test_how_it_is_read_changes_without_a_column_of_originals(self, lead):
        """It stands in none as long as the file is read as it is."""
        url = sent(lead, "un|deux,trois\nquatre|cinq,six\n")
        assert post(lead, url, action="preview", separator="|").status_code == 302
        page = lead.get(url)
        assert page.context["shown"].table.layout.separator == "|"
        assert re.search(r'value="preview"[^>]*formnovalidate', page_text(page))
        # Without another way to read it, the column is asked for.
        assert post(lead, url, action="preview", separator="|").status_code == 422

    def test_html_in_a_text_is_shown_as_text(self, lead):
        text = page_text(
            lead.get(sent(lead, "original;simplification\n<script>alert(1)</script>;=1+1\n"))
        )
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text

    def test_every_bad_row_is_named_and_nothing_goes_in(self, lead, study):
        url = sent(lead, CSV + ";vide\nx;\nL'assureur rembourse.;On paie.;s1\n")
        answer = lead.get(url)
        assert [(p["row"]) for p in answer.context["problems"]] == [4, 5, 6]
        assert answer.context["shown"].can_import is False
        assert re.search(r'value="import"\s+disabled', page_text(answer))
        assert post(lead, url).status_code == 422
        assert not study.items.exists()

    def test_only_a_hundred_problems_are_shown_and_all_are_in_the_csv(self, lead):
        url = sent(lead, "original;simplification\n" + "x;\n" * 150)
        answer = lead.get(url)
        assert (answer.context["problem_count"], len(answer.context["problems"])) == (150, 100)
        file = lead.get(url + "problems.csv")
        assert file.headers["content-type"] == "text/csv; charset=utf-8"
        assert "attachment" in file.headers["content-disposition"]
        lines = file.content.decode("utf-8-sig").splitlines()
        assert len(lines) == 151
        assert lines[1].startswith("2,")

    def test_a_key_that_a_spreadsheet_would_run_is_neutralised(self, lead):
        url = sent(lead, "original;simplification;id\na;b;=1+1\n")
        assert "=1+1" in page_text(lead.get(url))
        assert not re.search(
            r"(^|,)\"?=", lead.get(url + "problems.csv").content.decode(), re.MULTILINE
        )

    def test_a_file_that_cannot_be_read_can_be_read_differently(self, lead):
        url = sent(lead, 'original;simplification\n"Valeur désigne;le prix\nb;c;\n')
        answer = lead.get(url)
        assert answer.status_code == 200
        assert answer.context["shown"].fatal.code == "bad_quotes"
        assert not answer.context["shown"].can_import
        assert post(lead, url).status_code == 422
        lead.post(url, {"action": "preview", "quoted": "no", "round": "main"})
        assert lead.get(url).context["shown"].plan.simplifications == 2

    def test_what_is_no_json_is_said_with_its_place(self, lead):
        answer = send(lead, '{"pairs": [1,2', name="a.json")
        assert answer.status_code == 422
        assert "ligne 1, colonne 15" in page_text(answer)
        assert not PairsUpload.objects.exists()

    def test_a_wrong_encoding_says_so_and_can_be_taken_back(self, lead):
        url = sent(lead, CSV.encode("cp1252"))
        post(lead, url, action="preview", encoding="utf-8")
        page = lead.get(url)
        assert page.context["shown"].fatal.code == "wrong_encoding"
        # As its control is called, not as programs name it.
        assert [problem["field"] for problem in page.context["problems"]] == ["Encodage"]
        post(lead, url, action="preview", encoding="mac-roman")
        assert lead.get(url).context["shown"].table.layout.encoding == "mac-roman"
        post(lead, url, action="preview", encoding="")
        assert lead.get(url).context["shown"].table.layout.encoding == "cp1252"

    def test_impossible_choices_are_refused(self, lead):
        url = sent(lead, CSV)
        for changed in ({"encoding": "klingon"}, {"map_original": "99"}, {"round": "third"}):
            assert post(lead, url, **changed).status_code == 422
        assert not Item.objects.filter(study__key="gamma").exists()


class TestMapping:
    def test_columns_of_other_names_are_chosen(self, lead):
        url = sent(lead, "un;deux\nL'assuré paie.;Vous payez.\n")
        first = lead.get(url)
        # Two short texts above two short texts: a header is for the lead to say.
        assert first.context["shown"].fatal.code == "unmapped"
        post(lead, url, action="preview", header="yes", map_original="0", map_simplification="1")
        answer = post(lead, url, action="preview", map_original="0", map_simplification="1")
        assert answer.status_code == 302
        assert lead.get(url).context["promise"]
        assert post(lead, url).status_code == 302
        assert Simplification.objects.get(item__study__key="gamma").text == "Vous payez."

    def test_changed_columns_are_shown_before_they_are_imported(self, lead, study):
        url = sent(lead, CSV)
        answer = post(lead, url, map_original="1", map_simplification="0")
        assert answer.url == url
        assert not study.items.exists()
        assert post(lead, url).status_code == 302
        assert study.items.first().original == "Vous payez."

    def test_a_column_cannot_be_two_things(self, lead):
        url = sent(lead, CSV)
        post(lead, url, action="preview", map_simplification="0")
        assert lead.get(url).context["shown"].fatal.code == "column_twice"

    def test_reading_it_differently_forgets_the_columns(self, lead, study):
        url = sent(lead, CSV)
        post(lead, url, action="preview", map_system="")
        assert "system" not in lead.get(url).context["shown"].mapping
        assert post(lead, url, header="no").url == url
        assert lead.get(url).context["shown"].fatal.code == "unmapped"
        post(lead, url, action="preview", header="", map_original="0", map_simplification="1")
        assert lead.get(url).context["shown"].mapping == {
            "original": 0,
            "simplification": 1,
            "system": 2,
        }
        assert not study.items.exists()

    def test_rows_that_a_sheet_hides_are_named_before_they_go_in(self, lead):
        from tests.corpus.test_xlsx import changed, workbook

        rows = [
            ("original", "simplification"),
            *((f"clause {n}", f"simple {n}") for n in range(30)),
        ]
        content = workbook(Paires=rows)
        plain = lead.get(sent(lead, content, name="paires.xlsx")).context["facts"]

        def hide(sheet):
            for number in range(4, 26):
                sheet.row_dimensions[number].hidden = True

        page = lead.get(sent(lead, changed(content, hide), name="paires.xlsx"))
        *facts, (_label, said) = page.context["facts"]
        assert [label for label, _value in facts] == [label for label, _value in plain]
        assert said.startswith("22")
        assert said.endswith(" 22, 23…")

    def test_a_sheet_is_chosen(self, lead, study):
        from tests.corpus.test_xlsx import workbook

        content = workbook(
            Un=[("original", "simplification"), ("a", "b")],
            Deux=[("original", "simple"), ("c", "d")],
        )
        url = sent(lead, content, name="paires.xlsx")
        assert "separator" not in lead.get(url).context["form"].fields
        post(lead, url, action="preview", sheet="Deux")
        post(lead, url)
        assert study.items.get().original == "c"
