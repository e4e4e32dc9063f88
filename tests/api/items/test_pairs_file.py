"""How a program says what a file of pairs is: what its columns are called, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Item, Job, Simplification
from annotation.services.intake.readings_work import reading_carry_out
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.corpus.test_xlsx import changed, workbook
from tests.factories import make_study

pytestmark = pytest.mark.django_db

Send = Callable[..., Any]
NUMBERED = "Nr;Texte original;Simplification;Système\nc1;La prime est due.;Payez.;gpt\n"


@pytest.fixture
def send(cast: Cast) -> Send:
    make_study("gamma", lead=cast.lead)
    program = bearer(cast.lead)

    def sent(content: str | bytes, columns: dict[str, str | None] | None = None, **options: str):
        content = content if isinstance(content, bytes) else content.encode()
        if columns is not None:
            options["columns"] = json.dumps(columns)
        file = SimpleUploadedFile("pairs.xlsx" if content[:2] == b"PK" else "pairs.csv", content)
        return program.post("/api/v1/studies/gamma/pairs/file/", {"file": file, **options})

    return sent


def problem(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 422, answer.content
    (only,) = answer.json()["problems"]
    assert not Item.objects.filter(study__key="gamma").exists()
    return only


def test_an_encoding_that_is_guessed_is_said(send: Send):
    """Accents that came in as others were a success without a word; the page shows them first."""
    rows = "original;simplification\nL'élève a été reçu à l'école.;L'élève est reçu.\n"
    answer = send(rows.encode("cp1252"), {})
    assert (answer.status_code, answer.json()["encoding_guessed"]) == (201, "cp1252")
    answer = send(rows.replace("reçu", "admis").encode(), {})
    assert (answer.status_code, answer.json()["encoding_guessed"]) == (201, "")


def test_rows_that_a_workbook_hides_are_named(send: Send):
    """They go in as well: whoever filtered the sheet believed them left out."""

    def hide(sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = True

    rows = [("original", "simplification"), *((f"Clause {n}.", "Courte.") for n in (1, 2, 3))]
    answer = send(changed(workbook(S=rows), hide), {})
    assert (answer.status_code, answer.json()["items"]) == (201, 3), answer.json()
    assert answer.json()["rows_hidden"] == [3]
    assert send("original;simplification\nA. B.;C.\n", {}).json()["rows_hidden"] == []


class TestColumns:
    def test_those_that_are_named_leave_the_others_as_they_are_recognised(self, send: Send):
        """The texts to judge were dropped, with a success."""
        answer = send(NUMBERED, {"original": "Texte original"})
        assert answer.status_code == 201, answer.json()
        pair = Simplification.objects.get(item__study__key="gamma")
        assert (pair.text, pair.system) == ("Payez.", "gpt")
        assert answer.json()["columns_left_out"] == ["Nr"]

    def test_one_that_is_named_for_another_field_is_no_longer_what_it_is_called(self, send: Send):
        answer = send(NUMBERED, {"source": "Système", "id": "Nr"})
        assert answer.status_code == 201, answer.json()
        item = Item.objects.get(study__key="gamma")
        assert (item.key, item.source) == ("c1", "gpt")
        assert item.simplifications.get().system == ""

    def test_null_says_that_there_is_none(self, send: Send):
        answer = send(NUMBERED, {"simplification": None, "system": None})
        assert answer.status_code == 201, answer.json()
        assert answer.json()["columns_left_out"] == ["Nr", "Simplification", "Système"]
        assert not Simplification.objects.filter(item__study__key="gamma").exists()

    def test_a_name_that_is_no_field_is_refused(self, send: Send):
        answer = send(NUMBERED, {"orignal": "Texte original", "annotator": "Nr"})
        assert answer.status_code == 400, answer.json()
        first, second = answer.json()["problems"]
        assert (first["field"], first["code"]) == ("columns.orignal", "unknown")
        assert "Did you mean “original”?" in first["message"]
        assert second["field"] == "columns.annotator"

    def test_without_a_column_of_originals_there_are_no_pairs(self, send: Send):
        assert problem(send(NUMBERED, {"original": None}))["code"] == "unmapped"


PAIR = "original;simplification\nL'assuré est débouté.;Il a perdu.\n"


def original() -> str:
    return Item.objects.get(study__key="gamma").original


class TestLayout:
    """As the page and ``import_pairs`` take it: refusals name these as their remedies."""

    @pytest.mark.parametrize(("encoding", "e"), [("cp850", "é"), ("cp1252", "‚")])
    def test_the_encoding(self, send: Send, encoding, e):
        assert send(PAIR.encode("cp850"), encoding=encoding).status_code == 201
        assert original() == f"L'assur{e} est d{e}bout{e}."

    def test_the_separator(self, send: Send):
        rows = PAIR.replace(";", "^")
        assert problem(send(rows))["code"] == "unmapped"
        assert send(rows, separator="^").status_code == 201

    @pytest.mark.parametrize("separator", ["tab", "\t"])
    def test_a_tab_by_its_name_too(self, send: Send, separator):
        rows = "original\tsimplification, seconde\nLa prime, due.\tPayez, vite.\n"
        columns: dict[str, str | None] = {"simplification": "simplification, seconde"}
        assert send(rows, columns, separator=separator).status_code == 201
        assert original() == "La prime, due."

    def test_quotation_marks_that_are_plain_characters(self, send: Send):
        rows = 'original;simplification\n"Le bail prend fin;Il finit.\nb;c\n'
        refusal = problem(send(rows))
        assert refusal["code"] == "bad_quotes"
        assert "without quoting" in refusal["remedy"]
        assert send(rows, quoted="false").status_code == 201
        assert Item.objects.filter(study__key="gamma", original='"Le bail prend fin').exists()

    def test_a_first_row_that_is_a_pair(self, send: Send):
        rows = "La prime est due.;Payez.\nLe bail prend fin.;Il finit.\n"
        refusal = problem(send(rows))
        assert (refusal["field"], refusal["code"]) == ("columns", "unmapped")
        assert "number where the first row is no header (1 to 2)" in refusal["remedy"]
        answer = send(rows, {"original": "1", "simplification": "2"}, header="false")
        assert answer.status_code == 201, answer.json()
        assert answer.json()["simplifications"] == 2

    def test_names_below_a_title(self, send: Send):
        rows = "Corpus de 2026;;\nici;là;x\nLa prime est due.;Payez.;x\n"
        columns: dict[str, str | None] = {"original": "ici", "simplification": "là"}
        answer = send(rows, columns, header_row="2")
        assert answer.json()["simplifications"] == 1
        assert answer.json()["columns_left_out"] == ["x"]

    def test_a_first_row_that_looks_like_names(self, send: Send):
        columns: dict[str, str | None] = {"original": "1", "simplification": "2"}
        assert send("Original;Texte\na;b\n", columns, header="false").json()["items"] == 2

    def test_a_sheet(self, send: Send):
        book = workbook(notes=[["original"], ["Rien."]], paires=[["original"], ["Le bail."]])
        assert send(book, sheet="paires").status_code == 201
        assert original() == "Le bail."

    @pytest.mark.parametrize(
        ("options", "status", "code"),
        [
            ({"encoding": "klingon"}, 400, "invalid_choice"),
            ({"separator": "ab"}, 422, "bad_separator"),
            ({"sheet": "paires"}, 422, "no_sheets"),
            ({"header": "peut-être"}, 400, "invalid"),
            ({"header_row": "-1"}, 400, "min_value"),
            ({"header_row": "9"}, 422, "no_such_row"),
        ],
    )
    def test_what_cannot_be_is_refused_by_its_name(self, send: Send, options, status, code):
        answer = send(PAIR, **options)
        assert answer.status_code == status
        refused = [(refusal["field"], refusal["code"]) for refusal in answer.json()["problems"]]
        assert refused == [(*options, code)]

    def test_an_encoding_that_a_file_is_not_in(self, send: Send):
        refusal = problem(send(PAIR.encode("cp850"), encoding="utf-8"))
        assert (refusal["field"], refusal["code"], refusal["row"]) == (
            "encoding",
            "wrong_encoding",
            2,
        )

    def test_a_sheet_that_a_workbook_does_not_have(self, send: Send):
        refusal = problem(send(workbook(notes=[["original"], ["Rien."]]), sheet="paires"))
        assert (refusal["field"], refusal["code"]) == ("sheet", "unknown_sheet")

    def test_a_worker_reads_it_so_too(self, send: Send, monkeypatch):
        monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 0)
        monkeypatch.setattr("annotation.jobs._send", lambda *message: None)
        answer = send(PAIR.replace(";", "^"), separator="^")
        assert answer.status_code == 202
        reading_carry_out(Job.objects.get().public_id)
        assert original() == "L'assuré est débouté."
